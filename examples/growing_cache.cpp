// One graph for the prompt of a decoder and for each step: its cache grows by the new tokens, and
// is empty at first. The toy continues the last digits of the Fibonacci numbers.
#include <webnn/webnn.h>

#include <cstdint>
#include <cstdio>
#include <vector>

using namespace webnn;

int main() {
  MLContext context;
  MLGraphBuilder b(context);
  MLOperand tokens = b.input("tokens", {int32, {"new"}});
  // A size of 0 is an empty cache.
  MLOperand past =
      b.input("past", {float32, {MLDynamicDimension{.name = "past", .minSize = 0, .maxSize = 64}}});
  MLOperand present = b.concat({past, b.cast(tokens, float32)}, 0);  // [past + new]

  // The last two of however many there are.
  MLOperand two = b.constant({uint32, {1}}, {2u});
  MLOperand last = b.sliceDynamic(present, b.sub(b.shape(present), two), two);
  MLOperand sum = b.reduceSum(last, {.keepDimensions = true});
  MLOperand next = b.cast(b.modulusFloor(sum, b.constant(float32, 10)), int32);
  MLGraph graph = b.build({{"next", next}, {"present", present}});

  std::vector<std::int32_t> fresh{1, 1, 2, 3, 5}, answer(1);  // the prompt
  std::vector<float> cache;
  for (int step = 0; step < 12; ++step) {
    std::vector<float> longer(cache.size() + fresh.size());
    context.compute(graph, {{"tokens", fresh}, {"past", cache}},
                    {{"next", answer}, {"present", longer}});
    cache = std::move(longer);
    fresh = answer;
    std::printf("%d ", answer[0]);
  }
  std::printf("\n%zu digits are in the cache\n", cache.size());
}
