#include <limits>

#include "src/kernels/backends.h"
#include "tests/support/catch.h"
#include "tests/support/random_cases.h"

namespace webnn::inline v0_1::test {
namespace {

using enum MLInputOperandLayout;
const Backend& xnnpack() {
  static const auto backend = xnnpack_backend();
  return *backend;
}

}  // namespace

TEST_CASE("xnnpack: pooling") {
  unsigned lowered = 0;
  constexpr unsigned cases = 60;
  for (unsigned seed = 0; seed < cases; ++seed) {
    CAPTURE(seed);
    lowered += check_if_taken(xnnpack(), random_pool2d(seed, nhwc, false, false));
    lowered += check_if_taken(xnnpack(), random_pool2d(seed, nhwc, true, false));
    check_if_taken(xnnpack(), random_pool2d(seed, nhwc, true, true));
  }
  CHECK(lowered >= 2 * cases * 8 / 10);
}

TEST_CASE("xnnpack: the average of the whole image, in tiles of channels") {
  const KernelCase c([](MLGraphBuilder& b) {
    return b.averagePool2d(b.input("x", {float32, {1, 14, 14, 1280}}), {.layout = nhwc});
  });
  const Lowering l = c.lower(xnnpack());
  REQUIRE(std::holds_alternative<Candidate>(l));
  CHECK(std::get<Candidate>(l).tiles > 1);
  check(xnnpack(), c);
}

TEST_CASE("xnnpack: the largest of nothing but -Infinity") {
  KernelCase c([](MLGraphBuilder& b) {
    return b.maxPool2d(b.input("x", {float32, {1, 4, 4, 16}}),
                       {.windowDimensions = {2, 2}, .strides = {2, 2}, .layout = nhwc});
  });
  c.set_input(0, std::vector<float>(256, -std::numeric_limits<float>::infinity()));
  check(xnnpack(), c);
}

TEST_CASE("xnnpack: dilations and padding at once are refused") {
  const auto reason = [](const MLPool2dOptions& o) {
    return refusal(xnnpack(), KernelCase([&](MLGraphBuilder& b) {
                     return b.maxPool2d(b.input("x", {float32, {1, 8, 8, 4}}), o);
                   }));
  };
  CHECK(reason({.windowDimensions = {3, 3},
                .padding = {1, 1, 1, 1},
                .dilations = {2, 2},
                .layout = nhwc}) == "dilations and padding at once");
  CHECK(reason({.windowDimensions = {3, 3}, .dilations = {2, 2}, .layout = nhwc}).empty());
  CHECK(reason({.windowDimensions = {3, 3}}) == "nchw");
}

}  // namespace webnn::inline v0_1::test
