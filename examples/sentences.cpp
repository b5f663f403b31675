// One graph for sentences of any length: each word looks at all others, and the mean decides.
#include <webnn/webnn.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

using namespace webnn;

int main() {
  MLContext context;
  MLGraphBuilder b(context);
  const std::array<float, 8> table = {0, 0, 2, 0, 0, 2, 1, 0};  // "the", "good", "bad", "fine"
  // The bound says how long a sentence may be; a longer one is refused.
  MLOperand words = b.input(
      "words",
      {.dataType = int32, .shape = {1, MLDynamicDimension{.name = "length", .maxSize = 16}}});
  MLOperand e = b.gather(b.constant({float32, {4, 2}}, table), words);  // [1, length, 2]
  MLOperand looks = b.softmax(b.matmul(e, b.transpose(e, {.permutation = {{0, 2, 1}}})), 2);
  MLOperand mean = b.reduceMean(b.matmul(looks, e), {.axes = {{1}}});
  MLGraph graph = b.build({{"mood", b.softmax(mean, 1)}});

  const std::vector<std::vector<std::int32_t>> sentences = {
      {0, 1}, {0, 2, 0}, {1, 3, 0, 2, 1}, {2, 0, 0, 2, 2, 1, 0}};
  for (const auto& sentence : sentences) {
    std::array<float, 2> mood;
    context.compute(graph, {{"words", sentence}}, {{"mood", mood}});
    std::printf("%zu words: %s\n", sentence.size(), mood[0] > mood[1] ? "good" : "bad");
  }

  try {
    graph.computeShapes({{"words", {1, 17}}});
  } catch (const TypeError& e) { std::printf("%s\n", e.what()); }
}
