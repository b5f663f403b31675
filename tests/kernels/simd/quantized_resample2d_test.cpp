#include <cmath>

#include "tests/kernels/simd/quantized.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::test;

namespace {

using Operands = std::vector<QuantizedCase::Operand>;
using Values = std::span<const MLOperand>;

struct Taps {
  std::uint32_t low, high;
  double weight;  // that of high
};
/// Centers at half coordinates.
Taps taps(std::uint32_t o, std::uint32_t in, std::uint32_t out) {
  const double at = std::clamp((o + 0.5) * in / out - 0.5, 0.0, in - 1.0);
  const auto low = static_cast<std::uint32_t>(at);
  return {low, std::min(low + 1, in - 1), at - low};
}

double between(const QuantizedCase::Operand& x, const Dims& in, const Dims& out, const Dims& at) {
  const Taps v = taps(at[1], in[1], out[0]), h = taps(at[2], in[2], out[1]);
  const auto row = [&](std::uint32_t r) {
    return (1 - h.weight) * x.at({at[0], r, h.low, at[3]}) +
           h.weight * x.at({at[0], r, h.high, at[3]});
  };
  return (1 - v.weight) * row(v.low) + v.weight * row(v.high);
}

}  // namespace

TEST_CASE("int8 resample2d", "[quantized]") {
  std::uint64_t seed = 1200;
  struct Form {
    Dims shape, out;
    double slack;  // of sums in integers, with positions in units of 1/1024
  };
  const Form forms[] = {{{1, 5, 7, 3}, {10, 14}, 1e-4}, {{2, 4, 6, 21}, {16, 12}, 1e-4},
                        {{1, 9, 8, 70}, {3, 4}, 0.26},  {{1, 6, 5, 16}, {11, 23}, 0.26},
                        {{1, 1, 3, 5}, {4, 3}, 1e-4},   {{1, 7, 6, 33}, {1, 1}, 0.26}};
  for (const Form& f : forms)
    for (const auto type : {int8, uint8}) {
      QuantizedCase c(++seed);
      const double zero = type == int8 ? -5 : 120;
      const Operands x{c.operand(type, f.shape, 0.03125, zero, false)};
      check_quantized(
          x,
          [&](auto& b, Values v) {
            return b.resample2d(
                v[0], {.mode = MLInterpolationMode::linear, .sizes = Dims(f.out), .axes = {1, 2}});
          },
          {type, 0.03125, zero, f.slack},
          [&](const Dims& at) { return between(x[0], f.shape, f.out, at); }, "simd int8 resize",
          1e-4);
    }
}

TEST_CASE("int8 resample2d: nchw", "[quantized]") {
  std::uint64_t seed = 1300;
  struct Form {
    Dims shape, out;
  };
  const Form forms[] = {{{1, 3, 5, 7}, {10, 14}},
                        {{2, 5, 4, 40}, {16, 70}},
                        {{1, 2, 9, 8}, {3, 4}},
                        {{2, 2, 1, 3}, {4, 3}},
                        {{1, 4, 7, 6}, {1, 1}}};
  for (const Form& f : forms)
    for (const auto type : {int8, uint8}) {
      QuantizedCase c(++seed);
      const double zero = type == int8 ? -5 : 120;
      const Operands x{c.operand(type, f.shape, 0.03125, zero, false)};
      check_quantized(
          x,
          [&](auto& b, Values v) {
            return b.resample2d(v[0], {.mode = MLInterpolationMode::linear,
                                       .sizes = Dims{f.out[1], f.out[0]},
                                       .axes = {3, 2}});
          },
          {type, 0.0625, zero, -1},
          [&](const Dims& at) {
            const Taps v = taps(at[2], f.shape[2], f.out[0]), h = taps(at[3], f.shape[3], f.out[1]);
            const auto row = [&](std::uint32_t r) {
              return (1 - h.weight) * x[0].at({at[0], at[1], r, h.low}) +
                     h.weight * x[0].at({at[0], at[1], r, h.high});
            };
            return (1 - v.weight) * row(v.low) + v.weight * row(v.high);
          },
          "simd int8 resize", 1e-4);
    }
}
