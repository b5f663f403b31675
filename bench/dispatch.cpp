// The overhead of running a graph: one add on four floats.
#include <benchmark/benchmark.h>

#include <vector>

#include "webnn/webnn.h"

using namespace webnn;

namespace {

/// y = a + b on four floats, on so many threads.
struct Add {
  explicit Add(int threads) : context({.threads = threads}) {
    MLGraphBuilder b(context);
    graph = b.build({{"y", b.add(b.input("a", {float32, {4}}), b.input("b", {float32, {4}}))}});
  }
  MLTensor tensor(bool readable) {
    return context.createTensor({.shape = {4}, .readable = readable, .writable = !readable});
  }

  MLContext context;
  MLGraph graph;
  std::vector<float> a = std::vector<float>(4, 1.f), b = a, y = a;
};

int threads_of(const benchmark::State& state) { return static_cast<int>(state.range(0)); }

void compute(benchmark::State& state) {
  Add add(threads_of(state));
  for (auto _ : state) add.context.compute(add.graph, {{"a", add.a}, {"b", add.b}}, {{"y", add.y}});
}

void dispatch_and_read(benchmark::State& state) {
  Add add(threads_of(state));
  const MLTensor a = add.tensor(false), b = add.tensor(false), y = add.tensor(true);
  for (auto _ : state) {
    add.context.dispatch(add.graph, {{"a", a}, {"b", b}}, {{"y", y}});
    add.context.readTensor(y, add.y);
  }
}

void write_dispatch_and_read(benchmark::State& state) {
  Add add(threads_of(state));
  const MLTensor a = add.tensor(false), b = add.tensor(false), y = add.tensor(true);
  for (auto _ : state) {
    add.context.writeTensor(a, add.a);
    add.context.dispatch(add.graph, {{"a", a}, {"b", b}}, {{"y", y}});
    add.context.readTensor(y, add.y);
  }
}

}  // namespace

BENCHMARK(compute)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(dispatch_and_read)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(write_dispatch_and_read)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK_MAIN();
