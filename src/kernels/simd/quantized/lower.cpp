#include "src/kernels/simd/quantized/lower.h"

#include "src/kernels/simd/quantized/tables.h"

namespace webnn::simd {

Lowering lower_quantized(Chain chain) {
  if (const auto* alone = chain.front().as<ops::dequantizeLinear>(); alone && chain.size() == 1)
    return lower_dequantize(*alone);
  const auto parsed = quantized_chain(chain);
  if (const auto* refusal = std::get_if<Refusal>(&parsed)) return *refusal;
  const auto& c = std::get<QuantizedChain>(parsed);
  if (auto table = lower_lookup_table(chain, c)) return std::move(*table);
  if (!c.clamps) return Refusal{"quantized: another function than clamp follows"};
  Lowering lowering = Refusal{"quantized: no kernel for it"};
  const auto try_one = [&]<class T>(std::type_identity<T>) {
    if (const T* op = c.op.as<T>()) lowering = lower_quantized(*op, c);
  };
  [&]<class... T>(ops::OpList<T...>) { (try_one(std::type_identity<T>{}), ...); }(QuantizedOps{});
  return lowering;
}

}  // namespace webnn::simd
