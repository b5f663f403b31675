// Performance adaptation: the largest of several networks that keeps within a time limit on the
// machine at hand. Each candidate is built, run a few times, and the graphs not chosen are dropped.
#include <webnn/webnn.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>

using namespace webnn;

namespace {

struct Candidate {
  const char* name;
  std::uint32_t size, channels, blocks;
};
// A program would have files here: large.tflite, medium.tflite, small.tflite.
constexpr Candidate candidates[] = {
    {"large", 224, 64, 8}, {"medium", 96, 32, 4}, {"small", 32, 8, 2}};

MLGraph build(const MLContext& context, const Candidate& c) {
  MLGraphBuilder b(context);
  MLOperand x = b.input("image", {float32, {1, 3, c.size, c.size}});
  std::uint32_t channels = 3;
  for (std::uint32_t i = 0; i < c.blocks; ++i, channels = c.channels) {
    const std::vector<float> filter(std::size_t{9} * channels * c.channels, 0.01f);
    x = b.relu(b.conv2d(x, b.constant({float32, {c.channels, channels, 3, 3}}, filter),
                        {.padding = {1, 1, 1, 1}}));
  }
  return b.build({{"scores", b.averagePool2d(x)}});
}

/// Milliseconds: the median of some runs, after one that warms up.
double measure(MLContext context, const MLGraph& graph) {
  std::vector<float> in(element_count(graph.inputs()[0].descriptor.shape), 0.5f);
  std::vector<float> out(element_count(graph.outputs()[0].descriptor.shape));
  std::array<double, 5> times;
  context.compute(graph, {{"image", in}}, {{"scores", out}});
  for (double& t : times) {
    const auto start = std::chrono::steady_clock::now();
    context.compute(graph, {{"image", in}}, {{"scores", out}});
    t = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }
  std::nth_element(times.begin(), times.begin() + 2, times.end());
  return times[2];
}

}  // namespace

int main(int argc, char** argv) {
  const double limit = argc > 1 ? std::atof(argv[1]) : 1000 / 30.;  // 30 frames a second
  MLContext context;
  std::optional<MLGraph> chosen;
  for (const Candidate& c : candidates) {
    const MLGraph graph = build(context, c);
    const double ms = measure(context, graph);
    std::printf("%-6s  %8.3f ms  %6.2f MB\n", c.name, ms,
                static_cast<double>(graph.memory().total()) / 1e6);
    if (!chosen && (ms <= limit || &c == &candidates[2])) {
      chosen = graph;
      std::printf("        within %.3f ms: this one\n", limit);
      break;
    }
  }
}
