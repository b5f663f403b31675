// Bits of integers.
#include "src/formats/onnx/import/call.h"
#include "src/operators/operators.h"

namespace webnn::inline v0_1::onnx {
namespace {

void bitwise(Call& c, std::string_view operation) {
  std::vector<MLOperand> operands;
  for (std::size_t i = 0; i < c.inputs(); ++i) operands.push_back(c.x(i));
  c.put(c.b.custom(operators::bitwise(), std::move(operands),
                   {.attributes = {{"operation", std::string(operation)}}, .label = c.label()})[0]);
}

constexpr Handler handlers[] = {
    {"BitwiseAnd", [](Call& c) { bitwise(c, "and"); }, 18, 2, 2, 1, "as webnn.Bitwise"},
    {"BitwiseNot", [](Call& c) { bitwise(c, "not"); }, 18, 1, 1, 1, "as webnn.Bitwise"},
    {"BitwiseOr", [](Call& c) { bitwise(c, "or"); }, 18, 2, 2, 1, "as webnn.Bitwise"},
    {"BitwiseXor", [](Call& c) { bitwise(c, "xor"); }, 18, 2, 2, 1, "as webnn.Bitwise"},
};

}  // namespace

std::span<const Handler> bitwise_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
