#include "src/kernels/simd/quantized/lower.h"

#include "src/graph/fused/composed_chain.h"
#include "src/graph/op.h"
#include "src/kernels/simd/quantized/float_product.h"
#include "src/kernels/simd/quantized/lookup_table.h"

namespace webnn::inline v0_1::simd {
namespace {

/// A product of matrices of which the right ones are constant.
bool multiplies_constants(const QuantizedChain& c) {
  return c.op.as<ops::matmul>() && c.operands[1].x && c.operands[1].constant();
}

Lowering lower_composition(Chain chain, Requantization requantization, Int8DotProduct dot_product) {
  if (!chain.back().as<ops::quantizeLinear>()) return lower_float_product(chain, dot_product);
  auto parsed = quantized_chain(chain);
  if (const auto* refusal = std::get_if<Refusal>(&parsed)) return *refusal;
  auto& c = std::get<QuantizedChain>(parsed);
  c.requantization = requantization;
  if (auto table = lower_lookup_table(chain, c)) return std::move(*table);
  const bool has_floats = requantization == Requantization::floats;
  if (!c.clamps || (has_floats && multiplies_constants(c)))
    return lower_float_product(chain, dot_product, &c);
  Lowering lowering = Refusal{"quantized: no kernel for this operator"};
  const auto try_one = [&]<class T>(std::type_identity<T>) {
    if (const T* op = c.op.as<T>()) lowering = lower_quantized(*op, c, dot_product);
  };
  [&]<class... T>(ops::OpList<T...>) { (try_one(std::type_identity<T>{}), ...); }(Int8Ops{});
  return lowering;
}

/// What a kernel refers to lives as long as the kernel.
void keep(Candidate& kernel, const std::shared_ptr<const GraphData>& data) {
  kernel.run = [data, run = std::move(kernel.run)](Range r, const Buffers& b, std::byte* scratch) {
    run(r, b, scratch);
  };
  for (WeightBlock& block : kernel.weights)
    if (block.fill)
      block.fill = [data, fill = std::move(block.fill)](std::byte* to, int part) {
        fill(to, part);
      };
}

}  // namespace

Lowering lower_quantized(Chain chain, Int8DotProduct dot_product) {
  const ComposedChain composition = composed(chain);
  const auto* op = as<fused::quantizedOperator>(chain.front());
  Lowering lowering = lower_composition(composition.nodes, op->requantization, dot_product);
  if (auto* kernel = std::get_if<Candidate>(&lowering)) keep(*kernel, composition.data);
  return lowering;
}

}  // namespace webnn::inline v0_1::simd
