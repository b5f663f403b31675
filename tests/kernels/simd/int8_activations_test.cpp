// Products with small weights whose rows of activations are quantized to int8: no further from a
// sum in double precision than half a step of each activation.
#include <bit>
#include <cmath>

#include "src/kernels/backends.h"
#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/vector/int8/activations.h"
#include "tests/kernels/simd/gemm_case.h"
#include "tests/kernels/simd/stored_weights.h"

namespace webnn::inline v0_1::test {
namespace {

std::shared_ptr<const Backend> int8_backend(bool instruction = true) {
  return simd::make_backend({.int8_dot_product = instruction, .int8_activations = true});
}
bool on_integers(const std::string& kernel) { return kernel.starts_with("int8 x "); }

/// f(backend) for each instruction set that has such products, and in both ways to compute them.
void for_backends(const std::function<void(const std::shared_ptr<const Backend>&)>& f) {
  for_targets([&] {
    if (!simd::has_quantized_rows()) return;
    for (bool instruction : {true, false}) {
      INFO((instruction ? "with" : "without") << " the instruction");
      f(int8_backend(instruction));
    }
  });
}

/// Half a step of each element: 127 steps are the largest magnitude of its block of the row.
Inexact half_steps(std::size_t k, std::size_t block) {
  if (block == 0) block = k;
  return [=](const std::vector<float>& a) {
    std::vector<double> all(a.size());
    for (std::size_t first = 0; first < a.size(); first += block) {
      double most = 0;
      for (std::size_t i = first; i < first + block; ++i)
        most = std::max(most, std::abs(double{a[i]}));
      std::fill_n(all.begin() + static_cast<std::ptrdiff_t>(first), block,
                  most / 254 * (1 + 0x1p-20));
    }
    return all;
  };
}

enum class Kind { floats, integers, either };

/// Which kernel is chosen: products of int8 with the instruction have shorter blocks than others.
Kind kind_of(const GemmCase& g, const Form& f) {
  const std::uint32_t block = f.row_block ? f.row_block : g.k;
  if (block >= 64 || (g.rows == 1 && block >= 16)) return Kind::integers;
  if (block < 32) return block >= 16 ? Kind::either : Kind::floats;
  return bits_of(f.type) == 4 ? Kind::integers : Kind::either;
}

void check(const std::shared_ptr<const Backend>& backend, GemmCase g, const Form& form, Kind kind) {
  g.beta = 0.5;
  INFO(g << ' ' << form);
  ChainUnderTest t(backend);
  Form f = form;
  if (g.b_transpose) std::swap(f.row_block, f.column_block);
  const Stored w = stored(t, g.b_transpose ? Dims{g.columns, g.k} : Dims{g.k, g.columns}, f, 0.01f,
                          g.b_transpose);
  check_gemm(
      t, g, w.operand, [&](std::size_t i) { return w.values[i]; },
      kind == Kind::floats ? Inexact() : half_steps(g.k, form.row_block));
  if (kind != Kind::either) CHECK(on_integers(t.kernel) == (kind == Kind::integers));
}
void check(const std::shared_ptr<const Backend>& backend, const GemmCase& g, const Form& form) {
  check(backend, g, form, kind_of(g, form));
}

const std::vector<MLOperandDataType> integer_types{int4, uint4, int8, uint8};

}  // namespace

TEST_CASE("int8 activations: types, blocks and shapes") {
  for_backends([](const auto& backend) {
    for (MLOperandDataType type : integer_types)
      for (const auto& [row_block, column_block] :
           {std::pair{32u, 1u}, {64u, 4u}, {16u, 1u}, {0u, 1u}, {0u, 0u}})
        for (const auto& [m, k, n] : {std::tuple{1u, 64u, 128u},
                                      {1u, 128u, 43u * 4},
                                      {2u, 192u, 132u},
                                      {7u, 640u, 36u * 4},
                                      {100u, 64u, 172u}})
          for (bool zeros : {false, true})
            check(backend, {.rows = m, .k = k, .columns = n, .b_transpose = zeros},
                  {type, row_block, column_block, zeros});
  });
}

TEST_CASE("int8 activations: sums of an odd number of terms, and long blocks") {
  for_backends([](const auto& backend) {
    for (MLOperandDataType type : integer_types)
      for (std::uint32_t rows : {1u, 3u, 6u, 15u, 17u}) {
        check(backend, {.rows = rows, .k = 75, .columns = 129}, {type, 0, 1});
        check(backend, {.rows = rows, .k = 75, .columns = 130}, {type, 25, 2});
        check(backend, {.rows = rows, .k = 2 * 1023, .columns = 129}, {type, 1023, 1});
        check(backend, {.rows = rows, .k = 1300, .columns = 131}, {type, 650, 1});
      }
  });
}

TEST_CASE("int8 activations: forms of scales, and integers of 6 bits") {
  for_backends([](const auto& backend) {
    for (MLOperandDataType type : integer_types)
      for (const ScaleKind scales :
           {ScaleKind::floats, ScaleKind::float16_values, ScaleKind::multiples})
        for (const std::uint32_t block : {16u, 32u, 64u})
          for (const std::uint32_t rows : {1u, 2u, 8u})
            for (const bool six_bits : {false, true}) {
              if (six_bits && bits_of(type) == 4) continue;
              check(backend, {.rows = rows, .k = 768, .columns = 135, .b_transpose = true},
                    {type, block, 1, rows == 2 && !six_bits, six_bits, scales});
            }
  });
}

TEST_CASE("int8 activations: alpha, c, a residual and activations") {
  for_backends([](const auto& backend) {
    for (MLOperandDataType type : {int4, uint8})
      for (std::uint32_t rows : {1u, 5u})
        for (const std::optional<Dims>& c :
             {std::optional<Dims>{}, {Dims{}}, {Dims{136}}, {Dims{rows, 1}}, {Dims{rows, 136}}})
          for (bool constant_c : {false, true})
            for (std::size_t activation = 0; activation < activations().size(); activation += 3)
              check(backend,
                    {.rows = rows,
                     .k = 128,
                     .columns = 136,
                     .alpha = -0.75,
                     .c = c,
                     .constant_c = constant_c,
                     .residual = constant_c,
                     .activation = activation},
                    {type, 64, 1});
  });
}

TEST_CASE("int8 activations: the largest integers do not overflow") {
  for_backends([](const auto& backend) {
    for (MLOperandDataType type : integer_types)
      for (std::uint32_t rows : {1u, 4u})
        for (int extreme : {0, 1}) {
          INFO(name_of(type) << ' ' << rows << ' ' << extreme);
          ChainUnderTest t(backend);
          constexpr std::uint32_t k = 512, n = 136;
          const int range = 1 << bits_of(type), v = lowest(type) + extreme * (range - 1),
                    zero = lowest(type) + (1 - extreme) * (range - 1);
          const MLOperand w =
              t.b.dequantizeLinear(integers(t.b, type, {k, n}, std::vector<int>(k * n, v)),
                                   t.b.constant({float32, {1, n}}, std::vector<float>(n, 1)),
                                   integers(t.b, type, {1, n}, std::vector<int>(n, zero)));
          const MLOperand x = t.input({rows, k}, std::vector<float>(std::size_t{rows} * k, -127));
          for (float y : t.run(t.b.matmul(x, w)))
            CHECK(y == -127.f * static_cast<float>(k) * static_cast<float>(v - zero));
        }
  });
}

TEST_CASE("int8 activations: rows that are not finite, or beyond what sums hold, stay floats") {
  for_backends([](const auto& backend) {
    for (MLOperandDataType type : {int4, uint8}) {
      constexpr std::uint32_t rows = 9, k = 128, n = 132;
      const auto result = [&](const std::shared_ptr<const Backend>& with, bool odd) {
        ChainUnderTest t(with);
        const Stored w = stored(t, {k, n}, {type, 64, 1});
        std::vector<float> x(rows * k);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 37 % 101) - 50;
        if (odd) {
          x[2 * k + 5] = std::nanf("");
          x[3 * k + 127] = HUGE_VALF;
          x[4 * k] = 3e37f;
          for (std::size_t i = 6 * k; i < 6 * k + 64; ++i) x[i] *= 1e-39f;
        }
        const MLOperand c = t.input({rows, n}), added = t.input({rows, n});
        return t.run(t.b.add(t.b.gemm(t.input({rows, k}, x), w.operand, {.c = c}), added));
      };
      const auto y = result(backend, true), ordinary = result(backend, false),
                 floats = result(simd_backend(), true);
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t i = r * n; i < (r + 1) * n; ++i) {
          INFO(name_of(type) << ' ' << r << ' ' << i);
          if (r != 2 && r != 3 && r != 4 && r != 6)
            CHECK(std::bit_cast<std::uint32_t>(y[i]) == std::bit_cast<std::uint32_t>(ordinary[i]));
          else if (std::isnan(floats[i])) CHECK(std::isnan(y[i]));
          else if (std::isinf(floats[i])) CHECK(y[i] == floats[i]);
          else CHECK(std::abs(y[i] - floats[i]) <= 1e-4f * (1 + std::abs(floats[i])));
        }
    }
  });
}

