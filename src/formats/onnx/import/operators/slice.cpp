// Parts of tensors.
#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {
namespace {

struct Range {
  std::int64_t start, end, step;
};

/// The places of a dimension that a Slice takes.
Range clipped(Range r, std::int64_t size) {
  const auto from_end = [&](std::int64_t v) { return v < 0 ? v + size : v; };
  // Values such as INT64_MIN must not overflow.
  r.start = from_end(std::max(r.start, -size - 1));
  r.end = from_end(std::max(r.end, -size - 1));
  if (r.step > 0) {
    r.start = std::clamp<std::int64_t>(r.start, 0, size);
    r.end = std::clamp<std::int64_t>(r.end, 0, size);
  } else {
    r.start = std::clamp<std::int64_t>(r.start, -1, size - 1);
    r.end = std::clamp<std::int64_t>(r.end, -1, size - 1);
  }
  return r;
}

std::int64_t length(const Range& r) {
  const std::int64_t distance = r.step > 0 ? r.end - r.start : r.start - r.end;
  const std::int64_t step = r.step > 0 ? r.step : -std::max(r.step, -(std::int64_t{1} << 40));
  return distance <= 0 ? 0
                       : (distance + std::min(step, std::int64_t{1} << 40) - 1) /
                             std::min(step, std::int64_t{1} << 40);
}

MLOperand sliced(Call& c, const MLOperand& x, const std::vector<Range>& ranges) {
  Dims starts, sizes, strides, reversed;
  for (std::uint32_t d = 0; d < x.rank(); ++d) {
    const Range& r = ranges[d];
    constexpr std::int64_t most = 1 << 30;
    const std::int64_t n = length(r), step = std::abs(std::clamp(r.step, -most, most));
    // The window ends with its last element, which a negative step makes the first one.
    const std::int64_t span = (n - 1) * step + 1;
    starts.push_back(static_cast<std::uint32_t>(r.step > 0 ? r.start : r.start - span + 1));
    sizes.push_back(static_cast<std::uint32_t>(span));
    strides.push_back(static_cast<std::uint32_t>(n == 1 ? 1 : step));
    if (r.step < 0 && n > 1) reversed.push_back(d);
  }
  const MLOperand y = c.b.slice(x, starts, sizes, {.strides = strides, .label = c.label()});
  return reversed.empty() ? y : c.b.reverse(y, {.axes = reversed});
}

void slice(Call& c) {
  const ops::Sizes in = c.shape(0);
  Ints starts, ends, steps;
  std::optional<Ints> axes;
  if (c.version() < 10) {
    starts = c.ints("starts").value_or(Ints());
    ends = c.ints("ends").value_or(Ints());
    axes = c.ints("axes");
  } else {
    starts = c.ints(1);
    ends = c.ints(2);
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
  for (auto d : in) ranges.push_back({0, static_cast<std::int64_t>(d), 1});
  const Dims places = c.axes(*axes, in.size());
  ops::Sizes out = in;
  bool empty = c.empty(0);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (steps[i] == 0) c.refuse(fail("step {} is 0", i));
    const auto size = static_cast<std::int64_t>(in[places[i]]);
    ranges[places[i]] = clipped({starts[i], ends[i], steps[i]}, size);
    out[places[i]] = static_cast<std::uint64_t>(length(ranges[places[i]]));
    empty = empty || out[places[i]] == 0;
  }
  if (empty) c.put_empty(out, c.type(0));
  else c.put_like(0, sliced(c, c.x(), ranges));
}

void center_crop_pad(Call& c) {
  MLOperand x = c.x();
  const Ints target = c.ints(1);
  Ints all;
  for (std::uint32_t i = 0; i < x.rank(); ++i) all.push_back(i);
  const Dims axes = c.axes(c.ints("axes").value_or(all), x.rank());
  if (axes.size() != target.size())
    c.refuse(fail("it has {} axes and {} sizes", axes.size(), target.size()));
  Dims starts(x.rank(), 0), sizes = x.shape(), before(x.rank(), 0), after(x.rank(), 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::uint32_t d = axes[i], size = c.dimension(target[i]);
    if (size <= sizes[d]) {
      starts[d] = (sizes[d] - size) / 2;
      sizes[d] = size;
    } else {
      before[d] = (size - sizes[d]) / 2;
      after[d] = size - sizes[d] - before[d];
    }
  }
  x = c.b.slice(x, starts, sizes);
  c.put_like(0, c.b.pad(x, before, after, {.label = c.label()}));
}

constexpr Handler handlers[] = {
    {"CenterCropPad", &center_crop_pad, 18, 2, 2, 1, "the shape is known"},
    {"Slice", &slice, 1, 1, 5, 1, "starts, ends, axes and steps are known"},
};

}  // namespace

std::span<const Handler> slice_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
