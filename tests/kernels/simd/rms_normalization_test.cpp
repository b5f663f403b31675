#include "tests/kernels/simd/support.h"

namespace webnn::inline v0_1::test {
namespace {

enum class Form { quotient, reciprocal, quotient_of_one, power };

struct Case {
  Dims shape;
  Form form = Form::quotient;
  bool power_of_two = true, weight = true;
};

struct Network {
  MLOperand x, weight{}, y{};
};
MLOperand number(ChainUnderTest& t, float v) {
  return t.b.constant({float32, {1}}, std::vector<float>{v});
}
Network normalized(ChainUnderTest& t, const Case& c) {
  const std::uint32_t axis = static_cast<std::uint32_t>(c.shape.size()) - 1;
  Network n{.x = t.input(c.shape)};
  const MLOperand square = c.power_of_two ? t.b.pow(n.x, number(t, 2)) : t.b.mul(n.x, n.x);
  const MLOperand mean =
      t.b.reduceMean(square, {.axes = std::vector{axis}, .keepDimensions = true});
  const MLOperand sum = t.b.add(mean, number(t, 1e-5f));
  switch (c.form) {
    case Form::quotient: n.y = t.b.div(n.x, t.b.sqrt(sum)); break;
    case Form::reciprocal: n.y = t.b.mul(n.x, t.b.reciprocal(t.b.sqrt(sum))); break;
    case Form::quotient_of_one: n.y = t.b.mul(t.b.div(number(t, 1), t.b.sqrt(sum)), n.x); break;
    case Form::power: n.y = t.b.mul(n.x, t.b.pow(sum, number(t, -0.5f))); break;
  }
  if (c.weight) {
    n.weight = t.constant({c.shape[axis]});
    n.y = c.form == Form::reciprocal ? t.b.mul(n.weight, n.y) : t.b.mul(n.y, n.weight);
  }
  return n;
}

void check(const Case& c) {
  ChainUnderTest t;
  const Network n = normalized(t, c);
  const auto y = t.run(n.y);
  CHECK(t.kernel == "rms normalization");
  const auto& x = t.values(n.x);
  const std::size_t row = c.shape[c.shape.size() - 1];
  for (std::size_t r = 0; r < y.size() / row; ++r) {
    double squares = 0;
    for (std::size_t i = 0; i < row; ++i) squares += double{x[r * row + i]} * x[r * row + i];
    const double root = std::sqrt(squares / static_cast<double>(row) + double{1e-5f});
    for (std::size_t i = 0; i < row; ++i)
      check_ulp(y[r * row + i], x[r * row + i] / root * (c.weight ? t.values(n.weight)[i] : 1.0),
                2);
  }
}

}  // namespace

TEST_CASE("simd rms normalization: its forms, with and without a weight") {
  for_targets([] {
    for (const Form form : {Form::quotient, Form::reciprocal, Form::quotient_of_one, Form::power})
      for (bool power_of_two : {false, true})
        for (bool weight : {false, true}) {
          check({{3, 5, 37}, form, power_of_two, weight});
          check({{2, 576}, form, power_of_two, weight});
          check({{9}, form, power_of_two, weight});
        }
  });
}

TEST_CASE("simd rms normalization: what only looks like it has another kernel or none") {
  ChainUnderTest t;
  const auto is_one = [&](const MLOperand& y) {
    const Lowering l = t.lower(y);
    const auto* kernel = std::get_if<Candidate>(&l);
    return kernel && kernel->name == "rms normalization";
  };
  const MLOperand x = t.input({4, 8}), other = t.input({4, 8});
  const auto root = [&](const MLOperand& square, std::uint32_t axis, bool keep = true) {
    const MLOperand mean =
        t.b.reduceMean(square, {.axes = std::vector{axis}, .keepDimensions = keep});
    return t.b.sqrt(t.b.add(mean, number(t, 1e-5f)));
  };
  CHECK(is_one(t.b.div(x, root(t.b.mul(x, x), 1))));
  CHECK(!is_one(t.b.div(other, root(t.b.mul(x, x), 1))));
  CHECK(!is_one(t.b.div(x, root(t.b.mul(x, other), 1))));
  CHECK(!is_one(t.b.div(x, root(t.b.pow(x, number(t, 3)), 1))));
  CHECK(!is_one(t.b.div(x, root(t.b.mul(x, x), 0))));
  CHECK(!is_one(t.b.div(root(t.b.mul(x, x), 1), x)));
  CHECK(!is_one(t.b.mul(t.b.div(x, root(t.b.mul(x, x), 1)), t.input({4, 1}))));
  CHECK(!is_one(t.b.mul(t.b.div(x, root(t.b.mul(x, x), 1)), t.input({4, 8}))));
  const MLOperand square = t.input({8, 8});
  CHECK(!is_one(t.b.div(square, root(t.b.mul(square, square), 1, false))));
}

TEST_CASE("simd rms normalization: squares beyond float32, zeros, infinities and NaN") {
  for_targets([] {
    ChainUnderTest t;
    const auto of = [&](std::vector<float> values) {
      const MLOperand x = t.input({1, 4}, std::move(values));
      const MLOperand mean =
          t.b.reduceMean(t.b.mul(x, x), {.axes = std::vector{1u}, .keepDimensions = true});
      return t.run(t.b.div(x, t.b.sqrt(t.b.add(mean, number(t, 0)))));
    };
    for (float v : of({1e30f, -1e30f, 1e30f, -1e30f})) CHECK(std::abs(v) == 1);
    for (float v : of({0, 0, 0, 0})) CHECK(std::isnan(v));
    const auto y = of({INFINITY, 1, -2, 0});
    CHECK(std::isnan(y[0]));
    CHECK(y[1] == 0);
    for (float v : of({NAN, 1, -2, 0})) CHECK(std::isnan(v));
  });
}

}  // namespace webnn::inline v0_1::test
