// Alternating steps of oneDNN and XNNPACK, compared with each library alone, on one team of
// threads.
//   alternate [threads]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "bench/timing.h"
#include "src/kernels/backends.h"
#include "webnn/backend.h"
#include "webnn/webnn.h"

using namespace webnn;
using bench::median, bench::now_us;

namespace {

/// The backend that the label of an operator names.
struct ByLabel final : Backend {
  std::shared_ptr<const Backend> onednn = onednn_backend(), xnnpack = xnnpack_backend();

  std::string_view name() const override { return "by label"; }
  Lowering lower(Chain chain) const override {
    return (chain.front().label() == "onednn" ? onednn : xnnpack)->lower(chain);
  }
};

class Network {
 public:
  Network(const std::vector<std::string>& labels, int threads)
      : context_({.threads = threads, .backends = {std::make_shared<ByLabel>()}}) {
    constexpr std::uint32_t side = 28, channels = 80;
    std::vector<float> filter(channels * channels);
    for (std::size_t i = 0; i < filter.size(); ++i)
      filter[i] = 0.1f * std::sin(static_cast<float>(i));
    MLGraphBuilder b(context_);
    MLOperand y = b.input("x", {float32, {1, side, side, channels}});
    for (const std::string& label : labels)
      y = b.conv2d(y, b.constant({float32, {channels, 1, 1, channels}}, filter),
                   {.inputLayout = MLInputOperandLayout::nhwc,
                    .filterLayout = MLConv2dFilterOperandLayout::ohwi,
                    .label = label});
    graph_ = b.build({{"y", y}});
    x_.assign(side * side * channels, 1);
    y_.resize(x_.size());
  }
  double median_us() {
    std::vector<double> times;
    for (int i = 0; i < 60; ++i) {
      const double t = now_us();
      context_.compute(graph_, {{"x", x_}}, {{"y", y_}});
      if (i >= 10) times.push_back(now_us() - t);
    }
    return median(std::move(times));
  }

 private:
  MLContext context_;
  MLGraph graph_;
  std::vector<float> x_, y_;
};

}  // namespace

int main(int argc, char** argv) try {
  const int threads =
      argc > 1 ? std::atoi(argv[1]) : static_cast<int>(std::thread::hardware_concurrency());
  constexpr int pairs = 8;
  std::vector<std::string> turns;
  for (int i = 0; i < pairs; ++i) turns.insert(turns.end(), {"onednn", "xnnpack"});
  Network onednn(std::vector<std::string>(pairs, "onednn"), threads);
  Network xnnpack(std::vector<std::string>(pairs, "xnnpack"), threads);
  Network both(turns, threads);
  std::vector<double> a, b, c, ratios;
  for (int i = 0; i < 31; ++i) {
    a.push_back(onednn.median_us());
    b.push_back(xnnpack.median_us());
    c.push_back(both.median_us());
    ratios.push_back(c.back() / (a.back() + b.back()));
  }
  std::printf("pointwise convolutions of 28x28x80, %d threads, microseconds for each\n", threads);
  std::printf(
      "oneDNN alone %.1f, XNNPACK alone %.1f, in turn %.1f for a pair: %.2f times the sum\n",
      median(a) / pairs, median(b) / pairs, median(c) / pairs, median(ratios));
} catch (const std::exception& e) {
  std::fprintf(stderr, "alternate: %s\n", e.what());
  return 1;
}
