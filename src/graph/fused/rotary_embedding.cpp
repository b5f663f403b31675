#include "src/graph/fused/rotary_embedding.h"

#include "src/graph/fused/composer.h"
#include "webnn/shape/broadcast.h"

namespace webnn::inline v0_1::fused {
namespace {

/// The first or the second elements of the pairs.
MLOperand part(const MLOperand& x, RotaryPairs pairs, bool second, Composer& to) {
  const std::uint32_t half = x.shape().back() / 2;
  ops::slice op{x, Dims(x.rank(), 0), x.shape()};
  if (pairs == RotaryPairs::interleaved) {
    Dims strides(x.rank(), 1);
    strides.back() = 2;
    op.starts.back() = second ? 1 : 0;
    op.sizes.back() = 2 * half - 1;
    op.options.strides = strides;
  } else {
    op.starts.back() = second ? half : 0;
    op.sizes.back() = half;
  }
  return to.add(std::move(op));
}

/// Rows whose pairs have these elements.
MLOperand joined(const MLOperand& first, const MLOperand& second, const rotaryEmbedding& op,
                 const std::string& label, Composer& to) {
  const Dims& shape = op.input.shape();
  const auto last = static_cast<std::uint32_t>(shape.size()) - 1;
  if (op.options.pairs == RotaryPairs::halves)
    return to.add(ops::concat{{first, second}, last, {.label = label}});
  const Dims column{static_cast<std::uint32_t>(element_count(shape) / 2), 1};
  const MLOperand a = to.add(ops::reshape{first, column}), b = to.add(ops::reshape{second, column});
  return to.add(ops::reshape{to.add(ops::concat{{a, b}, 1}), shape, {.label = label}});
}

bool is_factor(const MLOperand& factor, const rotaryEmbedding& op) {
  Dims to = op.input.shape();
  if (op.options.form == RotaryForm::pairs) to.back() /= 2;
  return factor.shape().back() == to.back() &&
         shape::broadcasts_to(shape::sizes(factor.shape()), shape::sizes(to));
}

}  // namespace

Result<ops::Shapes> infer(const rotaryEmbedding& op) {
  const Dims& x = op.input.shape();
  if (x.back() % 2 != 0) return fail("the last dimension ({}) of input is not even", x.back());
  if (!is_factor(op.cos, op) || !is_factor(op.sin, op))
    return fail("cos and sin ({} and {}) do not fit the shape of input ({})",
                std::span(op.cos.shape()), std::span(op.sin.shape()), std::span(x));
  return composed_shapes(op);
}

MLOperand compose(const rotaryEmbedding& op, Composer& to) {
  const RotaryEmbeddingOptions& o = op.options;
  const MLOperand b = part(op.input, o.pairs, true, to), a = part(op.input, o.pairs, false, to);
  if (o.form == RotaryForm::rows) {
    const MLOperand turned = joined(to.add(ops::neg{b}), a, op, "", to);
    return to.add(ops::add{
        to.add(ops::mul{op.input, op.cos}), to.add(ops::mul{turned, op.sin}), {.label = o.label}});
  }
  const MLOperand first =
      to.add(ops::sub{to.add(ops::mul{a, op.cos}), to.add(ops::mul{b, op.sin})});
  const MLOperand second =
      to.add(ops::add{to.add(ops::mul{a, op.sin}), to.add(ops::mul{b, op.cos})});
  return joined(first, second, op, o.label, to);
}

}  // namespace webnn::inline v0_1::fused
