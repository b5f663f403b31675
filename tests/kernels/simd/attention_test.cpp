#include "src/runtime/graph_state.h"
#include "tests/kernels/simd/support.h"
#include "tests/support/attention_forms.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::test {
namespace {

enum class Scale { none, product, quotient };

struct Case {
  Dims queries, keys, values;
  Scale scale = Scale::product;
  Dims mask{};    // empty: none
  Dims masked{};  // the shape of the scores when the mask is added; empty: as they are
};

void check(const Case& c) {
  ChainUnderTest t;
  const MLOperand q = t.input(c.queries), k = t.input(c.keys), v = t.input(c.values);
  const MLOperand number = t.b.constant({float32, {1}}, std::vector<float>{0.3f});
  MLOperand s = t.b.matmul(q, k), mask;
  const Dims shape = s.shape(), masked = c.masked.size() ? c.masked : shape;
  s = c.masked.size() ? t.b.reshape(s, masked) : s;
  if (c.scale == Scale::product) s = t.b.mul(number, s);
  if (c.scale == Scale::quotient) s = t.b.div(s, number);
  if (c.mask.size()) s = t.b.add(s, mask = t.input(c.mask));
  const auto axis = static_cast<std::uint32_t>(shape.size()) - 1;
  MLOperand p = t.b.softmax(s, static_cast<std::uint32_t>(masked.size()) - 1);
  if (c.masked.size()) p = t.b.reshape(p, shape);
  const auto y = t.run(t.b.matmul(p, v));
  INFO(c.queries.size() << " dimensions, " << shape.back() << " terms, mask of " << c.mask.size());
  CHECK(t.kernel == "attention");

  const std::size_t rows = shape[axis - 1], terms = shape[axis], inner = c.queries.back(),
                    columns = c.values.back();
  const auto matrix = [&](const Dims& of, std::size_t batch) {  // the first element of a matrix
    Dims batches(shape.begin(), shape.end() - 2), own(of.begin(), of.end() - 2);
    std::vector<float> places(element_count(own));
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<float>(i);
    return static_cast<std::size_t>(broadcast(places, own, batches, batch)) * of.end()[-2] *
           of.back();
  };
  const auto &qs = t.values(q), &ks = t.values(k), &vs = t.values(v);
  const double factor = c.scale == Scale::none      ? 1
                        : c.scale == Scale::product ? double{0.3f}
                                                    : 1 / double{0.3f};
  for (std::size_t i = 0; i < y.size() / columns; ++i) {
    const std::size_t batch = i / rows, row = i % rows;
    const std::size_t q0 = matrix(c.queries, batch) + row * inner, k0 = matrix(c.keys, batch),
                      v0 = matrix(c.values, batch);
    std::vector<double> e(terms);
    double total = 0;
    for (std::size_t j = 0; j < terms; ++j) {
      for (std::size_t n = 0; n < inner; ++n) e[j] += double{qs[q0 + n]} * ks[k0 + n * terms + j];
      e[j] *= factor;
      if (c.mask.size()) e[j] += broadcast(t.values(mask), c.mask, masked, i * terms + j);
      total += e[j] = std::exp(e[j]);
    }
    for (std::size_t n = 0; n < columns; ++n) {
      double expected = 0;
      for (std::size_t j = 0; j < terms; ++j) expected += e[j] / total * vs[v0 + j * columns + n];
      CHECK(std::abs(y[i * columns + n] - expected) < 4e-6);
    }
  }
}

/// Whether a score counts in the forms that replace the others.
bool is_kept(const AttentionSizes& s, std::size_t row, std::size_t term) {
  return term <= row + s.terms - s.rows && (row + term) % 7 != 3;
}
AttentionOperands operands_of(MLGraphBuilder& b, const AttentionWritten& w, const AttentionSizes& s,
                              const std::function<MLOperand(Dims)>& input) {
  AttentionOperands o{input(query_shape(w, s)), input(key_shape(w, s)), input(value_shape(w, s))};
  if (w.mask == MaskBy::add || w.mask == MaskBy::where_and_add) o.mask = input({1, 1, 1, s.terms});
  if (w.mask == MaskBy::nothing || w.mask == MaskBy::add) return o;
  std::vector<std::uint8_t> bytes(std::size_t{s.rows} * s.terms);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const bool kept = is_kept(s, i / s.terms, i % s.terms);
    bytes[i] = (w.mask == MaskBy::where_other) != kept ? 7 : 0;
  }
  o.condition = b.constant({uint8, {s.rows, s.terms}}, bytes);
  return o;
}

