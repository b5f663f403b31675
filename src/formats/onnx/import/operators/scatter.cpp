// Elements put at places that a tensor gives.
#include "src/formats/onnx/import/call.h"

namespace webnn::onnx {
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
  c.put_like(0, c.b.scatterND(c.x(0), c.x(1), c.x(2), {.label = c.label()}));
}

constexpr Handler handlers[] = {
    {"Scatter", &scatter_elements, 9, 3, 3},
    {"ScatterElements", &scatter_elements, 11, 3, 3, 1, "without a reduction"},
    {"ScatterND", &scatter_nd, 11, 3, 3, 1, "without a reduction"},
};

}  // namespace

std::span<const Handler> scatter_handlers() { return handlers; }

}  // namespace webnn::onnx
