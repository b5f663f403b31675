#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

Build gather(std::uint32_t axis) {
  return [=](MLGraphBuilder& b, Build::Operands x) { return b.gather(x[0], x[1], {.axis = axis}); };
}
void gathers(const Tensor& x, const Tensor& indices, std::uint32_t axis) {
  const auto rank = static_cast<std::uint32_t>(indices.shape.size());
  Dims shape(x.shape.begin(), x.shape.begin() + axis);
  shape.insert(shape.end(), indices.shape.begin(), indices.shape.end());
  shape.insert(shape.end(), x.shape.begin() + axis + 1, x.shape.end());
  const Tensor y = generated(x.type, shape, [&](const Dims& at) {
    const Dims where(at.begin() + axis, at.begin() + axis + rank);
    double i = indices.at(where);
    const double n = x.shape[axis];
    if (i < 0) i += n;
    Dims from(at.begin(), at.begin() + axis);
    from.push_back(static_cast<std::uint32_t>(std::max(0.0, std::min(i, n - 1))));
    from.insert(from.end(), at.begin() + axis + rank, at.end());
    return x.at(from);
  });
  check({gather(axis), {x, indices}, {y}});
}

}  // namespace

TEST_CASE("gather: every type of data and of indices", "[gather]") {
  Random random(1);
  for_each_type(types::any, [&](MLOperandDataType type) {
    for_each_type(types::indices, [&](MLOperandDataType index) {
      for (int i = 0; i < 4; ++i) {
        const Dims shape = random.shape(random.integer(1, 4));
        const std::uint32_t axis = random.integer(0, static_cast<std::uint32_t>(shape.size()) - 1);
        // Beyond both ends.
        gathers(random.tensor(type, shape, 0, 99),
                random.tensor(index, random.shape(random.integer(0, 3), 4), -9, 9), axis);
      }
    });
  });
}

TEST_CASE("gather: extreme indices are clamped in their data type", "[gather]") {
  const Tensor x = tensor(float32, {3}, {10, 11, 12});
  const Tensor y = tensor(float32, {4}, {10, 12, 12, 10});
  check(
      {gather(0), {x, integers(int64, {4}, {INT64_MIN, INT64_MAX, 1ll << 32, -(1ll << 32)})}, {y}});
  check({gather(0), {x, integers(int32, {4}, {INT32_MIN, INT32_MAX, 3, -4})}, {y}});
  check({gather(0), {x, integers(uint32, {4}, {0, -1, 1ll << 31, 0})}, {y}});
}

TEST_CASE("gather: the specification's examples", "[gather]") {
  const Tensor x = tensor(float32, {4, 3}, {0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32});
  check({gather(0),
         {x, tensor(int32, {2}, {3, 1})},
         {tensor(float32, {2, 3}, {30, 31, 32, 10, 11, 12})}});
  check({gather(1),
         {x, tensor(int32, {3}, {2, 1, 1})},
         {tensor(float32, {4, 3}, {2, 1, 1, 12, 11, 11, 22, 21, 21, 32, 31, 31})}});
  check({gather(0),
         {tensor(float32, {2, 1}, {5, 6}), tensor(int32, {3}, {-2, 10, -10})},
         {tensor(float32, {3, 1}, {5, 6, 5})}});
  check({gather(0),
         {tensor(int32, {3}, {5, 6, 7}), tensor(int32, {}, {1})},
         {tensor(int32, {}, {6})}});
}

TEST_CASE("gather: large tables and many indices", "[gather]") {
  Random random(2);
  gathers(random.tensor(float32, {50, 301}), random.tensor(int32, {400}, -50, 49), 0);
  gathers(random.tensor(float16, {3, 500, 1}), random.tensor(int64, {30000}, 0, 499), 1);
}
