#include "src/kernels/backends.h"
#include "tests/support/catch.h"
#include "tests/support/random_cases.h"

namespace webnn::test {
namespace {

using enum MLInputOperandLayout;
const Backend& onednn() {
  static const auto backend = onednn_backend();
  return *backend;
}

/// Most of the cases must be taken: a refusal is allowed, not the rule.
void check_most(int cases, const ConvolutionKind& kind) {
  int taken = 0;
  for (int seed = 0; seed < cases; ++seed) {
    CAPTURE(seed);
    taken += check_if_taken(onednn(), random_conv2d(static_cast<unsigned>(seed), kind));
  }
  CHECK(taken >= cases * 9 / 10);
}

MLOperand conv(MLGraphBuilder& b, Dims x, Dims filter, MLConv2dOptions o) {
  Random r(7);
  o.inputLayout = nhwc;
  o.filterLayout = MLConv2dFilterOperandLayout::ohwi;
  return b.conv2d(b.input("x", {float32, std::move(x)}), r.constant(b, std::move(filter)),
                  std::move(o));
}

int tiles_of(const KernelCase& c) {
  const Lowering l = c.lower(onednn());
  REQUIRE(std::holds_alternative<Kernel>(l));
  return std::get<Kernel>(l).tiles;
}

}  // namespace

TEST_CASE("onednn: conv2d in nhwc") { check_most(60, {}); }
TEST_CASE("onednn: conv2d in nchw") { check_most(60, {.layout = nchw}); }
TEST_CASE("onednn: pointwise conv2d") {
  check_most(25, {.pointwise = true});
  check_most(15, {.layout = nchw, .pointwise = true});
}
TEST_CASE("onednn: depthwise conv2d") {
  check_most(40, {.depthwise = true});
  check_most(20, {.layout = nchw, .depthwise = true});
}
TEST_CASE("onednn: grouped conv2d") {
  check_most(25, {.grouped = true});
  check_most(15, {.layout = nchw, .grouped = true});
}
TEST_CASE("onednn: conv2d with what follows it") {
  check_most(80, {.epilogue = true});
  check_most(40, {.layout = nchw, .epilogue = true});
  check_most(40, {.depthwise = true, .epilogue = true});
  check_most(40, {.pointwise = true, .epilogue = true});
}
TEST_CASE("onednn: conv2d with a bias that is not constant") {
  check_most(20, {.constant_bias = false});
}

TEST_CASE("onednn: large convolutions are cut into tiles of rows, of channels and of images") {
  const std::vector<std::pair<Dims, Dims>> shapes{{{1, 40, 40, 24}, {24, 3, 3, 24}},
                                                  {{1, 6, 6, 64}, {192, 3, 3, 64}},
                                                  {{9, 16, 16, 24}, {24, 3, 3, 24}}};
  for (const auto& shape : shapes) {
    const KernelCase c([&](MLGraphBuilder& b) {
      return conv(b, shape.first, shape.second, {.padding = {1, 1, 1, 1}});
    });
    CHECK(tiles_of(c) >= 4);
    CHECK(tiles_of(c) <= 8);
    check(onednn(), c);
  }
}

TEST_CASE("onednn: what conv2d refuses, it refuses with a reason") {
  const auto reason = [](const KernelCase::Build& build) {
    return refusal(onednn(), KernelCase(build));
  };
  const auto conv_reason = [&](Dims x, Dims filter, MLConv2dOptions o) {
    return reason([&](MLGraphBuilder& b) { return conv(b, x, filter, o); });
  };
  CHECK(reason([](MLGraphBuilder& b) {
          return b.conv2d(b.input("x", {float32, {1, 1, 4, 4}}),
                          b.input("f", {float32, {1, 1, 2, 2}}));
        }) == "the filter is not constant");
  CHECK(conv_reason({1, 4, 4, 1}, {1, 200, 1, 1}, {.padding = {199, 199, 0, 0}}) ==
        "the filter is too large");
  CHECK(conv_reason({1, 4, 4, 1}, {1, 2, 2, 1}, {.strides = {300, 1}}) ==
        "a stride or dilation above 256");
  CHECK(conv_reason({1, 4, 4, 1}, {1, 2, 2, 1}, {.padding = {2, 0, 0, 0}}) ==
        "windows that lie outside of the input");
  CHECK(conv_reason({1, 1, 1, 1}, {1, 1, 1, 1}, {.padding = {0, 20'000'000, 0, 0}}) ==
        "a dimension is too large");
  CHECK(reason([](MLGraphBuilder& b) {
          return b.conv2d(b.input("x", {float16, {1, 1, 4, 4}}),
                          b.input("f", {float16, {1, 1, 2, 2}}));
        }) == "only float32");
  CHECK_FALSE(reason([](MLGraphBuilder& b) {
                return b.softplus(conv(b, {1, 8, 8, 4}, {4, 3, 3, 4}, {}));
              }).empty());
}

TEST_CASE("onednn: extreme sizes are taken or refused, and nothing else happens") {
  CHECK(lower_extremes(onednn(), 400) > 20);
}

}  // namespace webnn::test
