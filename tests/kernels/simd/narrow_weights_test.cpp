// Weights of bfloat16 and float8e4m3, which products and gathers read as they are stored: all bit
// patterns, with scales and without.
#include <bit>
#include <cmath>

#include "tests/kernels/simd/gemm_case.h"
#include "tests/kernels/simd/stored_weights.h"
#include "webnn/bfloat16.h"
#include "webnn/float8e4m3.h"

namespace webnn::inline v0_1::test {
namespace {

/// By the definition: sign, exponent and fraction.
double value_of(MLOperandDataType type, unsigned bits) {
  const int fraction_bits = type == bfloat16 ? 7 : 3, exponent_bits = type == bfloat16 ? 8 : 4;
  const int bias = type == bfloat16 ? 127 : 7;
  const int fraction = static_cast<int>(bits & ((1u << fraction_bits) - 1));
  const int exponent = static_cast<int>(bits >> fraction_bits & ((1u << exponent_bits) - 1));
  const double sign = bits >> (fraction_bits + exponent_bits) != 0 ? -1 : 1;
  const bool highest = exponent == (1 << exponent_bits) - 1;
  if (type == bfloat16 && highest) return fraction == 0 ? sign * HUGE_VAL : NAN;
  if (type == float8e4m3 && highest && fraction == 7) return NAN;
  const double of_one = std::ldexp(1, -fraction_bits);
  return exponent == 0 ? sign * std::ldexp(fraction * of_one, 1 - bias)
                       : sign * std::ldexp(1 + fraction * of_one, exponent - bias);
}

/// A matrix whose elements are bit patterns.
struct Narrow {
  MLOperandDataType type = bfloat16;
  std::uint32_t rows = 64, columns = 64;
  std::vector<unsigned> bits{};
  Dims scale_shape{};  ///< of floats; empty for a cast
  std::vector<float> scales{};

