// Parts of tensors.
#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {
namespace {

constexpr std::int64_t most = 1 << 30;  // of a step, which counts elements of a tensor

struct Range {
  Size start, end;
  std::int64_t step;
};

/// A place that may be negative, which is then one from the end, between two others.
Size placed(const Size& place, const Size& size, const Size& least, const Size& greatest) {
  if (!place.is_known()) return max(min(from_end(place, size), greatest), least);
  // Values such as INT64_MIN and INT64_MAX must not overflow.
  const std::int64_t far = std::int64_t{max_tensor_byte_length} + 1;
  const std::int64_t v = std::clamp(place.number(), -2 * far, far);
  if (size.is_known()) return max(min(v < 0 ? size + v : Size(v), greatest), least);
  if (v <= -far) return least;
  if (v < 0) return max(size + v, least);
  return v + 1 >= far ? greatest : v == 0 ? Size(0) : min(v, greatest);
}

/// The places of a dimension that a Slice takes.
Range clipped(const Range& r, const Size& size) {
  if (r.step > 0) return {placed(r.start, size, 0, size), placed(r.end, size, 0, size), r.step};
  return {placed(r.start, size, -1, size - 1), placed(r.end, size, -1, size - 1), r.step};
}

std::int64_t step_of(const Range& r) { return std::abs(std::clamp(r.step, -most, most)); }

Size length(const Range& r) {
  const Size distance = r.step > 0 ? r.end - r.start : r.start - r.end;
  if (distance.is_known() && distance.number() <= 0) return 0;
  return (distance + (step_of(r) - 1)) / step_of(r);
}

MLOperand sliced(Call& c, const MLOperand& x, const std::vector<Range>& ranges) {
  SizeList starts, sizes;
  Dims strides, reversed;
  for (std::uint32_t d = 0; d < x.rank(); ++d) {
    const Range& r = ranges[d];
    const Size n = length(r);
    const std::int64_t step = step_of(r);
    // The window ends with its last element, which a negative step makes the first one.
    const Size span = step == 1 ? n : (n - 1) * step + 1;
    starts.push_back(r.step > 0 ? r.start : r.start - span + 1);
    sizes.push_back(span);
    strides.push_back(static_cast<std::uint32_t>(n.is(1) ? 1 : step));
    if (r.step < 0 && !n.is(1)) reversed.push_back(d);
  }
  const MLOperand y =
      formats::slice(c.b, x, starts, sizes, {.strides = strides, .label = c.label()});
  return reversed.empty() ? y : c.b.reverse(y, {.axes = reversed});
}

void slice(Call& c) {
  const SizeList in = c.sizes(0);
  SizeList starts, ends;
  Ints steps;
  std::optional<Ints> axes;
  if (c.version() < 10) {
    const Ints first = c.ints("starts").value_or(Ints()), last = c.ints("ends").value_or(Ints());
    starts.assign(first.begin(), first.end());
    ends.assign(last.begin(), last.end());
    axes = c.ints("axes");
  } else {
    starts = c.list(1);
    ends = c.list(2);
    if (c.has(3)) axes = c.ints(3);
    if (c.has(4)) steps = c.ints(4);
  }
  if (steps.empty()) steps.assign(starts.size(), 1);
  if (!axes) {
    axes.emplace();
    for (std::size_t i = 0; i < starts.size(); ++i) axes->push_back(static_cast<std::int64_t>(i));
  }
  if (ends.size() != starts.size() || axes->size() != starts.size() ||
      steps.size() != starts.size())
    c.refuse(fail("starts ({}), ends ({}), axes ({}) and steps ({}) have different lengths",
                  starts.size(), ends.size(), axes->size(), steps.size()));
  std::vector<Range> ranges;
  for (const Size& d : in) ranges.push_back({0, d, 1});
  const Dims places = c.axes(*axes, in.size());
  SizeList out = in;
  bool empty = c.empty(0);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (steps[i] == 0) c.refuse(fail("step {} is 0", i));
    Range& range = ranges[places[i]];
    range = clipped({starts[i], ends[i], steps[i]}, in[places[i]]);
    out[places[i]] = length(range);
    empty = empty || out[places[i]].is(0);
  }
  if (!empty) return c.put_like(0, sliced(c, c.x(), ranges));
  ops::Sizes sizes;
  for (const Size& d : out) sizes.push_back(static_cast<std::uint64_t>(d.number()));
  c.put_empty(sizes, c.type(0));
}

void center_crop_pad(Call& c) {
  MLOperand x = c.x();
  const SizeList target = c.list(1);
  c.check_dimensions(target);
  Ints all;
  for (std::uint32_t i = 0; i < x.rank(); ++i) all.push_back(i);
  const Dims axes = c.axes(c.ints("axes").value_or(all), x.rank());
  if (axes.size() != target.size())
    c.refuse(fail("it has {} axes and {} sizes", axes.size(), target.size()));
  SizeList starts(x.rank(), 0), sizes = formats::sizes_of(x), before(x.rank(), 0),
                                after(x.rank(), 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::uint32_t d = axes[i];
    const Size inside = min(sizes[d], target[i]);
    starts[d] = (sizes[d] - inside) / 2;
    before[d] = (target[i] - inside) / 2;
    after[d] = target[i] - inside - before[d];
    sizes[d] = inside;
  }
  x = formats::slice(c.b, x, starts, sizes);
  c.put_like(0, formats::pad(c.b, x, before, after, {.label = c.label()}));
}

constexpr Handler handlers[] = {
    {"CenterCropPad", &center_crop_pad, 18, 2, 2, 1, "the shape is known or follows from shapes"},
    {"Slice", &slice, 1, 1, 5, 1,
     "starts and ends are known or follow from shapes; axes and steps are known"},
};

}  // namespace

std::span<const Handler> slice_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