/// Attention of one row of queries in double.
struct Row {
  const ChainUnderTest& t;
  const AttentionWritten& w;
  const AttentionSizes& s;
  const AttentionOperands& o;

  std::vector<double> result(std::size_t batch, std::size_t head, std::size_t row) const {
    const std::size_t times = is_grouped(w) ? s.times : 1, heads = s.key_heads * times,
                      pair = batch * s.key_heads + head / times;
    const std::size_t q0 = ((batch * heads + head) * s.rows + row) * s.inner;
    const auto &q = t.values(o.queries), &v = t.values(o.values);
    const double number = w.divides ? 1 / s.factor : s.factor;
    const double factor = w.scale == ScaleAt::nowhere ? 1
                          : w.scale == ScaleAt::both  ? number * number
                                                      : number;
    double total = 0;
    std::vector<double> e(s.terms), y(s.columns);
    for (std::size_t j = 0; j < s.terms; ++j) {
      double sum = 0;
      for (std::size_t n = 0; n < s.inner; ++n) sum += double{q[q0 + n]} * key(batch, pair, j, n);
      sum *= factor;
      if (o.mask) sum += t.values(o.mask)[j];
      if (!o.condition || is_kept(s, row, j)) total += e[j] = std::exp(sum);
    }
    for (std::size_t c = 0; c < s.columns; ++c)
      for (std::size_t j = 0; j < s.terms; ++j)
        y[c] += e[j] / total * v[(pair * s.terms + j) * s.columns + c];
    return y;
  }

 private:
  double key(std::size_t batch, std::size_t pair, std::size_t term, std::size_t n) const {
    const auto& k = t.values(o.keys);
    if (w.keys == KeysAs::columns) return k[(pair * s.inner + n) * s.terms + term];
    if (w.keys == KeysAs::rows) return k[(pair * s.terms + term) * s.inner + n];
    return k[((batch * s.terms + term) * s.key_heads + pair % s.key_heads) * s.inner + n];
  }
};

void check(const AttentionWritten& w, const AttentionSizes& s) {
  ChainUnderTest t;
  const auto o = operands_of(t.b, w, s, [&](Dims shape) { return t.input(std::move(shape)); });
  const auto y = t.run(attention_written(t.b, o, w, s));
  const std::size_t queries = s.rows * (w.groups == GroupBy::rows ? s.times : 1);
  const bool scales_keys = w.scale == ScaleAt::keys || w.scale == ScaleAt::both;
  const bool few = !scales_keys && (queries <= 7 || s.terms <= 15);
  CHECK(t.kernel == (few ? "attention of few rows" : "attention"));
  const Row rows{t, w, s, o};
  const std::size_t heads = s.key_heads * (is_grouped(w) ? s.times : 1);
  REQUIRE(y.size() == s.batch * heads * s.rows * s.columns);
  for (std::size_t i = 0; i < y.size(); i += s.columns) {
    const std::size_t row = i / s.columns;
    const auto expected = rows.result(row / s.rows / heads, row / s.rows % heads, row % s.rows);
    for (std::size_t c = 0; c < s.columns; ++c) CHECK(std::abs(y[i + c] - expected[c]) < 4e-6);
  }
}

}  // namespace

TEST_CASE("simd attention: all forms") {
  for_targets([] {
    for (const AttentionWritten& w : attention_forms()) {
      CAPTURE(int(w.scale), w.divides, int(w.mask), int(w.keys), int(w.groups), w.swapped);
      check(w, {});
    }
  });
}

TEST_CASE("simd attention of few rows: all forms but those that scale keys") {
  for_targets([] {
    for (const std::uint32_t rows : {1u, 2u})
      for (const std::uint32_t terms : {3u, 21u, 70u})
        for (const AttentionWritten& w : attention_forms()) {
          if (w.scale == ScaleAt::both || w.scale == ScaleAt::keys) continue;
          CAPTURE(rows, terms, int(w.scale), w.divides, int(w.mask), int(w.keys), int(w.groups));
          check(w, {.rows = rows, .inner = 19, .terms = terms});
        }
  });
}

