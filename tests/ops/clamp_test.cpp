#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

Build clamp(std::optional<MLNumber> low, std::optional<MLNumber> high) {
  return [=](MLGraphBuilder& b, Build::Operands x) {
    return b.clamp(x[0], {.minValue = low, .maxValue = high});
  };
}

}  // namespace

TEST_CASE("clamp: min(max(x, low), high) in every type", "[clamp]") {
  check_elementwise(
      clamp(2, 50), types::any, "clamp", [](double v) { return std::min(std::max(v, 2.0), 50.0); },
      -100, 100);
  check_elementwise(clamp(2, {}), types::any, "clamp", [](double v) { return std::max(v, 2.0); });
  check_elementwise(clamp({}, 2), types::any, "clamp", [](double v) { return std::min(v, 2.0); });
  check_elementwise(clamp({}, {}), types::any, "clamp", [](double v) { return v; });
  check_elementwise(clamp(3, 3), types::any, "clamp", [](double) { return 3; });
}

TEST_CASE("clamp: bounds are rounded half to even and saturate", "[clamp]") {
  check_values(clamp(0.5, 2.5), {int8, int32, uint8}, "clamp", {{0, 0}, {1, 1}, {7, 2}});
  check_values(clamp(-5, -1), {uint8}, "clamp", {{0, 0}, {9, 0}});
  check_values(clamp(-1000, 1000), {int8}, "clamp", {{-128, -128}, {127, 127}});
  check_values(clamp(-INFINITY, INFINITY), {int32}, "clamp", {{-7, -7}, {7, 7}});
  check_values(clamp({}, 2049), {float16}, "clamp", {{4000, 2048}});
}

TEST_CASE("clamp: bounds of 64 bits exactly", "[clamp]") {
  const std::int64_t most = 9007199254740992;
  check({clamp({}, most),
         {integers(int64, {3}, {9007199254740995, 5, INT64_MIN})},
         {integers(int64, {3}, {most, 5, INT64_MIN})}});
  check({clamp(UINT64_MAX - 1, {}),
         {integers(uint64, {2}, {-1, 3})},
         {integers(uint64, {2}, {-1, -2})}});
}

TEST_CASE("clamp: infinite bounds and NaN elements", "[clamp]") {
  check_values(clamp(INFINITY, {}), types::floats, "clamp", {{1, INFINITY}, {-INFINITY, INFINITY}});
  check_values(clamp({}, -INFINITY), types::floats, "clamp", {{1, -INFINITY}});
  check_values(clamp(0, 1), types::floats, "clamp", {{NAN, NAN}, {INFINITY, 1}, {-INFINITY, 0}});
}

TEST_CASE("clamp: as min of max", "[clamp]") {
  Random random(1);
  const auto composed = [](MLGraphBuilder& b, Build::Operands x) {
    return b.min(b.max(x[0], b.constant(x[0].dataType(), 1)), b.constant(x[0].dataType(), 3));
  };
  for_each_type(types::any, [&](MLOperandDataType type) {
    check_same(clamp(1, 3), composed, {random.tensor(type, {4, 9}, -9, 9)}, {});
  });
}
