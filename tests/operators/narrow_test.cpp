// webnn.Narrow: every value of the narrow types, and the nearest of them for others.
#include <cmath>
#include <limits>

#include "src/operators/narrow_types.h"
#include "tests/operators/run_operator.h"
#include "tests/support/random.h"
#include "tests/support/thrown.h"

using namespace webnn;
using namespace webnn::test;

namespace {

/// The finite values that the bits of a float have.
std::vector<double> values_of(const operators::NarrowFloat& type) {
  std::vector<double> all;
  for (std::uint32_t bits = 0; bits < 1u << type.bits(); ++bits)
    if (const double v = type.decoded(bits); std::isfinite(v)) all.push_back(v);
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());  // 0 and -0
  return all;
}

/// The nearest one, of two that are as near the one with an even fraction, which is that of the
/// values from 0 on by turns.
double nearest(const std::vector<double>& all, double v) {
  const auto above = std::ranges::lower_bound(all, v);
  if (above == all.end()) return all.back();
  if (above == all.begin()) return all.front();
  const double high = *above, low = *(above - 1);
  if (v - low != high - v) return v - low < high - v ? low : high;
  const auto from_zero = [&](double x) {
    return std::ranges::lower_bound(all, std::abs(x)) - std::ranges::lower_bound(all, 0.0);
  };
  return from_zero(low) % 2 == 0 ? low : high;
}

Tensor narrowed(const std::vector<double>& values, const char* type, CustomAttributes more = {},
                MLOperandDataType of = float32) {
  more.push_back({"type", type});
  const Dims shape{static_cast<std::uint32_t>(values.size())};
  return run_operator(operators::narrow(), {tensor(of, shape, values)}, more).front();
}

}  // namespace

TEST_CASE("Narrow: the values of floats that are known") {
  const auto is = [](const char* type, std::uint32_t bits, double v) {
    CHECK(operators::narrow_float(type)->decoded(bits) == v);
  };
  is("float8e4m3fn", 0x7e, 448);
  is("float8e4m3fn", 0x01, 0x1p-9);
  is("float8e4m3fn", 0xc4, -3);
  is("float8e4m3fnuz", 0x7f, 240);
  is("float8e4m3fnuz", 0x01, 0x1p-10);
  is("float8e5m2", 0x7b, 57344);
  is("float8e5m2", 0x7c, HUGE_VAL);
  is("float8e5m2", 0x01, 0x1p-16);
  is("float8e5m2fnuz", 0x7f, 57344);
  is("float4e2m1", 0x7, 6);
  is("float4e2m1", 0x1, 0.5);
  is("bfloat16", 0xc049, -3.140625);
  for (const char* type : {"float8e4m3fnuz", "float8e5m2fnuz"})
    CHECK(std::isnan(operators::narrow_float(type)->decoded(0x80)));
  CHECK(std::isnan(operators::narrow_float("float8e4m3fn")->decoded(0xff)));
  CHECK(std::isnan(operators::narrow_float("float8e5m2")->decoded(0x7d)));
}

TEST_CASE("Narrow: the nearest value, and the largest beyond it") {
  Random random(7);
  for (const char* name :
       {"float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "float4e2m1"}) {
    CAPTURE(name);
    const std::vector<double> all = values_of(*operators::narrow_float(name));
    std::vector<double> x = all;
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
      x.push_back((all[i] + all[i + 1]) / 2);  // a tie
      x.push_back(static_cast<float>(all[i] + (all[i + 1] - all[i]) * 0.499));
      x.push_back(static_cast<float>(all[i] + (all[i + 1] - all[i]) * 0.501));
    }
    x.insert(x.end(), {2 * all.back(), -1e30, 1e30});
    const Tensor y = narrowed(x, name);
    for (std::size_t i = 0; i < x.size(); ++i) {
      INFO(x[i]);
      REQUIRE(y[i] == nearest(all, x[i]));
    }
  }
  CHECK(std::isnan(narrowed({500}, "float8e4m3fn", {{"saturate", false}})[0]));
  CHECK(narrowed({463}, "float8e4m3fn", {{"saturate", false}})[0] == 448);
  CHECK(narrowed({-1e6}, "float8e5m2", {{"saturate", false}})[0] == -HUGE_VAL);
}

TEST_CASE("Narrow: powers of two") {
  for (const auto& [mode, expected] : std::vector<std::pair<const char*, std::vector<double>>>{
           {"up", {4, 4, 0x1p-127}}, {"down", {2, 4, 0x1p-127}}, {"nearest", {4, 4, 0x1p-127}}}) {
    const Tensor y = narrowed({3, 4, 0}, "float8e8m0", {{"roundMode", mode}});
    for (std::size_t i = 0; i < expected.size(); ++i) CHECK(y[i] == expected[i]);
  }
  CHECK(std::isnan(narrowed({-1}, "float8e8m0")[0]));
}

TEST_CASE("Narrow: low bits of integers") {
  Random random(3);
  for (const auto& [name, bits] : std::vector<std::pair<const char*, int>>{
           {"int16", 16}, {"uint16", 16}, {"int4", 4}, {"uint4", 4}, {"int2", 2}, {"uint2", 2}}) {
    CAPTURE(name);
    const bool has_sign = name[0] == 'i';
    std::vector<double> x{0, 1, -1, 32767, 32768, -32768, 65535, 65536, 2147483647, -2147483648.0};
    for (int i = 0; i < 200; ++i) x.push_back(static_cast<std::int32_t>(random.next()));
    const Tensor y = narrowed(x, name, {}, int32);
    const double count = std::ldexp(1, bits), low = has_sign ? -count / 2 : 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      REQUIRE(y[i] == x[i] - count * std::floor((x[i] - low) / count));
  }
}

TEST_CASE("Narrow: what it refuses") {
  const auto said = [](MLOperandDataType type, CustomAttributes attributes) {
    return thrown([&] {
      MLGraphBuilder b{MLContext()};
      b.custom("webnn.Narrow", {b.input("x", {type, {2}})}, {.attributes = std::move(attributes)});
    });
  };
  CHECK_THAT(said(float32, {{"type", "float16"}}), ContainsSubstring("type (\"float16\")"));
  CHECK_THAT(said(float32, {{"type", "int16"}}), ContainsSubstring("the data type of its operand"));
  CHECK_THAT(said(int32, {{"type", "float4e2m1"}}), ContainsSubstring("is int32"));
  CHECK_THAT(said(float32, {{"type", "float8e8m0"}, {"roundMode", "odd"}}),
             ContainsSubstring("roundMode (\"odd\")"));
}
