#include <algorithm>

#include "src/formats/tflite/import/call.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite {
namespace {

using Code = schema::BuiltinOperator;

/// Inputs: the tensor, where the slice begins, and its sizes, -1 for all that follows.
void slice(Call& c) {
  const MLOperand x = c.stored(0);
  const auto begin = c.ints(1), size = c.ints(2);
  if (begin.size() != x.rank() || size.size() != x.rank())
    c.refuse(fail("begin and size have {} and {} entries for {} dimensions", begin.size(),
                  size.size(), x.rank()));
  Dims starts, sizes;
  for (std::uint32_t d = 0; d < x.rank(); ++d) {
    const std::int64_t all = x.shape()[d];
    if (begin[d] < 0 || begin[d] >= all)
      c.refuse(fail("begin[{}] ({}) is not within dimension {} ({})", d, begin[d], d, all));
    starts.push_back(static_cast<std::uint32_t>(begin[d]));
    sizes.push_back(c.dimension(size[d] == -1 ? all - begin[d] : size[d], "a size"));
  }
  c.put_stored(c.b.slice(x, starts, sizes, {.label = c.label()}));
}

struct Masks {
  std::int32_t begin, end, ellipsis, new_axis, shrink;
  static bool has(std::int32_t mask, std::size_t i) { return i < 31 && (mask >> i & 1) != 0; }
};

/// One dimension of a strided slice: `count` elements from `start`.
struct Interval {
  std::int64_t start = 0, stride = 1, count = 0;
  bool shrinks = false;
};

Interval interval_of(const Call& c, std::int64_t size, std::int64_t begin, std::int64_t end,
                     std::int64_t stride, const Masks& masks, std::size_t i) {
  if (stride == 0) c.refuse(fail("strides[{}] is zero", i));
  const auto from_end = [&](std::int64_t v) { return v < 0 ? v + size : v; };
  if (Masks::has(masks.shrink, i)) {
    const std::int64_t at = from_end(Masks::has(masks.begin, i) ? 0 : begin);
    if (at < 0 || at >= size)
      c.refuse(fail("begin[{}] ({}) is not within a dimension of {}", i, begin, size));
    return {at, 1, 1, true};
  }
  const std::int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? size : size - 1;
  const auto within = [&](std::int64_t v) { return std::clamp(from_end(v), low, high); };
  begin = Masks::has(masks.begin, i) ? (stride > 0 ? low : high) : within(begin);
  end = Masks::has(masks.end, i) ? (stride > 0 ? high : low) : within(end);
  const std::int64_t span = stride > 0 ? end - begin : begin - end;
  const std::int64_t step = stride > 0 ? stride : -std::max(stride, std::int64_t{INT32_MIN});
  const std::int64_t count = span > 0 ? (span - 1) / step + 1 : 0;
  if (count == 0)
    c.unsupported(fail("from {} to {} with stride {} there is nothing of a dimension of {}", begin,
                       end, stride, size));
  return {begin, stride, count, false};
}

/// The intervals of all dimensions, and the shape with the new axes and without those that shrink.
struct Plan {
  std::vector<Interval> intervals{};
  Dims shape{};
};

Plan plan_of(const Call& c, const Dims& in) {
  const auto o = c.options<schema::StridedSliceOptionsT>();
  const Masks masks{o.begin_mask, o.end_mask, o.ellipsis_mask, o.new_axis_mask, o.shrink_axis_mask};
  const auto begin = c.ints(1), strides = c.ints(3);
  auto end = c.ints(2);
  const std::size_t n = begin.size();
  if (end.size() != n || strides.size() != n || n > 31)
    c.refuse(
        fail("begin, end and strides have {}, {} and {} entries", n, end.size(), strides.size()));
  if (o.offset)
    for (std::size_t i = 0; i < n; ++i) {
      if (std::abs(end[i]) > INT32_MAX || std::abs(begin[i]) > INT32_MAX)
        c.refuse(fail("begin[{}] or end[{}] exceeds 32 bits", i, i));
      end[i] += begin[i];
    }
  std::size_t used = 0;  // dimensions of the input that entries stand for
  for (std::size_t i = 0; i < n; ++i)
    used += !Masks::has(masks.ellipsis, i) && !Masks::has(masks.new_axis, i);
  if (used > in.size())
    c.refuse(fail("{} dimensions are sliced, but the input has {}", used, in.size()));
  Plan plan;
  const auto keep = [&](std::size_t count) {
    for (; count > 0; --count) {
      const std::int64_t size = in[plan.intervals.size()];
      plan.intervals.push_back({0, 1, size, false});
      plan.shape.push_back(static_cast<std::uint32_t>(size));
    }
  };
  bool ellipsis = false;
  for (std::size_t i = 0; i < n; ++i) {
    if (Masks::has(masks.ellipsis, i)) {
      if (std::exchange(ellipsis, true)) c.refuse(fail("ellipsis_mask has two ellipses"));
      keep(in.size() - used);
    } else if (Masks::has(masks.new_axis, i)) {
      plan.shape.push_back(1);
    } else {
      const Interval interval =
          interval_of(c, in[plan.intervals.size()], begin[i], end[i], strides[i], masks, i);
      plan.intervals.push_back(interval);
      if (!interval.shrinks) plan.shape.push_back(static_cast<std::uint32_t>(interval.count));
    }
  }
  keep(in.size() - plan.intervals.size());
  return plan;
}

/// A negative stride is a positive one over the reversed axis.
void strided_slice(Call& c) {
  MLOperand x = c.stored(0);
  Plan plan = plan_of(c, x.shape());
  Dims reversed, starts, sizes, strides;
  for (std::uint32_t d = 0; d < x.rank(); ++d) {
    Interval& interval = plan.intervals[d];
    if (interval.stride < 0) {
      reversed.push_back(d);
      interval.start = std::int64_t{x.shape()[d]} - 1 - interval.start;
      interval.stride = -std::max(interval.stride, std::int64_t{-INT32_MAX});
    }
    // With one element the stride says nothing, but might leave the dimension.
    const std::int64_t stride = interval.count == 1 ? 1 : interval.stride;
    starts.push_back(static_cast<std::uint32_t>(interval.start));
    sizes.push_back(static_cast<std::uint32_t>((interval.count - 1) * stride + 1));
    strides.push_back(static_cast<std::uint32_t>(stride));
  }
  if (!reversed.empty()) x = c.b.reverse(x, {.axes = reversed});
  x = c.b.slice(x, starts, sizes, {.strides = strides, .label = c.label()});
  c.put_stored(c.reshaped(x, plan.shape));
}

constexpr Handler handlers[] = {
    {Code::SLICE, slice, 3, 3},
    {Code::STRIDED_SLICE, strided_slice, 4, 4},
};

}  // namespace

std::span<const Handler> slice_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::tflite
