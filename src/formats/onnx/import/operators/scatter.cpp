// Elements put at places that a tensor gives.
#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {
namespace {

void require_no_reduction(Call& c) {
  const std::string_view reduction = c.text("reduction", "none");
  if (reduction != "none")
    c.unsupported(fail("its reduction, {}: WebNN's scatter operators replace elements",
                       in_quotes(reduction)));
}

void scatter_elements(Call& c) {
  const MLOperand x = c.x(), indices = c.x(1), updates = c.x(2);
  require_no_reduction(c);
  const std::uint32_t axis = c.axis(c.integer("axis", 0), x.rank());
  c.check_places(1, {x.shape()[axis]});
  // WebNN wants the sizes of the other dimensions to be equal: the rest of x stays as it is.
  Dims window = x.shape();
  for (std::uint32_t d = 0; d < x.rank() && d < indices.rank(); ++d)
    if (d != axis) window[d] = std::min(window[d], indices.shape()[d]);
  if (window == x.shape()) {
    c.put_like(0, c.b.scatterElements(x, indices, updates, {.axis = axis, .label = c.label()}));
    return;
  }
  const Dims zero(x.rank(), 0);
  MLOperand y = c.b.scatterElements(c.b.slice(x, zero, window), indices, updates,
                                    {.axis = axis, .label = c.label()});
  // What lies beyond the window in each dimension, put beside it again.
  for (std::uint32_t d = 0; d < x.rank(); ++d) {
    if (window[d] == x.shape()[d]) continue;
    Dims starts = zero, sizes = y.shape();
    starts[d] = window[d];
    sizes[d] = x.shape()[d] - window[d];
    y = c.b.concat({y, c.b.slice(x, starts, sizes)}, d);
  }
  c.put_like(0, y);
}

void scatter_nd(Call& c) {
  require_no_reduction(c);
  const Dims data = c.x(0).shape(), indices = c.x(1).shape();
  if (indices.empty() || indices.back() > data.size())
    c.refuse(fail("indices of shape {} for data of {}", indices, data));
  c.check_places(1, {data.begin(), data.begin() + indices.back()});
  c.put_like(0, c.b.scatterND(c.x(0), c.x(1), c.x(2), {.label = c.label()}));
}

/// Writes an update to places of a cache that begin, for each batch, at an index: of each place it
/// is known which element of the update it takes.
/// https://onnx.ai/onnx/operators/onnx__TensorScatter.html
void tensor_scatter(Call& c) {
  const MLOperand cache = c.x(0), update = c.x(1);
  const std::uint32_t axis = c.axis(c.integer("axis", -2), cache.rank());
  Dims expected = cache.shape();
  if (update.rank() == cache.rank()) expected[axis] = update.shape()[axis];
  const std::uint32_t size = cache.shape()[axis], n = expected[axis];
  if (update.shape() != expected || n > size)
    c.refuse(fail("an update of shape {} of a cache of {}", update.shape(), cache.shape()));
  const std::string_view mode = c.text("mode", "linear");
  if (mode != "linear" && mode != "circular") c.refuse(fail("its mode, {}", in_quotes(mode)));
  c.spend(std::uint64_t{size} * 8);
  Ints list;
  for (std::uint32_t i = 0; i < size; ++i) list.push_back(i);
  Dims line(cache.rank(), 1), batches(cache.rank(), 1);
  line[axis] = size;
  batches[0] = cache.shape()[0];
  const auto k = [&](std::int64_t v) { return c.scalar(int32, v); };
  MLOperand place = c.integers(int32, line, list);
  if (c.has(2)) place = c.b.sub(place, c.reshaped(c.cast(c.x(2), int32), batches));
  if (mode == "circular") {
    place = c.b.sub(place, c.b.mul(c.b.div(place, k(size)), k(size)));
    place = c.b.where(c.b.lesser(place, k(0)), c.b.add(place, k(size)), place);
  }
  const MLOperand written =
      c.b.logicalAnd(c.b.greaterOrEqual(place, k(0)), c.b.lesser(place, k(n)));
  const MLOperand at =
      c.b.expand(c.b.clamp(place, {.minValue = 0, .maxValue = std::int64_t{n} - 1}), cache.shape());
  const MLOperand values = c.b.gatherElements(update, at, {.axis = axis, .label = c.label()});
  c.put_like(0, c.b.where(written, values, cache));
}

constexpr Handler handlers[] = {
    {"Scatter", &scatter_elements, 9, 3, 3},
    {"ScatterElements", &scatter_elements, 11, 3, 3, 1, "without a reduction"},
    {"ScatterND", &scatter_nd, 11, 3, 3, 1, "without a reduction"},
    {"TensorScatter", &tensor_scatter, 24, 2, 3, 1, "composed"},
};

}  // namespace

std::span<const Handler> scatter_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
