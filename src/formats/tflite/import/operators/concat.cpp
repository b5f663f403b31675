// Operators that join tensors and take them apart.
#include "src/formats/tflite/import/call.h"

#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite {
namespace {

using Code = schema::BuiltinOperator;

void concatenation(Call& c) {
  const auto o = c.options<schema::ConcatenationOptionsT>();
  bool moves = o.fused_activation_function == schema::ActivationFunctionType::NONE;
  for (std::size_t i = 0; i < c.inputs(); ++i) moves = moves && c.same_scales(i);
  std::vector<MLOperand> parts;
  for (std::size_t i = 0; i < c.inputs(); ++i) parts.push_back(moves ? c.stored(i) : c.value(i));
  const std::uint32_t axis = c.axis(o.axis, parts[0].rank());
  const MLOperand y = c.b.concat(std::move(parts), axis, {.label = c.label()});
  if (moves) c.put_stored(y);
  else c.put(c.activated(y, o.fused_activation_function));
}

void pack(Call& c) {
  const auto o = c.options<schema::PackOptionsT>();
  std::vector<MLOperand> parts;
  std::uint32_t axis = 0;
  for (std::size_t i = 0; i < c.inputs(); ++i) {
    const MLOperand x = c.stored(i);
    axis = c.axis(o.axis, x.rank() + 1);
    parts.push_back(formats::with_one(c.b, x, axis));
  }
  c.put_stored(c.b.concat(std::move(parts), axis, {.label = c.label()}));
}

void put_all(Call& c, const std::vector<MLOperand>& parts) {
  if (parts.size() != c.outputs())
    c.refuse(fail("it has {} outputs for {} parts", c.outputs(), parts.size()));
  for (std::size_t i = 0; i < parts.size(); ++i) c.put_stored(parts[i], i);
}

void unpack(Call& c) {
  const auto o = c.options<schema::UnpackOptionsT>();
  const MLOperand x = c.stored(0);
  const std::uint32_t axis = c.axis(o.axis, x.rank());
  const auto count = static_cast<std::uint32_t>(c.outputs());
  const Size size = Size::dimension(x, axis);
  if (size.is_known() && !size.is(count))
    c.refuse(fail("it has {} outputs for dimension {} ({})", count, axis, size.text()));
  auto parts = c.b.split(x, count, {.axis = axis, .label = c.label()});
  for (MLOperand& part : parts) part = formats::without_one(c.b, part, axis);
  put_all(c, parts);
}

/// Inputs: the axis, the tensor.
void split(Call& c) {
  const MLOperand x = c.stored(1);
  const std::uint32_t axis = c.axis(c.integer(0), x.rank());
  const auto count = static_cast<std::uint32_t>(c.outputs());
  put_all(c, c.b.split(x, count, {.axis = axis, .label = c.label()}));
}

/// Inputs: the tensor, the sizes, of which one may be -1, and the axis.
void split_v(Call& c) {
  const MLOperand x = c.stored(0);
  const std::uint32_t axis = c.axis(c.integer(2), x.rank());
  SizeList parts = c.list(1);
  Size rest = Size::dimension(x, axis);
  std::optional<std::size_t> open;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].is(-1) && !open) open = i;
    else rest = rest - c.dimension(parts[i], "the size of a part");
  }
  if (open) parts[*open] = c.dimension(rest, "the size of a part");
  const MLSplitOptions o{.axis = axis, .label = c.label()};
  put_all(c, formats::are_known(parts) ? c.b.split(x, formats::dims_of(parts), o)
                                       : c.b.splitDynamic(x, formats::operand_of(c.b, parts), o));
}

constexpr Handler handlers[] = {
    {Code::CONCATENATION, concatenation, 1, many}, {Code::PACK, pack, 1, many},
    {Code::UNPACK, unpack, 1, 1, 1, many},         {Code::SPLIT, split, 2, 2, 1, many},
    {Code::SPLIT_V, split_v, 3, 3, 1, many},
};

}  // namespace

std::span<const Handler> concat_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::tflite
