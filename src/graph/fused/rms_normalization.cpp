#include "src/graph/fused/rms_normalization.h"

#include "src/graph/fused/composer.h"

namespace webnn::inline v0_1::fused {

bool is_row_of(const MLOperand& scale, const MLOperand& x) {
  return scale.rank() > 0 && scale.rank() <= x.rank() && scale.shape().back() == x.shape().back() &&
         element_count(scale.shape()) == x.shape().back();
}

Result<ops::Shapes> infer(const rmsNormalization& op) {
  const auto& scale = op.options.scale;
  if (scale && !is_row_of(*scale, op.input))
    return fail("the shape of scale ({}) is not that of the last dimension of input ({})",
                std::span(scale->shape()), std::span(op.input.shape()));
  return composed_shapes(op);
}

namespace {

/// a * b, or b * a: a NaN of one operand may be another than that of the other.
MLOperand product(const MLOperand& a, const MLOperand& b, bool swapped, const std::string& label,
                  Composer& to) {
  return to.add(ops::mul{swapped ? b : a, swapped ? a : b, {.label = label}});
}

}  // namespace

MLOperand compose(const rmsNormalization& op, Composer& to) {
  const MLOperand& x = op.input;
  const RmsNormalizationOptions& o = op.options;
  const std::string last = o.scale ? "" : o.label;
  const MLOperand square =
      o.square == Square::product ? to.add(ops::mul{x, x}) : to.add(ops::pow{x, to.constant(2)});
  const MLOperand mean =
      to.add(ops::reduceMean{square, {.axes = Dims{x.rank() - 1}, .keepDimensions = true}});
  const MLOperand sum = to.add(ops::add{mean, to.constant(o.epsilon)});
  MLOperand y;
  if (o.form == RootQuotient::power) {
    y = product(x, to.add(ops::pow{sum, to.constant(-0.5)}), o.factorFirst, last, to);
  } else {
    const MLOperand root = to.add(ops::sqrt{sum});
    if (o.form == RootQuotient::quotient) {
      y = to.add(ops::div{x, root, {.label = last}});
    } else {
      const MLOperand factor = o.form == RootQuotient::reciprocal
                                   ? to.add(ops::reciprocal{root})
                                   : to.add(ops::div{to.constant(1), root});
      y = product(x, factor, o.factorFirst, last, to);
    }
  }
  return o.scale ? product(y, *o.scale, o.scaleFirst, o.label, to) : y;
}

}  // namespace webnn::inline v0_1::fused
