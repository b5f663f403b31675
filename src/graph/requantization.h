// How the results of quantized operators are rounded.
#pragma once

#include "webnn/data_type.h"

namespace webnn::inline v0_1 {

/// In float32, as dequantizeLinear, the operator and quantizeLinear compute it one after the other:
/// what a graph means. Or in fixed point as TensorFlow Lite's integer kernels do: graphs that are
/// imported from .tflite files have the integers of that library.
enum class Requantization { floats, fixedPoint };
constexpr auto names_of(Requantization) { return names("floats", "fixedPoint"); }

}  // namespace webnn::inline v0_1
