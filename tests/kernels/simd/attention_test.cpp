#include "tests/kernels/simd/support.h"

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

}  // namespace

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
