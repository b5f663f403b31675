// Parts of tensors.
#include "src/formats/common/strided.h"
#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {
namespace {

using formats::Strided;

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
  std::vector<Strided> ranges;
  for (const Size& d : in) ranges.push_back({0, d, 1});
  const Dims places = c.axes(*axes, in.size());
  SizeList out = in;
  bool empty = c.empty(0);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (steps[i] == 0) c.refuse(fail("step {} is 0", i));
    Strided& range = ranges[places[i]];
    range = clipped({starts[i], ends[i], steps[i]}, in[places[i]]);
    out[places[i]] = length(range);
    empty = empty || out[places[i]].is(0);
  }
  if (!empty) return c.put_like(0, formats::strided_slice(c.b, c.x(), ranges, c.label()));
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