TEST_CASE("simd attention of few rows: heads that read the same keys together, and many keys") {
  for_targets([] {
    for (const std::uint32_t rows : {1u, 2u, 3u, 5u, 7u})
      for (const std::uint32_t times : {3u, 4u, 9u})
        for (const GroupBy groups : {GroupBy::broadcast, GroupBy::gather})
          for (const MaskBy mask : {MaskBy::add, MaskBy::where})
            check({.mask = mask, .keys = KeysAs::rows, .groups = groups}, {.batch = 1,
                                                                           .times = times,
                                                                           .rows = rows,
                                                                           .inner = 33,
                                                                           .terms = 85,
                                                                           .columns = 70});
  });
  check({.keys = KeysAs::rows, .groups = GroupBy::broadcast}, {.batch = 1,
                                                               .key_heads = 1,
                                                               .times = 3,
                                                               .rows = 1,
                                                               .inner = 64,
                                                               .terms = 5000,
                                                               .columns = 64});
}

TEST_CASE("simd attention: more keys than are near") {
  check({.keys = KeysAs::rows, .groups = GroupBy::broadcast}, {.batch = 1,
                                                               .key_heads = 1,
                                                               .times = 2,
                                                               .rows = 9,
                                                               .inner = 64,
                                                               .terms = 3000,
                                                               .columns = 64});
}

TEST_CASE("simd attention: few rows with scaled keys, and few keys") {
  check({.scale = ScaleAt::keys, .keys = KeysAs::rows}, {.rows = 3});
  check({.keys = KeysAs::rows}, {.rows = 20, .terms = 9});
}

TEST_CASE("simd attention: keys that a mask hides from all rows are skipped, if they are finite") {
  // A mask of so many keys before the rows, with what hides a key.
  const auto run = [](std::uint32_t past, float hides,
                      const std::function<void(std::vector<float>&, std::vector<float>&)>& change) {
    constexpr std::uint32_t rows = 150, inner = 16, columns = 24;
    const std::uint32_t terms = past + rows + 200;  // the last 200 are hidden from all
    std::vector<float> mask(std::size_t{rows} * terms, 0.f), keys(std::size_t{terms} * inner),
        values(std::size_t{terms} * columns), queries(std::size_t{rows} * inner);
    std::mt19937 random{3};
    std::uniform_real_distribution<float> u(-1, 1);
    for (auto* all : {&keys, &values, &queries})
      for (float& v : *all) v = u(random);
    for (std::uint32_t r = 0; r < rows; ++r)
      std::fill(mask.begin() + std::size_t{r} * terms + past + r + 1,
                mask.begin() + std::size_t{r + 1} * terms, hides);
    change(keys, values);
    ChainUnderTest t;
    const MLOperand k = t.input({1, terms, inner}, keys);
    const MLOperand s = t.b.add(t.b.matmul(t.input({1, rows, inner}, queries),
                                           t.b.transpose(k, {.permutation = {{0, 2, 1}}})),
                                t.input({rows, terms}, mask));
    const auto y = t.run(t.b.matmul(t.b.softmax(s, 2), t.input({1, terms, columns}, values)));
    CHECK(t.kernel == "attention");
    double worst = 0;
    for (std::uint32_t r = 0; r < rows; ++r) {
      double total = 0;
      std::vector<double> sum(columns);
      for (std::uint32_t j = 0; j < terms; ++j) {
        double score = mask[std::size_t{r} * terms + j];
        for (std::uint32_t i = 0; i < inner; ++i)
          score += double{queries[r * inner + i]} * keys[j * inner + i];
        const double e = std::exp(score);
        total += e;
        for (std::uint32_t c = 0; c < columns; ++c) sum[c] += e * values[j * columns + c];
      }
      for (std::uint32_t c = 0; c < columns; ++c) {
        const double d = std::abs(y[r * columns + c] - sum[c] / total);
        worst = d <= worst ? worst : d;  // also NaN
      }
    }
    return worst;
  };
  const auto nothing = [](auto&, auto&) {};
  const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  for (const float hides : {-1e30f, -inf, -2e9f, -1e9f, -5e8f, -100.f, -3.f})
    for (const std::uint32_t past : {0u, 77u}) CHECK(run(past, hides, nothing) < 4e-6);
  // What is not finite counts even if it is hidden: its weight is 0, and 0 times it is NaN.
  CHECK(std::isnan(run(0, -1e30f, [&](auto&, auto& values) { values.back() = inf; })));
  CHECK(std::isnan(run(0, -1e30f, [&](auto& keys, auto&) { keys.back() = nan; })));
  // Keys so large that what is added to their scores does not hide them.
  CHECK(run(0, -2e9f, [](auto& keys, auto&) {
          for (std::size_t i = keys.size() - 16; i < keys.size(); ++i) keys[i] *= 1e9f;
        }) < 4e-6);
}

