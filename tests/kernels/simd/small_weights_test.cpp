// Products and gathers that read int4, uint4, int8, uint8 and float16 weights as they are stored.
#include <cmath>

#include "src/kernels/simd/vector/float32/gemm.h"
#include "src/runtime/packed_weights.h"
#include "tests/kernels/simd/gemm_case.h"
#include "tests/kernels/simd/stored_weights.h"

namespace webnn::inline v0_1::test {
namespace {

/// The name of the kernel.
std::string check(GemmCase g, const Form& form) {
  g.beta = 0.5;
  INFO(g << ' ' << form);
  ChainUnderTest t;
  Form f = form;
  if (g.b_transpose) std::swap(f.row_block, f.column_block);
  const Stored w = stored(t, g.b_transpose ? Dims{g.columns, g.k} : Dims{g.k, g.columns}, f, 0.01f,
                          g.b_transpose);
  check_gemm(t, g, w.operand, [&](std::size_t i) { return w.values[i]; });
  return t.kernel;
}

}  // namespace

TEST_CASE("small weights: types, blocks and shapes") {
  for_targets([] {
    for (MLOperandDataType type : small_types)
      for (const auto& [row_block, column_block] :
           {std::pair{32u, 1u}, {16u, 4u}, {0u, 1u}, {0u, 0u}}) {
        if (type == float16 && row_block) continue;
        for (const auto& [m, k, n] : {std::tuple{1u, 64u, 128u},
                                      {1u, 96u, 43u * 4},
                                      {2u, 160u, 100u},
                                      {7u, 608u, 36u * 3},
                                      {70u, 64u, 68u},
                                      {200u, 96u, 132u}})
          for (bool zeros : {false, true})
            check({.rows = m, .k = k, .columns = n, .b_transpose = zeros},
                  {type, row_block, column_block, zeros});
      }
  });
}

TEST_CASE("small weights: sums of an odd number of terms, and long blocks") {
  for_targets([] {
    for (MLOperandDataType type : small_types)
      for (std::uint32_t rows : {1u, 3u}) {
        check({.rows = rows, .k = 75, .columns = 65}, {type, 0, 1});
        if (type == float16) continue;
        check({.rows = rows, .k = 75, .columns = 66}, {type, 25, 2});
        check({.rows = rows, .k = 2 * 1023, .columns = 65}, {type, 1023, 1});
        check({.rows = rows, .k = 1300, .columns = 65}, {type, 650, 1});
      }
  });
}

TEST_CASE("small weights: scales of float16, or small multiples of one for 256 terms") {
  for_targets([] {
    for (MLOperandDataType type : {int4, uint4, int8, uint8})
      for (const ScaleKind scales : {ScaleKind::float16_values, ScaleKind::multiples})
        for (const std::uint32_t block : {16u, 32u})
          for (const std::uint32_t rows : {1u, 3u})
            for (const bool six_bits : {false, true}) {
              if (six_bits && bits_of(type) == 4) continue;
              check({.rows = rows, .k = 768, .columns = 85, .b_transpose = true},
                    {type, block, 1, rows == 3 && !six_bits, six_bits, scales});
            }
  });
}

TEST_CASE("small weights: integers of 6 bits") {
  for_targets([] {
    for (MLOperandDataType type : {int8, uint8})
      for (const bool transposed : {false, true})
        for (const std::uint32_t rows : {1u, 2u, 9u})
          for (const auto& [k, block] :
               {std::pair{64u, 16u}, {96u, 32u}, {608u, 0u}, {592u, 0u}, {640u, 64u}, {75u, 25u}})
            check({.rows = rows, .k = k, .columns = 85, .b_transpose = transposed},
                  {type, block, 1, false, true});
  });
}

TEST_CASE("small weights: what fits fewer bits is packed in them") {
  const auto packed = [](const Form& f) {
    ChainUnderTest t;
    const Stored w =
        stored(t, {96, 768}, {f.type, 1, f.row_block, f.zeros, f.six_bits, f.scales}, 0.01f, true);
    const Lowering l = t.lower(t.b.gemm(t.input({1, 768}), w.operand, {.bTranspose = true}));
    return std::get<Candidate>(l).weights.front().bytes;  // behind it, a bias
  };
  using enum ScaleKind;
  constexpr std::size_t all = 96 * 768, blocks = all / 32, panels = all / 256;
  CHECK(packed({int4, 32, 1, false, false, floats}) == all / 2 + 4 * blocks);
  CHECK(packed({int4, 32, 1, false, false, float16_values}) == all / 2 + 2 * blocks);
  CHECK(packed({int4, 32, 1, false, false, multiples}) == all / 2 + blocks + 4 * panels);
  CHECK(packed({int8, 32, 1, false, false, floats}) == all + 4 * blocks);
  CHECK(packed({int8, 32, 1, false, true, floats}) == all * 6 / 8 + 4 * blocks);
  CHECK(packed({uint8, 32, 1, false, true, multiples}) == all * 6 / 8 + blocks + 4 * panels);
}

TEST_CASE("small weights: alpha, c, a residual and activations") {
  for_targets([] {
    for (MLOperandDataType type : {int4, uint8, float16})
      for (std::uint32_t rows : {1u, 5u})
        for (const std::optional<Dims>& c :
             {std::optional<Dims>{}, {Dims{}}, {Dims{72}}, {Dims{rows, 1}}, {Dims{rows, 72}}})
          for (bool constant_c : {false, true})
            for (std::size_t activation = 0; activation < activations().size(); activation += 3)
              check({.rows = rows,
                     .k = 64,
                     .columns = 72,
                     .a_transpose = activation % 2 == 1,
                     .alpha = type == float16 ? 1 : -0.75,
                     .c = c,
                     .constant_c = constant_c,
                     .residual = constant_c,
                     .activation = activation},
                    {type, type == float16 ? 0u : 32u, 1});
  });
}

TEST_CASE("small weights: the kernel is named after the type") {
  CHECK(check({.rows = 1}, {uint4, 32, 1}) == "float32 x int4 gemv");
  CHECK(check({.rows = 3}, {int8, 0, 1}) == "float32 x int8 gemm");
  CHECK(check({.rows = 1}, {float16}) == "float32 x float16 gemv");
}

TEST_CASE("small weights: matmul, and a 1x1 convolution in every layout of filters") {
  for_targets([] {
    {
      ChainUnderTest t;
      const Stored w = stored(t, {64, 80}, {int8, 32, 1});
      const MLOperand a = t.input({2, 3, 64});
      const auto y = t.run(t.b.relu(t.b.matmul(a, w.operand)));
      for (std::size_t r = 0; r < 6; ++r)
        for (std::size_t n = 0; n < 80; ++n) {
          Sum sum;
          for (std::size_t k = 0; k < 64; ++k)
            sum.add(t.values(a)[r * 64 + k], w.values[k * 80 + n]);
          check_near(y[r * 80 + n], sum, [](double v) { return std::max(v, 0.0); });
        }
    }
    using enum MLConv2dFilterOperandLayout;
    constexpr std::uint32_t in = 256, out = 264;
    for (auto layout : {oihw, hwio, ohwi, ihwo}) {
      ChainUnderTest t;
      const bool out_first = layout == oihw || layout == ohwi;
      const Dims matrix = out_first ? Dims{out, in} : Dims{in, out};
      std::vector<int> v(in * out);
      for (int& i : v) i = static_cast<int>(t.random() % 16) - 8;
      std::vector<float> scales(in / 32 * out);
      for (float& s : scales) s = 0.01f * static_cast<float>(1 + t.random() % 9);
      const auto shaped = [&](std::uint32_t i, std::uint32_t o) {
        return layout == oihw   ? Dims{o, i, 1, 1}
               : layout == hwio ? Dims{1, 1, i, o}
               : layout == ohwi ? Dims{o, 1, 1, i}
                                : Dims{i, 1, 1, o};
      };
      const MLOperand filter = t.b.dequantizeLinear(
          integers(t.b, int4, shaped(in, out), v),
          t.b.constant({float32, shaped(in / 32, out)}, scales),
          integers(t.b, int4, shaped(in / 32, out), std::vector<int>(scales.size())));
      const MLOperand x = t.input({1, 3, 2, in}), bias = t.constant({out});
      const auto y = t.run(t.b.conv2d(
          x, filter,
          {.inputLayout = MLInputOperandLayout::nhwc, .filterLayout = layout, .bias = bias}));
      for (std::size_t r = 0; r < 6; ++r)
        for (std::size_t n = 0; n < out; ++n) {
          Sum sum;
          sum.add(t.values(bias)[n]);
          for (std::size_t k = 0; k < in; ++k) {
            const std::size_t at = out_first ? n * in + k : k * out + n;
            const std::size_t s = out_first ? n * (in / 32) + k / 32 : k / 32 * out + n;
            sum.add(t.values(x)[r * in + k], v[at] * static_cast<double>(scales[s]));
          }
          check_near(y[r * out + n], sum);
        }
    }
  });
}

TEST_CASE("small weights: matmul of several matrices, with scales for each or for some") {
  for_targets([] {
    constexpr std::uint32_t batches = 2, heads = 3, k = 64, n = 72;
    for (MLOperandDataType type : small_types)
      for (const Dims& blocks : {Dims{2, 3, 2, n}, {1, 3, 1, 1}, {2, 1, 2, 1}})
        for (std::uint32_t rows : {1u, 5u})
          for (bool shared : {false, true}) {  // one batch of weights for all
            INFO(name_of(type) << ' ' << blocks[0] << ' ' << blocks[1] << ' ' << rows << shared);
            ChainUnderTest t;
            const Dims shape{shared ? 1 : batches, heads, k, n};
            const Dims scales{shared ? 1 : blocks[0], blocks[1], blocks[2], blocks[3]};
            std::vector<double> w(element_count(shape));
            MLOperand b;
            if (type == float16) {
              std::vector<Float16> v(w.size());
              for (std::size_t i = 0; i < w.size(); ++i)
                w[i] = v[i] = Float16(static_cast<float>(t.random() % 2001) / 1000 - 1);
              b = t.b.cast(t.b.constant({float16, shape}, v), float32);
            } else {
              std::vector<int> v(w.size()), zero(element_count(scales));
              std::vector<float> scale(zero.size());
              const unsigned range = 1u << bits_of(type);
              for (int& i : v) i = lowest(type) + static_cast<int>(t.random() % range);
              for (int& i : zero) i = lowest(type) + static_cast<int>(t.random() % range);
              for (float& f : scale) f = 0.01f * static_cast<float>(1 + t.random() % 9);
              for (std::size_t i = 0; i < w.size(); ++i) {
                std::size_t at = 0, rest = i, stride = 1;
                for (std::size_t d = 4; d-- > 0; rest /= shape[d], stride *= scales[d])
                  at += rest % shape[d] / (shape[d] / scales[d]) * stride;
                w[i] = (v[i] - zero[at]) * static_cast<double>(scale[at]);
              }
              b = t.b.dequantizeLinear(integers(t.b, type, shape, v),
                                       t.b.constant({float32, scales}, scale),
                                       integers(t.b, type, scales, zero));
            }
            const MLOperand a = t.input({batches, heads, rows, k});
            const auto y = t.run(t.b.relu(t.b.matmul(a, b)));
            CHECK(t.kernel.find(type == float16      ? "float32 x float16"
                                : bits_of(type) == 4 ? "float32 x int4"
                                                     : "float32 x int8") == 0);
            for (std::size_t m = 0; m < batches * heads; ++m)
              for (std::size_t r = 0; r < rows; ++r)
                for (std::size_t c = 0; c < n; ++c) {
                  Sum sum;
                  for (std::size_t i = 0; i < k; ++i)
                    sum.add(t.values(a)[(m * rows + r) * k + i],
                            w[((shared ? m % heads : m) * k + i) * n + c]);
                  check_near(y[(m * rows + r) * n + c], sum,
                             [](double v) { return std::max(v, 0.0); });
                }
          }
  });
}

TEST_CASE("small weights: rows of a table") {
  for_targets([] {
    for (MLOperandDataType type : small_types)
      for (const auto& [rb, cb] : {std::pair{1u, 32u}, {4u, 3u}, {0u, 0u}}) {
        INFO(name_of(type) << ' ' << rb << ' ' << cb);
        ChainUnderTest t;
        const Stored w = stored(t, {44, 96}, {type, rb, cb});
        const std::vector<std::int32_t> rows{0, 43, -1, 7, 100, -100, 22};
        const MLOperand indices = t.b.constant({int32, {7}}, rows);
        const auto y = t.run(t.b.gather(w.operand, indices));
        for (std::size_t i = 0; i < rows.size(); ++i) {
          const int row = std::clamp(rows[i] < 0 ? rows[i] + 44 : rows[i], 0, 43);
          for (std::size_t c = 0; c < 96; ++c) {
            const double expected = w.values[static_cast<std::size_t>(row) * 96 + c];
            CHECK(std::abs(y[i * 96 + c] - expected) <= 0x1p-23 * std::abs(expected));
          }
        }
      }
  });
}

TEST_CASE("small weights: products that would overflow before they are scaled") {
  for_targets([] {
    for (MLOperandDataType type : {int4, int8}) {
      ChainUnderTest t;
      const Stored w = stored(t, {64, 96}, {type, 32, 1, false}, 1e-4f);
      const MLOperand a = t.input({1, 64}, std::vector<float>(64, 3e37f));
      const auto y = t.run(t.b.gemm(a, w.operand));
      for (std::size_t n = 0; n < 96; ++n) {
        Sum sum;
        for (std::size_t k = 0; k < 64; ++k) sum.add(double{3e37f}, w.values[k * 96 + n]);
        check_near(y[n], sum);
      }
    }
  });
}

TEST_CASE("small weights: NaN and infinities") {
  for_targets([] {
    for (std::uint32_t rows : {1u, 2u}) {
      ChainUnderTest t;
      const Stored w = stored(t, {64, 96}, {int4, 32, 1});
      std::vector<float> x(std::size_t{rows} * 64, 0.5f);
      x[5] = std::nanf("");
      const auto y = t.run(t.b.gemm(t.input({rows, 64}, x), w.operand));
      for (std::size_t n = 0; n < 96; ++n) CHECK(std::isnan(y[n]));
      x[5] = HUGE_VALF;
      ChainUnderTest u;
      const Stored v = stored(u, {64, 96}, {int4, 32, 1});
      const auto z = u.run(u.b.gemm(u.input({rows, 64}, x), v.operand));
      for (std::size_t n = 0; n < 96; ++n) {
        const double weight = v.values[5 * 96 + n];
        if (weight == 0) CHECK(std::isnan(z[n]));
        else CHECK(z[n] == (weight > 0 ? HUGE_VALF : -HUGE_VALF));
      }
    }
  });
}

TEST_CASE("small weights: packed at no more than 1.1 times the stored size") {
  for_targets([] {
    for (const auto& [k, n] : {std::pair{576u, 192u}, {576u, 1536u}, {1536u, 576u}})
      for (const Form& f : {Form{int4, 32, 1, false}, Form{uint4, 32, 1}, Form{int8, 0, 1, false},
                            Form{uint8, 32, 1}, Form{float16}, Form{int4, 0, 1, false}}) {
        INFO(k << 'x' << n << ' ' << f);
        ChainUnderTest t;
        const Stored w = stored(t, {k, n}, f);
        const Lowering l = t.lower(t.b.gemm(t.input({1, k}), w.operand));
        REQUIRE(std::holds_alternative<Candidate>(l));
        const Candidate& kernel = std::get<Candidate>(l);
        CHECK(static_cast<double>(packed_bytes(kernel)) <=
              1.1 * static_cast<double>(w.bytes) + 4 * n);
        CHECK(kernel.weights.front().inputs ==
              (f.type == float16 ? std::vector<int>{0} : std::vector<int>{0, 1, 2}));
      }
  });
}

TEST_CASE("small weights: what is refused") {
  const auto reason = [](const std::function<MLOperand(ChainUnderTest&)>& build) {
    ChainUnderTest t;
    const Lowering l = t.lower(build(t));
    const auto* refusal = std::get_if<Refusal>(&l);
    return refusal ? refusal->reason : "";
  };
  CHECK(reason([](ChainUnderTest& t) {
          return t.b.gemm(t.input({1, 64}), stored(t, {64, 96}, {int4, 4, 1}).operand);
        }) == "small weights: blocks are too short");
  CHECK(reason([](ChainUnderTest& t) {
          return t.b.gemm(t.input({1, 64}), stored(t, {64, 96}, {int8, 0, 0}, 1e38f).operand);
        }) == "small weights: a scale is out of range");
  CHECK(reason([](ChainUnderTest& t) {
          return t.b.gemm(t.input({1, 64}), stored(t, {64, 96}, {float16}).operand, {.alpha = 2});
        }) == "float16: alpha is not 1");
}

}  // namespace webnn::inline v0_1::test
