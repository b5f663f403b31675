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
    Dims shape = x.shape();
    shape.insert(shape.begin() + axis, 1);
    parts.push_back(c.b.reshape(x, shape));
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
  Dims shape = x.shape();
  shape.erase(shape.begin() + axis);
  if (x.shape()[axis] != c.outputs())
    c.refuse(fail("it has {} outputs for dimension {} ({})", c.outputs(), axis, x.shape()[axis]));
  auto parts = c.b.split(x, x.shape()[axis], {.axis = axis, .label = c.label()});
  for (MLOperand& part : parts) part = c.b.reshape(part, shape);
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
  std::vector<std::int64_t> sizes = c.ints(1);
  std::int64_t rest = x.shape()[axis];
  std::optional<std::size_t> open;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1 && !open) open = i;
    else rest -= c.dimension(sizes[i], "the size of a part");
  }
  if (open) sizes[*open] = rest;
  Dims parts;
  for (std::int64_t size : sizes) parts.push_back(c.dimension(size, "the size of a part"));
  put_all(c, c.b.split(x, parts, {.axis = axis, .label = c.label()}));
}

constexpr Handler handlers[] = {
    {Code::CONCATENATION, concatenation, 1, many}, {Code::PACK, pack, 1, many},
    {Code::UNPACK, unpack, 1, 1, 1, many},         {Code::SPLIT, split, 2, 2, 1, many},
    {Code::SPLIT_V, split_v, 3, 3, 1, many},
};

}  // namespace

std::span<const Handler> concat_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::tflite
