// Convolutions for the backends that call a library.
#pragma once

#include "tests/support/catch.h"
#include "tests/support/random_cases.h"

namespace webnn::inline v0_1::test {

/// At least nine of ten cases must be lowered.
inline void check_most(const Backend& backend, int cases, const ConvolutionKind& kind) {
  int lowered = 0;
  for (int seed = 0; seed < cases; ++seed) {
    CAPTURE(seed);
    const KernelCase c = random_conv2d(static_cast<unsigned>(seed), kind);
    // An activation that a library does not compute well enough says nothing about the rest.
    lowered += check_if_taken(backend, c) ||
               refusal(backend, c).find("is not exact enough") != std::string::npos;
  }
  CHECK(lowered >= cases * 9 / 10);
}

/// An nhwc convolution with a constant ohwi filter.
inline MLOperand conv(MLGraphBuilder& b, Dims x, Dims filter, MLConv2dOptions o) {
  Random r(7);
  o.inputLayout = MLInputOperandLayout::nhwc;
  o.filterLayout = MLConv2dFilterOperandLayout::ohwi;
  return b.conv2d(b.input("x", {float32, std::move(x)}), r.constant(b, std::move(filter)),
                  std::move(o));
}

}  // namespace webnn::inline v0_1::test
