// Determinants of matrices.
#include "src/formats/onnx/import/call.h"
#include "src/operators/operators.h"

namespace webnn::inline v0_1::onnx {
namespace {

void determinant(Call& c) {
  c.put(c.b.custom(operators::determinant(), {c.x()}, {.label = c.label()})[0]);
}

constexpr Handler handlers[] = {
    {"Det", &determinant, 11, 1, 1, 1, "as webnn.Determinant"},
};

}  // namespace

std::span<const Handler> determinant_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