TEST_CASE("simd attention: heads with the same keys, over several blocks of rows") {
  for (const GroupBy groups : {GroupBy::expand, GroupBy::gather, GroupBy::broadcast, GroupBy::rows})
    for (const KeysAs keys : {KeysAs::columns, KeysAs::rows, KeysAs::sequence}) {
      if (groups == GroupBy::broadcast && keys == KeysAs::sequence) continue;
      check({.scale = ScaleAt::both, .mask = MaskBy::where_and_add, .keys = keys, .groups = groups},
            {.times = 3, .rows = 130, .inner = 16, .terms = 500, .columns = 16});
    }
}

TEST_CASE("attention is one step, in all forms") {
  MLContext context({.threads = 1, .backends = {"simd", "reference"}});
  for (const AttentionWritten& w : attention_forms()) {
    CAPTURE(int(w.scale), w.divides, int(w.mask), int(w.keys), int(w.groups), w.swapped);
    MLGraphBuilder b(context);
    int inputs = 0;
    const auto o = operands_of(b, w, {}, [&](Dims shape) {
      return b.input("x" + std::to_string(inputs++), {float32, std::move(shape)});
    });
    const MLGraph g = b.build({{"y", attention_written(b, o, w, {})}});
    std::vector<std::string> kernels;
    for (const Step& s : detail::state_of(g)->plan.steps) kernels.push_back(s.choice.kernel->name);
    CHECK(kernels == std::vector<std::string>{"attention"});
    CHECK(g.explain().find("attention") != std::string::npos);
    CHECK(to_text(g.optimized()).find("softmax") != std::string::npos);
  }
}

TEST_CASE("simd attention: rows that are left out are zeros") {
  for_targets([] {
    ChainUnderTest t;
    const AttentionSizes s;
    const auto o = operands_of(t.b, {}, s, [&](Dims shape) { return t.input(std::move(shape)); });
    std::vector<std::uint8_t> out(s.rows);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = i % 3 == 1 ? 9 : 0;
    const MLOperand rows = t.b.constant({uint8, {s.rows, 1}}, out);
    const auto y =
        t.run(t.b.where(rows, t.b.constant(float32, 0), attention_written(t.b, o, {}, s)));
    CHECK(t.kernel == "attention");
    for (std::size_t i = 0; i < y.size(); ++i)
      CHECK((y[i] == 0) == (out[i / s.columns % s.rows] != 0));
  });
}

TEST_CASE("simd attention: infinities and NaN as the operators have them") {
  // A row whose keys are all masked is NaN, one with a NaN in its scores too; no other is.
  ChainUnderTest t;
  const AttentionSizes s{.batch = 1, .key_heads = 1};
  const float inf = std::numeric_limits<float>::infinity();
  std::vector<float> mask(std::size_t{s.rows} * s.terms, 0);
  std::fill_n(mask.begin() + 2 * s.terms, s.terms, -inf);
  mask[5 * s.terms + 7] = std::nanf("");
  mask[7 * s.terms + 3] = inf;
  const MLOperand q = t.input({1, 1, s.rows, s.inner}), k = t.input({1, 1, s.inner, s.terms}),
                  v = t.input({1, 1, s.terms, s.columns});
  const MLOperand m = t.input({s.rows, s.terms}, mask);
  const auto y = t.run(attention_written(t.b, {q, k, v, m, {}}, {.swapped = false}, s));
  CHECK(t.kernel == "attention");
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t row = i / s.columns;
    CHECK(std::isnan(y[i]) == (row == 2 || row == 5 || row == 7));
  }
}

