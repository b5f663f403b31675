// A NaN stays one, whatever follows what made it.
#include "src/kernels/backends.h"
#include "tests/support/catch.h"
#include "tests/support/kernel_case.h"

namespace webnn::inline v0_1::test {
namespace {

using Then = std::function<MLOperand(MLGraphBuilder&, const MLOperand&)>;

const std::vector<Then>& activations() {
  static const std::vector<Then> all{
      [](auto&, auto& x) { return x; },
      [](auto& b, auto& x) { return b.relu(x); },
      [](auto& b, auto& x) { return b.clamp(x, {.minValue = -0.5, .maxValue = 6}); },
      [](auto& b, auto& x) { return b.clamp(x, {.maxValue = 1}); },
      [](auto& b, auto& x) { return b.leakyRelu(x, {.alpha = 0.1}); },
      [](auto& b, auto& x) { return b.leakyRelu(x, {.alpha = -2}); },
      [](auto& b, auto& x) { return b.leakyRelu(x, {.alpha = 0}); },
      [](auto& b, auto& x) { return b.elu(x, {.alpha = 0.7}); },
      [](auto& b, auto& x) { return b.hardSigmoid(x); },
      [](auto& b, auto& x) { return b.sigmoid(x); },
      [](auto& b, auto& x) { return b.tanh(x); },
      [](auto& b, auto& x) { return b.gelu(x); },
      [](auto& b, auto& x) { return b.linear(x, {.alpha = -1.5, .beta = 0.25}); }};
  return all;
}

void check_special(const KernelCase::Build& build) {
  const auto backend = onednn_backend();
  KernelCase c(build);
  c.set_special_values();
  check_if_taken(*backend, c);
}

}  // namespace

TEST_CASE("onednn: a NaN stays behind a convolution") {
  for (std::size_t i = 0; i < activations().size(); ++i)
    for (bool nhwc : {false, true})
      for (bool residual : {false, true}) {
        CAPTURE(i, nhwc, residual);
        check_special([&](MLGraphBuilder& b) {
          Random r(3);
          const MLOperand x = b.input("x", {float32, nhwc ? Dims{1, 9, 7, 5} : Dims{1, 5, 9, 7}});
          const auto layout = nhwc ? MLInputOperandLayout::nhwc : MLInputOperandLayout::nchw;
          MLOperand y = b.conv2d(x, r.constant(b, {20, 5, 3, 3}),
                                 {.padding = {1, 1, 1, 1}, .inputLayout = layout});
          if (residual) y = b.add(y, b.input("residual", {float32, y.shape()}));
          return activations()[i](b, y);
        });
      }
}

TEST_CASE("onednn: a NaN stays behind a product") {
  for (std::size_t i = 0; i < activations().size(); ++i)
    for (bool constant : {false, true}) {
      CAPTURE(i, constant);
      check_special([&](MLGraphBuilder& b) {
        Random r(3);
        const MLOperand w = constant ? r.constant(b, {7, 33}) : b.input("w", {float32, {7, 33}});
        const MLOperand y =
            b.gemm(b.input("x", {float32, {20, 7}}), w, {.c = r.constant(b, {33}), .alpha = 0.5});
        return activations()[i](b, y);
      });
    }
}

}  // namespace webnn::inline v0_1::test
