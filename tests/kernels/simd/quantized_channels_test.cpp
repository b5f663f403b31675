// int8 functions with other numbers for each channel.
#include <cmath>

#include "tests/kernels/simd/quantized.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::test;

namespace {

using Operands = std::vector<QuantizedCase::Operand>;
using Values = std::span<const MLOperand>;

struct Form {
  Dims shape;
  std::uint32_t axis;
};
// Rows of one channel, and elements of all; more and fewer than a vector.
const Form forms[] = {{{2, 5, 9, 8}, 1},  {{1, 3, 40, 41}, 1}, {{2, 5, 7, 24}, 3},
                      {{1, 3, 3, 64}, 3}, {{1, 2, 2, 130}, 3}, {{7, 3}, 1},
                      {{4, 33}, 0}};

MLOperand constant(MLGraphBuilder& b, const Tensor& t) {
  return b.constant({float32, t.shape}, std::span<const std::byte>(t.bytes));
}

}  // namespace

TEST_CASE("int8 batchNormalization", "[quantized]") {
  std::uint64_t seed = 1500;
  for (const Form& f : forms)
    for (const auto type : {int8, uint8})
      for (const bool all : {false, true}) {
        CAPTURE(seed, f.shape, f.axis);
        QuantizedCase c(++seed);
        const Dims channels{f.shape[f.axis]};
        const Operands x{c.operand(type, f.shape, 0.05, type == int8 ? -7 : 120, false)};
        const Tensor mean = c.random.tensor(float32, channels, -2, 2),
                     variance = c.random.tensor(float32, channels, 0.2, 3),
                     scale = c.random.tensor(float32, channels, -1.5, 1.5),
                     bias = c.random.tensor(float32, channels, -1, 1);
        const double epsilon = 0.001;
        check_quantized(
            x,
            [&](MLGraphBuilder& b, Values v) {
              MLBatchNormalizationOptions o{.axis = f.axis, .epsilon = epsilon};
              if (all) o.scale = constant(b, scale), o.bias = constant(b, bias);
              return b.relu(
                  b.batchNormalization(v[0], constant(b, mean), constant(b, variance), o));
            },
            {type, 0.04, type == int8 ? -128.0 : 3.0, -1},
            [&](const Dims& at) {
              const Dims i{at[f.axis]};
              const double y = (x[0].at(at) - mean.at(i)) / std::sqrt(variance.at(i) + epsilon);
              return std::max(0.0, all ? y * scale.at(i) + bias.at(i) : y);
            },
            "simd int8 batch normalization", 0.002);
      }
}

TEST_CASE("int8 prelu with a slope for each channel", "[quantized]") {
  std::uint64_t seed = 1600;
  for (const Form& f : forms)
    for (const auto type : {int8, uint8}) {
      CAPTURE(seed, f.shape, f.axis);
      QuantizedCase c(++seed);
      const Operands x{c.operand(type, f.shape, 0.05, type == int8 ? -7 : 120, false)};
      Dims broadcast(f.shape.size(), 1);
      broadcast[f.axis] = f.shape[f.axis];
      const Tensor slope = c.random.tensor(float32, broadcast, -0.5, 1.5);
      check_quantized(
          x, [&](MLGraphBuilder& b, Values v) { return b.prelu(v[0], constant(b, slope)); },
          {type, 0.06, type == int8 ? 2.0 : 131.0, -1},
          [&](const Dims& at) {
            Dims i(at.size(), 0);
            i[f.axis] = at[f.axis];
            const double v = x[0].at(at);
            return v < 0 ? v * slope.at(i) : v;
          },
          "simd int8 prelu", 1e-4);
    }
}
