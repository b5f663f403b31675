// webnn.LinearAttention against its definition, in double.
#include <cmath>

#include "tests/operators/run_operator.h"
#include "tests/support/random.h"
#include "tests/support/thrown.h"

using namespace webnn;
using namespace webnn::test;

namespace {

struct Form {
  std::uint32_t batch, steps, query_heads, key_heads, heads, keys, values;
  std::string rule;
  bool decay_of_keys = false, beta_of_heads = true, erases = false;
  double scale = 0;

  bool gated() const { return rule.starts_with("gated"); }
  bool delta() const { return rule.ends_with("delta"); }
};

std::vector<Tensor> operands_of(Random& random, const Form& f, MLOperandDataType type,
                                MLOperandDataType state) {
  const auto make = [&](std::uint32_t last, double low, double high) {
    return random.tensor(type, {f.batch, f.steps, last}, low, high);
  };
  std::vector<Tensor> all{make(f.query_heads * f.keys, -1, 1),
                          make(f.key_heads * f.keys, -0.5, 0.5), make(f.heads * f.values, -1, 1),
                          random.tensor(state, {f.batch, f.heads, f.keys, f.values}, -1, 1)};
  if (f.gated()) all.push_back(make(f.heads * (f.decay_of_keys ? f.keys : 1), -1, 0));
  if (f.delta()) all.push_back(make(f.beta_of_heads ? f.heads : 1, 0, 1));
  if (f.erases) all.push_back(make(f.heads * f.keys, 0, 1));
  return all;
}

/// One head: its state is a matrix of keys by values.
void check_head(const Form& f, const std::vector<Tensor>& x, const std::vector<Tensor>& y,
                std::uint32_t n, std::uint32_t h, double tolerance) {
  std::vector<std::vector<double>> s(f.keys, std::vector<double>(f.values));
  for (std::uint32_t i = 0; i < f.keys; ++i)
    for (std::uint32_t j = 0; j < f.values; ++j) s[i][j] = x[3].at({n, h, i, j});
  const std::size_t beta_place = f.gated() ? 5 : 4, erase_place = beta_place + 1;
  const double scale = f.scale == 0 ? 1 / std::sqrt(f.keys) : f.scale;
  for (std::uint32_t t = 0; t < f.steps; ++t) {
    const auto key = [&](std::uint32_t i) {
      return x[1].at({n, t, h * f.key_heads / f.heads * f.keys + i});
    };
    std::vector<double> written(f.values);
    for (std::uint32_t i = 0; i < f.keys && f.gated(); ++i)
      for (double& v : s[i]) v *= std::exp(x[4].at({n, t, f.decay_of_keys ? h * f.keys + i : h}));
    for (std::uint32_t j = 0; j < f.values; ++j) {
      written[j] = x[2].at({n, t, h * f.values + j});
      if (!f.delta()) continue;
      for (std::uint32_t i = 0; i < f.keys; ++i)
        written[j] -= s[i][j] * key(i) * (f.erases ? x[erase_place].at({n, t, h * f.keys + i}) : 1);
      written[j] *= x[beta_place].at({n, t, f.beta_of_heads ? h : 0});
    }
    for (std::uint32_t i = 0; i < f.keys; ++i)
      for (std::uint32_t j = 0; j < f.values; ++j) s[i][j] += key(i) * written[j];
    for (std::uint32_t out = 0; out < std::max(f.query_heads, f.heads); ++out) {
      // Several queries read one state, or several states are read by one query.
      const bool shared = f.query_heads >= f.heads;
      const std::uint32_t group = shared ? f.query_heads / f.heads : f.heads / f.query_heads;
      if ((shared ? out / group : out) != h) continue;
      const std::uint32_t query = shared ? out : out / group;
      for (std::uint32_t j = 0; j < f.values; ++j) {
        double sum = 0;
        for (std::uint32_t i = 0; i < f.keys; ++i)
          sum += x[0].at({n, t, query * f.keys + i}) * s[i][j];
        REQUIRE(std::abs(y[0].at({n, t, out * f.values + j}) - scale * sum) <= tolerance);
      }
    }
  }
  for (std::uint32_t i = 0; i < f.keys; ++i)
    for (std::uint32_t j = 0; j < f.values; ++j)
      REQUIRE(std::abs(y[1].at({n, h, i, j}) - s[i][j]) <= tolerance);
}

void check(Random& random, const Form& f, MLOperandDataType type, MLOperandDataType state,
           double tolerance) {
  CAPTURE(f.rule, f.query_heads, f.key_heads, f.heads, f.decay_of_keys, f.beta_of_heads);
  const auto x = operands_of(random, f, type, state);
  const auto y = run_operator(operators::linear_attention(), x,
                              {{"queryHeads", f.query_heads},
                               {"heads", f.heads},
                               {"rule", f.rule},
                               {"erases", f.erases},
                               {"scale", f.scale}});
  CHECK(y[0].type == type);
  CHECK(y[0].shape == Dims{f.batch, f.steps, std::max(f.query_heads, f.heads) * f.values});
  CHECK(y[1].type == state);
  for (std::uint32_t n = 0; n < f.batch; ++n)
    for (std::uint32_t h = 0; h < f.heads; ++h) check_head(f, x, y, n, h, tolerance);
}

}  // namespace

