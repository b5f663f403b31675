// Super resolution: frames of 32 x 32 pixels become frames of 64 x 64. The network computes four
// pixels for each one, and what it adds is what linear interpolation lacks: edges.
#include "people.h"

using namespace webnn;
using namespace trained;

namespace {

constexpr std::uint32_t small = frame_size / 2, count = 12;
using Frame = std::vector<std::uint8_t>;

/// x [1, 4, h, w] -> [1, 1, 2 h, 2 w]: channel 2 i + j is the pixel in row i and column j of its
/// block. PyTorch calls it pixel_shuffle.
Operand interleave(Operand x) {
  const Dims s = x.shape();
  return x.reshape({2, 2, s[2], s[3]})
      .transpose({.permutation = Dims{2, 0, 3, 1}})
      .reshape({1, 1, 2 * s[2], 2 * s[3]});
}

/// A small frame -> "linear", interpolated, and "network", both uint8.
MLGraph build(const MLContext& context, const safetensors::File& file) {
  MLGraphBuilder b(context);
  const Layers layers{b, file};
  const auto conv = [&](Operand x, const std::string& name, std::uint32_t padding) {
    return layers.conv2d(x, name, {.padding = {padding, padding, padding, padding}});
  };
  const auto pixels = [](Operand x) {
    return (x.clamp({.minValue = 0, .maxValue = 1}) * 255.f).roundEven().cast(uint8);
  };
  Operand x = Operand(b.input("frame", {uint8, {1, 1, small, small}})).cast(float32) / 255.f;
  Operand y = conv(x - 0.5f, "first", 2).relu();
  y = conv(conv(y, "second", 1).relu(), "third", 1).relu() + y;
  Operand linear = x.resample2d({.mode = MLInterpolationMode::linear, .scales = {2, 2}});
  return b.build(
      {{"linear", pixels(linear)}, {"network", pixels(linear + interleave(conv(y, "last", 1)))}});
}

double squared_error(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum / static_cast<double>(a.size());
}

}  // namespace

int main() {
  const auto file = trained::open("super_resolution");
  const Frame large = values<std::uint8_t>(file, "large"),
              half = values<std::uint8_t>(file, "small");
  MLContext context({.threads = 1});
  const MLGraph graph = build(context, file);
  Frame linear(frame_size * frame_size), network(linear.size());
  double before = 0, after = 0;  // decibels: the peak signal to noise ratio, the mean of all frames
  for (std::size_t i = 0; i < count; ++i) {
    const auto frame = std::span(half).subspan(i * small * small, small * small);
    const auto truth = std::span(large).subspan(i * linear.size(), linear.size());
    context.compute(graph, {{"frame", frame}}, {{"linear", linear}, {"network", network}});
    before += 10 * std::log10(255 * 255 / squared_error(linear, truth)) / count;
    after += 10 * std::log10(255 * 255 / squared_error(network, truth)) / count;
    if (i == 0) show({Picture(linear), Picture(network)});
  }
  std::printf("resolution doubled: %.1f dB by linear interpolation, %.1f dB by the network\n",
              before, after);
  return after < before + 3;
}
