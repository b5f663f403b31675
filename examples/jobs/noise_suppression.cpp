// Speech without noise, as a stream: 8 ms of sound go in, and 8 ms without noise come out. The two
// networks of DTLN, from two files, are in one graph, and so are the spectrum between them and the
// windows that overlap; the graph keeps all that it has to remember.
//   noise_suppression model_1.tflite model_2.tflite SPEECH.wav
// The program adds noise to the recording, so that it can say by how much the noise became less.
#include <webnn/fluent.h>
#include <webnn/state.h>
#include <webnn/tflite.h>
#include <webnn/webnn.h>

#include <cmath>
#include <cstdio>
#include <numbers>
#include <random>
#include <span>

#include "sound.h"

using namespace webnn;
using fluent::Operand;

namespace {

constexpr std::uint32_t window = 512, step = 128, bins = window / 2 + 1;

/// [window, 2 * bins]: cosines, then sines; and its inverse, [2 * bins, window].
struct Waves {
  std::vector<float> forward, inverse;
  Waves() : forward(window * 2 * bins), inverse(2 * bins * window) {
    for (std::uint32_t n = 0; n < window; ++n)
      for (std::uint32_t k = 0; k < bins; ++k) {
        const double angle = 2 * std::numbers::pi * (k * n % window) / window,
                     scale = (k == 0 || k == bins - 1 ? 1. : 2.) / window;
        for (std::uint32_t part = 0; part < 2; ++part) {
          const double wave = part == 0 ? std::cos(angle) : -std::sin(angle);
          forward[n * 2 * bins + part * bins + k] = static_cast<float>(wave);
          inverse[(part * bins + k) * window + n] = static_cast<float>(wave * scale);
        }
      }
  }
};

MLGraph build(const MLContext& context, const char* first, const char* second) {
  MLGraphBuilder b(context);
  const Waves waves;
  Operand samples = b.input("samples", {float32, {1, step}});

  // The last four pieces are a window; the first network says what to keep of its spectrum.
  Operand recent = b.input("recent", {float32, {1, window - step}});
  Operand heard = recent.concat({samples}, 1);
  Operand spectrum = heard.matmul(b.constant({float32, {window, 2 * bins}}, waves.forward));
  Operand real = spectrum.slice({0, 0}, {1, bins}),
          imaginary = spectrum.slice({0, bins}, {1, bins});
  Operand magnitude = (real * real + imaginary * imaginary).sqrt().reshape({1, 1, bins});
  const tflite::Model mask = tflite::import_model(b, first, {.inputs = {{"input_2", magnitude}}});
  Operand keep = Operand(mask.outputs.at(0).operand).reshape({1, bins});
  Operand kept = spectrum * keep.concat({keep}, 1);

  // The second one works on the window itself.
  Operand wave = kept.matmul(b.constant({float32, {2 * bins, window}}, waves.inverse));
  const tflite::Model filter =
      tflite::import_model(b, second, {.inputs = {{"input_4", wave.reshape({1, 1, window})}}});

  // Windows that overlap are added; the first piece of the sum is complete.
  Operand overlap = b.input("overlap", {float32, {1, window - step}});
  Operand sum =
      Operand(filter.outputs.at(0).operand).reshape({1, window}) + overlap.pad({0, 0}, {0, step});

  const NamedOperands outputs{{"clean", sum.slice({0, 0}, {1, step})},
                              {"next recent", heard.slice({0, step}, {1, window - step})},
                              {"next overlap", sum.slice({0, step}, {1, window - step})},
                              {"next mask", mask.outputs.at(1).operand},
                              {"next filter", filter.outputs.at(1).operand}};
  keepState(b, recent, outputs[1].operand);
  keepState(b, overlap, outputs[2].operand);
  keepState(b, mask.inputs.at(1).operand, outputs[3].operand);
  keepState(b, filter.inputs.at(1).operand, outputs[4].operand);
  return b.build(outputs);
}

/// Decibels by which the speech is louder than what is not speech.
double signal_to_noise(std::span<const float> speech, std::span<const float> sound) {
  double signal = 0, noise = 0;
  for (std::size_t i = 0; i < sound.size(); ++i) {
    signal += speech[i] * speech[i];
    noise += (sound[i] - speech[i]) * (sound[i] - speech[i]);
  }
  return 10 * std::log10(signal / noise);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4) throw std::runtime_error("arguments: model_1.tflite model_2.tflite SPEECH.wav");
  std::vector<float> speech = jobs::read_sound(argv[3]);
  speech.resize(speech.size() / step * step);
  std::vector<float> noisy, clean(speech.size());
  std::mt19937 random(7);  // the same noise each time: a hiss that becomes louder and softer
  for (std::size_t i = 0; i < speech.size(); ++i) {
    const double hiss = static_cast<double>(random()) / 0x1p31 - 1,
                 loud = 0.03 + 0.02 * std::sin(static_cast<double>(i) / jobs::rate);
    noisy.push_back(speech[i] + static_cast<float>(loud * hiss));
  }

  MLContext context({.threads = 1});
  const MLGraph graph = build(context, argv[1], argv[2]);
  for (std::size_t i = 0; i < noisy.size(); i += step)
    context.compute(graph, {{"samples", std::span(noisy).subspan(i, step)}},
                    {{"clean", std::span(clean).subspan(i, step)}});

  // What comes out was heard three pieces before.
  constexpr std::size_t delay = window - step;
  const std::size_t length = speech.size() - delay;
  const auto heard = std::span(speech).first(length);
  const double before = signal_to_noise(heard, std::span(noisy).first(length)),
               after = signal_to_noise(heard, std::span(clean).subspan(delay));
  std::printf("%zu pieces of 8 ms; signal to noise: %.1f dB before, %.1f dB after\n",
              noisy.size() / step, before, after);
  return after < before + 5;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
