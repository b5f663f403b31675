#include <cmath>

#include "src/kernels/backends.h"
#include "tests/support/catch.h"
#include "tests/support/random_cases.h"

// Functions of the OpenMP runtime that oneDNN uses; <omp.h> may belong to another.
extern "C" int omp_get_max_threads(void);
extern "C" void omp_set_num_threads(int);

namespace webnn::inline v0_1::test {
namespace {

constexpr std::uint32_t side = 24, channels = 32;

/// Convolutions, which run on oneDNN, alternating with products and sums, which run on XNNPACK.
MLOperand network(MLGraphBuilder& b) {
  Random r(11);
  MLOperand x = b.input("x", {float32, {1, side, side, channels}});
  for (int i = 0; i < 4; ++i) {
    const MLOperand y = b.conv2d(x, r.constant(b, {channels, 3, 3, channels}, -0.1f, 0.1f),
                                 {.padding = {1, 1, 1, 1},
                                  .inputLayout = MLInputOperandLayout::nhwc,
                                  .filterLayout = MLConv2dFilterOperandLayout::ohwi});
    x = b.add(b.mul(b.abs(y), r.constant(b, {side, 1, channels})), x);
  }
  return b.softmax(x, 3);
}

std::vector<float> run(std::vector<BackendChoice> backends, int threads,
                       std::string* explained = nullptr) {
  MLContext context({.threads = threads, .backends = std::move(backends)});
  MLGraphBuilder b(context);
  const MLGraph graph = b.build({{"y", network(b)}});
  if (explained) *explained = graph.explain();
  std::vector<float> x = Random(3).floats(side * side * channels), y(x.size());
  for (int i = 0; i < 20; ++i) context.compute(graph, {{"x", x}}, {{"y", y}});
  return y;
}

}  // namespace

TEST_CASE("onednn and xnnpack in turn, in one graph: right, and the same for any threads") {
  const auto names = backend_names();
  if (std::find(names.begin(), names.end(), "xnnpack") == names.end()) return;
  const std::vector<BackendChoice> both{"onednn", "xnnpack", "reference"};
  std::string explained;
  const std::vector<float> one = run(both, 1, &explained), reference = run({"reference"}, 1);
  CHECK(explained.find("onednn") != std::string::npos);
  CHECK(explained.find("xnnpack") != std::string::npos);
  CHECK(one == run(both, 2));
  CHECK(one == run(both, 5));
  double most = 0;
  for (std::size_t i = 0; i < one.size(); ++i)
    most =
        std::max(most, std::abs(static_cast<double>(one[i]) - static_cast<double>(reference[i])));
  CHECK(most < 1e-5);
}

TEST_CASE("onednn: the caller's OpenMP setting stays as it was") {
  const int before = omp_get_max_threads();
  omp_set_num_threads(3);
  run({"onednn", "reference"}, 2);
  CHECK(omp_get_max_threads() == 3);
  omp_set_num_threads(before);
}

}  // namespace webnn::inline v0_1::test
