#include "tests/ops/moved.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::test;

namespace {

const Build scatter_elements = [](auto& b, auto x) { return b.scatterElements(x[0], x[1], x[2]); };

/// Update after update, in row-major order.
Tensor scattered(const Tensor& x, const Tensor& indices, const Tensor& updates,
                 std::uint32_t axis) {
  Tensor y = x;
  const std::size_t width = x.bytes.size() / x.size();
  std::size_t i = 0;
  for_each_place(indices.shape, [&](Dims at) {
    at[axis] = named_place(indices.at(at), x.shape[axis]);
    std::memcpy(&y.bytes[place_in(x.shape, at) * width], &updates.bytes[i++ * width], width);
  });
  return y;
}

void check_scatter_elements(const Tensor& x, const Tensor& indices, const Tensor& updates,
                            std::uint32_t axis) {
  check({[=](auto& b, auto in) { return b.scatterElements(in[0], in[1], in[2], {.axis = axis}); },
         {x, indices, updates},
         {scattered(x, indices, updates, axis)}});
}

TEST_CASE("scatterElements: known results", "[scatterElements]") {
  check({scatter_elements,
         {tensor(float32, {4, 3}, {0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32}),
          integers(int32, {2, 3}, {3, 1, 1, 2, 0, 3}),
          tensor(float32, {2, 3}, {-1, -2, -3, -4, -5, -6})},
         {tensor(float32, {4, 3}, {0, -5, 2, 10, -2, -3, -4, 21, 22, -1, 31, -6})}});
}

TEST_CASE("scatterElements: the last update of an element stays", "[scatterElements]") {
  check({scatter_elements,
         {tensor(int32, {3}, {1, 2, 3}), integers(int64, {5}, {1, -2, 7, 1, INT64_MAX}),
          tensor(int32, {5}, {10, 20, 30, 40, 50})},
         {tensor(int32, {3}, {1, 40, 50})}});
}

TEST_CASE("scatterElements: every data type of elements and indices, any axis, with duplicates",
          "[scatterElements]") {
  Random random(161);
  for_each_type(types::any, [&](MLOperandDataType type) {
    for_each_type(types::indices, [&](MLOperandDataType index) {
      for (const Dims& shape : {Dims{6}, Dims{4, 5}, Dims{2, 3, 1, 4}})
        for (std::uint32_t axis = 0; axis < shape.size(); ++axis) {
          Dims given = shape;
          given[axis] = random.integer(1, 9);
          check_scatter_elements(random_bits(random, type, shape),
                                 random_indices(random, index, given, shape[axis]),
                                 random_bits(random, type, given), axis);
        }
    });
  });
}

TEST_CASE("scatterElements: in many tiles", "[scatterElements]") {
  Random random(162);
  for (const auto& [shape, axis] : {std::pair{Dims{3, 5, 4001}, 1u}, std::pair{Dims{503, 61}, 1u},
                                    std::pair{Dims{7, 9001}, 0u}}) {
    Dims given = shape;
    given[axis] = 11;
    check_scatter_elements(random_bits(random, float16, shape),
                           random_indices(random, int32, given, shape[axis]),
                           random_bits(random, float16, given), axis);
  }
}

TEST_CASE("scatterElements: over its operand's memory, and with one tensor for both",
          "[scatterElements]") {
  Random random(163);
  const Tensor x = random.tensor(float32, {50, 700});
  const Tensor indices = random_indices(random, int32, x.shape, 50);
  const Tensor updates = random.tensor(float32, x.shape);
  const auto negated = [](Tensor t) {
    for (std::size_t i = 0; i < t.size(); ++i) t.set(i, -t[i]);
    return t;
  };
  check({[](auto& b, auto in) { return b.scatterElements(b.neg(in[0]), in[1], in[2]); },
         {x, indices, updates},
         {scattered(negated(x), indices, updates, 0)}});
  check({[](auto& b, auto in) {
           const MLOperand both = b.neg(in[0]);
           return b.scatterElements(both, in[1], both);
         },
         {x, indices},
         {scattered(negated(x), indices, negated(x), 0)}});
}

}  // namespace
