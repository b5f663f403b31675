// The layouts of filters of conv2d.
#pragma once

#include "webnn/ops/conv2d.h"

namespace webnn::inline v0_1::test {

/// The shape of a filter, or the place of an element in it.
inline Dims in_layout(MLConv2dFilterOperandLayout layout, std::uint32_t outputs,
                      std::uint32_t inputs, std::uint32_t height, std::uint32_t width) {
  using enum MLConv2dFilterOperandLayout;
  switch (layout) {
    case oihw: return {outputs, inputs, height, width};
    case hwio: return {height, width, inputs, outputs};
    case ohwi: return {outputs, height, width, inputs};
    case ihwo: return {inputs, height, width, outputs};
  }
  return {};
}

}  // namespace webnn::inline v0_1::test
