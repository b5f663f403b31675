// Parts of tensors, and their order.
#include "src/formats/onnx/import/call.h"

namespace webnn::onnx {
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

void trilu(Call& c) {
  const MLOperand x = c.x();
  const std::int64_t k = c.has(1) ? c.integer(1) : 0;
  constexpr std::int64_t most = 0x7fffffff;
  c.put_like(0,
             c.b.triangular(x, {.upper = c.integer("upper", 1) != 0,
                                .diagonal = static_cast<std::int32_t>(std::clamp(k, -most, most)),
                                .label = c.label()}));
}

void cumulative_sum(Call& c) {
  const MLOperand x = c.x();
  c.put(c.b.cumulativeSum(x, c.axis(c.integer(1), x.rank()),
                          {.exclusive = c.integer("exclusive", 0) != 0,
                           .reversed = c.integer("reverse", 0) != 0,
                           .label = c.label()}));
}

/// Reverses the beginning of each sequence: a gather with places that follow from the lengths.
void reverse_sequence(Call& c) {
  const MLOperand x = c.x();
  const std::uint32_t batch = c.axis(c.integer("batch_axis", 1), x.rank());
  const std::uint32_t time = c.axis(c.integer("time_axis", 0), x.rank());
  const Ints lengths = c.ints(1);
  if (c.shape(1).size() != 1) c.refuse(fail("the lengths have rank {}, not 1", c.shape(1).size()));
  if (batch == time || batch > 1 || time > 1)
    c.refuse(fail("batch_axis ({}) and time_axis ({}) are not 0 and 1", batch, time));
  if (lengths.size() != x.shape()[batch])
    c.refuse(fail("it has {} lengths for a batch of {}", lengths.size(), x.shape()[batch]));
  const std::int64_t steps = x.shape()[time];
  c.spend(lengths.size() * static_cast<std::uint64_t>(steps) * 8);
  Dims shape(x.rank(), 1);
  shape[0] = x.shape()[0];
  shape[1] = x.shape()[1];
  Ints places(lengths.size() * static_cast<std::size_t>(steps));
  for (std::size_t n = 0; n < lengths.size(); ++n) {
    if (lengths[n] < 1 || lengths[n] > steps)
      c.refuse(fail("the length {} is not between 1 and {}", lengths[n], steps));
    for (std::int64_t t = 0; t < steps; ++t) {
      const auto at = static_cast<std::size_t>(t);
      const std::size_t i =
          time == 0 ? at * lengths.size() + n : n * static_cast<std::size_t>(steps) + at;
      places[i] = t < lengths[n] ? lengths[n] - 1 - t : t;
    }
  }
  const MLOperand indices = c.b.expand(c.int64s(shape, places), x.shape());
  c.put_like(0, c.b.gatherElements(x, indices, {.axis = time, .label = c.label()}));
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
    {"CumSum", &cumulative_sum, 11, 2, 2, 1, "the axis is known"},
    {"ReverseSequence", &reverse_sequence, 10, 2, 2, 1, "the lengths are known"},
    {"Slice", &slice, 1, 1, 5, 1, "starts, ends, axes and steps are known"},
    {"Trilu", &trilu, 14, 1, 2, 1, "the diagonal is known"},
};

}  // namespace

std::span<const Handler> slice_handlers() { return handlers; }

}  // namespace webnn::onnx
