// Operators that change the shape and not the order of the elements, and transposition.
#include <algorithm>

#include "src/formats/tflite/import/call.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite {
namespace {

using Code = schema::BuiltinOperator;

/// A shape with at most one -1, which follows from the number of elements.
SizeList completed(const Call& c, SizeList shape, const SizeList& in) {
  std::optional<std::size_t> open;
  SizeList others;
  std::uint64_t known = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].is(-1) && !open) {
      open = i;
      continue;
    }
    others.push_back(c.dimension(shape[i], "a dimension of the new shape"));
    if (shape[i].is_known()) known *= static_cast<std::uint64_t>(shape[i].number());
    if (known > max_tensor_byte_length)
      c.refuse(fail("the new shape has more than {} elements", max_tensor_byte_length));
  }
  if (!open) return shape;
  const Size elements = formats::product(in), rest = formats::product(others);
  if (elements.is_known() && rest.is_known() && elements.number() % rest.number() != 0)
    c.refuse(fail("the elements ({}) are not a multiple of the other dimensions ({})",
                  elements.number(), rest.number()));
  shape[*open] = c.dimension(elements / rest, "the dimension -1");
  return shape;
}

/// The new shape: input 1, the options, or what the file says of the result.
SizeList wanted_shape(const Call& c) {
  if (c.has(1) && (c.is_known(1) || c.follows_from_sizes(1))) return c.list(1);
  const auto* o = c.options_table<schema::ReshapeOptions>();
  SizeList shape;
  if (o && o->new_shape()) {
    if (o->new_shape()->size() > max_rank)
      c.refuse(fail("the new shape has {} dimensions", o->new_shape()->size()));
    for (std::int32_t size : *o->new_shape()) shape.push_back(size);
    // Old files write a scalar as {0}.
    if (shape.size() == 1 && shape[0].is(0)) shape.clear();
    return shape;
  }
  const auto& of_result = c.out().shape;
  if (std::ranges::count(of_result, -1) > 1 || !c.out().has_rank)
    c.unsupported(fail("the new shape, {}, is not a constant", c.in(c.has(1) ? 1 : 0).text()));
  return {of_result.begin(), of_result.end()};
}

void reshape(Call& c) {
  const MLOperand x = c.stored(0);
  const SizeList shape = completed(c, wanted_shape(c), formats::sizes_of(x));
  if (shape.size() > max_rank)
    c.unsupported(fail("the rank ({}) of the result is above {}", shape.size(), max_rank));
  c.put_stored(formats::reshape(c.b, x, shape, {.label = c.label()}));
}

/// Of the dimensions that are open, those in squeeze_dims are 1 in every run. Without squeeze_dims
/// the file says by the rank of the result whether open ones are; if it does not, runs decide.
void squeeze(Call& c) {
  const auto* o = c.options_table<schema::SqueezeOptions>();
  const MLOperand x = c.stored(0);
  const SizeList in = formats::sizes_of(x);
  std::vector<bool> gone(x.rank());
  const auto dims = o ? elements_of(o->squeeze_dims()) : std::span<const std::int32_t>();
  if (dims.size() > max_rank) c.refuse(fail("squeeze_dims has {} entries", dims.size()));
  for (std::int32_t d : dims) {
    const std::uint32_t axis = c.axis(d, x.rank());
    if (in[axis].is_known() && !in[axis].is(1))
      c.refuse(fail("dimension {} ({}) of the input is not 1", axis, in[axis].text()));
    gone[axis] = true;
  }
  SizeList shape;
  MLSqueezeOptions options{.label = c.label()};
  options.axes.emplace();
  for (std::uint32_t d = 0; d < x.rank(); ++d)
    if (dims.empty() ? in[d].is(1) : gone[d]) options.axes->push_back(d);
    else shape.push_back(in[d]);
  if (formats::are_known(in))
    return c.put_stored(formats::reshape(c.b, x, shape, {.label = c.label()}));
  if (dims.empty() && c.out().shape.size() != shape.size()) options.axes.reset();
  c.put_stored(c.b.squeeze(x, options));
}

void expand_dims(Call& c) {
  const MLOperand x = c.stored(0);
  const std::uint32_t axis = c.axis(c.integer(1), x.rank() + 1);
  SizeList shape = formats::sizes_of(x);
  if (!formats::are_known(shape)) return c.put_stored(c.b.unsqueeze(x, {axis}, {c.label()}));
  shape.insert(shape.begin() + axis, 1);
  c.put_stored(formats::reshape(c.b, x, shape, {.label = c.label()}));
}

void transpose(Call& c) {
  const MLOperand x = c.stored(0);
  Dims order;
  for (std::int64_t axis : c.ints(1)) order.push_back(c.axis(axis, x.rank()));
  c.put_stored(c.b.transpose(x, {.permutation = order, .label = c.label()}));
}

void broadcast_to(Call& c) {
  const MLOperand x = c.stored(0);
  const SizeList shape = c.list(1);
  for (const Size& size : shape) c.dimension(size, "a dimension");
  c.put_stored(formats::expand(c.b, x, shape, {.label = c.label()}));
}

void tile(Call& c) {
  const MLOperand x = c.stored(0);
  const SizeList times = c.list(1);
  for (const Size& n : times) c.dimension(n, "a number of repetitions");
  c.put_stored(formats::tile(c.b, x, times, {.label = c.label()}));
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
