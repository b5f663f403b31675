// How the results of quantized operators are rounded: as float32, or as TensorFlow Lite does.
#include <algorithm>
#include <cmath>

#include "src/builder/builder_state.h"
#include "tests/kernels/simd/quantized.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::test;

namespace {

using Operands = std::vector<QuantizedCase::Operand>;
using Values = std::span<const MLOperand>;

struct Unit {
  MLOperandDataType type;
  float scale;
  int zero;
};

/// A constant of one element for a tensor of that rank.
MLOperand one(MLGraphBuilder& b, MLOperandDataType type, double v, std::uint32_t rank) {
  const Tensor t = filled(type, Dims(rank, 1), v);
  return b.constant(t.descriptor(), InputView(t.bytes));
}
MLOperand dequantized(MLGraphBuilder& b, const MLOperand& x, const Unit& u) {
  return b.dequantizeLinear(x, one(b, float32, double{u.scale}, x.rank()),
                            one(b, u.type, u.zero, x.rank()));
}

enum class What { sum, difference, product };

/// Integers with the operands' shapes, perhaps constant, and the kernel that is expected.
struct Binary {
  What what = What::sum;
  Unit x{}, z{}, y{};
  Tensor x_integers{}, z_integers{};
  bool z_constant = false;
  Requantization requantization{};
  std::string kernel{};
};

Tensor run(const Binary& c, const std::shared_ptr<const Backend>& simd) {
  MLContext context({.threads = 2, .backends = {simd, "reference"}});
  MLGraphBuilder b(context);
  detail::state_of(b)->data.requantization = c.requantization;
  std::vector<NamedInput> inputs{{"x", InputView(c.x_integers.bytes)}};
  const MLOperand x = b.input("x", c.x_integers.descriptor());
  MLOperand z;
  if (c.z_constant) z = b.constant(c.z_integers.descriptor(), InputView(c.z_integers.bytes));
  else {
    z = b.input("z", c.z_integers.descriptor());
    inputs.push_back({"z", InputView(c.z_integers.bytes)});
  }
  const MLOperand p = dequantized(b, x, c.x), q = dequantized(b, z, c.z);
  const MLOperand v = c.what == What::sum          ? b.add(p, q)
                      : c.what == What::difference ? b.sub(p, q)
                                                   : b.mul(p, q);
  const MLOperand y = b.quantizeLinear(v, one(b, float32, double{c.y.scale}, v.rank()),
                                       one(b, c.y.type, c.y.zero, v.rank()));
  Tensor out{c.y.type, y.shape(), std::vector<std::byte>(element_count(y.shape()))};
  const MLGraph graph = b.build({{"y", y}});
  INFO(graph.explain());
  REQUIRE(graph.explain().find(c.kernel) != std::string::npos);
  context.compute(graph, inputs, {{"y", out.bytes}});
  return out;
}

/// dequantizeLinear, the function and quantizeLinear, one after the other in float32.
double composed(const Binary& c, double x, double z) {
  const float p = static_cast<float>(x - c.x.zero) * c.x.scale;
  const float q = static_cast<float>(z - c.z.zero) * c.z.scale;
  float v = 0;
  switch (c.what) {
    case What::sum: v = p + q; break;
    case What::difference: v = p - q; break;
    case What::product: v = p * q; break;
  }
  const float quotient = v / c.y.scale;
  return std::clamp(std::nearbyint(double{quotient}) + c.y.zero, lowest_of(c.y.type),
                    highest_of(c.y.type));
}

/// Element i of the operand: its row is repeated, or its elements are.
double element(const Tensor& t, std::size_t i, std::size_t of) {
  return t.size() == of ? t[i] : t[i % t.size()];
}

void check_composed(const Binary& c) {
  for_int8_targets([&](const std::shared_ptr<const Backend>& simd) {
    const Tensor y = run(c, simd);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < y.size(); ++i)
      wrong += y[i] !=
               composed(c, element(c.x_integers, i, y.size()), element(c.z_integers, i, y.size()));
    CHECK(wrong == 0);
  });
}

/// All pairs of bytes: one operand changes from row to row, the other within rows.
Tensor all_bytes(MLOperandDataType type, bool by_row) {
  Tensor t{type, {256, 256}, std::vector<std::byte>(65536)};
  for (std::size_t i = 0; i < 65536; ++i) t.bytes[i] = static_cast<std::byte>(by_row ? i / 256 : i);
  return t;
}

const char* name_of(What what) {
  return what == What::sum ? "int8 add" : what == What::difference ? "int8 sub" : "int8 mul";
}

}  // namespace