TEST_CASE("LinearAttention: rules, groups of heads, gates of keys") {
  Random random(1);
  for (const char* rule : {"linear", "gated", "delta", "gated_delta"})
    for (const auto& [query, key, heads] :
         {std::array{2u, 2u, 2u}, std::array{4u, 2u, 2u}, std::array{4u, 1u, 2u},
          std::array{1u, 1u, 3u}, std::array{2u, 4u, 4u}}) {
      check(random, {2, 5, query, key, heads, 6, 7, rule}, float32, float32, 1e-5);
      check(random, {1, 4, query, key, heads, 3, 70, rule, true, false, false, 0.5}, float32,
            float32, 1e-5);
    }
  for (const char* rule : {"delta", "gated_delta"})
    check(random, {2, 4, 2, 2, 2, 4, 5, rule, true, true, true}, float32, float32, 1e-5);
}

TEST_CASE("LinearAttention: sizes of models, and half the width") {
  Random random(2);
  check(random, {1, 9, 4, 4, 4, 64, 128, "gated_delta", false, true, false, 0.1}, float32, float32,
        1e-4);
  check(random, {1, 3, 2, 2, 2, 8, 8, "gated_delta"}, float16, float16, 2e-2);
  check(random, {1, 3, 2, 2, 2, 8, 8, "gated_delta"}, float16, float32, 2e-2);
}

TEST_CASE("LinearAttention: steps one by one are the steps together") {
  Random random(3);
  const Form f{1, 6, 2, 2, 2, 5, 4, "gated_delta"};
  const auto x = operands_of(random, f, float32, float32);
  const CustomAttributes attributes{{"queryHeads", 2}, {"heads", 2}};
  const auto together = run_operator(operators::linear_attention(), x, attributes);
  Tensor state = x[3];
  for (std::uint32_t t = 0; t < f.steps; ++t) {
    std::vector<Tensor> step;
    for (std::size_t i = 0; i < x.size(); ++i)
      step.push_back(i == 3 ? state : generated(float32, {1, 1, x[i].shape[2]}, [&](const Dims& p) {
        return x[i].at({0, t, p[2]});
      }));
    const auto y = run_operator(operators::linear_attention(), step, attributes);
    for (std::uint32_t j = 0; j < 8; ++j) CHECK(y[0][j] == together[0].at({0, t, j}));
    state = y[1];
  }
  CHECK(state.bytes == together[1].bytes);
}

TEST_CASE("LinearAttention: what it refuses") {
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  auto in = [&, n = 0](MLOperandDataType type, Dims shape) mutable {
    return b.input("i" + std::to_string(n++), {type, std::move(shape)});
  };
  const MLOperand q = in(float32, {1, 3, 8}), v = in(float32, {1, 3, 6}),
                  state = in(float32, {1, 2, 4, 3}), gate = in(float32, {1, 3, 2});
  const auto refused = [&](std::vector<MLOperand> operands, CustomAttributes more = {}) {
    CustomAttributes attributes{{"queryHeads", 2}, {"heads", 2}};
    for (auto& a : more) {
      std::erase_if(attributes, [&](const auto& other) { return other.name == a.name; });
      attributes.push_back(a);
    }
    return thrown([&] { b.custom("webnn.LinearAttention", operands, {.attributes = attributes}); });
  };
  CHECK(refused({q, q, v, state, gate, gate}) == "nothing");
  CHECK(refused({q, q, v, state}, {{"rule", "linear"}}) == "nothing");
  CHECK_THAT(refused({q, q, v, state}), ContainsSubstring("it has 4 operands, not 6 to 6"));
  CHECK_THAT(refused({q, q, v, state}, {{"rule", "square"}}),
             ContainsSubstring("rule (\"square\")"));
  CHECK_THAT(refused({q, q, v, state, gate, gate}, {{"heads", 0}}), ContainsSubstring("heads (0)"));
  CHECK_THAT(refused({q, q, v, state, gate, gate}, {{"queryHeads", 3}}),
             ContainsSubstring("not multiples of each other"));
  CHECK_THAT(refused({in(float32, {1, 3, 7}), q, v, state, gate, gate}),
             ContainsSubstring("of its query is not a multiple of its 2 heads"));
  CHECK_THAT(refused({q, in(float32, {1, 3, 6}), v, state, gate, gate}),
             ContainsSubstring("of its key"));
  CHECK_THAT(refused({q, q, in(float32, {1, 2, 6}), state, gate, gate}),
             ContainsSubstring("its value of shape"));
  CHECK_THAT(refused({q, q, v, in(float32, {1, 2, 3, 4}), gate, gate}),
             ContainsSubstring("its state of shape"));
  CHECK_THAT(refused({q, q, v, state, in(float32, {1, 3, 3}), gate}),
             ContainsSubstring("of its decay is not 2 or 8"));
  CHECK_THAT(refused({q, q, v, state, gate, in(float32, {1, 3, 3})}),
             ContainsSubstring("of its beta is not 2 or 1"));
  CHECK_THAT(refused({q, q, v, state, gate, in(float16, {1, 3, 2})}), ContainsSubstring("float16"));
  CHECK_THAT(refused({q, q, v, state, gate, gate}, {{"scale", INFINITY}}),
             ContainsSubstring("is not finite"));
}
