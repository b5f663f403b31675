#include "tests/ops/moved.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::test;

namespace {

void check_gather_elements(const Tensor& x, const Tensor& indices, std::uint32_t axis) {
  const Tensor y = moved(x, indices.shape, [&](Dims at) {
    at[axis] = named_place(indices.at(at), x.shape[axis]);
    return at;
  });
  check({[=](auto& b, auto in) { return b.gatherElements(in[0], in[1], {.axis = axis}); },
         {x, indices},
         {y}});
}

TEST_CASE("gatherElements: known results", "[gatherElements]") {
  check({[](auto& b, auto x) { return b.gatherElements(x[0], x[1]); },
         {tensor(float32, {4, 3}, {0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32}),
          integers(int32, {2, 3}, {3, 1, 1, 2, 0, 3})},
         {tensor(float32, {2, 3}, {30, 11, 12, 20, 1, 32})}});
}

TEST_CASE("gatherElements: every data type of elements and indices, any axis", "[gatherElements]") {
  Random random(141);
  for_each_type(types::any, [&](MLOperandDataType type) {
    for_each_type(types::indices, [&](MLOperandDataType index) {
      for (const Dims& shape : {Dims{6}, Dims{4, 5}, Dims{2, 3, 1, 4}})
        for (std::uint32_t axis = 0; axis < shape.size(); ++axis) {
          Dims wanted = shape;
          wanted[axis] = random.integer(1, 7);
          check_gather_elements(random_bits(random, type, shape),
                                random_indices(random, index, wanted, shape[axis]), axis);
        }
    });
  });
}

TEST_CASE("gatherElements: in many tiles", "[gatherElements]") {
  Random random(142);
  check_gather_elements(random_bits(random, float32, {3, 5, 4001}),
                        random_indices(random, int64, {3, 7, 4001}, 5), 1);
  check_gather_elements(random_bits(random, float16, {211, 307}),
                        random_indices(random, uint32, {211, 101}, 307), 1);
}

}  // namespace
