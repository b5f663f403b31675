#include "src/kernels/backends.h"
#include "tests/kernels/convolutions.h"

namespace webnn::inline v0_1::test {
namespace {

using enum MLInputOperandLayout;
const Backend& onednn() {
  static const auto backend = onednn_backend();
  return *backend;
}

int tiles_of(const KernelCase& c) {
  const Lowering l = c.lower(onednn());
  REQUIRE(std::holds_alternative<Candidate>(l));
  return std::get<Candidate>(l).tiles;
}

}  // namespace

TEST_CASE("onednn: conv2d in nhwc") { check_most(onednn(), 60, {}); }
TEST_CASE("onednn: conv2d in nchw") { check_most(onednn(), 60, {.layout = nchw}); }
TEST_CASE("onednn: pointwise conv2d") {
  check_most(onednn(), 25, {.pointwise = true});
  check_most(onednn(), 15, {.layout = nchw, .pointwise = true});
}
TEST_CASE("onednn: depthwise conv2d") {
  check_most(onednn(), 40, {.depthwise = true});
  check_most(onednn(), 20, {.layout = nchw, .depthwise = true});
}
TEST_CASE("onednn: grouped conv2d") {
  check_most(onednn(), 25, {.grouped = true});
  check_most(onednn(), 15, {.layout = nchw, .grouped = true});
}
TEST_CASE("onednn: conv2d with an epilogue") {
  check_most(onednn(), 80, {.epilogue = true});
  check_most(onednn(), 40, {.layout = nchw, .epilogue = true});
  check_most(onednn(), 40, {.depthwise = true, .epilogue = true});
  check_most(onednn(), 40, {.pointwise = true, .epilogue = true});
}
TEST_CASE("onednn: conv2d with a bias that is not constant") {
  check_most(onednn(), 20, {.constant_bias = false});
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

TEST_CASE("onednn: no tile has a reference implementation because another chose the layout") {
  // With AVX-512, the tiles at the border have other blocks of channels than those between them.
  const std::vector<std::pair<Dims, Dims>> shapes{{{1, 14, 14, 96}, {192, 5, 5, 96}},
                                                  {{1, 14, 14, 160}, {200, 5, 5, 160}},
                                                  {{1, 14, 14, 160}, {192, 3, 3, 160}}};
  for (const auto& [x, filter] : shapes) {
    const Dims::value_type pad = filter[1] / 2;
    const KernelCase c([&](MLGraphBuilder& b) {
      return conv(b, x, filter, {.padding = {pad, pad, pad, pad}});
    });
    const Lowering l = c.lower(onednn());
    REQUIRE(std::holds_alternative<Candidate>(l));
    CHECK(std::get<Candidate>(l).tiles > 4);
    CHECK(std::get<Candidate>(l).name.find("ref") == std::string::npos);
    check(onednn(), c);
  }
}

TEST_CASE("onednn: conv2d is refused with a reason") {
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
        "a window lies outside of the input");
  CHECK(conv_reason({1, 1, 4, 1}, {1, 3, 1, 1}, {.padding = {3, 3, 0, 0}, .dilations = {2, 1}}) ==
        "a window lies outside of the input");
  CHECK(conv_reason({1, 6, 3, 1}, {1, 1, 2, 1}, {.strides = {1, 2}}) ==
        "the result has one column, and its strides differ");
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

TEST_CASE("onednn: extreme sizes are lowered or refused") {
  CHECK(lower_extremes(onednn(), 400) > 20);
}

}  // namespace webnn::inline v0_1::test
