#include "tests/ops/moved.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::test;

namespace {

void check_reverse(const Tensor& x, const Dims& axes) {
  const Tensor y = moved(x, x.shape, [&](Dims at) {
    for (std::uint32_t a : axes) at[a] = x.shape[a] - 1 - at[a];
    return at;
  });
  check({[axes](auto& b, auto in) { return b.reverse(in[0], {.axes = axes}); }, {x}, {y}});
}

TEST_CASE("reverse: any axes of any shape", "[reverse]") {
  Random random(101);
  for (const Dims& shape : {Dims{}, Dims{7}, Dims{3, 1, 5}, Dims{2, 3, 4, 5}, Dims{1, 2, 1, 3, 2}})
    for (unsigned mask = 0; mask < 1u << shape.size(); ++mask) {
      Dims axes;
      for (std::uint32_t a = 0; a < shape.size(); ++a)
        if (mask >> a & 1) axes.insert(axes.begin(), a);
      check_reverse(random_bits(random, float32, shape), axes);
    }
}

TEST_CASE("reverse: every data type, in many tiles", "[reverse]") {
  Random random(102);
  for_each_type(types::any, [&](MLOperandDataType type) {
    check_reverse(random_bits(random, type, {3, 20011}), {1});
    check_reverse(random_bits(random, type, {31, 7, 211}), {1});
    check_reverse(random_bits(random, type, {31, 7, 211}), {0, 2});
  });
}

TEST_CASE("reverse: all axes when they are absent", "[reverse]") {
  check({[](auto& b, auto x) { return b.reverse(x[0]); },
         {tensor(int32, {2, 3}, {1, 2, 3, 4, 5, 6})},
         {tensor(int32, {2, 3}, {6, 5, 4, 3, 2, 1})}});
}

TEST_CASE("reverse: twice is nothing", "[reverse]") {
  Random random(103);
  const Tensor x = random_bits(random, float16, {4, 5, 6});
  const auto twice = [](auto& b, auto in) {
    return b.reverse(b.reverse(in[0], {.axes = {0, 2}}), {.axes = {2, 0}});
  };
  CHECK(same_bits(run(twice, std::vector{x})[0], x));
}

}  // namespace
