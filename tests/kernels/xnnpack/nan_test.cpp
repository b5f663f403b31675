// NaN and infinities come out as the formulas have them.
#include "src/kernels/backends.h"
#include "tests/support/catch.h"
#include "tests/support/kernel_case.h"

namespace webnn::inline v0_1::test {
namespace {

void check_special(const KernelCase::Build& build) {
  const auto backend = xnnpack_backend();
  KernelCase c(build);
  c.set_special_values();
  check_if_taken(*backend, c);
}

using Then = std::function<MLOperand(MLGraphBuilder&, const MLOperand&)>;
const std::vector<Then>& bounds() {
  static const std::vector<Then> all{
      [](auto&, auto& x) { return x; }, [](auto& b, auto& x) { return b.relu(x); },
      [](auto& b, auto& x) { return b.clamp(x, {.minValue = -0.5, .maxValue = 6}); }};
  return all;
}

}  // namespace

TEST_CASE("xnnpack: a NaN stays in functions of one operand") {
  const std::vector<Then> functions{[](auto& b, auto& x) { return b.abs(x); },
                                    [](auto& b, auto& x) { return b.ceil(x); },
                                    [](auto& b, auto& x) { return b.floor(x); },
                                    [](auto& b, auto& x) { return b.neg(x); },
                                    [](auto& b, auto& x) { return b.roundEven(x); },
                                    [](auto& b, auto& x) { return b.sqrt(b.abs(x)); },
                                    [](auto& b, auto& x) { return b.exp(x); },
                                    [](auto& b, auto& x) { return b.relu(x); },
                                    [](auto& b, auto& x) { return b.clamp(x, {.maxValue = 1}); },
                                    [](auto& b, auto& x) { return b.elu(x); },
                                    [](auto& b, auto& x) { return b.leakyRelu(x); },
                                    [](auto& b, auto& x) { return b.sigmoid(x); },
                                    [](auto& b, auto& x) { return b.tanh(x); },
                                    [](auto& b, auto& x) { return b.gelu(x); }};
  for (std::size_t i = 0; i < functions.size(); ++i)
    for (std::uint32_t n : {1u, 15u, 100u}) {
      CAPTURE(i, n);
      check_special([&](MLGraphBuilder& b) {
        return functions[i](b, b.input("x", {float32, {n}}));
      });
    }
}

TEST_CASE("xnnpack: a NaN stays in functions of two operands") {
  using Pair = std::function<MLOperand(MLGraphBuilder&, const MLOperand&, const MLOperand&)>;
  const std::vector<Pair> functions{[](auto& b, auto& x, auto& y) { return b.add(x, y); },
                                    [](auto& b, auto& x, auto& y) { return b.sub(x, y); },
                                    [](auto& b, auto& x, auto& y) { return b.mul(x, y); },
                                    [](auto& b, auto& x, auto& y) { return b.div(x, y); },
                                    [](auto& b, auto& x, auto& y) { return b.max(x, y); },
                                    [](auto& b, auto& x, auto& y) { return b.min(x, y); }};
  const std::vector<std::pair<Dims, Dims>> shapes{{{200}, {200}},
                                                  {{4, 3, 20}, {20}},
                                                  {{4, 1, 20}, {3, 1}},
                                                  {{1}, {70}},
                                                  {{3, 1, 5, 1}, {2, 1, 7}}};
  for (std::size_t i = 0; i < functions.size(); ++i)
    for (const auto& [a, z] : shapes) {
      CAPTURE(i, a, z);
      check_special([&](MLGraphBuilder& b) {
        return functions[i](b, b.input("x", {float32, a}), b.input("y", {float32, z}));
      });
    }
}

TEST_CASE("xnnpack: a NaN stays in convolutions, products and pools") {
  using enum MLConv2dFilterOperandLayout;
  for (std::size_t i = 0; i < bounds().size(); ++i)
    for (bool residual : {false, true}) {
      CAPTURE(i, residual);
      const auto ended = [&](MLGraphBuilder& b, MLOperand y) {
        if (residual) y = b.add(y, b.input("residual", {float32, y.shape()}));
        return bounds()[i](b, y);
      };
      for (auto layout : {oihw, hwio, ohwi, ihwo})
        for (std::uint32_t groups : {1u, 2u, 6u}) {
          CAPTURE(groups, name_of(layout));
          check_special([&](MLGraphBuilder& b) {
            Random r(3);
            const std::uint32_t in = 6 / groups;
            const Dims filter = layout == oihw   ? Dims{12, in, 3, 2}
                                : layout == hwio ? Dims{3, 2, in, 12}
                                : layout == ohwi ? Dims{12, 3, 2, in}
                                                 : Dims{in, 3, 2, 12};
            return ended(b, b.conv2d(b.input("x", {float32, {2, 17, 9, 6}}), r.constant(b, filter),
                                     {.padding = {1, 1, 0, 1},
                                      .strides = {2, 1},
                                      .groups = groups,
                                      .inputLayout = MLInputOperandLayout::nhwc,
                                      .filterLayout = layout,
                                      .bias = r.constant(b, {12})}));
          });
        }
      for (bool transposed : {false, true})
        check_special([&](MLGraphBuilder& b) {
          Random r(3);
          return ended(b,
                       b.gemm(b.input("x", {float32, {40, 7}}),
                              r.constant(b, transposed ? Dims{33, 7} : Dims{7, 33}),
                              {.c = r.constant(b, {33}), .alpha = 0.5, .bTranspose = transposed}));
        });
      check_special([&](MLGraphBuilder& b) {
        Random r(3);
        return ended(b, b.matmul(b.input("x", {float32, {2, 20, 7}}), r.constant(b, {7, 40})));
      });
    }
  for (bool max : {false, true})
    check_special([&](MLGraphBuilder& b) {
      const MLPool2dOptions o{.windowDimensions = {2, 3},
                              .padding = {1, 0, 1, 1},
                              .layout = MLInputOperandLayout::nhwc};
      const MLOperand x = b.input("x", {float32, {1, 20, 9, 6}});
      return max ? b.maxPool2d(x, o) : b.averagePool2d(x, o);
    });
}

/// Finite numbers whose sums are beyond float32 on the way.
TEST_CASE("xnnpack: infinities that meet in a product are a NaN or what double gives") {
  KernelCase c([](MLGraphBuilder& b) {
    Random r(3);
    return b.relu(b.matmul(b.input("x", {float32, {9, 8}}), r.constant(b, {8, 16}, 0.5, 1)));
  });
  std::vector<float> x(72);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = i % 2 ? 1e38f : 3e38f;
  c.set_input(0, x);
  const auto backend = xnnpack_backend();
  check_if_taken(*backend, c);
}

}  // namespace webnn::inline v0_1::test