TEST_CASE("int8 activations: a row has the same bits with any number of others") {
  for_backends([](const auto& backend) {
    constexpr std::uint32_t k = 288, n = 150, most = 26;
    for (MLOperandDataType type : integer_types) {
      const auto product = [&](std::uint32_t rows) {
        std::vector<float> x(std::size_t{rows} * k);
        for (std::size_t i = 0; i < x.size(); ++i)
          x[i] = static_cast<float>(static_cast<int>(i * 7919 % 1009) - 504) / 64;
        ChainUnderTest t(backend);
        const Stored w = stored(t, {k, n}, {type, 32, 1, type == uint4});
        const std::vector<float> y = t.run(t.b.matmul(t.input({rows, k}, x), w.operand));
        CHECK((rows == 1 || !on_integers(t.kernel) || t.kernel.ends_with("gemm")));
        return std::pair(y, on_integers(t.kernel));
      };
      const auto [all, quantized] = product(most);
      for (std::uint32_t rows = 1; quantized && rows < most; ++rows) {
        const auto [y, _] = product(rows);
        INFO(name_of(type) << ' ' << rows);
        CHECK(std::equal(y.begin(), y.end(), all.begin(), [](float a, float b) {
          return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
        }));
      }
    }
  });
}

TEST_CASE("int8 activations: zeros, and blocks of very different magnitudes") {
  for_backends([](const auto& backend) {
    ChainUnderTest t(backend);
    const Stored w = stored(t, {96, 132}, {int4, 32, 1});
    std::vector<float> x(2 * 96);
    for (std::size_t i = 96; i < x.size(); ++i)
      x[i] = (i < 128 ? 1e-20f : i < 160 ? 0.f : 1e3f) * static_cast<float>(i % 7);
    const auto y = t.run(t.b.matmul(t.input({2, 96}, x), w.operand));
    CHECK(on_integers(t.kernel));
    const auto inexact = half_steps(96, 32)(x);
    for (std::size_t n = 0; n < 132; ++n) {
      CHECK(y[n] == 0);
      Sum sum;
      for (std::size_t k = 0; k < 96; ++k) {
        sum.add(x[96 + k], w.values[k * 132 + n]);
        sum.inexact += std::abs(w.values[k * 132 + n]) * inexact[96 + k];
      }
      check_near(y[132 + n], sum);
    }
  });
}

