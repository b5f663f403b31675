#include <algorithm>
#include <numeric>

#include "src/formats/tflite/import/call.h"
#include "src/graph/failure.h"
#include "src/operators/operators.h"

namespace webnn::inline v0_1::tflite {
namespace {

using Code = schema::BuiltinOperator;

/// The axes of input 1: from the end when negative, each once.
MLReduceOptions options_of(const Call& c, const MLOperand& x) {
  const auto o = c.options<schema::ReducerOptionsT>();
  Dims axes;
  if (c.has(1)) {
    for (std::int64_t axis : c.ints(1)) {
      const std::uint32_t a = c.axis(axis, x.rank());
      if (std::ranges::find(axes, a) == axes.end()) axes.push_back(a);
    }
  }
  return {.axes = axes, .keepDimensions = o.keep_dims, .label = c.label()};
}

void sum(Call& c) {
  const MLOperand x = c.value(0);
  c.put(c.b.reduceSum(x, options_of(c, x)));
}
void product(Call& c) {
  const MLOperand x = c.value(0);
  c.put(c.b.reduceProduct(x, options_of(c, x)));
}

/// The mean of integers is their sum divided by their number, truncated.
void mean(Call& c) {
  const MLOperand x = c.value(0);
  const MLReduceOptions o = options_of(c, x);
  if (types::floats.contains(x.dataType())) return c.put(c.b.reduceMean(x, o));
  Size count = 1;
  for (std::uint32_t axis : *o.axes) count = count * Size::dimension(x, axis);
  const MLOperand divisor = count.is_known() ? c.scalar_like(x, count.number())
                                             : c.b.cast(count.operand(c.b), x.dataType());
  c.put(c.b.div(c.b.reduceSum(x, o), divisor));
}

/// The extremes of quantized elements are the quantized extremes, when the scales are the same.
template <class F> void extreme(Call& c, F f) {
  const bool moves = c.same_scales(0);
  const MLOperand x = moves ? c.stored(0) : c.value(0);
  const MLOperand y = f(x, options_of(c, x));
  if (moves) c.put_stored(y);
  else c.put(y);
}
void maximum(Call& c) {
  extreme(c, [&](const auto& x, auto o) { return c.b.reduceMax(x, o); });
}
void minimum(Call& c) {
  extreme(c, [&](const auto& x, auto o) { return c.b.reduceMin(x, o); });
}

/// An element of BOOL is 0 or 1.
MLOperand truth(const Call& c) {
  const MLOperand x = c.stored(0);
  return c.b.notEqual(x, c.scalar_like(x, 0));
}
void any(Call& c) {
  const MLOperand x = truth(c);
  c.put_stored(c.b.reduceMax(x, options_of(c, x)));
}
void all(Call& c) {
  const MLOperand x = truth(c);
  c.put_stored(c.b.reduceMin(x, options_of(c, x)));
}

/// The axis of input 1; the result has no scales, and the order of quantized elements is that of
/// their values.
template <class Options, class F> void arg(Call& c, F f) {
  const auto o = c.options<Options>();
  const MLOperand x = c.stored(0);
  const std::uint32_t axis = c.axis(c.integer(1), x.rank());
  const auto type = c.out().type == schema::TensorType::INT64 ? int64 : int32;
  if (o.output_type != schema::TensorType::INT64 && o.output_type != schema::TensorType::INT32 &&
      o.output_type != schema::TensorType::FLOAT32)
    c.refuse(fail("the output_type is {}", name_of_type(o.output_type)));
  c.put_stored(f(x, axis, MLArgMinMaxOptions{.outputDataType = type, .label = c.label()}));
}
void arg_max(Call& c) {
  arg<schema::ArgMaxOptionsT>(
      c, [&](const auto& x, auto axis, auto o) { return c.b.argMax(x, axis, o); });
}
void arg_min(Call& c) {
  arg<schema::ArgMinOptionsT>(
      c, [&](const auto& x, auto axis, auto o) { return c.b.argMin(x, axis, o); });
}

void cumsum(Call& c) {
  const auto o = c.options<schema::CumsumOptionsT>();
  const MLOperand x = c.value(0);
  c.put(c.b.cumulativeSum(x, c.axis(c.integer(1), x.rank()),
                          {.exclusive = o.exclusive, .reversed = o.reverse, .label = c.label()}));
}

MLOperand counting(const Call& c, const Dims& shape) {
  std::vector<std::int32_t> values(element_count(shape));
  std::iota(values.begin(), values.end(), 0);
  return c.int32s(shape, values);
}

/// Where the largest k of each row of x [rows, n] are: [rows, k]. An element's place is the number
/// of those before it, which are larger, or equal and further left.
MLOperand places_of_largest(const Call& c, const MLOperand& x, std::uint32_t k) {
  const Size rows = Size::dimension(x, 0);
  const auto n = static_cast<std::uint32_t>(Size::dimension(x, 1).number());
  const MLOperand here = c.reshaped(x, SizeList{rows, n, 1}),
                  other = c.reshaped(x, SizeList{rows, 1, n});
  const MLOperand index = counting(c, {1, 1, n});
  const MLOperand to_the_left = c.b.lesser(index, counting(c, {1, n, 1}));
  const MLOperand before =
      c.b.logicalOr(c.b.greater(other, here), c.b.logicalAnd(c.b.equal(other, here), to_the_left));
  const MLOperand place = c.b.reduceSum(c.b.cast(before, int32), {.axes = {2}});
  const MLOperand chosen =
      c.b.equal(c.reshaped(place, SizeList{rows, 1, n}), counting(c, {1, k, 1}));
  return c.b.reduceSum(c.b.where(chosen, index, c.scalar(int32, 0)), {.axes = {2}});
}

/// The largest k along the last axis, each with its index. Pairs of elements are compared where
/// they are few, for which other implementations of WebNN have the operators.
void top_k(Call& c) {
  constexpr std::uint64_t max_pairs = std::uint64_t{1} << 16;
  const MLOperand x = c.stored(0);
  c.require_rank(x, 1, max_rank);
  SizeList shape = formats::sizes_of(x);
  const std::uint32_t axis = x.rank() - 1, n = static_cast<std::uint32_t>(shape[axis].number());
  const std::int64_t k = c.integer(1);
  if (k < 1 || k > n)
    c.refuse(fail("k ({}) is not from 1 to the size ({}) of the last axis", k, n));
  const auto type = c.out(1).type == schema::TensorType::INT64 ? int64 : int32;
  if (k == 1) {
    c.put_stored(c.b.reduceMax(x, {.axes = {axis}, .keepDimensions = true, .label = c.label()}));
    c.put_stored(c.b.argMax(x, axis, {.keepDimensions = true, .outputDataType = type}), 1);
    return;
  }
  const Size rows = formats::product({shape.begin(), shape.end() - 1});
  const auto known_rows = static_cast<std::uint64_t>(rows.is_known() ? rows.number() : 1);
  if (known_rows * n * n > max_pairs) {
    const auto results =
        c.b.custom(operators::top_k(), {x},
                   {.attributes = {{"k", k}, {"indexType", type == int64 ? "int64" : "int32"}},
                    .label = c.label()});
    c.put_stored(results[0]);
    c.put_stored(results[1], 1);
    return;
  }
  const MLOperand flat = c.reshaped(x, SizeList{rows, n});
  const MLOperand places = places_of_largest(c, flat, static_cast<std::uint32_t>(k));
  shape[axis] = k;
  c.put_stored(
      c.reshaped(c.b.gatherElements(flat, places, {.axis = 1, .label = c.label()}), shape));
  c.put_stored(c.b.cast(c.reshaped(places, shape), type), 1);
}

constexpr Handler handlers[] = {
    {Code::SUM, sum, 2, 2},
    {Code::REDUCE_PROD, product, 2, 2},
    {Code::MEAN, mean, 2, 2},
    {Code::REDUCE_MAX, maximum, 2, 2},
    {Code::REDUCE_MIN, minimum, 2, 2},
    {Code::REDUCE_ANY, any, 2, 2},
    {Code::REDUCE_ALL, all, 2, 2},
    {Code::ARG_MAX, arg_max, 2, 2},
    {Code::ARG_MIN, arg_min, 2, 2},
    {Code::CUMSUM, cumsum, 2, 2},
    {Code::TOPK_V2, top_k, 2, 2, 2, 2},
};

}  // namespace

std::span<const Handler> reduce_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::tflite
