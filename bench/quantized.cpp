// Networks of 8-bit integers beside their float32 counterparts, in turn.
//   quantized [--explain] [threads...]      1 and 2 threads by default
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <vector>

#include "bench/arguments.h"
#include "bench/networks/quantized.h"
#include "bench/timing.h"
#include "webnn/webnn.h"

using namespace webnn;
using bench::median, bench::now_us;
using bench::Precision;

namespace {

using Build = std::function<MLOperand(MLGraphBuilder&, Precision)>;

class Network {
 public:
  Network(const Build& build, Precision precision, int threads) : context_({.threads = threads}) {
    MLGraphBuilder b(context_);
    graph_ = b.build({{"y", build(b, precision)}});
    const auto bytes = [](const NamedDescriptors& d) { return byte_length(d.front().descriptor); };
    x_.resize(bytes(graph_.inputs()));
    y_.resize(bytes(graph_.outputs()));
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const float v = std::sin(0.37f * static_cast<float>(i));
      if (precision == Precision::int8) x_[i] = static_cast<std::byte>(static_cast<int>(100 * v));
      else if (i % 4 == 0) std::memcpy(&x_[i], &v, 4);
    }
  }
  double run_us() {
    const double t = now_us();
    context_.compute(graph_, {{"x", x_}}, {{"y", y_}});
    return now_us() - t;
  }
  std::string explain() { return graph_.explain(context_.profile(graph_, 50)); }

 private:
  MLContext context_;
  MLGraph graph_;
  std::vector<std::byte> x_, y_;
};

void compare(const char* name, const Build& build, int threads, bool explain) {
  Network integers(build, Precision::int8, threads), floats(build, Precision::float32, threads);
  std::vector<double> a, b, ratios;
  for (int i = 0; i < 5; ++i) integers.run_us(), floats.run_us();
  for (const double from = now_us(); now_us() - from < 1.5e6;) {
    double x = 0, y = 0;
    for (int i = 0; i < 3; ++i) x += integers.run_us() / 3;
    for (int i = 0; i < 3; ++i) y += floats.run_us() / 3;
    a.push_back(x);
    b.push_back(y);
    ratios.push_back(y / x);
  }
  std::printf("%-24s %d threads   int8 %9.1f us   float32 %9.1f us   ratio %.2f\n", name, threads,
              median(a), median(b), median(ratios));
  if (explain) std::printf("%s%s", integers.explain().c_str(), floats.explain().c_str());
}

}  // namespace

int main(int argc, char** argv) try {
  const auto [threads, explain] = bench::thread_arguments(argc, argv, {1, 2});
  for (int n : threads) {
    compare("ResNet-8 32", bench::resnet_8, n, explain);
    compare(
        "MobileNet v1 0.25 128",
        [](MLGraphBuilder& b, Precision p) { return bench::mobilenet_v1(b, p, 0.25f, 128); }, n,
        explain);
    compare(
        "MobileNet v1 1.0 224",
        [](MLGraphBuilder& b, Precision p) { return bench::mobilenet_v1(b, p, 1, 224); }, n,
        explain);
    compare("MobileNet v2 1.0 224", bench::quantized_mobilenet_v2, n, explain);
  }
} catch (const std::exception& e) {
  std::fprintf(stderr, "quantized: %s\n", e.what());
  return 1;
}
