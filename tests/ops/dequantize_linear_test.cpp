#include "tests/ops/blockwise.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::test;

namespace {

const Build dequantize = [](auto& b, auto x) { return b.dequantizeLinear(x[0], x[1], x[2]); };

void check_dequantize(Random& random, MLOperandDataType type, MLOperandDataType scale,
                      const Blocks& s, double low = -1e9, double high = 5e9) {
  const Tensor x = random.tensor(type, s.large, low, high);
  const Tensor zero = random.tensor(type, s.small, low, high);
  const Tensor factor = random.tensor(scale, s.small, 0.001, 0.1);
  const Tensor y = generated(scale, s.large, [&](const Dims& at) {
    const Dims block = block_of(at, s.small, s.large);
    return (x.at(at) - zero.at(block)) * factor.at(block);
  });
  check({dequantize, {x, factor, zero}, {y}, tolerance_of("dequantizeLinear", scale)});
}

TEST_CASE("dequantizeLinear: blocks of any shape, every data type", "[dequantizeLinear]") {
  Random random(221);
  for_each_type(types::quantized, [&](MLOperandDataType type) {
    for_each_type(types::floats, [&](MLOperandDataType scale) {
      for (std::size_t rank = 0; rank <= 5; ++rank)
        for (int i = 0; i < 3; ++i)
          check_dequantize(random, type, scale, random_blocks(random, rank), -1000, 1000);
    });
  });
}

TEST_CASE("dequantizeLinear: large differences lose nothing", "[dequantizeLinear]") {
  Random random(222);
  for (MLOperandDataType type : {int32, uint32})
    check_dequantize(random, type, float32, {{2, 1, 3}, {4, 5, 6}});
  check({dequantize,
         {tensor(int32, {2}, {INT32_MAX, INT32_MIN}), filled(float32, {1}, 1),
          tensor(int32, {1}, {INT32_MAX - 1.0})},
         {tensor(float32, {2}, {1, -4294967294.0})}});
  // The difference alone would be infinite in float16.
  check({dequantize,
         {tensor(int32, {1}, {100000}), filled(float16, {1}, 0.0009765625), filled(int32, {1}, 0)},
         {tensor(float16, {1}, {97.65625})},
         tolerance_of("dequantizeLinear", float16)});
}

TEST_CASE("dequantizeLinear: eight dimensions, each in blocks", "[dequantizeLinear]") {
  Random random(223);
  check_dequantize(random, uint8, float32, {Dims(8, 2), Dims(8, 4)});
}

TEST_CASE("dequantizeLinear: in many tiles; one scale, by channel, by row, in blocks of 32",
          "[dequantizeLinear]") {
  Random random(224);
  const Dims large{64, 4096};
  for (const Dims& small : {Dims{1, 1}, Dims{64, 1}, Dims{1, 4096}, Dims{64, 128}, large})
    check_dequantize(random, int8, float32, {small, large});
}

TEST_CASE("dequantizeLinear: all numbers of float8e4m3, NaN among them", "[dequantizeLinear]") {
  Tensor all = filled(float8e4m3, {256}, 0);
  for (std::size_t i = 0; i < 256; ++i) all.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(i);
  for_each_type(types::floats, [&](MLOperandDataType scale) {
    const Tensor y = generated(scale, {256}, [&](const Dims& at) {
      return (all[at[0]] - 2) * 0.375;  // -0 - 2 and the like are exact
    });
    check({dequantize,
           {all, filled(scale, {1}, 0.375), filled(float8e4m3, {1}, 2)},
           {y},
           tolerance_of("dequantizeLinear", scale)});
  });
}

TEST_CASE("dequantizeLinear: float8e4m3 before products, convolutions and quantizeLinear",
          "[dequantizeLinear]") {
  // Their forms are those of quantized operators, of which kernels compute with integers.
  Random random(226);
  const auto decoded = [](MLGraphBuilder& b, const MLOperand& x, const MLOperand& scale) {
    return b.mul(b.cast(x, float32), scale);
  };
  const auto zero = [](MLGraphBuilder& b, const MLOperand& scale) {
    return b.constant({float8e4m3, scale.shape()},
                      std::vector<double>(element_count(scale.shape()), 0));
  };
  using Decode = std::function<MLOperand(MLGraphBuilder&, const MLOperand&, const MLOperand&)>;
  const Decode plain = decoded, fused = [&](auto&b, auto&x, auto&scale) {
    return b.dequantizeLinear(x, scale, zero(b, scale));
  };
  const auto product = [](const Decode& from) -> Build {
    return [from](auto& b, auto x) {
      return b.relu(b.matmul(from(b, x[0], x[1]), from(b, x[2], x[3])));
    };
  };
  const auto convolution = [](const Decode& from) -> Build {
    return [from](auto& b, auto x) {
      return b.conv2d(from(b, x[0], x[1]), from(b, x[2], x[3]), {.padding = {1, 1, 1, 1}});
    };
  };
  const auto pairs = [&](Dims left, Dims right) {
    const Dims one(left.size(), 1);
    return std::vector{random.tensor(float8e4m3, std::move(left)), filled(float32, one, 0.5),
                       random.tensor(float8e4m3, std::move(right)), filled(float32, one, 0.25)};
  };
  const auto check_both = [](const Build& build, const Build& other, const std::vector<Tensor>& in,
                             double terms) {
    const std::vector<Tensor> expected = run(other, in);
    for (const std::vector<std::size_t>& constants :
         {std::vector<std::size_t>{}, std::vector<std::size_t>{1, 2, 3}})
      check({build, in, expected, {.ulp = 2 * terms, .absolute = 1e-5}, constants});
  };
  check_both(product(fused), product(plain), pairs({33, 64}, {64, 80}), 64);
  check_both(convolution(fused), convolution(plain), pairs({1, 16, 9, 9}, {40, 16, 3, 3}), 144);
}

TEST_CASE("dequantizeLinear: a product of differences", "[dequantizeLinear]") {
  Random random(225);
  check_same(
      dequantize,
      [](auto& b, auto x) {
        return b.mul(b.sub(b.cast(x[0], float32), b.cast(x[2], float32)), x[1]);
      },
      {random.tensor(int8, {5, 7}, -128, 127), random.tensor(float32, {5, 1}, 0.01, 1),
       random.tensor(int8, {5, 1}, -128, 127)},
      tolerance_of("dequantizeLinear", float32));
}

}  // namespace
