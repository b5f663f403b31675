// One graph for the prompt of a decoder and for each step: new rows are written into caches of keys
// and values that are empty at first, and attention reads what is there. The toy looks for the last
// time that it has read the current digit, and continues with the digit that came then.
#include <webnn/state.h>
#include <webnn/webnn.h>

#include <cstdint>
#include <cstdio>
#include <vector>

using namespace webnn;

namespace {

constexpr std::uint32_t digits = 10, bound = 64;

/// A row for each new token, of which the key is the token before it: tokens and before [new] int32
/// to next [new] int32.
MLGraph build_decoder(MLContext& context) {
  MLGraphBuilder b(context);
  const MLOperand tokens = b.input("tokens", {int32, {"new"}});
  const MLOperand before = b.input("before", {int32, {"new"}});
  // A size of 0 is an empty cache.
  const MLDynamicDimension past{.name = "past", .minSize = 0, .maxSize = bound};
  const MLOperand past_keys = b.input("past keys", {float32, {past, digits}});
  const MLOperand past_values = b.input("past values", {float32, {past, digits}});

  std::vector<float> identity(digits * digits);
  for (std::size_t i = 0; i < digits; ++i) identity[i * digits + i] = 1;
  const MLOperand table = b.constant({float32, {digits, digits}}, identity);
  const MLOperand queries = b.mul(b.gather(table, tokens), b.constant(float32, 50));
  const MLOperand keys = b.concat({past_keys, b.gather(table, before)}, 0);
  const MLOperand values = b.concat({past_values, b.gather(table, tokens)}, 0);
  update(b, past_keys, keys);
  update(b, past_values, values);

  const MLOperand found = b.matmul(b.softmax(b.matmul(queries, b.transpose(keys)), 1), values);
  return b.build({{"next", b.argMax(found, 1)}, {"keys", keys}, {"values", values}});
}

}  // namespace

int main() {
  MLContext context;
  const MLGraph graph = build_decoder(context);
  // One tensor for a cache before and after each run, with memory for the bound.
  const MLTensor keys = createState(graph, "past keys"), values = createState(graph, "past values");

  std::vector<std::int32_t> tokens{3, 1, 4, 5, 9, 2, 6, 3};  // the prompt
  std::int32_t last = 0;
  for (int step = 0; step < 12; ++step) {
    std::vector<std::int32_t> before{last};
    before.insert(before.end(), tokens.begin(), tokens.end() - 1);
    last = tokens.back();

    const auto size = static_cast<std::uint32_t>(tokens.size());
    const MLTensorDescriptor row{
        .dataType = int32, .shape = {size}, .readable = true, .writable = true};
    const MLTensor in = context.createTensor(row), in_before = context.createTensor(row),
                   out = context.createTensor(row);
    context.writeTensor(in, tokens);
    context.writeTensor(in_before, before);
    context.dispatch(
        graph,
        {{"tokens", in}, {"before", in_before}, {"past keys", keys}, {"past values", values}},
        {{"next", out}, {"keys", keys}, {"values", values}});
    context.readTensor(out, tokens);
    tokens = {tokens.back()};
    std::printf("%d ", tokens[0]);
  }
  std::printf("\n%u rows are in the caches\n", keys.shape()[0]);
}
