#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

Build cast(MLOperandDataType to) {
  return [to](MLGraphBuilder& b, Build::Operands x) { return b.cast(x[0], to); };
}
void is(MLOperandDataType from, const std::vector<double>& x, MLOperandDataType to,
        const std::vector<double>& y) {
  const Dims shape{static_cast<std::uint32_t>(x.size())};
  check({cast(to), {tensor(from, shape, x)}, {tensor(to, shape, y)}});
}

}  // namespace

TEST_CASE("cast: from every type to every type, small numbers", "[cast]") {
  Random random(5);
  for_each_type(types::any, [&](MLOperandDataType from) {
    for_each_type(types::any, [&](MLOperandDataType to) {
      const bool negative = lowest_of(from) < 0 && lowest_of(to) < 0;
      const Tensor x = random.tensor(from, {3, 2111}, negative ? -100 : 0, 100);
      std::size_t i = 0;
      const Tensor y = generated(to, x.shape, [&](const Dims&) {
        const double v = x[i++];
        return is_float(to) ? v : std::trunc(v);
      });
      check({cast(to), {x}, {y}, tolerance_of("cast", to)});
    });
  });
}

TEST_CASE("cast: floats to integers truncate, saturate, and NaN becomes 0", "[cast]") {
  for (auto from : {float32, float16, bfloat16})
    for_each_type({int8, uint8, int32, uint32}, [&](MLOperandDataType to) {
      is(from, {NAN, INFINITY, -INFINITY, 43.5, 0.9, -0.9}, to,
         {0, highest_of(to), lowest_of(to), 43, 0, 0});
    });
  for (auto to : {int64, uint64}) {
    const bool wide = to == uint64;
    check({cast(to),
           {tensor(float32, {4}, {INFINITY, -INFINITY, NAN, 0x1p62})},
           {integers(to, {4}, {wide ? -1 : INT64_MAX, wide ? 0 : INT64_MIN, 0, 1ll << 62})}});
  }
  is(float32, {-43.5, -1.9, 300, -300}, int8, {-43, -1, 127, -128});
  is(float32, {2147483648.0, -2147483648.0, 4e9, -3e9}, int32,
     {2147483647, -2147483648.0, 2147483647, -2147483648.0});
  is(float32, {4294967296.0, 4294967040.0, -5}, uint32, {4294967295.0, 4294967040.0, 0});
}

TEST_CASE("cast: integers keep their low bits", "[cast]") {
  is(int8, {-1, -128}, uint8, {255, 128});
  is(uint8, {200}, int8, {-56});
  is(int32, {300, -1, 65536}, uint8, {44, 255, 0});
  is(int8, {-1}, uint32, {4294967295.0});
  check(
      {cast(int32), {integers(int64, {2}, {1ll << 32, INT64_MAX})}, {tensor(int32, {2}, {0, -1})}});
  check({cast(uint64), {tensor(int8, {1}, {-1})}, {integers(uint64, {1}, {-1})}});
}

TEST_CASE("cast: to the nearest float, ties to even", "[cast]") {
  is(int32, {16777217, 16777219, 2147483647}, float32, {16777216, 16777220, 2147483648.0});
  is(int32, {2049, 2051, 65519, 65520, -70000}, float16, {2048, 2052, 65504, INFINITY, -INFINITY});
  is(float32, {65519.9, 65520, -1e9, NAN, 0x1p-25, 0x1.8p-25}, float16,
     {65504, INFINITY, -INFINITY, NAN, 0, 0x1p-24});
  check({cast(float32), {integers(uint64, {1}, {-1})}, {tensor(float32, {1}, {0x1p64})}});
  check({cast(float32),
         {integers(int64, {1}, {(1ll << 40) + (1ll << 16)})},
         {tensor(float32, {1}, {0x1p40})}});
}
