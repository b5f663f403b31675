#include "src/graph/fused/dynamic_quantize_linear.h"

#include "src/graph/fused/composer.h"

namespace webnn::inline v0_1::fused {
namespace {

template <class Op> MLOperand with_zero(Composer& to, const MLOperand& x, bool first) {
  const MLOperand zero = to.constant(0);
  return first ? to.add(Op{zero, x}) : to.add(Op{x, zero});
}
MLOperand in_bytes(Composer& to, const MLOperand& x, std::string label = {}) {
  const MLOperand c = to.add(ops::clamp{x, {.minValue = 0, .maxValue = 255}});
  return to.add(ops::cast{c, uint8, {.label = std::move(label)}}, uint8);
}
MLOperand with_rank(Composer& to, const MLOperand& x, std::uint32_t rank) {
  return rank ? to.add(ops::reshape{x, Dims(rank, 1)}) : x;
}

}  // namespace

Result<ops::Shapes> infer(const dynamicQuantizeLinear& op) { return composed_shapes(op); }

std::vector<MLOperand> compose(const dynamicQuantizeLinear& op, Composer& to) {
  const MLOperand& x = op.input;
  const DynamicQuantizeLinearOptions& o = op.options;
  const MLOperand high = with_zero<ops::max>(to, to.add(ops::reduceMax{x}), o.zeroFirstInMax);
  const MLOperand low = with_zero<ops::min>(to, to.add(ops::reduceMin{x}), o.zeroFirstInMin);
  const MLOperand range = to.add(ops::sub{high, low});
  MLOperand scale = to.add(ops::div{range, to.constant(255)});
  if (o.guarded) {
    const MLOperand empty = to.add(ops::equal{range, to.constant(0)}, uint8);
    scale = to.add(ops::where{empty, to.constant(1), scale}, float32);
  }
  const MLOperand place = to.add(ops::neg{to.add(ops::div{low, scale})});
  const MLOperand zero = in_bytes(to, to.add(ops::roundEven{place}));
  if (o.quotient == Quotient::exact) {
    const MLOperand s = with_rank(to, scale, x.rank()), z = with_rank(to, zero, x.rank());
    return {to.add(ops::quantizeLinear{x, s, z, {.label = o.label}}, uint8), scale, zero};
  }
  const MLOperand quotient = to.add(ops::roundEven{to.add(ops::div{x, scale})});
  const MLOperand sum = to.add(ops::add{quotient, to.add(ops::cast{zero, float32}, float32)});
  return {in_bytes(to, sum, o.label), scale, zero};
}

}  // namespace webnn::inline v0_1::fused
