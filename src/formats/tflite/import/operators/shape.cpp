// Operators that change the shape and not the order of the elements, and transposition.
#include <algorithm>

#include "src/formats/tflite/import/call.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite {
namespace {

using Code = schema::BuiltinOperator;

/// A shape with at most one -1, which follows from the number of elements.
Dims completed(const Call& c, const std::vector<std::int64_t>& wanted, std::uint64_t elements) {
  Dims shape;
  std::optional<std::size_t> open;
  std::uint64_t known = 1;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == -1 && !open) {
      open = i;
      shape.push_back(1);
    } else {
      shape.push_back(c.dimension(wanted[i], "a dimension of the new shape"));
      known *= shape.back();
      if (known > max_tensor_byte_length)
        c.refuse(fail("the new shape has more than {} elements", max_tensor_byte_length));
    }
  }
  if (open) {
    if (elements % known != 0)
      c.refuse(fail("the elements ({}) are not a multiple of the other dimensions ({})", elements,
                    known));
    shape[*open] = c.dimension(static_cast<std::int64_t>(elements / known), "the dimension -1");
  }
  return shape;
}

/// The new shape: input 1, the options, or what the file says of the result.
std::vector<std::int64_t> wanted_shape(const Call& c) {
  if (c.has(1) && c.is_known(1)) return c.ints(1);
  const auto* o = c.options_table<schema::ReshapeOptions>();
  std::vector<std::int64_t> shape;
  if (o && o->new_shape()) {
    if (o->new_shape()->size() > max_rank)
      c.refuse(fail("the new shape has {} dimensions", o->new_shape()->size()));
    for (std::int32_t size : *o->new_shape()) shape.push_back(size);
    // Old files write a scalar as {0}.
    if (shape == std::vector<std::int64_t>{0}) shape.clear();
    return shape;
  }
  const auto& of_result = c.out().shape;
  if (std::ranges::count(of_result, -1) > 1 || !c.out().has_rank)
    c.unsupported(fail("the new shape, {}, is not a constant", c.in(c.has(1) ? 1 : 0).text()));
  return {of_result.begin(), of_result.end()};
}

void reshape(Call& c) {
  const MLOperand x = c.stored(0);
  const Dims shape = completed(c, wanted_shape(c), element_count(x.shape()));
  c.put_stored(c.b.reshape(x, shape, {.label = c.label()}));
}

void squeeze(Call& c) {
  const auto* o = c.options_table<schema::SqueezeOptions>();
  const MLOperand x = c.stored(0);
  std::vector<bool> gone(x.rank());
  const auto dims = o ? elements_of(o->squeeze_dims()) : std::span<const std::int32_t>();
  if (dims.size() > max_rank) c.refuse(fail("squeeze_dims has {} entries", dims.size()));
  for (std::int32_t d : dims) {
    const std::uint32_t axis = c.axis(d, x.rank());
    if (x.shape()[axis] != 1)
      c.refuse(fail("dimension {} ({}) of the input is not 1", axis, x.shape()[axis]));
    gone[axis] = true;
  }
  Dims shape;
  for (std::uint32_t d = 0; d < x.rank(); ++d)
    if (!(dims.empty() ? x.shape()[d] == 1 : gone[d])) shape.push_back(x.shape()[d]);
  c.put_stored(c.b.reshape(x, shape, {.label = c.label()}));
}

void expand_dims(Call& c) {
  const MLOperand x = c.stored(0);
  const std::uint32_t axis = c.axis(c.integer(1), x.rank() + 1);
  Dims shape = x.shape();
  shape.insert(shape.begin() + axis, 1);
  c.put_stored(c.b.reshape(x, shape, {.label = c.label()}));
}

void transpose(Call& c) {
  const MLOperand x = c.stored(0);
  Dims order;
  for (std::int64_t axis : c.ints(1)) order.push_back(c.axis(axis, x.rank()));
  c.put_stored(c.b.transpose(x, {.permutation = order, .label = c.label()}));
}

void broadcast_to(Call& c) {
  const MLOperand x = c.stored(0);
  Dims shape;
  for (std::int64_t size : c.ints(1)) shape.push_back(c.dimension(size, "a dimension"));
  c.put_stored(c.b.expand(x, shape, {.label = c.label()}));
}

void tile(Call& c) {
  const MLOperand x = c.stored(0);
  Dims times;
  for (std::int64_t n : c.ints(1)) times.push_back(c.dimension(n, "a number of repetitions"));
  c.put_stored(c.b.tile(x, times, {.label = c.label()}));
}

void reverse(Call& c) {
  const MLOperand x = c.stored(0);
  Dims axes;
  for (std::int64_t axis : c.ints(1)) axes.push_back(c.axis(axis, x.rank()));
  c.put_stored(c.b.reverse(x, {.axes = axes, .label = c.label()}));
}

/// A sparse constant is dense already.
void densify(Call& c) { c.put_stored(c.stored(0)); }

constexpr Handler handlers[] = {
    {Code::RESHAPE, reshape, 1, 2},           {Code::SQUEEZE, squeeze, 1, 1},
    {Code::EXPAND_DIMS, expand_dims, 2, 2},   {Code::TRANSPOSE, transpose, 2, 2},
    {Code::BROADCAST_TO, broadcast_to, 2, 2}, {Code::TILE, tile, 2, 2},
    {Code::REVERSE_V2, reverse, 2, 2},        {Code::DENSIFY, densify, 1, 1},
};

}  // namespace

std::span<const Handler> shape_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::tflite
