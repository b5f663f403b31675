// Weights of 4 and 8 bits whose scales are float16: each is rounded to float16, as the operators by
// themselves do.
#include <cmath>

#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/vector/int8/activations.h"
#include "tests/kernels/simd/gemm_case.h"
#include "tests/kernels/simd/stored_weights.h"

namespace webnn::inline v0_1::test {
namespace {

constexpr std::uint32_t k = 64, columns = 70, block = 16;

/// A matrix [k, columns] with these scales, and what it stands for.
struct Rounded {
  MLOperandDataType type = int4;
  bool zeros = false;
  std::vector<Float16> scales{};  ///< [k / block, columns]

  std::vector<int> draw(std::size_t count, unsigned seed) const {
    std::mt19937 random(seed);
    std::vector<int> v(count);
    const unsigned range = 1u << bits_of(type);
    for (int& i : v) i = lowest(type) + static_cast<int>(random() % range);
    return v;
  }
  int middle() const { return lowest(type) < 0 ? 0 : 1 << (bits_of(type) - 1); }
  std::vector<int> zero_points() const {
    return zeros ? draw(scales.size(), 7) : std::vector<int>(scales.size(), middle());
  }
  MLOperand operand(MLGraphBuilder& b) const {
    const Dims each{k / block, columns};
    return b.cast(b.dequantizeLinear(integers(b, type, {k, columns}, draw(k * columns, 3)),
                                     b.constant({float16, each}, scales),
                                     integers(b, type, each, zero_points())),
                  float32);
  }
  std::vector<float> all() const {
    const std::vector<int> v = draw(k * columns, 3), zero = zero_points();
    std::vector<float> values(v.size());
    for (std::size_t i = 0; i < v.size(); ++i) {
      const std::size_t s = i / columns / block * columns + i % columns;
      values[i] = Float16(static_cast<float>(v[i] - zero[s]) * static_cast<float>(scales[s]));
    }
    return values;
  }
};

/// Any float16 whose products stay below 65520.
std::vector<Float16> any_scales(std::uint16_t largest, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Float16> v(k / block * columns);
  for (Float16& s : v)
    s.bits = static_cast<std::uint16_t>(random() % (largest + 1u) | (random() % 2) << 15);
  return v;
}

/// Rows with a single 1, whose products are weights.
std::vector<float> ones(std::uint32_t first, std::uint32_t rows) {
  std::vector<float> x(std::size_t{rows} * k);
  for (std::uint32_t r = 0; r < rows; ++r) x[r * k + first + r] = 1;
  return x;
}

std::string lowered(const Rounded& w, MLGemmOptions options = {}) {
  ChainUnderTest t;
  const Lowering l = t.lower(t.b.gemm(t.input({1, k}), w.operand(t.b), options));
  if (const auto* refusal = std::get_if<Refusal>(&l)) return refusal->reason;
  return std::get<Candidate>(l).name;
}

}  // namespace

TEST_CASE("rounded weights: products have the weights of the operators, bit for bit") {
  for_targets([] {
    for (const MLOperandDataType type : {int4, uint4, int8, uint8})
      for (const bool zeros : {false, true}) {
        const bool four = bits_of(type) == 4;
        // 65504 / 15 and 65504 / 255, from subnormal numbers on.
        const Rounded w{type, zeros, any_scales(four ? 0x6c43 : 0x5c03, 11)};
        const std::vector<float> expected = w.all();
        INFO(name_of(type) << (zeros ? " with zeros" : ""));
        {
          ChainUnderTest t;
          const auto y = t.run(t.b.gemm(t.input({k, k}, ones(0, k)), w.operand(t.b)));
          CHECK(y == expected);
        }
        for (const std::uint32_t row : {0u, 15u, 16u, 63u}) {
          ChainUnderTest t;
          const auto y = t.run(t.b.gemm(t.input({1, k}, ones(row, 1)), w.operand(t.b)));
          CHECK(std::equal(y.begin(), y.end(), expected.begin() + row * columns));
          CHECK(t.kernel == std::string("float32 x ") + (four ? "int4" : "int8") + " gemv");
        }
      }
  });
}

TEST_CASE("rounded weights: types, blocks and shapes") {
  for_targets([] {
    for (const MLOperandDataType type : {int4, uint4, int8, uint8})
      for (const bool transposed : {false, true})
        for (const auto& [m, depth, n] :
             {std::tuple{1u, 96u, 172u}, {2u, 160u, 100u}, {7u, 608u, 108u}, {70u, 64u, 68u}})
          for (const bool six_bits : {false, true}) {
            if (six_bits && bits_of(type) == 4) continue;
            Form f{type, 32, 1, transposed && !six_bits, six_bits, ScaleKind::float16_constants};
            if (transposed) std::swap(f.row_block, f.column_block);
            ChainUnderTest t;
            const GemmCase g{.rows = m,
                             .k = depth,
                             .columns = n,
                             .b_transpose = transposed,
                             .c = Dims{n},
                             .residual = true};
            INFO(g << ' ' << f);
            const Stored w =
                stored(t, transposed ? Dims{n, depth} : Dims{depth, n}, f, 0.01f, transposed);
            check_gemm(t, g, w.operand, [&](std::size_t i) { return w.values[i]; });
          }
  });
}

TEST_CASE("rounded weights: rows of a table") {
  ChainUnderTest t;
  const Rounded w{int4, true, any_scales(0x6c43, 5)};
  const std::vector<std::int32_t> rows{3, -1, 17};
  const auto y = t.run(t.b.gather(w.operand(t.b), t.b.constant({int32, {3}}, rows)));
  const std::vector<float> expected = w.all();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t row = rows[i] < 0 ? k - 1 : static_cast<std::size_t>(rows[i]);
    for (std::size_t c = 0; c < columns; ++c)
      CHECK(y[i * columns + c] == expected[row * columns + c]);
  }
}

