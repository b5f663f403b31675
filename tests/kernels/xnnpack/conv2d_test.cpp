#include "src/kernels/backends.h"
#include "tests/kernels/convolutions.h"

namespace webnn::inline v0_1::test {
namespace {

using enum MLInputOperandLayout;
const Backend& xnnpack() {
  static const auto backend = xnnpack_backend();
  return *backend;
}

}  // namespace

TEST_CASE("xnnpack: conv2d") { check_most(xnnpack(), 60, {}); }
TEST_CASE("xnnpack: pointwise conv2d") { check_most(xnnpack(), 30, {.pointwise = true}); }
TEST_CASE("xnnpack: depthwise conv2d") { check_most(xnnpack(), 40, {.depthwise = true}); }
TEST_CASE("xnnpack: grouped conv2d") { check_most(xnnpack(), 30, {.grouped = true}); }
TEST_CASE("xnnpack: conv2d with an epilogue") {
  check_most(xnnpack(), 40, {.epilogue = true, .only_clamps = true});
  check_most(xnnpack(), 30, {.depthwise = true, .epilogue = true, .only_clamps = true});
  check_most(xnnpack(), 30, {.grouped = true, .epilogue = true, .only_clamps = true});
  check_most(xnnpack(), 30, {.pointwise = true, .epilogue = true, .only_clamps = true});
}

TEST_CASE("xnnpack: large convolutions are cut into tiles of rows, of channels and of images") {
  const std::vector<std::pair<Dims, Dims>> shapes{{{1, 40, 40, 24}, {24, 3, 3, 24}},
                                                  {{1, 6, 6, 64}, {192, 3, 3, 64}},
                                                  {{2, 30, 30, 24}, {24, 3, 3, 24}},
                                                  {{9, 16, 16, 24}, {24, 3, 3, 24}}};
  for (const auto& shape : shapes) {
    const KernelCase c([&](MLGraphBuilder& b) {
      return conv(b, shape.first, shape.second, {.padding = {1, 1, 1, 1}});
    });
    const Lowering l = c.lower(xnnpack());
    REQUIRE(std::holds_alternative<Candidate>(l));
    CHECK(std::get<Candidate>(l).tiles >= 4);
    CHECK(std::get<Candidate>(l).tiles <= 8);
    check(xnnpack(), c);
  }
}

TEST_CASE("xnnpack: a kernel follows its buffers when they move") {
  const KernelCase c([](MLGraphBuilder& b) { return conv(b, {1, 9, 9, 5}, {7, 3, 3, 5}, {}); });
  const Lowering l = c.lower(xnnpack());
  const Candidate& kernel = std::get<Candidate>(l);
  const std::vector<float> first = c.run(kernel, {{0, kernel.tiles}});  // new memory each time
  std::vector<std::vector<float>> kept;
  for (int i = 0; i < 5; ++i) {
    kept.emplace_back(100000);
    CHECK(c.run(kernel, {{0, kernel.tiles}}) == first);
  }
}

TEST_CASE("xnnpack: conv2d is refused with a reason") {
  const auto reason = [](const KernelCase::Build& build) {
    return refusal(xnnpack(), KernelCase(build));
  };
  CHECK(reason([](MLGraphBuilder& b) {
          Random r(1);
          return b.conv2d(b.input("x", {float32, {1, 1, 4, 4}}), r.constant(b, {1, 1, 2, 2}));
        }) == "nchw");
  CHECK(reason([](MLGraphBuilder& b) {
          return b.conv2d(b.input("x", {float32, {1, 4, 4, 1}}),
                          b.input("f", {float32, {1, 1, 2, 2}}), {.inputLayout = nhwc});
        }) == "filter and bias are not constant");
  CHECK(reason([](MLGraphBuilder& b) {
          return conv(b, {1, 4, 4, 1}, {1, 2, 2, 1}, {.padding = {2, 0, 0, 0}});
        }) == "a window lies outside of the input");
  CHECK(reason([](MLGraphBuilder& b) {
          return conv(b, {1, 2100, 2100, 1}, {1, 100, 100, 1}, {});
        }) == "too many windows");
  CHECK_FALSE(reason([](MLGraphBuilder& b) {
                return b.sigmoid(conv(b, {1, 8, 8, 4}, {4, 3, 3, 4}, {}));
              }).empty());
}

TEST_CASE("xnnpack: extreme sizes are lowered or refused") {
  CHECK(lower_extremes(xnnpack(), 400) > 20);
}

}  // namespace webnn::inline v0_1::test
