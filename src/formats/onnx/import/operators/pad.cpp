// Elements around a tensor.
#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {
namespace {

bool is_negative(const Size& s) { return s.is_known() && s.number() < 0; }

/// The part of x that negative pads leave.
MLOperand cropped(Call& c, const MLOperand& x, SizeList& before, SizeList& after) {
  SizeList starts, sizes;
  bool same = true;
  for (std::uint32_t d = 0; d < x.rank(); ++d) {
    const Size start = is_negative(before[d]) ? Size(0) - before[d] : 0;
    const Size end = is_negative(after[d]) ? after[d] : 0;
    const Size whole = Size::dimension(x, d);
    starts.push_back(start);
    sizes.push_back(whole + end - start);
    c.check_dimensions({sizes.back()}, "a dimension after negative pads");
    same = same && start.is(0) && end.is(0);
    if (is_negative(before[d])) before[d] = 0;
    if (is_negative(after[d])) after[d] = 0;
  }
  return same ? x : formats::slice(c.b, x, starts, sizes);
}

/// Elements from the other end: parts of the input on both sides of it.
MLOperand wrapped(Call& c, MLOperand x, const SizeList& before, const SizeList& after) {
  for (std::uint32_t d = 0; d < x.rank(); ++d) {
    const Size size = Size::dimension(x, d);
    const auto exceeds = [&](const Size& pad) {
      return pad.is_known() && size.is_known() && pad.number() > size.number();
    };
    if (exceeds(before[d]) || exceeds(after[d]))
      c.unsupported(fail("the mode wrap with more elements than the input's {}", size.number()));
    std::vector<MLOperand> parts;
    if (!before[d].is(0)) parts.push_back(c.sliced(x, d, size - before[d], before[d]));
    parts.push_back(x);
    if (!after[d].is(0)) parts.push_back(c.sliced(x, d, 0, after[d]));
    if (parts.size() > 1) x = c.b.concat(parts, d);
  }
  return c.b.identity(x, {.label = c.label()});
}

/// WebNN's constant is known; one that is not is added where the input was not.
MLOperand with_unknown_value(Call& c, const MLOperand& x, const SizeList& before,
                             const SizeList& after, const MLOperand& value) {
  const MLOperand y = formats::pad(c.b, x, before, after);
  const MLOperand inside =
      formats::pad(c.b, c.expand(c.scalar(uint8, 1), formats::sizes_of(x)), before, after);
  return c.b.where(inside, y, c.reshaped(value, {}), {.label = c.label()});
}

void pad(Call& c) {
  MLOperand x = c.x();
  const std::string_view mode = c.text("mode", "constant");
  SizeList pads;
  MLNumber value = 0.0;
  std::optional<MLOperand> unknown;
  if (c.version() < 11) {
    const Ints given = c.ints(c.version() < 2 ? "paddings" : "pads").value_or(Ints());
    pads.assign(given.begin(), given.end());
    value = c.real("value", 0);
  } else {
    pads = c.list(1);
    if (c.has(2) && !c.empty(2) && mode == "constant") {
      if (!c.x(2).constant()) unknown = c.x(2);
      else if (is_float(x.dataType())) value = c.real(2);
      else value = c.integer(2);
    }
  }
  Ints all;
  for (std::uint32_t i = 0; i < x.rank(); ++i) all.push_back(i);
  const Dims axes = c.axes(c.has(3) ? c.ints(3) : all, x.rank());
  if (pads.size() != axes.size() * 2)
    c.refuse(fail("it has {} pads for {} axes", pads.size(), axes.size()));
  for (const Size& p : pads)
    if (p.is_known() && (p.number() < -0x7fffffff || p.number() > 0x7fffffff))
      c.refuse(fail("the pad {} is too large", p.number()));
  SizeList before(x.rank(), 0), after(x.rank(), 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    before[axes[i]] = pads[i];
    after[axes[i]] = pads[i + axes.size()];
  }
  x = cropped(c, x, before, after);
  if (mode == "wrap") return c.put_like(0, wrapped(c, x, before, after));
  if (unknown) return c.put_like(0, with_unknown_value(c, x, before, after, *unknown));
  MLPadOptions o{.value = value, .label = c.label()};
  if (mode == "reflect") o.mode = MLPaddingMode::reflection;
  else if (mode == "edge") o.mode = MLPaddingMode::edge;
  else if (mode != "constant") c.refuse(fail("its mode, {}, is unknown", in_quotes(mode)));
  c.put_like(0, formats::pad(c.b, x, before, after, o));
}

constexpr Handler handlers[] = {
    {"Pad", &pad, 1, 1, 4, 1,
     "the pads are known, or follow from shapes and are not negative; wrap of at most the input's "
     "size"},
};

}  // namespace

std::span<const Handler> pad_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
