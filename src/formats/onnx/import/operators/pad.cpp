// Elements around a tensor.
#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {
namespace {

/// The part of x that negative pads leave.
MLOperand cropped(Call& c, const MLOperand& x, const Ints& before, const Ints& after) {
  Dims starts, sizes;
  bool same = true;
  for (std::uint32_t d = 0; d < x.rank(); ++d) {
    const std::int64_t start = std::max<std::int64_t>(0, -before[d]);
    const std::int64_t end = x.shape()[d] - std::max<std::int64_t>(0, -after[d]);
    starts.push_back(static_cast<std::uint32_t>(start));
    sizes.push_back(c.dimension(end - start, "a dimension after negative pads"));
    same = same && sizes.back() == x.shape()[d];
  }
  return same ? x : c.b.slice(x, starts, sizes);
}

/// Elements from the other end: parts of the input on both sides of it.
MLOperand wrapped(Call& c, MLOperand x, const Ints& before, const Ints& after) {
  for (std::uint32_t d = 0; d < x.rank(); ++d) {
    const std::int64_t size = x.shape()[d];
    if (before[d] > size || after[d] > size)
      c.unsupported(fail("the mode wrap with more elements than the input's {}", size));
    std::vector<MLOperand> parts;
    const auto b = static_cast<std::uint32_t>(before[d]), a = static_cast<std::uint32_t>(after[d]);
    if (b > 0) parts.push_back(c.sliced(x, d, x.shape()[d] - b, b));
    parts.push_back(x);
    if (a > 0) parts.push_back(c.sliced(x, d, 0, a));
    if (parts.size() > 1) x = c.b.concat(parts, d);
  }
  return c.b.identity(x, {.label = c.label()});
}

/// WebNN's constant is known; one that is not is added where the input was not.
MLOperand with_unknown_value(Call& c, const MLOperand& x, const Dims& before, const Dims& after,
                             const MLOperand& value) {
  const MLOperand y = c.b.pad(x, before, after);
  const MLOperand inside = c.b.pad(c.b.expand(c.scalar(uint8, 1), x.shape()), before, after);
  return c.b.where(inside, y, c.reshaped(value, {}), {.label = c.label()});
}

void pad(Call& c) {
  MLOperand x = c.x();
  const std::string_view mode = c.text("mode", "constant");
  Ints pads;
  MLNumber value = 0.0;
  std::optional<MLOperand> unknown;
  if (c.version() < 11) {
    pads = c.ints(c.version() < 2 ? "paddings" : "pads").value_or(Ints());
    value = c.real("value", 0);
  } else {
    pads = c.ints(1);
    if (c.has(2) && !c.empty(2) && mode == "constant") {
      if (!c.x(2).constant()) unknown = c.x(2);
      else if (types::floats.contains(x.dataType())) value = c.real(2);
      else value = c.integer(2);
    }
  }
  Ints all;
  for (std::uint32_t i = 0; i < x.rank(); ++i) all.push_back(i);
  const Dims axes = c.axes(c.has(3) ? c.ints(3) : all, x.rank());
  if (pads.size() != axes.size() * 2)
    c.refuse(fail("it has {} pads for {} axes", pads.size(), axes.size()));
  Ints before(x.rank(), 0), after(x.rank(), 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    before[axes[i]] = pads[i];
    after[axes[i]] = pads[i + axes.size()];
  }
  for (const Ints& list : {before, after})
    for (std::int64_t p : list)
      if (p < -0x7fffffff || p > 0x7fffffff) c.refuse(fail("the pad {} is too large", p));
  x = cropped(c, x, before, after);
  Dims b, a;
  for (auto& p : before) b.push_back(static_cast<std::uint32_t>(p = std::max<std::int64_t>(p, 0)));
  for (auto& p : after) a.push_back(static_cast<std::uint32_t>(p = std::max<std::int64_t>(p, 0)));
  if (mode == "wrap") {
    c.put_like(0, wrapped(c, x, before, after));
    return;
  }
  if (unknown) {
    c.put_like(0, with_unknown_value(c, x, b, a, *unknown));
    return;
  }
  MLPadOptions o{.value = value, .label = c.label()};
  if (mode == "reflect") o.mode = MLPaddingMode::reflection;
  else if (mode == "edge") o.mode = MLPaddingMode::edge;
  else if (mode != "constant") c.refuse(fail("its mode, {}, is unknown", in_quotes(mode)));
  c.put_like(0, c.b.pad(x, b, a, o));
}

constexpr Handler handlers[] = {
    {"Pad", &pad, 1, 1, 4, 1, "the pads are known; wrap of at most the input's size"},
};

}  // namespace

std::span<const Handler> pad_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