TEST_CASE("int8 activations: tiles have the bits of the other kernels") {
  using enum simd::Int8Tiles;
  struct Result {
    std::vector<float> y;
    std::string kernel;
  };
  const auto result = [](simd::Int8Tiles tiles, const Form& form, std::uint32_t rows,
                         std::uint32_t k, std::uint32_t columns) {
    ChainUnderTest t(simd::make_backend({.int8_tiles = tiles, .int8_activations = true}));
    const Stored w = stored(t, {columns, k}, form, 0.01f, true);
    std::vector<float> x(std::size_t{rows} * k);
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = static_cast<float>(static_cast<int>(i * 7919 % 1009) - 504) / 64;
    if (rows > 40) x[20 * k + 3] = std::nanf("");  // rows that stay floats are between others
    const MLOperand y = t.b.gemm(t.input({rows, k}, x), w.operand,
                                 {.c = t.constant({columns}), .bTranspose = true});
    const auto values = t.run(t.b.gelu(t.b.add(y, t.input(y.shape()))));
    return Result{values, t.kernel};
  };
  for_targets([&] {
    if (!simd::can_emulate_int8_tiles() ||
        !simd::has_native_products(simd::Int8DotProduct::instruction))
      return;
    const bool by_default = simd::has_native_products(simd::Int8DotProduct::emulated);
    const auto check_bits = [&](const Form& form, std::uint32_t rows, std::uint32_t k,
                                std::uint32_t columns, bool by_tiles) {
      INFO(form << ' ' << rows << ' ' << k << ' ' << columns);
      const Result expected = result(off, form, rows, k, columns);
      for (const simd::Int8Tiles tiles : {emulated, on}) {
        const Result actual = result(tiles, form, rows, k, columns);
        if (tiles == emulated && by_default)
          CHECK(actual.kernel.ends_with("gemm amx+gelu") == by_tiles);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < actual.y.size(); ++i)
          wrong += std::isnan(expected.y[i]) ? !std::isnan(actual.y[i])
                                             : std::bit_cast<std::uint32_t>(actual.y[i]) !=
                                                   std::bit_cast<std::uint32_t>(expected.y[i]);
        CHECK(wrong == 0);
      }
    };
    for (MLOperandDataType type : integer_types)
      for (const std::uint32_t block : {64u, 128u, 0u})
        for (const bool zeros : {false, true})
          for (const auto& [rows, columns] :
               {std::pair{32u, 129u}, {33u, 144u}, {49u, 161u}, {131u, 200u}})
            check_bits({type, 1, block, zeros}, rows, 384, columns, true);
    for (const ScaleKind scales : {ScaleKind::float16_values, ScaleKind::multiples})
      for (MLOperandDataType type : {int4, int8})
        check_bits({type, 1, 64, false, false, scales}, 40, 768, 135, true);
    check_bits({int8, 1, 64, false, true}, 40, 768, 135, true);  // integers of 6 bits
    check_bits({int4, 1, 32}, 40, 384, 135, false);
    check_bits({int4, 1, 64}, 31, 384, 135, false);
    check_bits({int8, 1, 0}, 40, 224, 135, false);
  });
}

