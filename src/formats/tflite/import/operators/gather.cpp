#include <algorithm>

#include "src/formats/tflite/import/call.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite {
namespace {

using Code = schema::BuiltinOperator;

Dims part(const Dims& d, std::size_t from, std::size_t to) {
  return {d.begin() + static_cast<std::ptrdiff_t>(from),
          d.begin() + static_cast<std::ptrdiff_t>(to)};
}
Dims joined(std::initializer_list<Dims> parts) {
  Dims out;
  for (const Dims& p : parts) out.insert(out.end(), p.begin(), p.end());
  return out;
}
Dims order_of(std::size_t from, std::size_t to) {
  Dims out;
  for (; from < to; ++from) out.push_back(static_cast<std::uint32_t>(from));
  return out;
}
/// The product of dimensions, which is one of a tensor.
std::uint32_t product(const Call& c, const Dims& d) {
  return c.dimension(static_cast<std::int64_t>(element_count(d)), "a product of dimensions");
}

/// The first `batches` dimensions of x and of indices are batches: in x they are merged with the
/// axis, and an offset moves each index into its batch.
///   x [batch, outer, size, inner], indices [batch, rest]  ->  [batch, outer, rest, inner]
MLOperand gather_in_batches(const Call& c, MLOperand x, MLOperand indices, std::uint32_t axis,
                            std::uint32_t batches) {
  const Dims shape = x.shape(), of_indices = indices.shape();
  const Dims batch = part(shape, 0, batches), outer = part(shape, batches, axis),
             inner = part(shape, axis + 1, shape.size()),
             rest = part(of_indices, batches, of_indices.size());
  if (part(of_indices, 0, batches) != batch)
    c.refuse(fail("the first {} dimensions of {} and {} differ", batches, shape, of_indices));
  const std::uint32_t size = shape[axis], n = product(c, batch);
  x = c.permuted(x, joined({order_of(0, batches),
                            {axis},
                            order_of(batches, axis),
                            order_of(axis + 1, shape.size())}));
  x = c.b.reshape(
      x, joined({{c.dimension(std::int64_t{n} * size, "the gathered axis")}, outer, inner}));
  std::vector<std::int32_t> offsets;
  c.spend(std::uint64_t{n} * 4);
  for (std::uint32_t i = 0; i < n; ++i) offsets.push_back(static_cast<std::int32_t>(i * size));
  const MLOperand flat = c.b.reshape(indices, {n, product(c, rest)});
  const MLOperand offset = c.b.cast(c.int32s({n, 1}, offsets), indices.dataType());
  MLOperand y = c.b.gather(x, c.b.add(flat, offset), {.axis = 0, .label = c.label()});
  y = c.b.reshape(y, joined({batch, rest, outer, inner}));
  const std::size_t r = batches + rest.size(), o = r + outer.size();
  return c.permuted(y, joined({order_of(0, batches), order_of(r, o), order_of(batches, r),
                               order_of(o, y.rank())}));
}

void gather(Call& c) {
  const auto o = c.options<schema::GatherOptionsT>();
  const MLOperand x = c.stored(0), indices = c.stored(1);
  const std::uint32_t axis = c.axis(o.axis, x.rank());
  std::int64_t batches = o.batch_dims;
  if (batches < 0) batches += indices.rank();
  if (batches < 0 || batches > axis || batches > indices.rank())
    c.refuse(fail("batch_dims ({}) is not within the axis ({}) and the rank of indices ({})",
                  o.batch_dims, axis, indices.rank()));
  if (batches > 0)
    return c.put_stored(
        gather_in_batches(c, x, indices, axis, static_cast<std::uint32_t>(batches)));
  c.put_stored(c.b.gather(x, indices, {.axis = axis, .label = c.label()}));
}

/// Inputs: the rows to look up, the table.
void embedding_lookup(Call& c) {
  const MLOperand rows = c.stored(0);
  if (c.quantized(1) && !c.out().scales) {  // a quantized table gives numbers
    const MLOperand table = c.value(1);
    return c.put_stored(c.b.gather(table, rows, {.axis = 0, .label = c.label()}));
  }
  c.put_stored(c.b.gather(c.stored(1), rows, {.axis = 0, .label = c.label()}));
}

void gather_nd(Call& c) {
  c.put_stored(c.b.gatherND(c.stored(0), c.stored(1), {.label = c.label()}));
}

/// Inputs: indices, the depth, the value where the index is, and the value elsewhere.
void one_hot(Call& c) {
  const auto o = c.options<schema::OneHotOptionsT>();
  const MLOperand indices = c.stored(0), on = c.stored(2), off = c.stored(3);
  const std::uint32_t axis = c.axis(o.axis, indices.rank() + 1);
  const std::uint32_t depth = c.dimension(c.integer(1), "the depth");
  Dims shape = indices.shape(), of_range(indices.rank() + 1, 1);
  shape.insert(shape.begin() + axis, 1);
  of_range[axis] = depth;
  c.spend(std::uint64_t{depth} * 4);
  std::vector<std::int32_t> range(depth);
  for (std::uint32_t i = 0; i < depth; ++i) range[i] = static_cast<std::int32_t>(i);
  const MLOperand numbers = c.b.cast(c.b.constant({int32, of_range}, range), indices.dataType());
  const MLOperand hit = c.b.equal(c.b.reshape(indices, shape), numbers);
  c.put_stored(c.b.where(hit, c.reshaped(on, {}), c.reshaped(off, {}), {.label = c.label()}));
}

constexpr Handler handlers[] = {
    {Code::GATHER, gather, 2, 2},
    {Code::EMBEDDING_LOOKUP, embedding_lookup, 2, 2},
    {Code::GATHER_ND, gather_nd, 2, 2},
    {Code::ONE_HOT, one_hot, 4, 4},
};

}  // namespace

std::span<const Handler> gather_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::tflite
