#include <numeric>

#include "src/formats/tflite/import/call.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite {
namespace {

using Code = schema::BuiltinOperator;

SizeList part(const SizeList& d, std::size_t from, std::size_t to) {
  return {d.begin() + static_cast<std::ptrdiff_t>(from),
          d.begin() + static_cast<std::ptrdiff_t>(to)};
}
template <class List> List joined(std::initializer_list<List> parts) {
  List out;
  for (const List& p : parts) out.insert(out.end(), p.begin(), p.end());
  return out;
}
Dims order_of(std::size_t from, std::size_t to) {
  Dims out;
  for (; from < to; ++from) out.push_back(static_cast<std::uint32_t>(from));
  return out;
}
/// The product of dimensions, which is one of a tensor.
Size product(const Call& c, const SizeList& d) {
  return c.dimension(formats::product(d), "a product of dimensions");
}

/// Where each of n batches of that size begins: [n, 1].
MLOperand offsets(const Call& c, const Size& n, const Size& size) {
  if (!n.is_known() || !size.is_known()) {
    const MLOperand batches = formats::reshape(c.b, formats::numbers(c.b, int64, 0, n), {n, 1});
    return c.b.mul(batches, size.operand(c.b));
  }
  std::vector<std::int32_t> list;
  c.spend(static_cast<std::uint64_t>(n.number()) * 4);
  for (std::int64_t i = 0; i < n.number(); ++i)
    list.push_back(static_cast<std::int32_t>(i * size.number()));
  return c.int32s({static_cast<std::uint32_t>(n.number()), 1}, list);
}

/// The first `batches` dimensions of x and of indices are batches: in x they are merged with the
/// axis, and an offset moves each index into its batch.
///   x [batch, outer, size, inner], indices [batch, rest]  ->  [batch, outer, rest, inner]
MLOperand gather_in_batches(const Call& c, MLOperand x, MLOperand indices, std::uint32_t axis,
                            std::uint32_t batches) {
  const SizeList shape = formats::sizes_of(x), of_indices = formats::sizes_of(indices);
  const SizeList batch = part(shape, 0, batches), outer = part(shape, batches, axis),
                 inner = part(shape, axis + 1, shape.size()),
                 rest = part(of_indices, batches, of_indices.size());
  for (std::uint32_t d = 0; d < batches; ++d)
    if (batch[d].is_known() && of_indices[d].is_known() && !batch[d].same_as(of_indices[d]))
      c.refuse(fail("the first {} dimensions of {} and {} differ", batches, formats::text_of(shape),
                    formats::text_of(of_indices)));
  const Size size = shape[axis], n = product(c, batch);
  x = c.permuted(x, joined<Dims>({order_of(0, batches),
                                  {axis},
                                  order_of(batches, axis),
                                  order_of(axis + 1, shape.size())}));
  x = formats::reshape(
      c.b, x, joined<SizeList>({{c.dimension(n * size, "the gathered axis")}, outer, inner}));
  const MLOperand flat = formats::reshape(c.b, indices, {n, product(c, rest)});
  const MLOperand offset = c.b.cast(offsets(c, n, size), indices.dataType());
  MLOperand y = c.b.gather(x, c.b.add(flat, offset), {.axis = 0, .label = c.label()});
  y = formats::reshape(c.b, y, joined<SizeList>({batch, rest, outer, inner}));
  const std::size_t r = batches + rest.size(), o = r + outer.size();
  return c.permuted(y, joined<Dims>({order_of(0, batches), order_of(r, o), order_of(batches, r),
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

/// 0, 1, ..., n - 1.
MLOperand counted(const Call& c, const Size& n) {
  if (!n.is_known()) return formats::numbers(c.b, int32, 0, n);
  c.spend(static_cast<std::uint64_t>(n.number()) * 4);
  std::vector<std::int32_t> list(static_cast<std::size_t>(n.number()));
  std::iota(list.begin(), list.end(), 0);
  return c.int32s({static_cast<std::uint32_t>(list.size())}, list);
}

/// Inputs: indices, the depth, the value where the index is, and the value elsewhere.
void one_hot(Call& c) {
  const auto o = c.options<schema::OneHotOptionsT>();
  const MLOperand indices = c.stored(0), on = c.stored(2), off = c.stored(3);
  const std::uint32_t axis = c.axis(o.axis, indices.rank() + 1);
  const Size depth = c.dimension(c.size(1), "the depth");
  SizeList of_range(indices.rank() + 1, 1);
  of_range[axis] = depth;
  const MLOperand numbers =
      c.b.cast(formats::reshape(c.b, counted(c, depth), of_range), indices.dataType());
  const MLOperand hit = c.b.equal(formats::with_one(c.b, indices, axis), numbers);
  c.put_stored(
      c.b.where(hit, c.reshaped(on, Dims()), c.reshaped(off, Dims()), {.label = c.label()}));
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
