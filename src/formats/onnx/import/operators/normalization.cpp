// Normalizations.
#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {
namespace {

/// A vector of one value for each channel, in the shape of an input of that rank.
MLOperand per_channel(Call& c, const MLOperand& v, const MLOperand& input) {
  SizeList shape(input.rank(), 1);
  if (input.rank() > 1) shape[1] = Size::dimension(input, 1);
  const Size given = formats::product(formats::sizes_of(v)), expected = formats::product(shape);
  if (Call::differ(given, expected))
    c.refuse(
        fail("it has {} values for the channels of {}", given.number(), Call::shape_text(input)));
  return c.reshaped(v, shape);
}

/// In training the statistics are those of the input, and the running ones are results.
void batch_normalization_training(Call& c, const MLOperand& x, double epsilon) {
  const double momentum = c.real("momentum", 0.9);
  Dims axes{0};
  for (std::uint32_t i = 2; i < x.rank(); ++i) axes.push_back(i);
  const MLOperand mean = c.b.reduceMean(x, {.axes = axes});
  const MLOperand centered = c.b.sub(x, per_channel(c, mean, x));
  const MLOperand variance = c.b.reduceMean(c.b.mul(centered, centered), {.axes = axes});
  c.put(c.b.batchNormalization(
      x, mean, variance,
      {.scale = c.x(1), .bias = c.x(2), .epsilon = epsilon, .label = c.label()}));
  const auto running = [&](std::size_t i, const MLOperand& now) {
    if (!c.has_output(i - 2)) return;
    const MLOperand before = c.x(i);
    c.require_shape(before, now, "a running statistic");
    c.put(c.b.add(c.b.mul(before, c.scalar_like(x, momentum)),
                  c.b.mul(now, c.scalar_like(x, 1 - momentum))),
          i - 2);
  };
  running(3, mean);
  running(4, variance);
}

void batch_normalization(Call& c) {
  const MLOperand x = c.x();
  const double epsilon = c.real("epsilon", 1e-5);
  const bool training = c.version() >= 14 && c.integer("training_mode", 0) != 0;
  if (c.version() < 9 && c.integer("spatial", 1) == 0) c.unsupported("spatial = 0");
  if (c.version() < 7 && c.integer("is_test", 0) == 0)
    c.unsupported("it is in training mode of operator set 6");
  if (training) {
    batch_normalization_training(c, x, epsilon);
    return;
  }
  c.ignore("momentum");
  for (std::size_t i = 1; i < c.outputs(); ++i)
    c.no_output(i, "of running statistics, which exists in training,");
  const std::uint32_t axis = x.rank() > 1 ? 1 : 0;
  // Since operator set 14 scale and bias, mean and variance may have other types than x.
  bool same = true;
  for (std::size_t i = 1; i < 5; ++i) same = same && c.x(i).dataType() == x.dataType();
  const auto at = [&](std::size_t i) { return same ? c.x(i) : c.cast(c.x(i), float32); };
  const MLOperand y = c.b.batchNormalization(
      at(0), at(3), at(4),
      {.scale = at(1), .bias = at(2), .axis = axis, .epsilon = epsilon, .label = c.label()});
  c.put(c.cast(y, x.dataType()));
}

void instance_normalization(Call& c) {
  const MLOperand x = c.x();
  if (x.rank() < 3) c.refuse(fail("its input has shape {}", Call::shape_text(x)));
  const SizeList own = formats::sizes_of(x);
  const Size rest = formats::product(SizeList(own.begin() + 3, own.end()));
  const MLOperand y = c.b.instanceNormalization(
      c.reshaped(x, {own[0], own[1], own[2], rest}),
      {.scale = c.x(1), .bias = c.x(2), .epsilon = c.real("epsilon", 1e-5), .label = c.label()});
  c.put(c.reshaped(y, own));
}

/// The last axes, from `axis` on.
Dims last_axes(std::uint32_t axis, std::uint32_t rank) {
  Dims axes;
  for (std::uint32_t i = axis; i < rank; ++i) axes.push_back(i);
  return axes;
}

/// Scale and bias may have fewer dimensions than the axes, and broadcast.
MLOperand at_axes(Call& c, const MLOperand& v, const MLOperand& x, std::uint32_t axis) {
  SizeList shape = formats::sizes_of(x);
  shape.erase(shape.begin(), shape.begin() + axis);
  const auto same = [](const Size& a, const Size& b) { return a.same_as(b); };
  return std::ranges::equal(formats::sizes_of(v), shape, same) ? v : c.expand(v, shape);
}

MLOperand layer_normalized(Call& c, const MLOperand& x, std::uint32_t axis, const MLOperand& scale,
                           const std::optional<MLOperand>& bias, double epsilon) {
  MLLayerNormalizationOptions o{
      .axes = last_axes(axis, x.rank()), .epsilon = epsilon, .label = c.label()};
  o.scale = at_axes(c, scale, x, axis);
  if (bias) o.bias = at_axes(c, *bias, x, axis);
  return c.b.layerNormalization(x, o);
}

/// x in the type in which statistics are computed, which stash_type names.
MLOperand stashed(Call& c, const MLOperand& x) {
  const ElementType type = c.element_type("stash_type", ElementType::FLOAT);
  return type == ElementType::FLOAT16 ? x : c.cast(x, float32);
}

void layer_normalization(Call& c) {
  const MLOperand x = c.x();
  c.ignore("stash_type");
  const std::uint32_t axis = c.axis(c.integer("axis", -1), x.rank());
  const double epsilon = c.real("epsilon", 1e-5);
  c.put(layer_normalized(c, x, axis, c.x(1), c.optional(2), epsilon));
  if (!c.has_output(1) && !c.has_output(2)) return;
  const MLOperand wide = stashed(c, x);
  const MLReduceOptions over{.axes = last_axes(axis, x.rank()), .keepDimensions = true};
  const MLOperand mean = c.b.reduceMean(wide, over), centered = c.b.sub(wide, mean);
  c.put(mean, 1);
  const MLOperand variance = c.b.reduceMean(c.b.mul(centered, centered), over);
  c.put(c.b.reciprocal(c.b.sqrt(c.b.add(variance, c.scalar_like(wide, epsilon)))), 2);
}

/// The squares of float16 overflow: the quotient is float32, the result has the type of the scale.
MLOperand rms_normalized(Call& c, const MLOperand& input, std::uint32_t axis,
                         const MLOperand& scale, double epsilon, std::size_t inverse_output) {
  const MLOperand x = stashed(c, input);
  const MLReduceOptions over{.axes = last_axes(axis, x.rank()), .keepDimensions = true};
  const MLOperand mean = c.b.reduceMean(c.b.mul(x, x), over);
  const MLOperand root = c.b.sqrt(c.b.add(mean, c.scalar_like(x, epsilon)));
  if (c.has_output(inverse_output)) c.put(c.b.reciprocal(root), inverse_output);
  c.require_broadcast(scale, x, "the scale");
  return c.b.mul(c.cast(c.b.div(x, root), scale.dataType()), scale, {.label = c.label()});
}

/// RMSNormalization, and SimplifiedLayerNormalization.
void rms_normalization(Call& c) {
  const MLOperand x = c.x();
  c.ignore("stash_type");
  const std::uint32_t axis = c.axis(c.integer("axis", -1), x.rank());
  c.put(rms_normalized(c, x, axis, c.x(1), c.real("epsilon", 1e-5), 1));
}

/// x + skip, then a normalization: com.microsoft. Output 3 is the sum.
template <bool simplified> void skip_normalization(Call& c) {
  const double epsilon = c.real("epsilon", 1e-12);
  const std::size_t bias = simplified ? 3 : 4;
  c.require_broadcast(c.x(1), c.x(0), "the skip");
  MLOperand x = c.b.add(c.x(0), c.x(1));
  if (c.has(bias)) {
    c.require_broadcast(c.x(bias), x, "the bias");
    x = c.b.add(x, c.x(bias));
  }
  const std::uint32_t axis = x.rank() - 1;
  if (simplified) c.put(rms_normalized(c, x, axis, c.x(2), epsilon, 2));
  else c.put(layer_normalized(c, x, axis, c.x(2), c.optional(3), epsilon));
  c.put(x, 3);
}

/// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md: the sum of what
/// tables have for words, positions and segments, normalized.
void embed_layer_normalization(Call& c) {
  const MLOperand words = c.x(0);
  c.require_rank(words, 2, 2);
  const Size batch = Size::dimension(words, 0), n = Size::dimension(words, 1);
  MLOperand sum = c.b.gather(c.x(2), words);
  if (c.has(8)) sum = c.b.add(sum, c.b.gather(c.x(3), c.x(8)));
  else if (c.x(3).rank() != 2 ||
           (n.is_known() && c.sizes(3)[0].is_known() && c.sizes(3)[0].number() < n.number()))
    c.refuse(fail("positions of shape {} for {} words", Call::shape_text(c.x(3)), n.text()));
  else sum = c.b.add(sum, c.sliced(c.x(3), 0, 0, n));
  if (c.has(1)) sum = c.b.add(sum, c.b.gather(c.x(4), c.x(1)));
  c.put(layer_normalized(c, sum, 2, c.x(5), c.x(6), c.real("epsilon", 1e-12)));
  c.ignore("mask_index_type");
  if (c.has_output(1)) {
    const MLOperand none = c.expand(c.scalar(int32, 0), {batch});
    c.put(c.has(7) ? c.b.reduceSum(c.cast(c.x(7), int32), {.axes = {1}}) : none, 1);
  }
  c.put(sum, 2);
}

/// Groups of channels become images of one channel each.
MLOperand group_normalized(Call& c, const MLOperand& x, std::int64_t groups, double epsilon) {
  const std::uint32_t n = c.dimension(groups, "num_groups");
  const SizeList own = formats::sizes_of(x);
  if (own.size() < 2 || (own[1].is_known() && own[1].number() % n != 0))
    c.refuse(fail("num_groups ({}) does not divide the channels of {}", n, Call::shape_text(x)));
  const Size rest = own[1] / n * formats::product(SizeList(own.begin() + 2, own.end()));
  const MLOperand y = c.b.layerNormalization(c.reshape(x, {own[0], n, rest}),
                                             {.axes = {2}, .epsilon = epsilon, .label = c.label()});
  return c.reshape(y, own);
}

void group_normalization(Call& c) {
  const MLOperand x = c.x();
  c.ignore("stash_type");
  const std::int64_t groups = c.integer("num_groups", 0);
  const MLOperand y = group_normalized(c, x, groups, c.real("epsilon", 1e-5));
  const auto spread = [&](MLOperand v) {
    // Before operator set 21 there is one for each group.
    const Size channels = Size::dimension(x, 1), n = groups;
    if (c.version() < 21) {
      v = c.reshaped(v, {n, 1});
      v = c.expand(v, {n, channels / n});
    }
    return per_channel(c, v, x);
  };
  c.put(c.b.add(c.b.mul(y, spread(c.x(1))), spread(c.x(2))));
}

/// com.microsoft: channels are last, and an activation may follow. SkipGroupNorm adds first.
template <bool skip> void group_norm(Call& c) {
  MLOperand x = c.x();
  if (skip) {
    MLOperand other = c.x(3);
    if (other.rank() == 2 && x.rank() == 4)
      other = c.reshaped(other, {Size::dimension(other, 0), 1, 1, Size::dimension(other, 1)});
    c.require_broadcast(other, x, "the skip");
    x = c.b.add(x, other);
    if (c.has(4)) {
      c.require_broadcast(c.x(4), x, "the bias");
      x = c.b.add(x, c.x(4));
    }
    c.put(x, 1);
  }
  c.require_rank(x, 4, 4);
  const bool last = c.integer("channels_last", 1) != 0;
  const std::int64_t activation = c.integer("activation", 0);
  const MLOperand image = last ? c.b.transpose(x, {.permutation = {0, 3, 1, 2}}) : x;
  MLOperand y = group_normalized(c, image, c.integer("groups", 0), c.real("epsilon", 1e-5));
  y = c.b.add(c.b.mul(y, per_channel(c, c.x(1), image)), per_channel(c, c.x(2), image));
  if (activation == 1) y = c.b.mul(y, c.b.sigmoid(y));
  else if (activation != 0) c.refuse(fail("activation ({}) is not 0 or 1", activation));
  c.put(last ? c.b.transpose(y, {.permutation = {0, 2, 3, 1}}) : y);
}

/// x / (bias + alpha / size * sum of the squares of the channels around)^beta
void local_response_normalization(Call& c) {
  const MLOperand x = c.x();
  c.require_floats(x);
  const std::int64_t size = c.integer("size", 0);
  if (x.rank() < 2 || size < 1 || size > 0x7fffffff) c.refuse(fail("size ({})", size));
  const auto n = static_cast<std::uint32_t>(size);
  const std::uint32_t before = (n - 1) / 2;
  const SizeList own = formats::sizes_of(x);
  const Size rest = formats::product(SizeList(own.begin() + 2, own.end()));
  const MLOperand squares = c.reshape(c.b.mul(x, x), {own[0], 1, own[1], rest});
  const MLOperand means = c.b.averagePool2d(
      c.b.pad(squares, {0, 0, before, 0}, {0, 0, n - 1 - before, 0}), {.windowDimensions = {n, 1}});
  const MLOperand sum = c.b.linear(c.reshape(means, own),
                                   {.alpha = c.real("alpha", 1e-4), .beta = c.real("bias", 1)});
  c.put(c.b.div(x, c.b.pow(sum, c.scalar_like(x, c.real("beta", 0.75))), {.label = c.label()}));
}

void lp_normalization(Call& c) {
  const MLOperand x = c.x();
  const std::int64_t p = c.integer("p", 2);
  const MLReduceOptions over{.axes = {c.axis(c.integer("axis", -1), x.rank())},
                             .keepDimensions = true};
  if (p != 1 && p != 2) c.refuse(fail("p ({}) is not 1 or 2", p));
  const MLOperand norm = p == 1 ? c.b.reduceL1(x, over) : c.b.reduceL2(x, over);
  // Where the norm is 0, so is the result.
  const MLOperand zero = c.b.equal(norm, c.scalar_like(x, 0));
  c.put(c.b.div(x, c.b.where(zero, c.scalar_like(x, 1), norm), {.label = c.label()}));
}

void mean_variance_normalization(Call& c) {
  const MLOperand x = c.x();
  const Dims axes = c.axes(c.ints("axes").value_or(Ints{0, 2, 3}), x.rank());
  const MLReduceOptions over{.axes = axes, .keepDimensions = true};
  const MLOperand centered = c.b.sub(x, c.b.reduceMean(x, over));
  const MLOperand deviation = c.b.sqrt(c.b.reduceMean(c.b.mul(centered, centered), over));
  c.put(c.b.div(centered, c.b.add(deviation, c.scalar_like(x, 1e-9)), {.label = c.label()}));
}

constexpr Handler handlers[] = {
    {"BatchNormalization", &batch_normalization, 1, 5, 5, 5, "in training composed"},
    {"GroupNormalization", &group_normalization, 18, 3, 3, 1, "composed"},
    {"InstanceNormalization", &instance_normalization, 1, 3, 3},
    {"LRN", &local_response_normalization, 1, 1, 1, 1, "composed"},
    {"LayerNormalization", &layer_normalization, 1, 2, 3, 3},
    {"LpNormalization", &lp_normalization, 1, 1, 1, 1, "composed"},
    {"MeanVarianceNormalization", &mean_variance_normalization, 9, 1, 1, 1, "composed"},
    {"RMSNormalization", &rms_normalization, 23, 2, 2, 1, "composed"},
    {"SimplifiedLayerNormalization", &rms_normalization, 1, 2, 2, 2, "composed"},
    {"EmbedLayerNormalization", &embed_layer_normalization, 1, 7, 9, 3, "", "com.microsoft"},
    {"GroupNorm", &group_norm<false>, 1, 3, 3, 1, "composed", "com.microsoft"},
    {"SimplifiedLayerNormalization", &rms_normalization, 1, 2, 2, 2, "composed", "com.microsoft"},
    {"SkipGroupNorm", &group_norm<true>, 1, 4, 5, 2, "composed", "com.microsoft"},
    {"SkipLayerNormalization", &skip_normalization<false>, 1, 3, 5, 4,
     "without outputs of mean and deviation", "com.microsoft"},
    {"SkipSimplifiedLayerNormalization", &skip_normalization<true>, 1, 3, 4, 4, "composed",
     "com.microsoft"},
};

}  // namespace

std::span<const Handler> normalization_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