  std::size_t size() const { return std::size_t{rows} * columns; }
  MLOperand constant(MLGraphBuilder& b) const {
    const int each = bits_of(type) / 8;
    std::vector<std::byte> bytes;
    for (const unsigned v : bits)
      for (int i = 0; i < each; ++i) bytes.push_back(static_cast<std::byte>(v >> 8 * i & 255));
    return b.constant({type, {rows, columns}}, bytes);
  }
  MLOperand operand(MLGraphBuilder& b, std::byte zero = {}) const {
    if (scale_shape.empty()) return b.cast(constant(b), float32);
    const std::vector<std::byte> zeros(scales.size(), zero);
    return b.dequantizeLinear(constant(b), b.constant({float32, scale_shape}, scales),
                              b.constant({type, scale_shape}, zeros));
  }
  float at(std::size_t i) const {
    const auto v = static_cast<float>(value_of(type, bits[i]));
    if (scale_shape.empty()) return v;
    const std::size_t r = i / columns / (rows / scale_shape[0]),
                      c = i % columns / (columns / scale_shape[1]);
    return v * scales[r * scale_shape[1] + c];
  }
};

/// All patterns of finite numbers, again and again.
Narrow all_numbers(MLOperandDataType type, std::uint32_t rows, std::uint32_t columns) {
  Narrow w{.type = type, .rows = rows, .columns = columns};
  const unsigned patterns = 1u << bits_of(type);
  for (std::size_t i = 0; i < w.size(); ++i) {
    const auto bits = static_cast<unsigned>(i * 7 % patterns);
    w.bits.push_back(std::isfinite(value_of(type, bits)) ? bits : 0);
  }
  return w;
}
Narrow with_scales(Narrow w, Dims shape) {
  std::mt19937 random(3);
  w.scale_shape = std::move(shape);
  w.scales.resize(element_count(w.scale_shape));
  for (float& s : w.scales) s = std::ldexp(1 + static_cast<float>(random() % 1000) / 1000, -5);
  return w;
}
/// Scales for all, a column, and blocks of 16 and of 25 rows.
std::vector<Narrow> forms() {
  const Narrow eight = all_numbers(float8e4m3, 64, 65);
  return {all_numbers(bfloat16, 64, 1024), eight,
          with_scales(eight, {1, 1}),      with_scales(eight, {1, 65}),
          with_scales(eight, {4, 65}),     with_scales(all_numbers(float8e4m3, 75, 65), {3, 13})};
}

std::vector<float> one_hot(std::uint32_t k, std::uint32_t first, std::uint32_t rows) {
  std::vector<float> x(std::size_t{rows} * k);
  for (std::uint32_t r = 0; r < rows; ++r) x[std::size_t{r} * k + first + r] = 1;
  return x;
}

std::string lowered(const std::function<MLOperand(MLGraphBuilder&)>& weights,
                    MLGemmOptions options = {}) {
  ChainUnderTest t;
  const Lowering l = t.lower(t.b.gemm(t.input({1, 64}), weights(t.b), options));
  const auto* refusal = std::get_if<Refusal>(&l);
  return refusal ? refusal->reason : std::get<Candidate>(l).name;
}

}  // namespace

TEST_CASE("narrow weights: all numbers are exact in products of one row and of many") {
  for_targets([] {
    for (const Narrow& w : forms()) {
      const std::string type(name_of(w.type));
      INFO(type << ", " << w.scales.size() << " scales");
      ChainUnderTest t;
      const auto y =
          t.run(t.b.gemm(t.input({w.rows, w.rows}, one_hot(w.rows, 0, w.rows)), w.operand(t.b)));
      CHECK(t.kernel == "float32 x " + type + " gemm");
      for (std::size_t i = 0; i < w.size(); ++i)
        if (y[i] != w.at(i)) FAIL("pattern " << w.bits[i] << " is " << y[i]);
      for (std::uint32_t row = 0; row < w.rows; row += 7) {
        ChainUnderTest u;
        const auto z =
            u.run(u.b.gemm(u.input({1, w.rows}, one_hot(w.rows, row, 1)), w.operand(u.b)));
        CHECK(u.kernel == "float32 x " + type + " gemv");
        for (std::size_t i = 0; i < w.columns; ++i)
          if (z[i] != w.at(row * w.columns + i))
            FAIL("pattern " << w.bits[row * w.columns + i] << " is " << z[i]);
      }
    }
  });
}

TEST_CASE("narrow weights: every row of one row's kernel") {
  // Each place of the two terms that are summed apart, in both orders of dimensions.
  for_targets([] {
    for (const bool transposed : {false, true})
      for (const MLOperandDataType type : {bfloat16, float8e4m3}) {
        Narrow w = all_numbers(type, transposed ? 70 : 67, transposed ? 67 : 70);
        if (type == float8e4m3) w = with_scales(w, transposed ? Dims{70, 1} : Dims{1, 70});
        for (const std::uint32_t row : {0u, 1u, 33u, 64u, 65u, 66u}) {
          ChainUnderTest t;
          const auto y = t.run(t.b.gemm(t.input({1, 67}, one_hot(67, row, 1)), w.operand(t.b),
                                        {.bTranspose = transposed}));
          for (std::size_t c = 0; c < 70; ++c)
            CHECK(y[c] == w.at(transposed ? c * 67 + row : row * 70 + c));
        }
      }
  });
}

TEST_CASE("narrow weights: sums, of any shape, with what follows") {
  for_targets([] {
    for (const MLOperandDataType type : {bfloat16, float8e4m3})
      for (const bool scaled : {false, true})
        for (const bool transposed : {false, true})
          for (const auto& [m, k, n] : {std::tuple{1u, 96u, 172u},
                                        {1u, 600u, 49u},
                                        {2u, 160u, 100u},
                                        {7u, 608u, 108u},
                                        {70u, 64u, 68u}}) {
            if (scaled && type == bfloat16) continue;
            std::mt19937 random(k);
            Narrow w{.type = type, .rows = transposed ? n : k, .columns = transposed ? k : n};
            for (std::size_t i = 0; i < w.size(); ++i) {
              const float v = static_cast<float>(random() % 2000) / 1000 - 1;
              w.bits.push_back(type == bfloat16 ? unsigned{BFloat16(v).bits}
                                                : unsigned{Float8E4M3(v).bits});
            }
            if (scaled) w = with_scales(w, transposed ? Dims{n, k / 8} : Dims{k / 8, n});
            ChainUnderTest t;
            const GemmCase g{.rows = m,
                             .k = k,
                             .columns = n,
                             .b_transpose = transposed,
                             .beta = 0.5,
                             .c = Dims{n},
                             .residual = true,
                             .activation = 3};
            INFO(name_of(type) << (scaled ? " with scales " : " ") << g);
            check_gemm(t, g, w.operand(t.b), [&](std::size_t i) { return w.at(i); });
          }
  });
}

TEST_CASE("narrow weights: rows of a table, of all bit patterns") {
  for (const MLOperandDataType type : {bfloat16, float8e4m3})
    for (const bool scaled : {false, true}) {
      if (scaled && type == bfloat16) continue;
      const unsigned patterns = 1u << bits_of(type);
      Narrow w{.type = type, .rows = 64, .columns = type == bfloat16 ? 1024u : 64u};
      for (std::size_t i = 0; i < w.size(); ++i)
        w.bits.push_back(static_cast<unsigned>(i) % patterns);
      if (scaled) w = with_scales(w, {64, 4});
      std::vector<std::int32_t> rows(64);
      for (int i = 0; i < 64; ++i) rows[static_cast<std::size_t>(i)] = 63 - i;
      ChainUnderTest t;
      const auto y = t.run(t.b.gather(w.operand(t.b), t.b.constant({int32, {64}}, rows)));
      CHECK(t.kernel == std::string(name_of(type)) + " gather");
      for (std::size_t i = 0; i < w.size(); ++i) {
        const std::size_t from = (63 - i / w.columns) * w.columns + i % w.columns;
        const float expected = w.at(from);
        if (std::isnan(expected) ? !std::isnan(y[i]) : y[i] != expected)
          FAIL("pattern " << w.bits[from] << " is " << y[i]);
      }
    }
}

TEST_CASE("narrow weights: infinities and NaN of bfloat16") {
  for_targets([] {
    for (const std::uint32_t rows : {1u, 3u}) {
      Narrow w = all_numbers(bfloat16, 64, 64);
      w.bits.assign(w.size(), BFloat16(1).bits);
      w.bits[5 * 64 + 7] = 0x7f80;
      w.bits[6 * 64 + 9] = 0xff80;
      w.bits[7 * 64 + 60] = 0x7fc0;
      ChainUnderTest t;
      const std::vector<float> x(std::size_t{rows} * 64, 1);
      const auto y = t.run(t.b.gemm(t.input({rows, 64}, x), w.operand(t.b)));
      CHECK(y[7] == HUGE_VALF);
      CHECK(y[9] == -HUGE_VALF);
      CHECK(std::isnan(y[60]));
      CHECK(y[8] == 64);
    }
  });
}

TEST_CASE("narrow weights: packed at their own size") {
  const auto packed = [](const Narrow& w) {
    ChainUnderTest t;
    const Lowering l = t.lower(t.b.gemm(t.input({1, w.rows}), w.operand(t.b)));
    return std::get<Candidate>(l).weights.front().bytes;
  };
  constexpr std::size_t all = 768 * 96;
  CHECK(packed(all_numbers(bfloat16, 768, 96)) == 2 * all);
  CHECK(packed(all_numbers(float8e4m3, 768, 96)) == all);
  Narrow w = with_scales(all_numbers(float8e4m3, 768, 96), {24, 96});
  CHECK(packed(w) == all + 4 * all / 32);
  for (float& s : w.scales) s = 0.5f;
  CHECK(packed(w) == all + 2 * all / 32);
}

TEST_CASE("narrow weights: what is refused") {
  Narrow w = all_numbers(float8e4m3, 64, 64);
  const auto plain = [&](MLGraphBuilder& b) { return w.operand(b); };
  CHECK(lowered(plain) == "float32 x float8e4m3 gemv");
  CHECK(lowered(plain, {.alpha = 2}) == "float8e4m3: alpha is not 1");
  for (const unsigned nan : {0x7fu, 0xffu}) {
    w.bits[77] = nan;
    CHECK(lowered(plain) == "float8e4m3: a weight is NaN");
  }
  w = with_scales(all_numbers(float8e4m3, 64, 64), {4, 64});
  CHECK(lowered(plain, {.alpha = 2}) == "float32 x float8e4m3 gemv");
  CHECK(lowered([&](MLGraphBuilder& b) { return w.operand(b, std::byte{0x38}); }) ==
        "float8e4m3: a zero point is not 0");
  w.scales[3] = 1e35f;
  CHECK(lowered(plain) == "small weights: a scale is out of range");
}

}  // namespace webnn::inline v0_1::test