TEST_CASE("rounded weights: what products could not do exactly is refused") {
  Rounded w{int4, false, any_scales(0x6c43, 5)};
  w.scales[9] = Float16(65504.0f / 8);  // times -8 it is the largest number
  CHECK(lowered(w) == "float32 x int4 gemv");
  w.scales[9].bits = static_cast<std::uint16_t>(w.scales[9].bits + 1);
  CHECK(lowered(w) == "small weights: a scale is out of range");
  w.zeros = true;
  w.scales[9] = Float16(65504.0f / 8);
  CHECK(lowered(w) == "small weights: a scale is out of range");
  w.scales[9].bits = 0x7e00;
  CHECK(lowered(w) == "small weights: a scale is out of range");
  w = {int4, false, any_scales(0x6c43, 5)};
  CHECK(lowered(w, {.alpha = 0.5}) == "float16 scales: alpha is not 1");
}

TEST_CASE("rounded weights: where each product is a float16, activations may be of 8 bits") {
  const auto name = [](float scale) {
    constexpr std::uint32_t wide = 128, each = 32;
    ChainUnderTest t(simd::make_backend({.int8_activations = true}));
    const std::vector<Float16> scales(k / each * wide, Float16(scale));
    const std::vector<int> zero(scales.size());
    const MLOperand w =
        t.b.dequantizeLinear(integers(t.b, int4, {k, wide}, std::vector<int>(k * wide)),
                             t.b.constant({float16, {k / each, wide}}, scales),
                             integers(t.b, int4, {k / each, wide}, zero));
    t.run(t.b.gemm(t.input({1, k}), t.b.cast(w, float32)));
    return t.kernel;
  };
  if (simd::has_quantized_rows()) CHECK(name(0.1640625f) == "int8 x int4 gemv");  // 21 / 128
  CHECK(name(0.1f) == "float32 x int4 gemv");
}

}  // namespace webnn::inline v0_1::test
