// Tensors that stay with the context: a decoder that feeds its output and its cache back to itself.
//
// The toy has seen one thing in its life: the last digits of the Fibonacci numbers. Its cache holds
// the two digits read last. Two tensors take turns as the cache before and after a step.
#include <webnn/fluent.h>

#include <algorithm>
#include <array>
#include <cstdio>

using namespace webnn;

namespace {

/// token [1, 1] int32 and past [1, 2] to logits [1, 10] and present [1, 2].
MLGraph build_decoder(MLContext& context) {
  MLGraphBuilder b(context);
  const std::array<float, 10> digits = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  fluent::Operand token = b.input("token", {.dataType = int32, .shape = {1, 1}});
  fluent::Operand past = b.input("past", {.dataType = float32, .shape = {1, 2}});

  fluent::Operand table = b.constant({float32, {10}}, digits);
  fluent::Operand present = b.concat({past.slice({0, 1}, {1, 1}), table.gather(token)}, 1);
  fluent::Operand sum = present.reduceSum({.axes = {1}, .keepDimensions = true});
  // The nearer a digit, or ten more, is to the sum, the likelier it is.
  fluent::Operand keys = b.constant({float32, {1, 10}}, digits);
  fluent::Operand logits = -(sum - keys).abs().min((sum - keys - 10).abs());
  return b.build({{"logits", logits}, {"present", present}});
}

}  // namespace

int main() {
  MLContext context;
  MLGraph graph = build_decoder(context);

  MLTensor token = context.createTensor({.dataType = int32, .shape = {1, 1}, .writable = true});
  MLTensor logits = context.createTensor({.dataType = float32, .shape = {1, 10}, .readable = true});
  const MLTensorDescriptor digits{.dataType = float32, .shape = {1, 2}};
  MLTensor cache[2] = {context.createTensor(digits), context.createTensor(digits)};  // zero

  std::array<std::int32_t, 1> id = {1};
  std::array<float, 10> row;
  for (int step = 0; step < 16; ++step) {
    std::printf("%d ", id[0]);
    context.writeTensor(token, id);
    context.dispatch(graph, {{"token", token}, {"past", cache[step % 2]}},
                     {{"logits", logits}, {"present", cache[(step + 1) % 2]}});
    context.readTensor(logits, row);  // waits for what was queued before it
    id[0] = static_cast<std::int32_t>(std::max_element(row.begin(), row.end()) - row.begin());
  }
  std::printf("\n");
}