TEST_CASE("int8 add, sub and mul have the bits of the composition, for all pairs of bytes",
          "[quantized]") {
  const Unit units[][3] = {
      {{uint8, 0.1f, 128}, {uint8, 0.1f, 100}, {uint8, 0.2f, 128}},  // many ties
      {{int8, 0.04f, -3}, {uint8, 0.03f, 7}, {int8, 0.055f, 11}},
      {{int8, 1, 0}, {int8, 0.5f, 0}, {uint8, 2, 100}},
      {{uint8, 0.0371f, 0}, {int8, 0.0219f, -128}, {uint8, 0.0613f, 3}},
      {{uint8, 0.3f, 128}, {uint8, 0.7f, 128}, {uint8, 1.3f, 128}},
  };
  for (const auto& [x, z, y] : units)
    for (const What what : {What::sum, What::difference, What::product})
      check_composed({.what = what,
                      .x = x,
                      .z = z,
                      .y = y,
                      .x_integers = all_bytes(x.type, true),
                      .z_integers = all_bytes(z.type, false),
                      .kernel = name_of(what)});
}

TEST_CASE("int8 sub: short rows, one element, a lookup table", "[quantized]") {
  Random random(91);
  const Unit x{uint8, 0.1f, 120}, z{uint8, 0.1f, 3}, y{int8, 0.2f, 5};
  const auto integers = [&](Dims shape) { return random.tensor(uint8, std::move(shape), 0, 255); };
  for (const bool constant : {false, true})
    for (const Dims& row : {Dims{3}, {1}, {70}, {511}, {600}}) {
      Binary c{.what = What::difference,
               .x = x,
               .z = z,
               .y = y,
               .x_integers = integers({333, row[0] == 1 ? 7 : row[0]}),
               .z_integers = integers(row),
               .z_constant = constant,
               .kernel = constant && row[0] == 1 ? "int8 lookup table" : "int8 sub"};
      check_composed(c);
      if (constant) continue;
      std::swap(c.x_integers, c.z_integers);
      check_composed(c);
    }
}

TEST_CASE("int8 sub and its lookup table round as TensorFlow Lite does if the graph says so",
          "[quantized]") {
  // Halves: away from zero there, to even here.
  const Unit x{uint8, 1, 0}, y{int8, 2, 0};
  Tensor all{uint8, {256}, std::vector<std::byte>(256)};
  for (std::size_t i = 0; i < 256; ++i) all.bytes[i] = static_cast<std::byte>(i);
  for (const bool constant : {true, false})
    for (const auto requantization : {Requantization::floats, Requantization::fixedPoint})
      for_int8_targets([&](const std::shared_ptr<const Backend>& simd) {
        const Tensor got = run({.what = What::difference,
                                .x = x,
                                .z = x,
                                .y = y,
                                .x_integers = all,
                                .z_integers = filled(uint8, {1}, 7),
                                .z_constant = constant,
                                .requantization = requantization,
                                .kernel = constant ? "int8 lookup table" : "int8 sub"},
                               simd);
        for (std::size_t i = 0; i < 256; ++i) {
          const double half = (static_cast<double>(i) - 7) / 2;
          const double rounded =
              requantization == Requantization::floats ? std::nearbyint(half) : std::round(half);
          CHECK(got[i] == std::min(rounded, 127.0));
        }
      });
}

TEST_CASE("int8 products round once, and take any bias", "[quantized]") {
  constexpr std::size_t k = 37, columns = 19;
  for (const auto type : {int8, uint8})
    for (const bool by_column : {false, true}) {
      QuantizedCase c(700 + by_column);
      Random random(5);
      const Tensor bias = random.tensor(float32, {columns}, -2, 2);
      Scales w{filled(float32, {1, 1}, 0.013), filled(int8, {1, 1}, 0)};
      if (by_column)
        w = {random.tensor(float32, {1, columns}, 0.001, 0.03), filled(int8, {1, columns}, 0)};
      const Operands x{c.operand(type, {50, k}, 0.021, type == int8 ? -3 : 130, false),
                       c.operand(int8, {k, columns}, w, true)};
      check_quantized(
          x,
          [&](auto& b, Values v) {
            return b.gemm(v[0], v[1], {.c = b.constant(bias.descriptor(), InputView(bias.bytes))});
          },
          {type, 0.07, type == int8 ? 4.0 : 117.0, -1},
          [&](const Dims& at) {
            double sum = bias.at({at[1]});
            for (std::uint32_t i = 0; i < k; ++i) sum += x[0].at({at[0], i}) * x[1].at({i, at[1]});
            return sum;
          },
          "simd int8 gemm", 1e-4);
    }
}

