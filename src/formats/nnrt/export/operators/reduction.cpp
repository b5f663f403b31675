// Reductions, the places of the least and largest elements, and normalizations.
#include <algorithm>

#include "src/formats/nnrt/export/lower.h"

namespace webnn::inline v0_1::nnrt::exporter {
namespace {

using enum ReduceMode;

Dims kept(Dims shape, const Dims& axes) {
  for (const std::uint32_t a : axes) shape[a] = 1;
  return shape;
}
Value reduced(Emitter& e, Value x, ReduceMode mode, const Dims& axes, bool keep,
              const Dims& shape) {
  return e.like(ReduceFusion{.keepDims = keep, .mode = mode}, {x, e.ints(axes)}, shape);
}

/// Over no dimensions: each element by itself.
Value of_one(Emitter& e, Value x, ReduceMode mode) {
  const bool is_signed = types::signed_numbers.contains(e.type(x));
  if ((mode == REDUCE_MODE_ASUM || mode == REDUCE_MODE_L2) && is_signed) return e.like(Abs{}, {x});
  if (mode == REDUCE_MODE_SUM_SQUARE) return e.like(MulFusion{}, {x, x});
  return e.copy(x);
}
template <class Op> Values reduce(LoweringContext& s, const Op& op, ReduceMode mode) {
  const Dims axes = axes_or_all(op.options.axes, op.input.rank());
  if (axes.empty()) return of_one(s.e(), s(op.input), mode);
  return reduced(s.e(), s(op.input), mode, axes, op.options.keepDimensions, s.shape());
}

}  // namespace

Values lower(LoweringContext& s, const ops::reduceL1& op) {
  return reduce(s, op, REDUCE_MODE_ASUM);
}
Values lower(LoweringContext& s, const ops::reduceL2& op) { return reduce(s, op, REDUCE_MODE_L2); }
Values lower(LoweringContext& s, const ops::reduceMax& op) {
  return reduce(s, op, REDUCE_MODE_MAX);
}
Values lower(LoweringContext& s, const ops::reduceMin& op) {
  return reduce(s, op, REDUCE_MODE_MIN);
}
Values lower(LoweringContext& s, const ops::reduceSum& op) {
  return reduce(s, op, REDUCE_MODE_SUM);
}
Values lower(LoweringContext& s, const ops::reduceMean& op) {
  return reduce(s, op, REDUCE_MODE_MEAN);
}
Values lower(LoweringContext& s, const ops::reduceProduct& op) {
  return reduce(s, op, REDUCE_MODE_PROD);
}
Values lower(LoweringContext& s, const ops::reduceSumSquare& op) {
  return reduce(s, op, REDUCE_MODE_SUM_SQUARE);
}
Values lower(LoweringContext& s, const ops::reduceLogSum& op) {
  const Values sum = reduce(s, op, REDUCE_MODE_SUM);
  return s.e().like(Log{}, {sum[0]});
}
/// The largest element is subtracted first and added behind, so that nothing overflows.
Values lower(LoweringContext& s, const ops::reduceLogSumExp& op) {
  Emitter& e = s.e();
  const Dims axes = axes_or_all(op.options.axes, op.input.rank());
  const Value x = s(op.input);
  if (axes.empty()) return e.copy(x);
  const Dims small = kept(e.shape(x), axes);
  const Value most = reduced(e, x, REDUCE_MODE_MAX, axes, true, small);
  const Value power = e.like(ExpFusion{}, {e.binary(SubFusion{}, x, most)});
  const Value sum = reduced(e, power, REDUCE_MODE_SUM, axes, true, small);
  return e.reshape(e.binary(AddFusion{}, e.like(Log{}, {sum}), most), s.shape());
}

namespace {

template <class Op> Values place_of(LoweringContext& s, const Op& op, Value x) {
  return s.e().node(ArgMaxFusion{.axis = op.axis, .topK = 1, .keepDims = op.options.keepDimensions},
                    {x}, s.type(), s.shape());
}

/// A vector of the elements, or of v.
Value vector_of(LoweringContext& s, const std::optional<MLOperand>& given, std::uint32_t size,
                double v) {
  return given ? s(*given) : s.e().filled(s.type(), {size}, v);
}

/// With a dimension as the last one.
Dims order_to_last(std::uint32_t rank, std::uint32_t axis) {
  Dims order;
  for (std::uint32_t d = 0; d < rank; ++d)
    if (d != axis) order.push_back(d);
  order.push_back(axis);
  return order;
}

}  // namespace

Values lower(LoweringContext& s, const ops::argMax& op) { return place_of(s, op, s(op.input)); }
/// The largest of what has the reverse order: of integers -1 - x, or the largest number - x.
Values lower(LoweringContext& s, const ops::argMin& op) {
  Emitter& e = s.e();
  const Value x = s(op.input);
  const MLOperandDataType type = op.input.dataType();
  if (types::floats.contains(type)) return place_of(s, op, e.like(Neg{}, {x}));
  const Value ones = e.constant(type, e.ones_like(x),
                                Constant::copy_of(std::vector<std::byte>(
                                    static_cast<std::size_t>(bits_of(type)) / 8, std::byte{0xff})));
  return place_of(s, op, e.like(SubFusion{}, {ones, x}, e.shape(x)));
}

Values lower(LoweringContext& s, const ops::batchNormalization& op) {
  Emitter& e = s.e();
  const auto& o = op.options;
  const std::uint32_t channels = op.input.shape()[o.axis];
  const Dims order = order_to_last(op.input.rank(), o.axis);
  const Value x = e.transpose(s(op.input), order);
  const Value y = e.like(FusedBatchNorm{.epsilon = static_cast<float>(o.epsilon)},
                         {x, vector_of(s, o.scale, channels, 1), vector_of(s, o.bias, channels, 0),
                          s(op.mean), s(op.variance)});
  return e.transpose(y, inverse(order));
}

Values lower(LoweringContext& s, const ops::instanceNormalization& op) {
  Emitter& e = s.e();
  const auto& o = op.options;
  const bool nchw = o.layout == MLInputOperandLayout::nchw;
  Value x = s(op.input);
  if (nchw) x = e.transpose(x, to_nhwc);
  const std::uint32_t channels = e.shape(x)[3];
  const Value y =
      e.like(InstanceNorm{.epsilon = static_cast<float>(o.epsilon)},
             {x, vector_of(s, o.scale, channels, 1), vector_of(s, o.bias, channels, 0)});
  return nchw ? e.transpose(y, to_nchw) : y;
}

/// Over the last dimensions, where the axes are brought.
Values lower(LoweringContext& s, const ops::layerNormalization& op) {
  Emitter& e = s.e();
  const auto& o = op.options;
  const std::uint32_t rank = op.input.rank();
  const Dims axes = ops::axes_of(op);
  if (axes.empty()) return s.refuse(fail("NNRt normalizes over at least one dimension"));
  Dims order, sizes;
  for (std::uint32_t d = 0; d < rank; ++d)
    if (std::find(axes.begin(), axes.end(), d) == axes.end()) order.push_back(d);
  const auto first = static_cast<std::int64_t>(order.size());
  order.insert(order.end(), axes.begin(), axes.end());
  for (const std::uint32_t a : axes) sizes.push_back(op.input.shape()[a]);
  const auto filled = [&](const std::optional<MLOperand>& given, double v) {
    return given ? s(*given) : e.filled(s.type(), sizes, v);
  };
  const Value y = e.like(LayerNormFusion{.beginNormAxis = first,
                                         .epsilon = static_cast<float>(o.epsilon),
                                         .elementwiseAffine = true,
                                         .beginParamsAxis = first},
                         {e.transpose(s(op.input), order), filled(o.scale, 1), filled(o.bias, 0)});
  return e.transpose(y, inverse(order));
}

}  // namespace webnn::inline v0_1::nnrt::exporter
