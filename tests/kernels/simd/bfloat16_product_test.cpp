// Products whose operands are rounded to bfloat16: bit for bit what the instruction does.
#include "src/kernels/simd/vector/bfloat16/panels.h"
#include "tests/kernels/simd/activations.h"
#include "tests/kernels/simd/bfloat16.h"
#include "webnn/bfloat16.h"
#include "webnn/float8e4m3.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::test {
namespace {

using simd::Bfloat16Products;

struct Case {
  std::uint32_t rows = 8, k = 64, columns = 64;
  bool a_transpose = false, b_transpose = false, constant = true;
  double alpha = 1, beta = 1;
  std::optional<Dims> c{};
  bool constant_c = true, residual = false;
  std::size_t activation = 0;
};

std::ostream& operator<<(std::ostream& s, const Case& c) {
  return s << c.rows << 'x' << c.k << 'x' << c.columns << (c.a_transpose ? " a'" : "")
           << (c.b_transpose ? " b'" : "") << (c.constant ? " constant" : "") << " alpha "
           << c.alpha << " c of rank " << (c.c ? static_cast<int>(c.c->size()) : -1)
           << (c.residual ? " residual" : "") << ' ' << activations()[c.activation].name;
}

/// Operands as the kernel has them, an even number of terms for each row or column.
std::vector<float> rounded_rows(std::uint32_t rows, std::uint32_t k,
                                const std::function<float(std::uint32_t, std::uint32_t)>& at) {
  const std::uint32_t even = (k + 1) / 2 * 2;
  std::vector<float> all(std::size_t{rows} * even);
  for (std::uint32_t r = 0; r < rows; ++r)
    for (std::uint32_t i = 0; i < k; ++i)
      all[std::size_t{r} * even + i] = nearest_bfloat16(at(r, i));
  return all;
}

/// One row of weights is summed in four parts, with the zeros that tiles have behind the terms.
float sum_of_row(Bfloat16Products how, std::span<const float> a, std::span<const float> b) {
  std::vector<float> x(a.begin(), a.end()), w(b.begin(), b.end());
  const std::size_t unit = are_tiles(how) ? 16 : 1;
  const auto up = [unit](std::size_t n) { return (n + unit - 1) / unit * unit; };
  const std::size_t pairs = up(x.size() / 2), blocks = (pairs + 511) / 512,
                    block = up((pairs + blocks - 1) / blocks);
  x.resize(2 * pairs);
  w.resize(2 * pairs);
  std::array<float, 4> parts{};
  for (std::size_t begin = 0; begin < pairs; begin += block) {
    const std::size_t end = std::min(pairs, begin + block);
    for (std::size_t i = begin; i < end; ++i) {
      const bool whole = i < begin + (end - begin) / 4 * 4;
      float& sum = parts[whole ? (i - begin) % 4 : 0];
      sum = sum_of_pairs(sum, std::span(x).subspan(2 * i, 2), std::span(w).subspan(2 * i, 2));
    }
  }
  return (parts[0] + parts[1]) + (parts[2] + parts[3]);
}

struct Values {
  std::vector<float> a{}, b{};  ///< empty: random
};

void check(Bfloat16Products how, const Case& g, const Values& given = {}) {
  ChainUnderTest t(in_bfloat16(how));
  const Dims a_shape = g.a_transpose ? Dims{g.k, g.rows} : Dims{g.rows, g.k},
             b_shape = g.b_transpose ? Dims{g.columns, g.k} : Dims{g.k, g.columns};
  const MLOperand a = given.a.empty() ? t.input(a_shape) : t.input(a_shape, given.a);
  const MLOperand b = g.constant        ? t.constant(b_shape)
                      : given.b.empty() ? t.input(b_shape)
                                        : t.input(b_shape, given.b);
  MLGemmOptions o{
      .alpha = g.alpha, .beta = g.beta, .aTranspose = g.a_transpose, .bTranspose = g.b_transpose};
  if (g.c) o.c = g.constant_c ? t.constant(*g.c) : t.input(*g.c);
  MLOperand y = t.b.gemm(a, b, o), added;
  if (g.residual) y = t.b.add(y, added = t.input(y.shape()));
  const ActivationCase& activation = activations()[g.activation];
  const auto actual = t.run(activation.append(t.b, y));
  CAPTURE(g, t.kernel);
  REQUIRE(t.kernel.starts_with("bfloat16"));

  const auto &av = t.values(a), &bv = t.values(b);
  const auto a_at = [&](std::uint32_t r, std::uint32_t i) {
    return av[g.a_transpose ? std::size_t{i} * g.rows + r : std::size_t{r} * g.k + i];
  };
  const auto b_at = [&](std::uint32_t c, std::uint32_t i) {
    return bv[g.b_transpose ? std::size_t{c} * g.k + i : std::size_t{i} * g.columns + c];
  };
  const auto left = rounded_rows(g.rows, g.k, a_at);
  const auto right = rounded_rows(g.columns, g.k, [&](std::uint32_t c, std::uint32_t i) {
    return b_at(c, i) * static_cast<float>(g.alpha);
  });
  const std::size_t even = (g.k + 1) / 2 * 2;
  const bool by_row = t.kernel.starts_with("bfloat16 gemv");
  for (std::uint32_t r = 0; r < g.rows; ++r)
    for (std::uint32_t c = 0; c < g.columns; ++c) {
      const std::size_t at = std::size_t{r} * g.columns + c;
      float start = 0;
      if (g.c) {
        const std::uint32_t wide = g.c->empty() ? 1 : g.c->back(),
                            high = g.c->size() < 2 ? 1 : g.c->front();
        start = static_cast<float>(g.beta) *
                t.values(*o.c)[std::size_t{high == 1 ? 0 : r} * wide + (wide == 1 ? 0 : c)];
      }
      const std::span<const float> x(left.data() + r * even, even),
          w(right.data() + c * even, even);
      // c that has the shape of the result and no factor is added as a residual is.
      const float residual = g.residual ? t.values(added)[at] : 0;
      float expected;
      if (by_row) {
        expected = sum_of_row(how, x, w) + start;
        if (g.residual) expected += residual;
      } else {
        expected = sum_of_products(how, g.residual ? start + residual : start, x, w);
      }
      if (g.activation == 0) {
        if (same_bits(actual[at], expected)) continue;
        if (std::isnan(expected) && std::isnan(actual[at])) continue;
        FAIL(actual[at] << " for " << expected << ", row " << r << ", column " << c);
      }
      Sum sum;
      sum.add(expected);
      check_near(actual[at], sum, activation.value, activation.slope);
      Sum exact;  // of operands that are not rounded
      exact.add(start);
      exact.add(residual);
      for (std::uint32_t i = 0; i < g.k; ++i) exact.add(g.alpha * a_at(r, i), b_at(c, i));
      allow_rounding(exact);
      check_near(actual[at], exact, activation.value, activation.slope);
    }
}

void for_ways(const std::function<void(Bfloat16Products)>& f) {
  for (const Bfloat16Products how : ways_of_bfloat16()) {
    CAPTURE(static_cast<int>(how));
    f(how);
  }
}

TEST_CASE("bfloat16: products have the bits of the instruction, whatever their tails") {
  for_ways([](Bfloat16Products how) {
    for (std::uint32_t rows : {1, 2, 5, 9, 10, 23, 100})
      for (std::uint32_t k : {16, 17, 33, 127})
        for (std::uint32_t columns : {16, 17, 31, 32, 33, 48, 65, 80, 97})
          check(how, {.rows = rows, .k = k, .columns = columns});
  });
}

TEST_CASE("bfloat16: sums of several blocks go on where they ended") {
  for_ways([](Bfloat16Products how) {
    for (std::uint32_t k : {1023, 1024, 1026, 2500})
      for (std::uint32_t rows : {1, 3, 20})
        for (const bool constant : {true, false})
          if (constant || rows > 4)
            check(how,
                  {.rows = rows, .k = k, .columns = 70, .constant = constant, .residual = true});
  });
}

TEST_CASE("bfloat16: rows of many chunks, and columns of many tiles") {
  for_ways([](Bfloat16Products how) {
    check(how, {.rows = 700, .k = 520, .columns = 33});
    check(how, {.rows = 40, .k = 64, .columns = 2100});
    check(how, {.rows = 6, .k = 200, .columns = 1000, .constant = false});
    check(how, {.rows = 300, .k = 40, .columns = 50, .constant = false});
  });
}

TEST_CASE("bfloat16: transposed operands, factors, what is added, activations") {
  for_ways([](Bfloat16Products how) {
    for (const bool a : {false, true})
      for (const bool b : {false, true})
        for (const bool constant : {false, true})
          for (std::uint32_t rows : {1, 6, 37}) {
            if (!constant && rows < 5) continue;
            Case g{.rows = rows,
                   .k = 51,
                   .columns = 45,
                   .a_transpose = a,
                   .b_transpose = b,
                   .constant = constant};
            check(how, g);
            g.alpha = 0.3, g.beta = -2;
            g.c = Dims{45};
            check(how, g);
            g.constant_c = false;
            check(how, g);
            g.residual = true;
            check(how, g);
            g.c = Dims{rows, 1};
            check(how, g);
            g.c = Dims{};
            check(how, g);
          }
    for (std::size_t i = 0; i < activations().size(); ++i)
      for (std::uint32_t rows : {1, 11})
        check(how, {.rows = rows,
                    .k = 20,
                    .columns = 50,
                    .c = Dims{50},
                    .residual = true,
                    .activation = i});
  });
}

TEST_CASE("bfloat16: NaN, infinite, huge and subnormal operands") {
  for_ways([](Bfloat16Products how) {
    std::mt19937 random(3);
    const std::vector<float> special{
        std::nanf(""), INFINITY,  -INFINITY, 3.4028235e38f, -3.4e38f,    1e-38f,      -1e-40f,
        0x1p-149f,     0x1p-126f, -0.f,      0x1.ffp-127f,  1.00390625f, 1.01171875f, 3.0e38f};
    for (const bool constant : {false, true})
      for (int i = 0; i < 20; ++i) {
        const std::uint32_t rows = 5 + random() % 9, k = 16 + random() % 9, columns = 20;
        std::vector<float> a(rows * k), b(k * columns);
        const auto fill = [&](std::vector<float>& v, int each) {
          for (float& x : v)
            x = static_cast<int>(random() % static_cast<unsigned>(each)) == 0
                    ? special[random() % special.size()]
                    : static_cast<float>(random() % 2001) / 1000.f - 1;
        };
        fill(a, 1 + i * 3);
        fill(b, 1 + i * 2);
        check(how, {.rows = rows, .k = k, .columns = columns, .constant = constant}, {a, b});
      }
    // Tiny numbers alone.
    std::vector<float> a(6 * 16, 0x1p-100f), b(16 * 16, 0x1.8p-27f);
    check(how, {.rows = 6, .k = 16, .columns = 16, .constant = false}, {a, b});
    std::fill(b.begin(), b.end(), 0x1p-20f);
    check(how, {.rows = 6, .k = 16, .columns = 16, .constant = false}, {a, b});
  });
}

TEST_CASE("bfloat16: floats are rounded to nearest, ties to even") {
  for_ways([](Bfloat16Products how) {
    std::vector<float> from;
    for (std::uint32_t bits = 0; bits < 65536; ++bits)
      for (std::uint32_t low : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})
        from.push_back(std::bit_cast<float>(bits << 16 | low));
    std::mt19937 random(1);
    for (int i = 0; i < 1 << 20; ++i) from.push_back(std::bit_cast<float>(std::uint32_t(random())));
    std::vector<std::uint32_t> to(from.size() / 2);
    simd::convert_rows(how, from.data(), 0, 1, from.size(), to.data(), 0);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
      const std::uint32_t half = i % 2 ? to[i / 2] >> 16 : to[i / 2] & 0xffffu;
      wrong +=
          !same_bits(std::bit_cast<float>(half << 16),
                     std::bit_cast<float>(std::bit_cast<std::uint32_t>(nearest_bfloat16(from[i])) &
                                          0xffff0000u));
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE("bfloat16: random products") {
  for_ways([](Bfloat16Products how) {
    std::mt19937 random(7);
    const auto between = [&](std::uint32_t low, std::uint32_t high) {
      return static_cast<std::uint32_t>(low + random() % (high - low + 1));
    };
    for (int i = 0; i < 150; ++i) {
      Case g{.rows = between(1, i % 5 == 0 ? 120 : 20),
             .k = between(16, i % 7 == 0 ? 1300 : 70),
             .columns = between(16, 120),
             .a_transpose = random() % 3 == 0,
             .b_transpose = random() % 2 == 0,
             .constant = random() % 2 == 0};
      if (g.rows < 5) g.constant = true;
      if (random() % 3 == 0) g.alpha = static_cast<double>(between(1, 9)) / 4 - 1.1;
      const std::vector<Dims> forms{
          {g.columns}, {1, g.columns}, {g.rows, 1}, {}, {g.rows, g.columns}};
      if (random() % 2) {
        g.c = forms[random() % forms.size()];
        g.constant_c = random() % 2 == 0;
        g.beta = random() % 2 ? 1 : -0.75;
      }
      // A c of the result's shape takes the place of a residual.
      g.residual = random() % 3 == 0 && !(g.c && g.c->size() == 2);
      check(how, g);
    }
  });
}

void check_matmul(Bfloat16Products how, const Dims& as, const Dims& bs, bool constant) {
  ChainUnderTest t(in_bfloat16(how));
  const MLOperand a = t.input(as), b = constant ? t.constant(bs) : t.input(bs);
  const MLOperand y = t.b.matmul(a, b);
  const auto actual = t.run(y);
  CAPTURE(as, bs, constant, t.kernel);
  REQUIRE(t.kernel.starts_with("bfloat16"));
  const Dims shape = y.shape();
  const std::size_t rows = shape.end()[-2], columns = shape.back(), k = as.back();
  const auto matrix = [&](const Dims& of, std::size_t batch) {
    Dims batches(shape.begin(), shape.end() - 2), own(of.begin(), of.end() - 2);
    std::vector<float> places(element_count(own));
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<float>(i);
    return static_cast<std::size_t>(broadcast(places, own, batches, batch)) * of.end()[-2] *
           of.back();
  };
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const std::size_t batch = i / (rows * columns), r = i / columns % rows, c = i % columns;
    std::vector<float> x, w;
    for (std::size_t n = 0; n < k; ++n) {
      x.push_back(nearest_bfloat16(t.values(a)[matrix(as, batch) + r * k + n]));
      w.push_back(nearest_bfloat16(t.values(b)[matrix(bs, batch) + n * columns + c]));
    }
    if (k % 2) x.push_back(0), w.push_back(0);
    if (!same_bits(actual[i], sum_of_products(how, 0, x, w))) FAIL("element " << i);
  }
}

TEST_CASE("bfloat16: batches of matrices") {
  for_ways([](Bfloat16Products how) {
    for (const bool constant : {true, false}) {
      check_matmul(how, {2, 3, 5, 17}, {2, 3, 17, 19}, constant);
      check_matmul(how, {3, 1, 5, 17}, {4, 17, 20}, constant);
      check_matmul(how, {1, 6, 17}, {6, 17, 20}, constant);
      check_matmul(how, {2, 40, 22}, {2, 22, 53}, constant);
    }
    check_matmul(how, {2, 3, 5, 18}, {18, 33}, true);  // one tall matrix
  });
}

/// A product with weights that are the bit patterns of a type, all of them again and again, beside
/// that with float32 of the same values.
void check_stored(Bfloat16Products how, MLOperandDataType type, std::uint32_t rows, bool transposed,
                  double alpha = 1) {
  const std::uint32_t k = 67, columns = 70;
  const Dims shape = transposed ? Dims{columns, k} : Dims{k, columns};
  const std::size_t each = bits_of(type) / 8, count = std::size_t{k} * columns;
  std::vector<std::byte> bytes;
  std::vector<float> values;
  for (std::size_t i = 0; i < count; ++i) {
    // Numbers that are finite, but for a few columns.
    auto bits = static_cast<unsigned>(i * 40503 >> 3);
    const std::size_t column = transposed ? i / k : i % columns;
    const auto value = [&](unsigned b) -> float {
      return type == float16    ? float16_value(static_cast<std::uint16_t>(b))
             : type == bfloat16 ? bfloat16_value(static_cast<std::uint16_t>(b))
                                : float8e4m3_value(static_cast<std::uint8_t>(b));
    };
    while (column % 9 != 4 && !(std::abs(value(bits)) < 1e30f)) bits += 8 * 1021;
    values.push_back(value(bits));
    for (std::size_t b = 0; b < each; ++b) bytes.push_back(static_cast<std::byte>(bits >> 8 * b));
  }
  ChainUnderTest narrow(in_bfloat16(how)), wide(in_bfloat16(how));
  const MLGemmOptions o{.alpha = alpha, .bTranspose = transposed};
  const auto y = [&](ChainUnderTest& t, const MLOperand& w) {
    return t.run(t.b.gemm(t.input({rows, k}), w, o));
  };
  const auto actual = y(narrow, narrow.b.cast(narrow.b.constant({type, shape}, bytes), float32)),
             expected = y(wide, wide.b.constant({float32, shape}, values));
  CAPTURE(name_of(type), rows, transposed, narrow.kernel);
  REQUIRE(narrow.kernel.starts_with("bfloat16 gem"));
  CHECK(narrow.kernel == wide.kernel);
  for (std::size_t i = 0; i < actual.size(); ++i)
    if (std::isnan(expected[i]) ? !std::isnan(actual[i]) : !same_bits(actual[i], expected[i]))
      FAIL(actual[i] << " for " << expected[i] << ", element " << i);
}

TEST_CASE("bfloat16: weights that are stored as narrow floats have the bits of float32") {
  for_ways([](Bfloat16Products how) {
    for (const MLOperandDataType type : {float16, bfloat16, float8e4m3})
      for (const std::uint32_t rows : {1u, 3u, 16u, 40u})
        for (const bool transposed : {false, true}) {
          if (type == float8e4m3 && rows < 16) continue;  // they stay as small as they are
          check_stored(how, type, rows, transposed);
          check_stored(how, type, rows, transposed, -0.3);
        }
    const auto kernel_of = [&](std::uint32_t rows, bool scaled) {
      ChainUnderTest t(in_bfloat16(how));
      const std::vector<std::byte> ones(64 * 64, std::byte{0x38});
      const MLOperand w = t.b.constant({float8e4m3, {64, 64}}, ones);
      t.run(t.b.matmul(t.input({rows, 64}),
                       scaled ? t.b.dequantizeLinear(
                                    w, t.constant({1, 64}),
                                    t.b.constant({float8e4m3, {1, 64}}, std::vector<std::byte>(64)))
                              : t.b.cast(w, float32)));
      return t.kernel;
    };
    CHECK(kernel_of(15, false) == "float32 x float8e4m3 gemm");
    CHECK(kernel_of(16, false).starts_with("bfloat16 gemm"));
    CHECK(kernel_of(16, true) == "float32 x float8e4m3 gemm");
  });
}

TEST_CASE("bfloat16: products that gain nothing stay as they are") {
  for_ways([](Bfloat16Products how) {
    const auto kernel_of = [&](std::uint32_t rows, std::uint32_t k, std::uint32_t columns,
                               bool constant) {
      ChainUnderTest t(in_bfloat16(how));
      const MLOperand b = constant ? t.constant({k, columns}) : t.input({k, columns});
      t.run(t.b.matmul(t.input({rows, k}), b));
      return t.kernel;
    };
    CHECK(kernel_of(40, 64, 15, true) == "gemm columns");
    CHECK(kernel_of(40, 15, 64, true) == "gemm columns");
    CHECK(kernel_of(4, 64, 64, false) == "gemm unpacked");
    CHECK(kernel_of(5, 64, 64, false) == "bfloat16 gemm panels");
    CHECK(kernel_of(1, 64, 64, true) == "bfloat16 gemv");
  });
}

}  // namespace
}  // namespace webnn::inline v0_1::test
