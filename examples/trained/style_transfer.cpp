// Style transfer: frames become drawings with pen and ink. Residual blocks with instance
// normalization on half the resolution, a transposed convolution back, and a last convolution that
// sees the lines of the hatching too. With a file name as argument, the drawings are written as an
// image (.pgm).
#include <cmath>
#include <fstream>
#include <numbers>

#include "people.h"

using namespace webnn;
using namespace trained;

namespace {

constexpr std::size_t pixels = frame_size * frame_size;

/// [1, 2, 64, 64]: lines in both directions, 1 is ink.
std::vector<float> hatching() {
  std::vector<float> lines;
  for (const int direction : {1, -1})
    for (int y = 0; y < 64; ++y)
      for (int x = 0; x < 64; ++x) {
        const double diagonal = x + 0.5 + direction * (y + 0.5);
        const double wave = 3 * std::cos(2 * std::numbers::pi * diagonal / 8) - 1.2;
        lines.push_back(static_cast<float>(std::clamp(wave, 0., 1.)));
      }
  return lines;
}

MLGraph build(const MLContext& context, const safetensors::File& file) {
  MLGraphBuilder b(context);
  const Layers layers{b, file};
  const auto conv = [&](Operand x, const std::string& name, std::uint32_t padding = 1,
                        std::uint32_t stride = 1) {
    const Dims around(4, padding);
    return layers.conv2d(x, name, {.padding = around, .strides = {stride, stride}});
  };
  const auto normalized = [&](Operand x, const std::string& name) {
    return x.instanceNormalization(
        {.scale = layers.weight(name + ".weight"), .bias = layers.weight(name + ".bias")});
  };
  const auto block = [&](Operand x, const std::string& name) {
    Operand y = normalized(conv(x, name + "1"), "norm_" + name + "1").relu();
    return x + normalized(conv(y, name + "2"), "norm_" + name + "2");
  };
  Operand frame = b.input("frame", {uint8, {1, 1, frame_size, frame_size}});
  Operand first = conv(frame.cast(float32) / 255.f - 0.5f, "first", 2).relu();
  Operand x = normalized(conv(first, "down", 1, 2), "norm_down").relu();
  x = block(block(x, "a"), "b");
  x = x.convTranspose2d(layers.weight("up.weight"),
                        {.strides = {2, 2}, .bias = layers.weight("up.bias")});
  Operand lines = b.constant({float32, {1, 2, frame_size, frame_size}}, hatching());
  x = conv(x.relu().concat({first, lines}, 1), "ink").relu();
  return b.build({{"drawing", (conv(x, "last").sigmoid() * 255.f).roundEven().cast(uint8)}});
}

/// The mean difference of two pixels, from 0 to 1.
double difference(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return sum / 255 / static_cast<double>(a.size());
}

}  // namespace

int main(int argc, char** argv) {
  const auto file = open("style_transfer");
  const auto frames = values<std::uint8_t>(file, "frames"),
             truth = unpacked(values<std::uint8_t>(file, "drawings"));  // by the formula
  MLContext context({.threads = 1});
  const MLGraph graph = build(context, file);
  std::vector<std::uint8_t> drawings;
  for (std::size_t i = 0; i < frames.size(); i += pixels) {
    std::vector<std::uint8_t> drawing(pixels);
    context.compute(graph, {{"frame", std::span(frames).subspan(i, pixels)}},
                    {{"drawing", drawing}});
    drawings.insert(drawings.end(), drawing.begin(), drawing.end());
  }
  show({Picture(std::span(frames).first(pixels)), Picture(std::span(drawings).first(pixels))});
  if (argc > 1) {
    std::ofstream image(argv[1], std::ios::binary);
    image << "P5 64 " << drawings.size() / 64 << " 255\n";
    image.write(reinterpret_cast<const char*>(drawings.data()), std::ssize(drawings));
  }
  const double before = difference(frames, truth), after = difference(drawings, truth);
  std::printf("pixels differ from a drawing by the formula: %.3f before, %.3f after (of 1)\n",
              before, after);
  return after > before / 3;
}
