#include "src/formats/common/open_numbers.h"

namespace webnn::inline v0_1::formats {

namespace {

bool is_one(const MLDimension& d) { return !d.is_open() && d.size() == 1; }

}  // namespace

bool is_open(const MLOperand& x, std::uint32_t axis) {
  const auto dimensions = x.dimensions();
  return !dimensions || (*dimensions)[axis].is_open();
}

bool is_open(const MLOperand& x) {
  const auto dimensions = x.dimensions();
  return !dimensions || std::ranges::any_of(*dimensions, &MLDimension::is_open);
}

bool are_same(const MLOperand& x, std::uint32_t axis, const MLOperand& y, std::uint32_t other) {
  const auto a = x.dimensions(), b = y.dimensions();
  if (!a || !b) return false;
  const MLDimension &one = (*a)[axis], &two = (*b)[other];
  if (one.is_open() != two.is_open()) return false;
  return one.is_open() ? one.dynamic().name == two.dynamic().name : one == two;
}

bool is_same_at_all_sizes(const WindowOf& w,
                          const std::function<std::uint64_t(std::uint32_t, std::uint32_t)>& f) {
  constexpr std::uint64_t most = 1 << 16;  // sizes to try
  const std::uint64_t extent = std::uint64_t{w.size - 1} * w.dilation + 1;
  const std::uint64_t padding = std::uint64_t{w.before} + w.after;
  if (extent + 2 * std::uint64_t{w.stride} > most) return false;
  const std::uint64_t first = extent > padding ? extent - padding : 1;
  std::optional<std::uint64_t> found;
  for (std::uint64_t in = first; in < first + extent + 2 * w.stride; ++in) {
    const std::uint64_t room = in + padding - extent,
                        out = (room + (w.up ? w.stride - 1 : 0)) / w.stride + 1;
    const std::uint64_t here = f(static_cast<std::uint32_t>(in), static_cast<std::uint32_t>(out));
    if (found.value_or(here) != here) return false;
    found = here;
  }
  return true;
}

OpenRefusal refuse_blocks(const MLOperand& x, const MLOperand& scale) {
  if (x.dimensions() && scale.dimensions()) {
    bool any_block = false;
    for (std::uint32_t d = 0; d < x.rank(); ++d) {
      if (is_open(scale, d) && !are_same(scale, d, x, d))
        return fail("dimension {} of scale is open and may differ from that of input", d);
      const bool one_for_all = is_one((*scale.dimensions())[d]);
      any_block = any_block || (!one_for_all && !are_same(scale, d, x, d));
    }
    if (!any_block || !is_open(x)) return {};
    return fail(
        "its scales are for blocks along open dimensions, and the format has no such scales");
  }
  return fail("the rank of input is open");
}

OpenRefusal refuse_broadcast_input(const MLOperand& x, const MLOperand& slope) {
  const auto in = x.dimensions(), by = slope.dimensions();
  if (!in || !by) return fail("the rank of input is open");
  for (std::size_t d = 0; d < by->size(); ++d) {
    if (is_one((*by)[d])) continue;
    const std::size_t back = by->size() - d;
    if (back > in->size()) continue;  // broadcast at all sizes
    const auto own = static_cast<std::uint32_t>(in->size() - back);
    if ((is_open(x, own) || (*by)[d].is_open()) &&
        !are_same(x, own, slope, static_cast<std::uint32_t>(d)))
      return fail("whether its input is broadcast to its slope follows from sizes that are open");
  }
  return {};
}

OpenRefusal refuse_open_coordinates(const MLOperand& indices) {
  const auto dimensions = indices.dimensions();
  if (dimensions && !dimensions->back().is_open()) return {};
  return fail("the last dimension of indices is open, from which the rank of the result follows");
}

}  // namespace webnn::inline v0_1::formats
