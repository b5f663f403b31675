#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

Build softmax(std::uint32_t axis) {
  return [=](MLGraphBuilder& b, Build::Operands x) { return b.softmax(x[0], axis); };
}
void normalizes(const Tensor& x, std::uint32_t axis) {
  const std::uint32_t n = x.shape[axis];
  const Tensor y = generated(x.type, x.shape, [&](Dims at) {
    const double own = x.at(at);
    double sum = 0;
    for (at[axis] = 0; at[axis] < n; ++at[axis]) sum += std::exp(x.at(at) - own);
    return 1 / sum;
  });
  check({softmax(axis), {x}, {y}, tolerance_of("softmax", x.type, n)});
}

}  // namespace

TEST_CASE("softmax: along every axis", "[softmax]") {
  Random random(1);
  for (auto type : {float32, float16, bfloat16})
    for (std::uint32_t rank = 1; rank <= 5; ++rank)
      for (std::uint32_t axis = 0; axis < rank; ++axis)
        normalizes(random.tensor(type, random.shape(rank), -3, 3), axis);
}

TEST_CASE("softmax: rows and columns of large tensors", "[softmax]") {
  Random random(2);
  for (auto type : {float32, float16, bfloat16}) {
    normalizes(random.tensor(type, {40, 101}, -3, 3), 1);
    normalizes(random.tensor(type, {50, 211}, -3, 3), 0);
    normalizes(random.tensor(type, {3, 20, 7, 19}, -3, 3), 1);
  }
}

TEST_CASE("softmax: distant elements, one element, infinities and NaN", "[softmax]") {
  normalizes(tensor(float32, {2}, {50, 3}), 0);
  normalizes(tensor(float32, {2}, {5000, -5000}), 0);
  normalizes(tensor(float16, {3}, {65504, -65504, 65504}), 0);
  normalizes(tensor(float32, {3, 1}, {3, 4, 5}), 1);
  check({softmax(0),
         {tensor(float32, {3}, {1, -INFINITY, 1})},
         {tensor(float32, {3}, {0.5, 0, 0.5})}});
  check({softmax(0), {tensor(float32, {2}, {1, NAN})}, {tensor(float32, {2}, {NAN, NAN})}});
}

TEST_CASE("softmax: as composed of other operators", "[softmax]") {
  Random random(3);
  const auto composed = [](MLGraphBuilder& b, Build::Operands x) {
    const MLReduceOptions o{.axes = {1}, .keepDimensions = true};
    const MLOperand e = b.exp(b.sub(x[0], b.reduceMax(x[0], o)));
    return b.div(e, b.reduceSum(e, o));
  };
  check_same(softmax(1), composed, {random.tensor(float32, {6, 12, 3}, -3, 3)},
             tolerance_of("softmax", float32, 12) + Tolerance{.ulp = 1 + 32 + 12 + 2});
}
