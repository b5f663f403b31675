// What WEBNN_OPERATORS without softmax and unary makes.
#pragma once

#include "webnn/ops/sections.h"

namespace webnn::inline v0_1 {

using LeftOut = ops::Join<ops::SoftmaxSection::Operators, ops::UnarySection::Operators>::type;

}  // namespace webnn::inline v0_1
