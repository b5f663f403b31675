#include "tests/ops/moved.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::test;

namespace {

void check_tile(const Tensor& x, const Dims& repetitions) {
  Dims shape = x.shape;
  for (std::size_t d = 0; d < shape.size(); ++d) shape[d] *= repetitions[d];
  const Tensor y = moved(x, shape, [&](Dims at) {
    for (std::size_t d = 0; d < at.size(); ++d) at[d] %= x.shape[d];
    return at;
  });
  check({[&](auto& b, auto in) { return b.tile(in[0], repetitions); }, {x}, {y}});
}

TEST_CASE("tile: random shapes and repetitions of every data type", "[tile]") {
  Random random(111);
  for_each_type(types::any, [&](MLOperandDataType type) {
    for (std::size_t rank = 0; rank <= 5; ++rank)
      for (int i = 0; i < 3; ++i)
        check_tile(random_bits(random, type, random.shape(rank, 4)), random.shape(rank, 3));
  });
}

TEST_CASE("tile: eight dimensions, each repeated", "[tile]") {
  Random random(112);
  check_tile(random_bits(random, int8, Dims(8, 2)), Dims(8, 2));
}

TEST_CASE("tile: in many tiles", "[tile]") {
  Random random(113);
  check_tile(random_bits(random, float32, {3, 1, 1}), {1, 7, 9001});
  check_tile(random_bits(random, float16, {5, 3}), {101, 307});
  check_tile(random_bits(random, int64, {2, 10007}), {3, 2});
}

TEST_CASE("tile: copies joined", "[tile]") {
  Random random(114);
  check_same(
      [](auto& b, auto x) {
        return b.tile(x[0], {2, 3});
      },
      [](auto& b, auto x) {
        const MLOperand row = b.concat({x[0], x[0], x[0]}, 1);
        return b.concat({row, row}, 0);
      },
      {random.tensor(float32, {3, 4})}, {});
}

}  // namespace
