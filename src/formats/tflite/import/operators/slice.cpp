#include "src/formats/common/strided.h"
#include "src/formats/tflite/import/call.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite {
namespace {

using Code = schema::BuiltinOperator;
using formats::Strided;

/// Inputs: the tensor, where the slice begins, and its sizes, -1 for all that follows.
void slice(Call& c) {
  const MLOperand x = c.stored(0);
  const SizeList begin = c.list(1), size = c.list(2), in = formats::sizes_of(x);
  if (begin.size() != x.rank() || size.size() != x.rank())
    c.refuse(fail("begin and size have {} and {} entries for {} dimensions", begin.size(),
                  size.size(), x.rank()));
  SizeList sizes;
  for (std::uint32_t d = 0; d < x.rank(); ++d) {
    const bool outside =
        begin[d].is_known() &&
        (begin[d].number() < 0 || (in[d].is_known() && begin[d].number() >= in[d].number()));
    if (outside)
      c.refuse(fail("begin[{}] ({}) is not within dimension {} ({})", d, begin[d].text(), d,
                    in[d].text()));
    sizes.push_back(c.dimension(size[d].is(-1) ? in[d] - begin[d] : size[d], "a size"));
  }
  c.put_stored(formats::slice(c.b, x, begin, sizes, {.label = c.label()}));
}

struct Masks {
  std::int32_t begin, end, ellipsis, new_axis, shrink;
  static bool has(std::int32_t mask, std::size_t i) { return i < 31 && (mask >> i & 1) != 0; }
};

/// One dimension of a strided slice.
struct Interval {
  Strided places;
  bool shrinks = false;
};

Interval interval_of(const Call& c, const Size& size, const Size& begin, const Size& end,
                     std::int64_t stride, const Masks& masks, std::size_t i) {
  if (stride == 0) c.refuse(fail("strides[{}] is zero", i));
  if (Masks::has(masks.shrink, i)) {
    const Size at = formats::from_end(Masks::has(masks.begin, i) ? Size(0) : begin, size);
    if (at.is_known() && (at.number() < 0 || (size.is_known() && at.number() >= size.number())))
      c.refuse(
          fail("begin[{}] ({}) is not within a dimension of {}", i, begin.text(), size.text()));
    return {{at, at + 1, 1}, true};
  }
  Strided places = formats::clipped({begin, end, stride}, size);
  if (Masks::has(masks.begin, i)) places.start = stride > 0 ? Size(0) : size - 1;
  if (Masks::has(masks.end, i)) places.end = stride > 0 ? size : Size(-1);
  if (formats::length(places).is(0))
    c.unsupported(fail("from {} to {} with stride {} there is nothing of a dimension of {}",
                       places.start.text(), places.end.text(), stride, size.text()));
  return {places, false};
}

/// The intervals of all dimensions, and where dimensions of 1 are new or shrink.
struct Plan {
  std::vector<Interval> intervals{};
  SizeList shape{};
};

Plan plan_of(const Call& c, const SizeList& in) {
  const auto o = c.options<schema::StridedSliceOptionsT>();
  const Masks masks{o.begin_mask, o.end_mask, o.ellipsis_mask, o.new_axis_mask, o.shrink_axis_mask};
  const SizeList begin = c.list(1);
  SizeList end = c.list(2);
  const auto strides = c.ints(3);
  const std::size_t n = begin.size();
  if (end.size() != n || strides.size() != n || n > 31)
    c.refuse(
        fail("begin, end and strides have {}, {} and {} entries", n, end.size(), strides.size()));
  if (o.offset)
    for (std::size_t i = 0; i < n; ++i) {
      const auto exceeds = [](const Size& s) {
        return s.is_known() && (s.number() > INT32_MAX || s.number() < -std::int64_t{INT32_MAX});
      };
      if (exceeds(end[i]) || exceeds(begin[i]))
        c.refuse(fail("begin[{}] or end[{}] exceeds 32 bits", i, i));
      end[i] = end[i] + begin[i];
    }
  std::size_t used = 0;  // dimensions of the input that entries stand for
  for (std::size_t i = 0; i < n; ++i)
    used += !Masks::has(masks.ellipsis, i) && !Masks::has(masks.new_axis, i);
  if (used > in.size())
    c.refuse(fail("{} dimensions are sliced, but the input has {}", used, in.size()));
  Plan plan;
  const auto keep = [&](std::size_t count) {
    for (; count > 0; --count) {
      const Size& size = in[plan.intervals.size()];
      plan.intervals.push_back({{0, size, 1}, false});
      plan.shape.push_back(size);
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
      if (!interval.shrinks) plan.shape.push_back(formats::length(interval.places));
    }
  }
  keep(in.size() - plan.intervals.size());
  return plan;
}

void strided_slice(Call& c) {
  const MLOperand x = c.stored(0);
  const Plan plan = plan_of(c, formats::sizes_of(x));
  std::vector<Strided> places;
  for (const Interval& interval : plan.intervals) places.push_back(interval.places);
  c.put_stored(c.reshaped(formats::strided_slice(c.b, x, places, c.label()), plan.shape));
}

constexpr Handler handlers[] = {
    {Code::SLICE, slice, 3, 3},
    {Code::STRIDED_SLICE, strided_slice, 4, 4},
};

}  // namespace

std::span<const Handler> slice_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::tflite
