// quantizeLinear and dequantizeLinear alone.
#include "tests/random/quantized_operands.h"

namespace webnn::inline v0_1::test {
namespace {

void make(Generator& g, std::type_identity<ops::dequantizeLinear>) {
  MLOperand x = g.any(types::quantized);
  if (g.chance(0.3)) x = integers(g, g.type_in(types::quantized), g.shape({0, 5}), g.chance(0.3));
  dequantized(g, x);
}

void make(Generator& g, std::type_identity<ops::quantizeLinear>) {
  quantized(g, g.exact(types::floats), g.type_in(types::quantized), g.chance(0.5));
}

}  // namespace

void generate(Generator& g, QuantizationFamily family, std::size_t kind) {
  with_kind(family, kind, [&](auto of) { make(g, of); });
}

}  // namespace webnn::inline v0_1::test
