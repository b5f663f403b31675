#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

Build reshape(Dims shape) {
  return [=](MLGraphBuilder& b, Build::Operands x) { return b.reshape(x[0], shape); };
}

}  // namespace

TEST_CASE("reshape: the same elements, in every type", "[reshape]") {
  Random random(1);
  for_each_type(types::any, [&](MLOperandDataType type) {
    const Tensor x = random.tensor(type, {2, 3, 4}, 0, 99);
    for (const Dims& shape :
         {Dims{24}, Dims{4, 6}, Dims{1, 2, 1, 3, 4}, Dims{2, 2, 2, 3}, Dims{2, 3, 4}})
      check({reshape(shape), {x}, {{type, shape, x.bytes}}});
    const Tensor one = random.tensor(type, {1, 1}, 0, 99);
    check({reshape({}), {one}, {{type, {}, one.bytes}}});
  });
}

TEST_CASE("reshape: large tensors, and a result that is also read", "[reshape]") {
  Random random(2);
  const Tensor x = random.tensor(float32, {60, 1009});
  check({reshape({1009, 60}), {x}, {{float32, {1009, 60}, x.bytes}}});
  const auto read_again = [](MLGraphBuilder& b, Build::Operands x) {
    const MLOperand y = b.reshape(x[0], {4});
    return std::vector{y, b.add(y, y)};
  };
  check({read_again,
         {tensor(float32, {2, 2}, {1, 2, 3, 4})},
         {tensor(float32, {4}, {1, 2, 3, 4}), tensor(float32, {4}, {2, 4, 6, 8})}});
}
