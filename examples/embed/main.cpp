// The framework's own kernels beside its webnn backend, on one network with an operator that WebNN
// does not have.
#include <cmath>
#include <cstdio>

#include "webnn_backend.h"

namespace {

tiny::Tensor filled(tiny::Allocator& allocator, std::vector<std::uint32_t> shape, float step) {
  tiny::Tensor t{std::move(shape), nullptr};
  t.data = allocator.allocate(t.size());
  for (std::size_t i = 0; i < t.size(); ++i) t.data[i] = std::sin(static_cast<float>(i) * step);
  return t;
}

tiny::Graph network(tiny::Allocator& allocator) {
  tiny::Graph g;
  g.nodes = {{"matmul", {"x", "w1"}, "a"}, {"add", {"a", "b1"}, "b"},    {"relu", {"b"}, "c"},
             {"roll", {"c"}, "d"},         {"matmul", {"d", "w2"}, "e"}, {"add", {"e", "x"}, "f"},
             {"softmax", {"f"}, "y"}};
  g.weights = {{"w1", filled(allocator, {64, 128}, 0.7f)},
               {"b1", filled(allocator, {128}, 0.3f)},
               {"w2", filled(allocator, {128, 64}, 0.2f)}};
  for (const char* name : {"x", "e", "f", "y"}) g.shapes[name] = {32, 64};
  for (const char* name : {"a", "b", "c", "d"}) g.shapes[name] = {32, 128};
  for (const auto& [name, t] : g.weights) g.shapes[name] = t.shape;
  g.outputs = {"y"};
  return g;
}

}  // namespace

int main() {
  tiny::Allocator allocator;
  tiny::ThreadPool threads(2);
  tiny::Runtime runtime{allocator, threads,
                        [](const std::string& line) { std::puts(line.c_str()); }};
  const tiny::Graph graph = network(allocator);
  const tiny::Values inputs{{"x", filled(allocator, {32, 64}, 0.1f)}};

  tiny::Runtime quiet{allocator, threads, [](const std::string&) {}};
  const tiny::Tensor expected = tiny::Session(graph, quiet, nullptr).run(inputs).at("y");

  const auto backend = make_webnn_backend(runtime);
  const tiny::Session session(graph, runtime, backend.get());
  tiny::Tensor y = session.run(inputs).at("y");
  const std::size_t blocks = allocator.blocks();
  for (int i = 0; i < 100; ++i) y = session.run(inputs).at("y");

  float largest = 0;
  for (std::size_t i = 0; i < y.size(); ++i)
    largest = std::max(largest, std::abs(y.data[i] - expected.data[i]));
  std::printf(
      "%d runs of the framework's threads, %zu new blocks after the first run; the results "
      "%s\n",
      threads.runs(), allocator.blocks() - blocks, largest < 1e-5f ? "agree" : "differ");
}
