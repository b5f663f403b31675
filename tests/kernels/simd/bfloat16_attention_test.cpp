// Attention whose operands are rounded to bfloat16, against a double precision sum of rounded
// operands.
#include "tests/kernels/simd/bfloat16.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::test {
namespace {

using simd::Bfloat16Products;

struct Case {
  std::uint32_t heads = 2, rows = 40, terms = 40, inner = 32, columns = 24;
  bool keys_in_rows = false, masked = false, causal = false;
  float factor = 0.25f;
};

void check(Bfloat16Products how, const Case& c, const char* kernel = "bfloat16 attention") {
  ChainUnderTest t(in_bfloat16(how));
  const Dims of_keys =
      c.keys_in_rows ? Dims{c.heads, c.terms, c.inner} : Dims{c.heads, c.inner, c.terms};
  const MLOperand q = t.input({c.heads, c.rows, c.inner}), k = t.input(of_keys),
                  v = t.input({c.heads, c.terms, c.columns});
  const MLOperand keys =
      c.keys_in_rows ? t.b.transpose(k, {.permutation = std::vector<std::uint32_t>{0, 2, 1}}) : k;
  MLOperand s = t.b.mul(t.b.matmul(q, keys), t.b.constant({float32, {1}}, {c.factor})), mask;
  if (c.masked || c.causal) {
    std::vector<float> values(std::size_t{c.rows} * c.terms);
    for (std::uint32_t r = 0; r < c.rows; ++r)
      for (std::uint32_t j = 0; j < c.terms; ++j)
        values[std::size_t{r} * c.terms + j] =
            c.causal ? (j > r + (c.terms - c.rows) ? -3.4028235e38f : 0.f)
                     : static_cast<float>((r * 7 + j * 3) % 5) - 2.f;
    s = t.b.add(s, mask = t.input({c.rows, c.terms}, values));
  }
  const auto y = t.run(t.b.matmul(t.b.softmax(s, 2), v));
  CAPTURE(c.heads, c.rows, c.terms, c.inner, c.columns, c.keys_in_rows, c.causal, t.kernel);
  REQUIRE(t.kernel == kernel);
  const auto& qs = t.values(q);
  const auto& ks = t.values(k);
  const auto& vs = t.values(v);
  const auto key_at = [&](std::uint32_t h, std::uint32_t j, std::uint32_t i) {
    return ks[c.keys_in_rows ? (std::size_t{h} * c.terms + j) * c.inner + i
                             : (std::size_t{h} * c.inner + i) * c.terms + j];
  };
  std::size_t wrong = 0;
  for (std::uint32_t h = 0; h < c.heads; ++h)
    for (std::uint32_t r = 0; r < c.rows; ++r) {
      std::vector<double> e(c.terms);
      double total = 0;
      for (std::uint32_t j = 0; j < c.terms; ++j) {
        for (std::uint32_t i = 0; i < c.inner; ++i)
          e[j] += double{nearest_bfloat16(qs[(std::size_t{h} * c.rows + r) * c.inner + i])} *
                  nearest_bfloat16(key_at(h, j, i));
        e[j] *= c.factor;
        if (mask) e[j] += t.values(mask)[std::size_t{r} * c.terms + j];
        total += e[j] = std::exp(e[j]);
      }
      for (std::uint32_t n = 0; n < c.columns; ++n) {
        double expected = 0, magnitude = 0;
        for (std::uint32_t j = 0; j < c.terms; ++j) {
          const double value = nearest_bfloat16(vs[(std::size_t{h} * c.terms + j) * c.columns + n]);
          expected += e[j] / total * value;
          magnitude += e[j] / total * std::abs(value);
        }
        // A weight is off by one part in 2^8, and by what float32 does to scores below 16.
        wrong += !(std::abs(y[(std::size_t{h} * c.rows + r) * c.columns + n] - expected) <=
                   magnitude * (0x1p-8 + 2e-5) + 1e-30);
      }
    }
  CHECK(wrong == 0);
}

TEST_CASE("bfloat16: attention, with masks and without") {
  for (const Bfloat16Products how : ways_of_bfloat16()) {
    CAPTURE(static_cast<int>(how));
    for (const bool in_rows : {false, true})
      for (const bool masked : {false, true})
        for (std::uint32_t rows : {17, 40, 61})
          check(how, {.rows = rows, .terms = rows + 6, .keys_in_rows = in_rows, .masked = masked});
    check(how, {.heads = 1, .rows = 30, .terms = 300, .inner = 64, .columns = 64});
    check(how, {.heads = 3, .rows = 130, .terms = 33, .inner = 17, .columns = 19});
  }
}

TEST_CASE("bfloat16: attention leaves out terms that a mask hides") {
  for (const Bfloat16Products how : ways_of_bfloat16()) {
    CAPTURE(static_cast<int>(how));
    for (const bool in_rows : {false, true})
      for (std::uint32_t rows : {64, 200, 300})
        for (std::uint32_t more : {0, 37})
          check(how, {.heads = 1,
                      .rows = rows,
                      .terms = rows + more,
                      .inner = 20,
                      .columns = 20,
                      .keys_in_rows = in_rows,
                      .causal = true});
  }
}

TEST_CASE("bfloat16: attention of few terms or columns stays float32") {
  for (const Bfloat16Products how : ways_of_bfloat16()) {
    const auto kernel = [&](std::uint32_t inner, std::uint32_t columns) {
      ChainUnderTest t(in_bfloat16(how));
      const MLOperand q = t.input({40, inner}), k = t.input({inner, 50}),
                      v = t.input({50, columns});
      return std::get<Candidate>(t.lower(t.b.matmul(t.b.softmax(t.b.matmul(q, k), 1), v))).name;
    };
    CHECK(kernel(15, 32) == "attention");
    CHECK(kernel(32, 15) == "attention");
    CHECK(kernel(32, 32) == "bfloat16 attention");
  }
}

}  // namespace
}  // namespace webnn::inline v0_1::test
