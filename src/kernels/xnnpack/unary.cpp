// Functions of one operand.
#include "src/kernels/xnnpack/backend.h"
#include "src/kernels/xnnpack/tile.h"

namespace webnn::xnnpack {
namespace {

/// `cost`: operations of an element.
Lowering lower(Unary function, const Offer& offer, double cost, float p = 0, float q = 0) {
  const std::size_t count = element_count(offer.result.shape());
  const std::size_t wanted = tiles_for(static_cast<double>(count) * cost, 16384);
  const std::size_t each = ((count + wanted - 1) / wanted + 63) / 64 * 64;
  Tiles tiles;
  for (std::size_t at = 0; at < count; at += each) {
    Tile t;
    const std::size_t size = std::min(each, count - at);
    t.op = unary(function, size, p, q);
    t.a = {size, size % 4 != 0};
    t.columns = t.step = size;
    t.places = {{at, 0, at}};
    tiles.push_back(std::move(t));
  }
  return lowered(std::move(tiles), "unary", {0});
}

Lowering lower_clamp(const Offer& offer, float lo, float hi) {
  // Not every processor's minimum and maximum let a NaN pass.
  Operator probe = unary(Unary::clamp, 1, lo, hi);
  alignas(64) float x[16] = {std::numeric_limits<float>::quiet_NaN()}, y[16] = {};
  if (!probe || !probe.run(x, nullptr, y, nullptr)) return Refusal{"XNNPACK does not make the operator"};
  if (y[0] == y[0]) return Refusal{"a NaN becomes a bound"};
  return lower(Unary::clamp, offer, 1, lo, hi);
}

}  // namespace

Lowering lower(const ops::abs&, const Offer& o) { return lower(Unary::abs, o, 1); }
Lowering lower(const ops::ceil&, const Offer& o) { return lower(Unary::ceil, o, 1); }
Lowering lower(const ops::floor&, const Offer& o) { return lower(Unary::floor, o, 1); }
Lowering lower(const ops::neg&, const Offer& o) { return lower(Unary::neg, o, 1); }
Lowering lower(const ops::roundEven&, const Offer& o) { return lower(Unary::round_even, o, 1); }
Lowering lower(const ops::sqrt&, const Offer& o) { return lower(Unary::sqrt, o, 4); }
Lowering lower(const ops::exp&, const Offer& o) { return lower(Unary::exp, o, 8); }
Lowering lower(const ops::log&, const Offer& o) { return lower(Unary::log, o, 8); }
Lowering lower(const ops::hardSwish&, const Offer& o) { return lower(Unary::hard_swish, o, 2); }
Lowering lower(const ops::sigmoid&, const Offer& o) { return lower(Unary::sigmoid, o, 8); }
Lowering lower(const ops::tanh&, const Offer& o) { return lower(Unary::tanh, o, 8); }
Lowering lower(const ops::gelu&, const Offer& o) { return lower(Unary::gelu, o, 8); }

Lowering lower(const ops::elu& op, const Offer& o) {
  return lower(Unary::elu, o, 8, static_cast<float>(op.options.alpha));
}
Lowering lower(const ops::leakyRelu& op, const Offer& o) {
  return lower(Unary::leaky_relu, o, 1, static_cast<float>(op.options.alpha));
}
Lowering lower(const ops::relu&, const Offer& o) {
  return lower_clamp(o, 0, std::numeric_limits<float>::infinity());
}
Lowering lower(const ops::clamp& op, const Offer& o) {
  const auto bound = [](const std::optional<MLNumber>& value, float none) {
    const float v = value ? static_cast<float>(value->to(float32).as_double()) : none;
    return v != v ? none : v;
  };
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float lo = bound(op.options.minValue, -infinity), hi = bound(op.options.maxValue, infinity);
  if (!(lo < hi)) return Refusal{"the bounds are equal"};
  return lower_clamp(o, lo, hi);
}

}  // namespace webnn::xnnpack
