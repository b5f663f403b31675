// Models of which the data of each run decides what runs.
#pragma once

#include <cmath>

#include "tests/formats/onnx/run.h"
#include "tests/support/catch.h"

namespace webnn::inline v0_1::onnx::test {

using enum ElementType;

inline constexpr std::int64_t n = 64;

/// Different numbers of both signs.
inline std::vector<float> numbers(std::size_t count, float scale, int seed) {
  std::vector<float> v;
  for (std::size_t i = 0; i < count; ++i)
    v.push_back(scale * static_cast<float>(std::sin(0.37 * static_cast<double>(i + 1) + seed)));
  return v;
}
inline Tensor matrix(int seed) {
  const std::vector<float> v = numbers(n * n, 1, seed);
  return webnn::test::tensor(float32, {n, n}, Doubles(v.begin(), v.end()));
}

/// y = sum(x) > 0 ? relu(x w + x) : x v, where both branches compute much, and x itself is a
/// result.
inline Writer with_work() {
  Writer w;
  w.input("x", {"64", "64"}).output("y").output("z");
  w.initializer(floats("zero", {}, {0}));
  w.initializer(floats("w", {n, n}, numbers(n * n, 0.1f, 5)));
  w.initializer(floats("v", {n, n}, numbers(n * n, 0.2f, 9)));
  w.node("ReduceSum", {"x"}, {"sum"}, {attribute("keepdims", 0)});
  w.node("Greater", {"sum", "zero"}, {"positive"});
  const Message then_branch =
      graph_of({node_of("MatMul", {"x", "w"}, {"a"}), node_of("Add", {"a", "x"}, {"b"}),
                node_of("Relu", {"b"}, {"c"})},
               {}, {"c", "x"});
  const Message else_branch = graph_of(
      {node_of("MatMul", {"x", "v"}, {"d"}), node_of("Neg", {"x"}, {"e"})}, {}, {"d", "e"});
  w.node("If", {"positive"}, {"y", "z"},
         {graph_attribute("then_branch", then_branch), graph_attribute("else_branch", else_branch)},
         {}, "choice");
  return w;
}

/// What the first output of with_work() is, in double precision.
inline double expected(const Tensor& x, std::size_t row, std::size_t column) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i];
  const std::vector<float> weights = sum > 0 ? numbers(n * n, 0.1f, 5) : numbers(n * n, 0.2f, 9);
  double y = 0;
  for (std::size_t k = 0; k < n; ++k) y += x[row * n + k] * weights[k * n + column];
  return sum > 0 ? std::max(0., y + x[row * n + column]) : y;
}
inline void check_work(const std::vector<Tensor>& y, const Tensor& x) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i];
  REQUIRE(y.size() == 2);
  for (std::size_t row = 0; row < n; row += 7)
    for (std::size_t column = 0; column < n; column += 5) {
      CHECK(std::abs(y[0][row * n + column] - expected(x, row, column)) < 1e-4);
      CHECK(y[1][row * n + column] == (sum > 0 ? 1 : -1) * x[row * n + column]);
    }
}

inline MLContext context_of(int threads, bool keep = false) {
  return MLContext({.threads = threads, .keepConstants = keep});
}
inline MLGraph built(const MLContext& context, const Writer& w) {
  MLGraphBuilder b(context);
  const Model m = import_model(b, w.file());
  return b.build(m.outputs, {.inputs = m.inputs});
}

/// x * 0.5^k, as often as it is above the bound, at most `trips` times, and how often that is.
inline Writer halving(bool has_trips) {
  Writer w;
  w.input("x", {}).input("bound", {});
  if (has_trips) w.input("trips", {}, INT64);
  w.output("y").output("count");
  w.initializer(floats("half", {}, {0.5f}));
  w.initializer(int64s("one", {}, {1})).initializer(int64s("none", {}, {0}));
  w.node("Greater", {"x", "bound"}, {"begins"});
  const Message body = graph_of(
      {node_of("Mul", {"v", "half"}, {"next"}), node_of("Greater", {"next", "bound"}, {"on"}),
       node_of("Add", {"i", "one"}, {"so_many"})},
      {"i", "go", "v", "k"}, {"on", "next", "so_many"});
  w.node("Loop", {has_trips ? "trips" : "", "begins", "x", "none"}, {"y", "count"},
         {graph_attribute("body", body)}, {}, "halving");
  return w;
}
inline Tensor number(double v) { return webnn::test::tensor(float32, {}, {v}); }
inline Tensor integer(double v) { return webnn::test::tensor(int64, {}, {v}); }

/// v = max(v) > 1 ? v w : v w + 1, as often as the bound says.
inline Writer alternating() {
  Writer w;
  w.input("x", {"64", "64"}).input("bound", {}).output("y").output("count");
  w.initializer(floats("w", {n, n}, numbers(n * n, 0.3f, 2)));
  w.initializer(floats("zero", {}, {0})).initializer(floats("unit", {}, {1}));
  w.initializer(int64s("one", {}, {1})).initializer(int64s("none", {}, {0}));
  w.initializer(int64s("first", {1}, {0}));
  w.initializer(tensor("yes", BOOL, {}, std::vector<std::uint8_t>{1}));
  const Message then_branch = graph_of({node_of("MatMul", {"v", "w"}, {"a"})}, {}, {"a"});
  const Message else_branch = graph_of(
      {node_of("MatMul", {"v", "w"}, {"b"}), node_of("Add", {"b", "unit"}, {"c"})}, {}, {"c"});
  const Message body = graph_of(
      {node_of("ReduceMax", {"v"}, {"top"}, {attribute("keepdims", 0)}),
       node_of("Greater", {"top", "unit"}, {"high"}),
       node_of("If", {"high"}, {"next"},
               {graph_attribute("then_branch", then_branch),
                graph_attribute("else_branch", else_branch)}),
       node_of("Add", {"i", "one"}, {"k"}), node_of("Cast", {"k"}, {"done"}, {attribute("to", 1)}),
       node_of("Less", {"done", "bound"}, {"on"})},
      {"i", "go", "v", "before"}, {"on", "next", "k"});
  w.node("Loop", {"", "yes", "x", "none"}, {"y", "count"}, {graph_attribute("body", body)}, {},
         "loop");
  return w;
}

}  // namespace webnn::inline v0_1::onnx::test
