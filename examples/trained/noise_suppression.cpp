// Noise suppression: speech in noise comes in pieces of 16 ms, and goes out clean. The network
// hears one window at a time and remembers what was before in its state, which is an input and an
// output.
#include <cmath>
#include <cstdio>

#include "spectrum.h"
#include "weights.h"

using namespace webnn;
using namespace trained;

namespace {

constexpr std::uint32_t hidden = 56;
using Samples = std::vector<float>;

/// A window of samples and a state -> the window without noise, and the next state.
MLGraph build(const MLContext& context, const safetensors::File& file) {
  const Samples forward = waves();
  Samples inverse = forward;
  for (std::size_t i = 0; i < inverse.size(); ++i) {
    const std::size_t k = i / window % bins;
    inverse[i] *= (k == 0 || k == bins - 1 ? 1.f : 2.f) / window;
  }
  MLGraphBuilder b(context);
  const Layers layers{b, file};
  Operand samples = b.input("samples", {float32, {1, window}});
  Operand state = b.input("state", {float32, {1, 1, hidden}});
  Operand spectrum =
      samples.gemm(b.constant({float32, {2 * bins, window}}, forward), {.bTranspose = true});
  Operand real = spectrum.slice({0, 0}, {1, bins}),
          imaginary = spectrum.slice({0, bins}, {1, bins});
  Operand magnitude = (real * real + imaginary * imaginary).sqrt();

  Operand x = layers.linear((magnitude + 0.01f).log(), "reduce").relu().reshape({1, 1, hidden});
  Operand next = layers.gru(x, "gru", hidden, state)[0];
  Operand keep = layers.linear(next.reshape({1, hidden}), "gains").sigmoid();

  Operand clean = spectrum * keep.concat({keep}, 1);
  return b.build({{"clean", clean.matmul(b.constant({float32, {2 * bins, window}}, inverse))},
                  {"next", next}});
}

Samples suppress(MLContext& context, const MLGraph& graph, const Samples& noisy) {
  Samples state(hidden), next(hidden), out(window), clean(noisy.size());
  for (std::size_t at = 0; at + window <= noisy.size(); at += hop) {
    context.compute(graph, {{"samples", std::span(noisy).subspan(at, window)}, {"state", state}},
                    {{"clean", out}, {"next", next}});
    state.swap(next);
    for (std::size_t i = 0; i < window; ++i) clean[at + i] += out[i];
  }
  return clean;
}

/// How loud each moment is: a column of 5 dB steps.
void draw(const char* title, const Samples& x) {
  constexpr std::size_t columns = 90;
  for (int level = 0; level < 6; ++level) {
    std::printf("%-6s|", level == 2 ? title : "");
    for (std::size_t i = 0; i < columns; ++i) {
      double power = 1e-9;
      for (std::size_t j = i * x.size() / columns; j < (i + 1) * x.size() / columns; ++j)
        power += x[j] * x[j] * columns / static_cast<double>(x.size());
      std::putchar(10 * std::log10(power) > -16 - 5 * level ? '#' : ' ');
    }
    std::puts("|");
  }
}

/// Decibels by which the speech is louder than what is not speech.
double signal_to_noise(const Samples& clean, const Samples& x) {
  double signal = 0, noise = 0;
  for (std::size_t i = window; i + window < x.size(); ++i) {
    signal += clean[i] * clean[i];
    noise += (x[i] - clean[i]) * (x[i] - clean[i]);
  }
  return 10 * std::log10(signal / noise);
}

}  // namespace

int main() {
  const auto file = trained::open("noise_suppression");  // also a sentence of another voice
  MLContext context({.threads = 1});
  const MLGraph graph = build(context, file);
  const Samples speech = sound(file, "clean"), noisy = sound(file, "noisy"),
                clean = suppress(context, graph, noisy);
  draw("speech", speech);
  draw("noisy", noisy);
  draw("clean", clean);
  const double before = signal_to_noise(speech, noisy), after = signal_to_noise(speech, clean);
  std::printf("signal to noise: %.1f dB before, %.1f dB after\n", before, after);
  return after < before + 5;
}