TEST_CASE("int8 activations: what keeps its floats") {
  for_backends([](const auto& backend) {
    const GemmCase g{.rows = 3, .k = 96, .columns = 128};
    GemmCase narrow = g, transposed = g;
    narrow.columns = 127;
    transposed.a_transpose = true;
    check(backend, g, {float16}, Kind::floats);
    check(backend, narrow, {int8, 0, 1}, Kind::floats);
    check(backend, g, {int4, 12, 1}, Kind::floats);
    check(backend, {.rows = 1, .k = 96, .columns = 128}, {int8, 8, 1}, Kind::floats);
    check(backend, transposed, {int8, 0, 1}, Kind::floats);
    check(simd_backend(), g, {int4, 32, 1}, Kind::floats);
  });
}

TEST_CASE("int8 activations: the name, the version, and the packed weights are those of floats") {
  if (!simd::has_quantized_rows()) return;
  const auto kernel = [](const std::shared_ptr<const Backend>& backend, std::uint32_t rows) {
    ChainUnderTest t(backend);
    const Stored w = stored(t, {256, 192}, {int4, 32, 1});
    return std::get<Candidate>(t.lower(t.b.relu(t.b.gemm(t.input({rows, 256}), w.operand))));
  };
  CHECK(kernel(int8_backend(), 1).name == "int8 x int4 gemv+clamp");
  const Candidate integers = kernel(int8_backend(), 3), floats = kernel(simd_backend(), 3);
  CHECK(integers.name == "int8 x int4 gemm+clamp");
  CHECK(floats.name == "float32 x int4 gemm+clamp");
  REQUIRE(integers.weights.size() == floats.weights.size());
  for (std::size_t i = 0; i < floats.weights.size(); ++i) {
    CHECK(integers.weights[i].bytes == floats.weights[i].bytes);
    CHECK(integers.weights[i].layout == floats.weights[i].layout);
  }
  const auto version = [](AccuracyLevel level) {
    const std::vector<BackendChoice> simd{"simd"};
    const auto all = backends_for(simd, level);
    return dynamic_cast<const VersionedBackend&>(*all.front()).version();
  };
  CHECK(version(AccuracyLevel::int8) == version(AccuracyLevel::float32) + " with int8 activations");
}

}  // namespace webnn::inline v0_1::test
