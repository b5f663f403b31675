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

namespace {

struct Computed {
  Dims a, b;
  MLOperandDataType x, w, y;
  double x_zero, w_zero, y_zero;
  bool constant = false;  // b
  bool by_column = false;
};

/// The element of an operand that is broadcast along the dimensions before the last two.
double broadcast_at(const QuantizedCase::Operand& x, const Dims& batch, std::uint32_t row,
                    std::uint32_t column) {
  const Dims& shape = x.integers.shape;
  Dims at(batch.end() - static_cast<std::ptrdiff_t>(shape.size() - 2), batch.end());
  for (std::size_t d = 0; d < at.size(); ++d)
    if (shape[d] == 1) at[d] = 0;
  at.push_back(row);
  at.push_back(column);
  return x.at(at);
}

void check_computed(std::uint64_t seed, const Computed& f) {
  CAPTURE(seed, f.a, f.b);
  QuantizedCase c(seed);
  std::vector<QuantizedCase::Operand> operands;
  operands.reserve(2);
  operands.push_back(c.operand(f.x, f.a, 0.02, f.x_zero, false));
  Dims scales(f.b.size(), 1);
  if (f.by_column) scales.back() = f.b.back();
  operands.push_back(c.operand(
      f.w, f.b, {c.random.tensor(float32, scales, 0.005, 0.015), filled(f.w, scales, f.w_zero)},
      f.constant));
  const std::uint32_t inner = f.a.back();
  const auto real = [&](const Dims& at) {
    const Dims batch(at.begin(), at.end() - 2);
    double sum = 0;
    for (std::uint32_t k = 0; k < inner; ++k)
      sum += broadcast_at(operands[0], batch, at.end()[-2], k) *
             broadcast_at(operands[1], batch, k, at.back());
    return sum;
  };
  const double scale = 0.02 * 0.01 * 90 * std::sqrt(static_cast<double>(inner));
  // Without Requantization::fixedPoint, which has no such kernel.
  check_quantized(
      operands, [](MLGraphBuilder& b, auto v) { return b.matmul(v[0], v[1]); },
      {f.y, scale, f.y_zero, -1}, real, "simd int8 matmul");
}

}  // namespace

TEST_CASE("int8 matmul of operands of several matrices: shapes and types", "[quantized]") {
  std::uint64_t seed = 460;
  const std::pair<Dims, Dims> shapes[] = {
      {{2, 3, 5, 32}, {2, 3, 32, 17}},   {{3, 17, 33}, {3, 33, 32}}, {{2, 1, 7, 1}, {1, 2, 1, 64}},
      {{1, 2, 300, 30}, {1, 2, 30, 70}}, {{2, 4, 63}, {2, 63, 129}}, {{3, 1, 130}, {3, 130, 48}},
      {{2, 9, 64}, {2, 64, 8}},          {{2, 2, 2}, {2, 2, 1}}};
  for (const auto& [a, b] : shapes)
    for (const Computed& types : {Computed{{}, {}, uint8, uint8, uint8, 100, 130, 120},
                                  Computed{{}, {}, uint8, int8, uint8, 0, 0, 128, true},
                                  Computed{{}, {}, int8, int8, int8, 20, 0, 0, true, true},
                                  Computed{{}, {}, uint8, uint8, uint8, 90, 140, 128, true},
                                  Computed{{}, {}, int8, int8, int8, -7, 3, 10},
                                  Computed{{}, {}, int8, uint8, uint8, 0, 128, 0}}) {
      Computed f = types;
      f.a = a;
      f.b = b;
      check_computed(++seed, f);
    }
}

TEST_CASE("int8 gemm of two computed operands", "[quantized]") {
  QuantizedCase c(459);
  const std::vector<QuantizedCase::Operand> operands{c.operand(uint8, {33, 50}, 0.02, 110, false),
                                                     c.operand(uint8, {50, 1030}, 0.01, 90, false)};
  const auto real = [&](const Dims& at) {
    double sum = 0;
    for (std::uint32_t k = 0; k < 50; ++k)
      sum += operands[0].at({at[0], k}) * operands[1].at({k, at[1]});
    return std::max(0.0, sum);
  };
  check_quantized(
      operands, [](MLGraphBuilder& b, auto v) { return b.relu(b.gemm(v[0], v[1])); },
      {uint8, 0.05, 20, -1}, real, "simd int8 matmul");
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

namespace {

struct Sum {
  int value;  // the result
  std::string explained;
};

/// k products of a distance from the zero point of x with w, in units of 2^24.
Sum sum_of(MLOperandDataType type, double x, double zero, double w, std::uint32_t k) {
  MLContext context({.threads = 1, .backends = {"simd", "reference"}});
  MLGraphBuilder b(context);
  const auto constant = [&](const Tensor& t) { return b.constant(t.descriptor(), t.bytes); };
  const auto real = [&](const MLOperand& q, double z) {
    return b.dequantizeLinear(q, constant(filled(float32, {1, 1}, 1)),
                              constant(filled(q.dataType(), {1, 1}, z)));
  };
  const MLOperand y = b.gemm(real(b.input("x", {type, {1, k}}), zero),
                             real(constant(filled(int8, {1, k}, w)), 0), {.bTranspose = true});
  const MLOperand q = b.quantizeLinear(y, constant(filled(float32, {1, 1}, 1 << 24)),
                                       constant(filled(int8, {1, 1}, 0)));
  const MLGraph graph = b.build({{"y", q}});
  const Tensor values = filled(type, {1, k}, x);
  std::vector<std::int8_t> out(1);
  context.compute(graph, {{"x", values.bytes}}, {{"y", out}});
  return {out[0], graph.explain()};
}

}  // namespace

TEST_CASE("int8 products: sums of 32 bits, whatever the zero point", "[quantized]") {
  struct Case {
    MLOperandDataType type;
    double x, zero, w;
  };
  // The largest distances that there are, all of one sign.
  for (const Case& c :
       {Case{uint8, 255, 0, 127}, Case{uint8, 0, 255, 127}, Case{int8, 127, -128, -127},
        Case{int8, -128, 127, -127}, Case{uint8, 255, 0, -127}}) {
    CAPTURE(static_cast<int>(c.type), c.x, c.zero, c.w);
    const double each = (c.x - c.zero) * c.w;  // 32385
    for (const std::uint32_t k : {1000u, 66000u, 66311u, 66312u, 67000u, 80000u, 140000u}) {
      CAPTURE(k);
      const Sum s = sum_of(c.type, c.x, c.zero, c.w, k);
      const double exact = std::nearbyint(each * k / (1 << 24));
      CHECK(s.value == std::min(std::max(exact, -128.), 127.));
      // 66312 * 32385 is more than 2^31.
      CHECK((s.explained.find("simd int8 gemm") != std::string::npos) == (k < 66312));
      if (k >= 66312) CHECK(s.explained.find("sums may exceed 32 bits") != std::string::npos);
    }
  }
}
