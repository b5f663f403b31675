// What WEBNN_OPERATORS without softmax and unary, and WEBNN_DATA_TYPES with float32 alone, make.
#pragma once

#include "webnn/ops/sections.h"

namespace webnn::inline v0_1 {

using LeftOut = ops::Join<ops::SoftmaxSection::Operators, ops::UnarySection::Operators>::type;
inline constexpr DataTypes built_types{float32};

inline constexpr bool own_operators_built = false;

}  // namespace webnn::inline v0_1
