#include <limits>

#include "src/kernels/backends.h"
#include "tests/support/catch.h"
#include "tests/support/random_cases.h"

namespace webnn::inline v0_1::test {
namespace {

using enum MLInputOperandLayout;
const Backend& onednn() {
  static const auto backend = onednn_backend();
  return *backend;
}

}  // namespace

TEST_CASE("onednn: pooling") {
  int lowered = 0, asked = 0;
  for (unsigned seed = 0; seed < 40; ++seed)
    for (auto layout : {nhwc, nchw})
      for (bool max : {false, true})
        for (bool dilated : {false, true}) {
          CAPTURE(seed, static_cast<int>(layout), max, dilated);
          ++asked;
          lowered += check_if_taken(onednn(), random_pool2d(seed, layout, max, dilated));
        }
  CHECK(lowered >= asked * 8 / 10);
}

TEST_CASE("onednn: the largest of nothing but -Infinity") {
  KernelCase c([](MLGraphBuilder& b) {
    return b.maxPool2d(b.input("x", {float32, {1, 4, 4, 16}}),
                       {.windowDimensions = {2, 2}, .strides = {2, 2}, .layout = nhwc});
  });
  c.set_input(0, std::vector<float>(256, -std::numeric_limits<float>::infinity()));
  check(onednn(), c);
}

TEST_CASE("onednn: l2 pooling is refused with a reason") {
  CHECK(refusal(onednn(), KernelCase([](MLGraphBuilder& b) {
                  return b.l2Pool2d(b.input("x", {float32, {1, 2, 4, 4}}));
                })) == "oneDNN has no such operator");
}

}  // namespace webnn::inline v0_1::test
