// Video summarization: which frames of a recorded video are worth keeping? Convolutions see each
// frame and what changed in it, an LSTM in both directions reads what they saw from the first frame
// to the last and back, and the most important frames of each part become the summary.
#include "picture.h"
#include "weights.h"

using namespace webnn;
using namespace trained;

namespace {

constexpr std::uint32_t frames = 48, size = 32, channels = 24, features = 24, hidden = 16;
constexpr std::size_t bytes = size * size / 2;  // a frame: 4 bits a pixel

/// A video -> "importance" of its frames, from 0 to 1.
MLGraph build(const MLContext& context, const safetensors::File& file) {
  MLGraphBuilder b(context);
  const Layers layers{b, file};
  const auto conv = [&](Operand x, const std::string& name, std::uint32_t padding) {
    const Dims around(4, padding);
    return layers.conv2d(x, name, {.padding = around, .strides = {2, 2}}).relu();
  };
  Operand video = b.input("video", {uint4, {frames, 1, size, size}});
  Operand all = layers.pixels(video), first = all.slice({0, 0, 0, 0}, {1, 1, size, size});
  Operand before = first.concat({all.slice({0, 0, 0, 0}, {frames - 1, 1, size, size})}, 0);
  Operand x = conv((all - 0.5f).concat({all - before}, 1), "conv1", 2);
  x = conv(x, "conv2", 1);
  x = conv(x, "conv3", 1).reshape({frames, channels * 16});
  x = layers.linear(x, "features").relu().reshape({frames, 1, features});
  x = layers.bidirectional_lstm(x, "lstm", hidden).reshape({frames, 2 * hidden});
  return b.build({{"importance", layers.linear(x, "importance").sigmoid()}});
}

}  // namespace

int main() {
  const auto file = open("video_summarization");
  const auto videos = values<std::uint8_t>(file, "frames"),
             truth = values<std::uint8_t>(file, "truth");
  MLContext context({.threads = 1});
  const MLGraph graph = build(context, file);
  std::size_t hits = 0, chosen = 0, wanted = 0;
  for (std::size_t v = 0; v < truth.size() / frames; ++v) {
    const auto video = std::span(videos).subspan(v * frames * bytes, frames * bytes);
    std::vector<float> importance(frames);
    context.compute(graph, {{"video", video}}, {{"importance", importance}});
    std::string found, should;  // a letter for each frame
    std::vector<Picture> summary;
    for (std::size_t i = 0, best = 0; i < frames; ++i) {
      const bool keep = importance[i] > 0.5f, matters = truth[v * frames + i];
      found += " .:-=+*#%@"[static_cast<int>(importance[i] * 9.99f)];
      should += matters ? '@' : ' ';
      hits += keep && matters, chosen += keep, wanted += matters;
      if (!keep) continue;
      const bool begins = i == 0 || importance[i - 1] <= 0.5f;
      if (begins || importance[i] > importance[best]) best = i;
      if (i + 1 < frames && importance[i + 1] > 0.5f) continue;  // the best of this part is known
      summary.emplace_back(unpacked(video.subspan(best * bytes, bytes)), size);
      found[best] = 'K';
    }
    std::printf("video %zu, importance |%s|\n%21s |%s|\n", v, found.c_str(), "truth",
                should.c_str());
    if (v || summary.empty()) continue;
    std::puts("Its key frames (K):");
    show(summary);
  }
  const double score = 2. * static_cast<double>(hits) / static_cast<double>(chosen + wanted);
  std::printf("%zu frames chosen, %zu of the %zu that matter: F-score %.2f\n", chosen, hits, wanted,
              score);
  return score < 0.8;
}
