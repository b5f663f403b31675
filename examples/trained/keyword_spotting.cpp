// Keyword spotting: which of ten words was said? The graph begins with samples: its first layers
// are the spectrum that a program would else compute itself.
#include <algorithm>
#include <cstdio>
#include <sstream>

#include "spectrum.h"
#include "weights.h"

using namespace webnn;
using namespace trained;

namespace {

constexpr std::uint32_t count = 6400, bands = 32, steps = (count - window) / hop + 1, channels = 48,
                        words = 10;

/// int8 samples of 0.8 s at 8 kHz -> how loud each band is at each step, and the probability of
/// each word.
MLGraph build(const MLContext& context, const safetensors::File& file) {
  MLGraphBuilder b(context);
  const Layers layers{b, file};
  Operand samples = b.input("samples", {int8, {1, 1, 1, count}});
  Operand x = samples.cast(float32) / 127.f;
  x = x.conv2d(b.constant({float32, {2 * bins, 1, 1, window}}, waves()), {.strides = {1, hop}});
  x = x * x;
  x = (x.slice({0, 0, 0, 0}, {1, bins, 1, steps}) + x.slice({0, bins, 0, 0}, {1, bins, 1, steps}))
          .reshape({bins, steps});
  Operand features = (layers.weight("bands").matmul(x) + 0.01f).log();  // [bands, steps]

  const auto conv1d = [&](Operand in, const std::string& name, std::uint32_t stride) {
    Operand filter = layers.weight(name + ".weight");  // [out, in, 3]
    return in
        .conv2d(filter.reshape({filter.shape()[0], filter.shape()[1], 1, 3}),
                {.padding = {0, 0, 1, 1},
                 .strides = {1, stride},
                 .bias = layers.weight(name + ".bias"),
                 .label = name})
        .relu();
  };
  x = conv1d(features.reshape({1, bands, 1, steps}), "conv1", 1);
  x = conv1d(conv1d(x, "conv2", 2), "conv3", 2);
  x = layers.linear(x.reduceMean({.axes = {2, 3}}).reshape({1, channels}), "words");
  return b.build({{"features", features}, {"words", x.softmax(1)}});
}

/// Time from left to right, high tones above.
void draw(const std::vector<float>& features) {
  for (std::uint32_t band = bands; band > 0; band -= 2) {
    for (std::uint32_t step = 0; step < steps; ++step) {
      const float loud =
          (features[(band - 1) * steps + step] + features[(band - 2) * steps + step]) / 2;
      std::putchar(" .:-=+*#%@"[static_cast<int>(std::clamp(loud * 1.1f + 2, 0.f, 9.f))]);
    }
    std::putchar('\n');
  }
}

}  // namespace

int main() {
  const auto file = trained::open("keywords");  // also clips of voices that it was not trained on
  std::istringstream list(file.metadata().at("words"));
  std::vector<std::string> names(words);
  for (std::string& name : names) list >> name;
  const auto clips = values<std::int8_t>(file, "clips");
  const auto labels = values<std::uint8_t>(file, "labels");

  MLContext context({.threads = 1});
  const MLGraph graph = build(context, file);
  std::vector<float> features(bands * steps), probabilities(words);
  std::size_t right = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    context.compute(graph, {{"samples", std::span(clips).subspan(i * count, count)}},
                    {{"features", features}, {"words", probabilities}});
    const auto best = std::max_element(probabilities.begin(), probabilities.end());
    const auto heard = static_cast<std::size_t>(best - probabilities.begin());
    right += heard == labels[i];
    if (i < 2) draw(features);
    if (i < 2 || heard != labels[i])
      std::printf("heard \"%s\", %.1f %%; it was \"%s\"\n\n", names[heard].c_str(), 100 * *best,
                  names[labels[i]].c_str());
  }
  std::printf("%zu of %zu words of unknown voices heard right\n", right, labels.size());
  return right * 100 < labels.size() * 85;
}
