// The names of operands in the specification of ONNX: https://onnx.ai/onnx/operators. Private.
#pragma once

#include <string>
#include <string_view>

namespace webnn::inline v0_1::onnx {

/// That of input i of an operator, "X"; empty where it is not known here.
std::string operand_name(std::string_view domain, std::string_view op, std::size_t i);

}  // namespace webnn::inline v0_1::onnx
