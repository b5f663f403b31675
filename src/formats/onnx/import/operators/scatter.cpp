// Elements put at places that a tensor gives.
#include "src/formats/onnx/import/indices.h"
#include "src/operators/operators.h"

namespace webnn::inline v0_1::onnx {
namespace {

/// Updates that are put together with what is there, by an operator of the library; false for
/// updates that replace it, which WebNN has.
bool is_reduced(Call& c, const operators::Definition& o, CustomAttributes attributes) {
  const std::string_view reduction = c.text("reduction", "none");
  if (reduction == "none") return false;
  if (c.in(0).boolean) c.unsupported("a reduction of BOOL");
  attributes.push_back({"reduction", std::string(reduction)});
  c.put(c.b.custom(o, {c.x(0), c.x(1), c.x(2)},
                   {.attributes = std::move(attributes), .label = c.label()})[0]);
  return true;
}

/// x with y, which has the sizes of the window, in place of its first elements. There may be none
/// beyond the window.
MLOperand beside(Call& c, const MLOperand& y, const SizeList& window, const MLOperand& x) {
  const SizeList before(x.rank(), 0);
  SizeList after = formats::sizes_of(x);
  for (std::uint32_t d = 0; d < x.rank(); ++d) after[d] = after[d] - window[d];
  const MLOperand ones = c.expand(c.scalar(uint8, 1), window);
  return c.b.where(formats::pad(c.b, ones, before, after), formats::pad(c.b, y, before, after), x);
}

void scatter_elements(Call& c) {
  const MLOperand x = c.x(), indices = c.x(1), updates = c.x(2);
  const std::uint32_t axis = c.axis(c.integer("axis", 0), x.rank());
  c.check_places(1, {Size::dimension(x, axis)});
  if (is_reduced(c, operators::scatter_elements(), {{"axis", axis}})) return;
  const SizeList whole = formats::sizes_of(x), window = window_of(x, indices, axis);
  const MLOperand part = part_of(c, x, window);
  MLOperand y = c.b.scatterElements(part, indices, updates, {.axis = axis, .label = c.label()});
  if (part.is(x)) return c.put_like(0, y);
  if (!formats::are_known(whole) || !formats::are_known(window))
    return c.put_like(0, beside(c, y, window, x));
  // What lies beyond the window in each dimension, put beside it again.
  for (std::uint32_t d = 0; d < x.rank(); ++d) {
    if (window[d].same_as(whole[d])) continue;
    SizeList starts(x.rank(), 0), sizes = formats::sizes_of(y);
    starts[d] = window[d];
    sizes[d] = whole[d] - window[d];
    y = c.b.concat({y, formats::slice(c.b, x, starts, sizes)}, d);
  }
  c.put_like(0, y);
}

void scatter_nd(Call& c) {
  c.check_places(1, columns_of(c, c.x(0), c.x(1), 0));
  if (is_reduced(c, operators::scatter_nd(), {})) return;
  c.put_like(0, c.b.scatterND(c.x(0), c.x(1), c.x(2), {.label = c.label()}));
}

/// Writes an update to places of a cache that begin, for each batch, at an index: of each place it
/// is known which element of the update it takes.
/// https://onnx.ai/onnx/operators/onnx__TensorScatter.html
void tensor_scatter(Call& c) {
  const MLOperand cache = c.x(0), update = c.x(1);
  const std::uint32_t axis = c.axis(c.integer("axis", -2), cache.rank());
  const SizeList whole = formats::sizes_of(cache), own = formats::sizes_of(update);
  const bool fits = own.size() == whole.size();
  const Size size = whole[axis], n = fits ? own[axis] : Size(0);
  SizeList expected = whole;
  expected[axis] = n;
  if (!fits || !Call::may_have_shape(update, expected) ||
      (n.is_known() && size.is_known() && n.number() > size.number()))
    c.refuse(fail("an update of shape {} of a cache of {}", Call::shape_text(update),
                  Call::shape_text(cache)));
  const std::string_view mode = c.text("mode", "linear");
  if (mode != "linear" && mode != "circular") c.refuse(fail("its mode, {}", in_quotes(mode)));
  SizeList line(cache.rank(), 1), batches(cache.rank(), 1);
  line[axis] = size;
  batches[0] = whole[0];
  const auto k = [&](const Size& v) {
    return v.is_known() ? c.scalar(int32, v.number()) : c.cast(v.operand(c.b), int32);
  };
  MLOperand place = c.numbers(int32, line, size);
  if (c.has(2)) place = c.b.sub(place, c.reshaped(c.cast(c.x(2), int32), batches));
  if (mode == "circular") {
    place = c.b.sub(place, c.b.mul(c.b.div(place, k(size)), k(size)));
    place = c.b.where(c.b.lesser(place, k(0)), c.b.add(place, k(size)), place);
  }
  const MLOperand written =
      c.b.logicalAnd(c.b.greaterOrEqual(place, k(0)), c.b.lesser(place, k(n)));
  const MLOperand inside = n.is_known()
                               ? c.b.clamp(place, {.minValue = 0, .maxValue = n.number() - 1})
                               : c.b.max(c.b.min(place, k(n - 1)), k(0));
  const MLOperand at = c.expand(inside, whole);
  const MLOperand values = c.b.gatherElements(update, at, {.axis = axis, .label = c.label()});
  c.put_like(0, c.b.where(written, values, cache));
}

constexpr Handler handlers[] = {
    {"Scatter", &scatter_elements, 9, 3, 3},
    {"ScatterElements", &scatter_elements, 11, 3, 3, 1, "a reduction as webnn.ScatterElements"},
    {"ScatterND", &scatter_nd, 11, 3, 3, 1, "a reduction as webnn.ScatterND"},
    {"TensorScatter", &tensor_scatter, 24, 2, 3, 1, "composed"},
};

}  // namespace

std::span<const Handler> scatter_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
