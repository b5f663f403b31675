// Tensors put together and taken apart.
#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {
namespace {

void concat(Call& c) {
  const std::size_t rank = c.sizes(0).size();
  const std::uint32_t axis = c.axis(c.integer("axis", 1), rank);
  std::vector<MLOperand> parts;
  SizeList shape = c.sizes(0);
  for (std::size_t i = 0; i < c.inputs(); ++i) {
    if (!c.empty(i)) parts.push_back(c.x(i));
    const SizeList next = c.sizes(i);
    if (next.size() != rank) c.refuse(fail("its inputs have different ranks"));
    for (std::size_t d = 0; d < rank; ++d) {
      if (d == axis) continue;
      if (Call::differ(next[d], shape[d]))
        c.refuse(fail("dimension {} of its inputs is {} and {}", d, shape[d].number(),
                      next[d].number()));
      if (next[d].is_known()) shape[d] = next[d];
    }
    if (i > 0 && parts.empty()) shape[axis] = shape[axis] + next[axis];
  }
  if (parts.empty()) {
    ops::Sizes sizes;
    for (const Size& d : shape) sizes.push_back(static_cast<std::uint64_t>(d.number()));
    return c.put_empty(sizes, c.type(0));
  }
  c.put_like(0, c.b.concat(parts, axis, {.label = c.label()}));
}

/// The sizes of equal parts; the last ones are smaller when the axis cannot be divided. Of an open
/// one only the last is, for WebNN has no empty parts.
SizeList equal_parts(const Size& whole, std::int64_t n) {
  const Size each = (whole + (n - 1)) / n;
  SizeList parts;
  for (std::int64_t i = 0; i < n; ++i)
    if (whole.is_known()) parts.push_back(max(min(whole - each * i, each), 0));
    else parts.push_back(i + 1 < n ? each : whole - each * i);
  return parts;
}

MLOperand window(Call& c, const MLOperand& x, std::uint32_t axis, std::int64_t start,
                 std::int64_t size) {
  SizeList starts(x.rank(), 0), sizes = formats::sizes_of(x);
  starts[axis] = start;
  sizes[axis] = size;
  return formats::slice(c.b, x, starts, sizes, {.label = c.label()});
}

/// Of an open dimension. What splitDynamic refuses in a run has other sizes.
void split_dynamic(Call& c, const MLOperand& x, std::uint32_t axis, const SizeList& parts) {
  const auto y = formats::are_known(parts)
                     ? c.b.split(x, formats::dims_of(parts), {.axis = axis, .label = c.label()})
                     : c.b.splitDynamic(x, formats::operand_of(c.b, parts),
                                        {.axis = axis, .label = c.label()});
  for (std::size_t i = 0; i < y.size(); ++i) c.put_like(0, y[i], i);
}

void split(Call& c) {
  const MLOperand x = c.x();
  if (x.rank() == 0) c.refuse(fail("its input is a scalar"));
  const std::uint32_t axis = c.axis(c.integer("axis", 0), x.rank());
  const Size size = Size::dimension(x, axis);
  SizeList parts;
  std::optional<Ints> given = c.version() < 13 ? c.ints("split") : std::nullopt;
  const bool operand = (c.version() >= 13 || c.version() == 1) && c.has(1);
  if (operand) {
    parts = c.list(1);
  } else if (given) {
    parts.assign(given->begin(), given->end());
  } else {
    const auto n = c.integer("num_outputs", static_cast<std::int64_t>(c.outputs()));
    if (n != static_cast<std::int64_t>(c.outputs()))
      c.refuse(fail("num_outputs ({}) is not the number of outputs ({})", n, c.outputs()));
    parts = equal_parts(size, n);
  }
  if (parts.size() != c.outputs())
    c.refuse(fail("it has {} sizes and {} outputs", parts.size(), c.outputs()));
  if (!size.is_known() || !formats::are_known(parts)) return split_dynamic(c, x, axis, parts);
  const std::int64_t whole = size.number();
  std::int64_t start = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::int64_t part = parts[i].number();
    if (part < 0 || part > whole - start)
      c.refuse(fail("the sizes of the parts do not add up to dimension {} ({})", axis, whole));
    if (part == 0) {
      ops::Sizes shape = c.shape(0);
      shape[axis] = 0;
      c.put_empty(shape, x.dataType(), i);
      continue;
    }
    c.put_like(0, window(c, x, axis, start, part), i);
    start += part;
  }
  if (start != whole)
    c.refuse(fail("the sizes of the parts do not add up to dimension {} ({})", axis, whole));
}

constexpr Handler handlers[] = {
    {"Concat", &concat, 1, 1, many},
    {"Split", &split, 1, 1, 2, many, "the sizes are known or follow from shapes"},
};

}  // namespace

std::span<const Handler> concat_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
