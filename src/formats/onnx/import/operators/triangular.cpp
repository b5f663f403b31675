#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {
namespace {

void trilu(Call& c) {
  const MLOperand x = c.x();
  const std::int64_t k = c.has(1) ? c.integer(1) : 0;
  constexpr std::int64_t most = 0x7fffffff;
  c.put_like(0,
             c.b.triangular(x, {.upper = c.integer("upper", 1) != 0,
                                .diagonal = static_cast<std::int32_t>(std::clamp(k, -most, most)),
                                .label = c.label()}));
}

constexpr Handler handlers[] = {
    {"Trilu", &trilu, 14, 1, 2, 1, "the diagonal is known"},
};

}  // namespace

std::span<const Handler> triangular_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