TEST_CASE("simd attention: shapes, factors and masks") {
  for_targets([] {
    check({{3, 20, 17}, {3, 17, 33}, {3, 33, 21}});
    check({{3, 20, 17}, {3, 17, 33}, {3, 33, 21}, Scale::none});
    check({{9, 64}, {64, 40}, {40, 64}, Scale::quotient});
    check({{2, 3, 16, 8}, {2, 3, 8, 16}, {2, 3, 16, 8}, Scale::quotient, {2, 1, 1, 16}});
    check({{2, 3, 16, 8}, {2, 3, 8, 16}, {2, 3, 16, 8}, Scale::none, {16}});
    check({{2, 2, 10, 8}, {2, 2, 8, 50}, {2, 2, 50, 3}, Scale::product, {10, 50}});
    check({{2, 2, 10, 8}, {2, 2, 8, 50}, {2, 2, 50, 3}, Scale::product, {2, 2, 10, 50}});
    check({{2, 2, 10, 8}, {2, 2, 8, 50}, {2, 2, 50, 3}, Scale::product, {2, 10, 1}});
    check({{2, 3, 12, 8}, {2, 1, 8, 30}, {1, 3, 30, 5}, Scale::product, {2, 1, 1, 30}});
    check({{1, 300, 16}, {1, 16, 500}, {1, 500, 16}, Scale::product, {300, 500}});
    // heads with the same keys and values
    const Dims q{1, 3, 24, 8}, k{1, 3, 8, 20}, v{1, 3, 20, 6}, heads{1, 9, 8, 20};
    check({q, k, v, Scale::product, {1, 1, 8, 20}, heads});
    check({q, k, v, Scale::none, {20}, heads});
    check({q, k, v, Scale::quotient, {}, heads});
    check({{600, 16}, {16, 500}, {500, 16}, Scale::product, {300, 500}, {2, 300, 500}});
  });
}

TEST_CASE("simd attention: what only looks like it") {
  ChainUnderTest t;
  const auto is_one = [&](const MLOperand& y) {
    const Lowering l = t.lower(y);
    const auto* kernel = std::get_if<Candidate>(&l);
    return kernel && kernel->name == "attention";
  };
  const auto in = [&](Dims shape) { return t.input(std::move(shape)); };
  const auto scores = [&] { return t.b.matmul(in({2, 16, 8}), in({2, 8, 16})); };
  CHECK(is_one(t.b.matmul(t.b.softmax(scores(), 2), in({2, 16, 4}))));
  CHECK(!is_one(t.b.matmul(t.b.softmax(scores(), 1), in({2, 16, 4}))));
  CHECK(!is_one(t.b.matmul(in({2, 4, 16}), t.b.softmax(scores(), 2))));
  CHECK(!is_one(t.b.matmul(t.b.softmax(scores(), 2), in({3, 1, 16, 4}))));
  CHECK(!is_one(t.b.matmul(t.b.softmax(t.b.mul(scores(), in({2, 16, 16})), 2), in({2, 16, 4}))));
  CHECK(!is_one(
      t.b.matmul(t.b.softmax(t.b.add(scores(), in({3, 1, 16, 16})), 3), in({3, 2, 16, 4}))));
  CHECK(!is_one(t.b.matmul(t.b.softmax(t.b.matmul(in({2, 4, 8}), in({2, 8, 16})), 2),
                           in({2, 16, 4}))));  // few rows
  CHECK(!is_one(t.b.softmax(scores(), 2)));
  const auto with_heads = [&](Dims shape, Dims mask) {
    const auto axis = static_cast<std::uint32_t>(shape.size()) - 1;
    MLOperand s = t.b.reshape(scores(), shape);
    if (mask.size()) s = t.b.add(s, in(mask));
    return t.b.matmul(t.b.reshape(t.b.softmax(s, axis), {2, 16, 16}), in({2, 16, 4}));
  };
  CHECK(is_one(with_heads({4, 8, 16}, {})));
  CHECK(!is_one(with_heads({4, 16, 8}, {})));
  CHECK(is_one(with_heads({4, 8, 16}, {8, 16})));
  CHECK(!is_one(with_heads({4, 8, 16}, {4, 8, 16})));
  CHECK(!is_one(with_heads({512}, {})));
}

}  // namespace webnn::inline v0_1::test
