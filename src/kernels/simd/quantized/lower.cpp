#include "src/kernels/simd/quantized/lower.h"

#include "src/kernels/simd/quantized/float_product.h"
#include "src/kernels/simd/quantized/lookup_table.h"

namespace webnn::inline v0_1::simd {

Lowering lower_quantized(Chain chain, Int8DotProduct dot_product) {
  if (const auto* op = chain.front().as<ops::dequantizeLinear>(); op && chain.size() == 1)
    return lower_dequantize(*op);
  if (!chain.back().as<ops::quantizeLinear>()) return lower_float_product(chain, dot_product);
  const auto parsed = quantized_chain(chain);
  if (const auto* refusal = std::get_if<Refusal>(&parsed)) return *refusal;
  const auto& c = std::get<QuantizedChain>(parsed);
  if (auto table = lower_lookup_table(chain, c)) return std::move(*table);
  if (!c.clamps) return Refusal{"quantized: only relu and clamp can follow"};
  Lowering lowering = Refusal{"quantized: no kernel for this operator"};
  const auto try_one = [&]<class T>(std::type_identity<T>) {
    if (const T* op = c.op.as<T>()) lowering = lower_quantized(*op, c, dot_product);
  };
  [&]<class... T>(ops::OpList<T...>) { (try_one(std::type_identity<T>{}), ...); }(Int8Ops{});
  return lowering;
}

}  // namespace webnn::inline v0_1::simd
