// What running a graph costs beyond its work: one add on four floats.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "webnn/webnn.h"

using namespace webnn;

namespace {

double now_us() {
  using namespace std::chrono;
  return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

/// The median microseconds of one call, over batches of ten.
template <class F> double median_us(F f) {
  std::vector<double> times;
  for (int i = 0; i < 2000; ++i) {
    const double t = now_us();
    for (int k = 0; k < 10; ++k) f();
    times.push_back((now_us() - t) / 10);
  }
  std::nth_element(times.begin(), times.begin() + 1000, times.end());
  return times[1000];
}

void measure(int threads) {
  MLContext context({.threads = threads});
  MLGraphBuilder b(context);
  const MLOperandDescriptor four{float32, {4}};
  const MLGraph graph = b.build({{"y", b.add(b.input("a", four), b.input("b", four))}});
  std::vector<float> a(4, 1.f), c(4, 2.f), y(4);
  const double compute = median_us([&] {
    context.compute(graph, {{"a", a}, {"b", c}}, {{"y", y}});
  });
  const MLTensorDescriptor in{float32, {4}, false, true}, out{float32, {4}, true, false};
  const MLTensor ta = context.createTensor(in), tb = context.createTensor(in);
  const MLTensor ty = context.createTensor(out);
  context.writeTensor(ta, a);
  context.writeTensor(tb, c);
  context.dispatch(graph, {{"a", ta}, {"b", tb}}, {{"y", ty}});
  context.readTensor(ty, y);
  const double round = median_us([&] {
    context.dispatch(graph, {{"a", ta}, {"b", tb}}, {{"y", ty}});
    context.readTensor(ty, y);
  });
  const double queue = median_us([&] {
    context.dispatch(graph, {{"a", ta}, {"b", tb}}, {{"y", ty}});
  });
  context.readTensor(ty, y);
  std::printf("%7d  %10.2f  %10.2f  %10.2f\n", threads, compute, queue, round);
}

}  // namespace

int main() {
  std::printf("one add on four floats, median us\n");
  std::printf("%7s  %10s  %10s  %10s\n", "threads", "compute", "dispatch", "+ read");
  for (int threads : {1, 2}) measure(threads);
}