TEST_CASE("int8 products with what follows them before quantizeLinear", "[quantized]") {
  constexpr std::size_t k = 40, columns = 70;
  struct Tail {
    BuildReal build;
    std::function<double(double)> f;
    std::string kernel;
  };
  const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  const Tail tails[] = {
      {[](auto& b, Values v) { return b.gelu(v[0]); },
       [](double v) { return v * (1 + std::erf(v / std::sqrt(2.0))) / 2; }, "int8 gemm+gelu"},
      {[](auto& b, Values v) { return b.hardSwish(v[0]); },
       [](double v) { return v * std::min(std::max(v + 3, 0.0), 6.0) / 6; }, "int8 gemm+hardSwish"},
      {[](auto& b, Values v) { return b.mul(v[0], b.sigmoid(v[0])); },
       [=](double v) { return v * sigmoid(v); }, "int8 gemm+swish"},
      {[](auto& b, Values v) { return b.sigmoid(v[0]); }, sigmoid, "int8 gemm+sigmoid"},
  };
  for (const Tail& tail : tails)
    for (const std::uint32_t rows : {1u, 61u}) {
      QuantizedCase c(900 + rows);
      const Operands x{c.operand(uint8, {rows, k}, 0.01, 128, false),
                       c.operand(int8, {k, columns}, 0.01, 0, true)};
      check_quantized(
          x,
          [&](auto& b, Values v) {
            const MLOperand sum = b.gemm(v[0], v[1]);
            return tail.build(b, std::span(&sum, 1));
          },
          {uint8, 0.03, 100, -1},
          [&](const Dims& at) {
            double sum = 0;
            for (std::uint32_t i = 0; i < k; ++i) sum += x[0].at({at[0], i}) * x[1].at({i, at[1]});
            return tail.f(sum);
          },
          tail.kernel, 1e-3);
    }
}

TEST_CASE("int8 convolutions with a residual and relu before quantizeLinear", "[quantized]") {
  QuantizedCase c(950);
  const Operands x{c.operand(uint8, {1, 9, 10, 12}, 0.02, 128, false),
                   c.operand(int8, {20, 3, 3, 12}, 0.004, 0, true),
                   c.operand(uint8, {1, 9, 10, 20}, 0.03, 90, false)};
  check_quantized(
      x,
      [](auto& b, Values v) {
        const MLOperand y = b.conv2d(v[0], v[1],
                                     {.padding = std::vector<std::uint32_t>{1, 1, 1, 1},
                                      .inputLayout = MLInputOperandLayout::nhwc,
                                      .filterLayout = MLConv2dFilterOperandLayout::ohwi});
        return b.relu(b.add(y, v[2]));
      },
      {uint8, 0.05, 10, -1},
      [&](const Dims& at) {
        double sum = x[2].at(at);
        for (std::uint32_t i = 0; i < 9; ++i) {
          const std::uint32_t row = at[1] + i / 3, column = at[2] + i % 3;
          if (row < 1 || row > 9 || column < 1 || column > 10) continue;
          for (std::uint32_t k = 0; k < 12; ++k)
            sum += x[0].at({0, row - 1, column - 1, k}) * x[1].at({at[3], i / 3, i % 3, k});
        }
        return std::max(0.0, sum);
      },
      "simd int8 conv", 1e-3);
}

TEST_CASE("int8 average pools have the bits of the composition", "[quantized]") {
  // Means of four are often halfway between integers, and float32 decides.
  constexpr float scale = 0.1f;
  Random random(77);
  const Tensor x = random.tensor(uint8, {1, 8, 6, 21}, 0, 255);
  for_int8_targets([&](const std::shared_ptr<const Backend>& simd) {
    MLContext context({.threads = 1, .backends = {simd, "reference"}});
    MLGraphBuilder b(context);
    const Unit u{uint8, scale, 9};
    const MLOperand v = b.averagePool2d(dequantized(b, b.input("x", x.descriptor()), u),
                                        {.windowDimensions = std::vector<std::uint32_t>{2, 2},
                                         .strides = std::vector<std::uint32_t>{2, 2},
                                         .layout = MLInputOperandLayout::nhwc});
    const MLOperand y =
        b.quantizeLinear(v, one(b, float32, double{scale}, 4), one(b, uint8, u.zero, 4));
    Tensor out{uint8, y.shape(), std::vector<std::byte>(element_count(y.shape()))};
    const MLGraph graph = b.build({{"y", y}});
    REQUIRE(graph.explain().find("int8 average pool") != std::string::npos);
    context.compute(graph, {{"x", InputView(x.bytes)}}, {{"y", out.bytes}});
    for (std::uint32_t i = 0; i < 4 * 3 * 21; ++i) {
      const std::uint32_t channel = i % 21, column = i / 21 % 3, row = i / 63;
      const auto at = [&](std::uint32_t r, std::uint32_t q) {
        return static_cast<float>(x.at({0, 2 * row + r, 2 * column + q, channel}) - u.zero) * scale;
      };
      const float first = at(0, 0) + at(1, 0), second = at(0, 1) + at(1, 1);
      const float quotient = (first + second) / 4 / scale;
      CHECK(out[i] == std::min(std::nearbyint(double{quotient}) + u.zero, 255.0));
    }
  });
}
