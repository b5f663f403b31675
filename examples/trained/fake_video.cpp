// Detecting fake video: is the face that talks the face of the person? The frames come one at a
// time; convolutions see each frame and what changed in it, and a GRU keeps in its state what
// speaks for a fake so far, so that the alert comes while the video runs.
#include "picture.h"
#include "weights.h"

using namespace webnn;
using namespace trained;

namespace {

constexpr std::uint32_t frames = 8, size = 32, channels = 24, features = 24, hidden = 24;
constexpr std::size_t bytes = size * size / 2;  // a frame: 4 bits a pixel

/// A frame, the one before and the state -> the probability that the video is "fake", and "next",
/// the next state.
MLGraph build(const MLContext& context, const safetensors::File& file) {
  MLGraphBuilder b(context);
  const Layers layers{b, file};
  const auto conv = [&](Operand x, const std::string& name, std::uint32_t stride) {
    return layers.conv2d(x, name, {.padding = {1, 1, 1, 1}, .strides = {stride, stride}}).relu();
  };
  Operand frame = layers.pixels(b.input("frame", {uint4, {1, 1, size, size}}));
  Operand before = layers.pixels(b.input("before", {uint4, {1, 1, size, size}}));
  Operand state = b.input("state", {float32, {1, 1, hidden}});
  Operand x = conv((frame - 0.5f).concat({4.f * (frame - before)}, 1), "conv1", 1);
  x = x.maxPool2d({.windowDimensions = Dims{2, 2}, .strides = {2, 2}});
  x = conv(conv(x, "conv2", 2), "conv3", 2).reshape({1, channels * 16});
  x = layers.linear(x, "features").relu().reshape({1, 1, features});
  Operand next = layers.gru(x, "gru", hidden, state)[0];
  return b.build(
      {{"fake", layers.linear(next.reshape({1, hidden}), "fake").sigmoid()}, {"next", next}});
}

}  // namespace

int main() {
  const auto file = open("fake_video");
  const auto clips = values<std::uint8_t>(file, "clips"),
             truth = values<std::uint8_t>(file, "fake");
  MLContext context({.threads = 1});
  const MLGraph graph = build(context, file);
  std::size_t right = 0;
  for (std::size_t c = 0; c < truth.size(); ++c) {
    const auto clip = std::span(clips).subspan(c * frames * bytes, frames * bytes);
    std::vector<float> state(hidden), next(hidden), fake(1);
    std::string course;  // a digit for each frame: tenths of the probability
    for (std::size_t i = 0; i < frames; ++i) {
      context.compute(graph,
                      {{"frame", clip.subspan(i * bytes, bytes)},
                       {"before", clip.subspan((i ? i - 1 : 0) * bytes, bytes)},
                       {"state", state}},
                      {{"fake", fake}, {"next", next}});
      state.swap(next);
      course += "0123456789"[static_cast<int>(fake[0] * 9.99f)];
    }
    const bool alert = fake[0] > 0.5f;
    right += alert == (truth[c] == 1);
    if (c < 2) {
      std::vector<Picture> pictures;
      for (const std::size_t i : {0, 2, 4, 6})
        pictures.emplace_back(unpacked(clip.subspan(i * bytes, bytes)), size);
      show(pictures);
    }
    std::printf("video %2zu  %s  %s%s\n", c, course.c_str(), alert ? "FAKE" : "real",
                alert == (truth[c] == 1) ? "" : "  (wrong)");
  }
  std::printf("%zu of %zu videos told right\n", right, truth.size());
  return right * 100 < truth.size() * 80;
}
