#include "tests/ops/moved.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::test;

namespace {

void check_triangular(const Tensor& x, bool upper, std::int32_t diagonal) {
  const Tensor y = moved(x, x.shape, [&](const Dims& at) -> std::optional<Dims> {
    const std::int64_t row = at[at.size() - 2], column = at.back(), edge = row + diagonal;
    if (upper ? column >= edge : column <= edge) return at;
    return std::nullopt;
  });
  check({[=](auto& b, auto in) {
           return b.triangular(in[0], {.upper = upper, .diagonal = diagonal});
         },
         {x},
         {y}});
}

TEST_CASE("triangular: known results", "[triangular]") {
  const Tensor x = tensor(float32, {3, 3}, {7, 1, 2, 9, 4, 8, 2, 6, 3});
  const auto known = [&](bool upper, std::int32_t diagonal, const std::vector<double>& y) {
    check({[=](auto& b, auto in) {
             return b.triangular(in[0], {.upper = upper, .diagonal = diagonal});
           },
           {x},
           {tensor(float32, {3, 3}, y)}});
  };
  known(true, 1, {0, 1, 2, 0, 0, 8, 0, 0, 0});
  known(true, -1, {7, 1, 2, 9, 4, 8, 0, 6, 3});
  known(false, 1, {7, 1, 0, 9, 4, 8, 2, 6, 3});
  known(false, -1, {0, 0, 0, 9, 0, 0, 2, 6, 0});
}

TEST_CASE("triangular: diagonals inside, outside and at the limits", "[triangular]") {
  Random random(121);
  for (const Dims& shape : {Dims{1, 1}, Dims{2, 3, 4}, Dims{5, 2}, Dims{2, 1, 1, 6}})
    for (std::int32_t diagonal : {0, 1, -1, 3, -4, 7, -7, 100, -100, INT32_MAX, INT32_MIN})
      for (bool upper : {true, false})
        check_triangular(random_bits(random, float32, shape), upper, diagonal);
}

TEST_CASE("triangular: every data type, in many tiles", "[triangular]") {
  Random random(122);
  for_each_type(types::any, [&](MLOperandDataType type) {
    check_triangular(random_bits(random, type, {3, 157, 211}), true, 11);
    check_triangular(random_bits(random, type, {2, 40009}), false, 33333);
  });
}

TEST_CASE("triangular: over its operand's memory", "[triangular]") {
  Random random(123);
  const auto build = [](auto& b, auto x) { return b.triangular(b.reverse(x[0])); };
  const Tensor x = random.tensor(int32, {300, 200});
  const Tensor y = generated(int32, {300, 200}, [&](const Dims& at) {
    return at[1] >= at[0] ? x.at({299 - at[0], 199 - at[1]}) : 0;
  });
  check({build, {x}, {y}});
}

}  // namespace
