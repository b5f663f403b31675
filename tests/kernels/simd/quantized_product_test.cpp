#include <cmath>

#include "tests/kernels/simd/quantized.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::test;

namespace {

struct Form {
  std::uint32_t rows, k, columns;
  MLOperandDataType x, w, y;
  double x_zero, w_zero, y_zero;
  bool per_column = false, transposed = true, bias = true;
};

void check_product(std::uint64_t seed, const Form& f) {
  CAPTURE(seed, f.rows, f.k, f.columns);
  QuantizedCase c(seed);
  std::vector<QuantizedCase::Operand> operands;
  operands.reserve(3);
  operands.push_back(c.operand(f.x, {f.rows, f.k}, 0.02, f.x_zero, false));
  const Dims shape = f.transposed ? Dims{f.columns, f.k} : Dims{f.k, f.columns};
  Dims scales{1, 1};
  if (f.per_column) scales[f.transposed ? 0 : 1] = f.columns;
  operands.push_back(c.operand(
      f.w, shape, {c.random.tensor(float32, scales, 0.005, 0.02), filled(f.w, scales, f.w_zero)},
      true));
  const QuantizedCase::Operand &x = operands[0], &w = operands[1];
  const auto place = [&](std::uint32_t k, std::uint32_t column) {
    return f.transposed ? Dims{column, k} : Dims{k, column};
  };
  if (f.bias) {
    const Dims each{f.per_column ? f.columns : 1};
    const Tensor scale = generated(float32, each, [&](const Dims& at) {
      return static_cast<float>(0.02) * w.scales.scale.at(place(0, at[0]));
    });
    operands.push_back(c.operand(int32, {f.columns}, {scale, filled(int32, each, 0)}, true,
                                 std::pair(-5000.0, 5000.0)));
  }
  const BuildReal build = [&](MLGraphBuilder& b, std::span<const MLOperand> v) {
    MLGemmOptions o{.bTranspose = f.transposed};
    if (f.bias) o.c = v[2];
    return b.gemm(v[0], v[1], o);
  };
  const auto real = [&](const Dims& at) {
    double sum = f.bias ? operands[2].at({at[1]}) : 0;
    for (std::uint32_t k = 0; k < f.k; ++k) sum += x.at({at[0], k}) * w.at(place(k, at[1]));
    return sum;
  };
  const double scale = 0.02 * 0.01 * 70 * 0.8 * std::sqrt(static_cast<double>(f.k));
  check_quantized(operands, build, {f.y, scale, f.y_zero}, real, "simd int8 gemm");
}

}  // namespace

TEST_CASE("int8 gemm: shapes, types, scales by column", "[quantized]") {
  std::uint64_t seed = 300;
  for (const Form& types : {
           Form{1, 1, 1, uint8, int8, uint8, 128, 0, 100},
           Form{1, 1, 1, int8, int8, int8, -7, 0, 5, true},
           Form{1, 1, 1, uint8, uint8, uint8, 100, 140, 128, false, false},
           Form{1, 1, 1, int8, int8, uint8, 3, 17, 128, true, false, false},
           Form{1, 1, 1, uint8, int4, int8, 3, 0, 0, true},
           Form{1, 1, 1, uint8, uint4, int8, 3, 7, 0},
       })
    for (const auto& [rows, k, columns] : {std::array{1u, 64u, 10u},
                                           {1u, 257u, 1001u},
                                           {7u, 3u, 5u},
                                           {30u, 70u, 33u},
                                           {49u, 130u, 200u}}) {
      if (bits_of(types.w) == 4 && k * columns % 2 != 0) continue;
      Form f = types;
      f.rows = rows, f.k = k, f.columns = columns;
      check_product(++seed, f);
    }
}

TEST_CASE("int8 matmul with a constant matrix, a batch, and a reshape before it", "[quantized]") {
  QuantizedCase c(400);
  std::vector<QuantizedCase::Operand> operands{c.operand(int8, {2, 3, 20}, 0.05, 4, false),
                                               c.operand(int8, {20, 8}, 0.01, 0, true)};
  const auto real = [&](const Dims& at) {
    double sum = 0;
    for (std::uint32_t k = 0; k < 20; ++k)
      sum += operands[0].at({at[0], at[1], k}) * operands[1].at({k, at[2]});
    return sum;
  };
  check_quantized(
      operands,
      [](MLGraphBuilder& b, std::span<const MLOperand> v) { return b.matmul(v[0], v[1]); },
      {int8, 0.1, -3}, real, "simd int8 gemm");
  check_quantized(
      operands,
      [](MLGraphBuilder& b, std::span<const MLOperand> v) {
        return b.relu(b.gemm(b.reshape(v[0], {6, 20}), v[1]));
      },
      {int8, 0.1, -3},
      [&](const Dims& at) {
        return std::max(0.0, real({at[0] / 3, at[0] % 3, at[1]}));
      },
      "simd int8 gemm");
}

TEST_CASE("int8 gemm: saturation at both ends", "[quantized]") {
  QuantizedCase c(401);
  std::vector<QuantizedCase::Operand> operands{c.operand(uint8, {5, 400}, 1, 0, false),
                                               c.operand(int8, {30, 400}, 1, 0, true)};
  const auto real = [&](const Dims& at) {
    double sum = 0;
    for (std::uint32_t k = 0; k < 400; ++k)
      sum += operands[0].at({at[0], k}) * operands[1].at({at[1], k});
    return sum;
  };
  for (const auto type : {int8, uint8})
    check_quantized(
        operands,
        [](MLGraphBuilder& b, std::span<const MLOperand> v) {
          return b.gemm(v[0], v[1], {.bTranspose = true});
        },
        {type, 500, 10}, real, "simd int8 gemm");
}
