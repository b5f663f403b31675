#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

Build slice(Dims starts, Dims sizes, Dims strides) {
  return [=](MLGraphBuilder& b, Build::Operands x) {
    return b.slice(x[0], starts, sizes, {.strides = strides});
  };
}
void slices(const Tensor& x, const Dims& starts, const Dims& sizes, const Dims& strides) {
  Dims shape;
  for (std::size_t d = 0; d < sizes.size(); ++d)
    shape.push_back(
        static_cast<std::uint32_t>(std::ceil(static_cast<double>(sizes[d]) / strides[d])));
  const Tensor y = generated(x.type, shape, [&](Dims at) {
    for (std::size_t d = 0; d < at.size(); ++d) at[d] = starts[d] + at[d] * strides[d];
    return x.at(at);
  });
  check({slice(starts, sizes, strides), {x}, {y}});
}

}  // namespace

TEST_CASE("slice: every type, random windows and strides", "[slice]") {
  Random random(1);
  for_each_type(types::any, [&](MLOperandDataType type) {
    for (int i = 0; i < 15; ++i) {
      const Dims shape = random.shape(random.integer(0, 5), 7);
      Dims starts, sizes, strides;
      for (std::uint32_t n : shape) {
        starts.push_back(random.integer(0, n - 1));
        sizes.push_back(random.integer(1, n - starts.back()));
        strides.push_back(random.integer(1, 3));
      }
      slices(random.tensor(type, shape, 0, 99), starts, sizes, strides);
    }
  });
}

TEST_CASE("slice: sizes are those of the input", "[slice]") {
  slices(tensor(float32, {12}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}), {1}, {10}, {4});
}

TEST_CASE("slice: strides beyond the dimension, and the default", "[slice]") {
  check({slice({1, 1}, {2, 1}, {0xffffffff, 0xffffffff}),
         {tensor(int32, {3, 2}, {0, 1, 2, 3, 4, 5})},
         {tensor(int32, {1, 1}, {3})}});
  check({[](MLGraphBuilder& b, Build::Operands x) {
           return b.slice(x[0], {1, 0}, {2, 1});
         },
         {tensor(int32, {3, 2}, {0, 1, 2, 3, 4, 5})},
         {tensor(int32, {2, 1}, {2, 4})}});
}

TEST_CASE("slice: of large tensors", "[slice]") {
  Random random(2);
  slices(random.tensor(float32, {100, 400}), {3, 7}, {90, 380}, {1, 1});
  slices(random.tensor(float32, {100, 600}), {3, 7}, {90, 580}, {2, 3});
  slices(random.tensor(uint8, {40, 40, 40}, 0, 99), {1, 2, 0}, {39, 37, 40}, {1, 1, 1});
}
