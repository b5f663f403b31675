#include <set>

#include "src/formats/tflite/import/call.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite {
namespace {

using Code = schema::BuiltinOperator;

/// The format adds updates of the same element, WebNN keeps the last: indices must be distinct.
void scatter_nd(Call& c) {
  const MLOperand indices = c.stored(0), updates = c.stored(1);
  c.require_rank(indices, 1, max_rank);
  const auto places = c.ints(0);
  const std::size_t width = indices.shape().back();
  std::set<std::vector<std::int64_t>> seen;
  for (std::size_t i = 0; i < places.size(); i += width) {
    const auto at = places.begin() + static_cast<std::ptrdiff_t>(i);
    if (!seen.emplace(at, at + static_cast<std::ptrdiff_t>(width)).second)
      c.unsupported("indices that repeat, whose updates would be added");
  }
  const SizeList shape = c.list(2);
  for (const Size& size : shape) c.dimension(size, "a dimension");
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i % width >= shape.size()) continue;
    const Size& size = shape[i % width];
    if (places[i] < 0 || (size.is_known() && places[i] >= size.number()))
      c.refuse(
          fail("an index ({}) is not within dimension {} ({})", places[i], i % width, size.text()));
  }
  const MLOperand zeros = formats::expand(c.b, c.scalar_like(updates, 0), shape);
  c.put_stored(c.b.scatterND(zeros, indices, updates, {.label = c.label()}));
}

/// Inputs: the tensor, the slice that takes the place of a part of it, where that part begins. It
/// is moved so that it lies inside.
void dynamic_update_slice(Call& c) {
  const MLOperand x = c.stored(0), update = c.stored(1), start = c.stored(2);
  const std::uint32_t rank = x.rank();
  if (update.rank() != rank || start.shape() != Dims{rank} || rank == 0)
    c.refuse(fail("input, update and start have shapes {}, {} and {}", x.shape(), update.shape(),
                  start.shape()));
  std::vector<std::int32_t> max_start;
  for (std::uint32_t d = 0; d < rank; ++d) {
    if (update.shape()[d] > x.shape()[d])
      c.refuse(fail("dimension {} of the update ({}) is greater than the input's ({})", d,
                    update.shape()[d], x.shape()[d]));
    max_start.push_back(static_cast<std::int32_t>(x.shape()[d] - update.shape()[d]));
  }
  const std::uint64_t count = element_count(update.shape());
  c.spend(count * rank * 4);
  std::vector<std::int32_t> places(count * rank);
  for (std::uint64_t i = 0; i < count; ++i)
    for (std::uint64_t d = rank, left = i; d-- > 0; left /= update.shape()[d])
      places[i * rank + d] = static_cast<std::int32_t>(left % update.shape()[d]);
  Dims shape = update.shape();
  shape.push_back(rank);
  const MLOperand zero = c.scalar(int32, 0);
  const MLOperand begin =
      c.b.max(c.b.min(c.b.cast(start, int32), c.int32s({rank}, max_start)), zero);
  const MLOperand indices = c.b.add(c.b.constant({int32, shape}, places), begin);
  c.put_stored(c.b.scatterND(x, indices, update, {.label = c.label()}));
}

constexpr Handler handlers[] = {
    {Code::SCATTER_ND, scatter_nd, 3, 3},
    {Code::DYNAMIC_UPDATE_SLICE, dynamic_update_slice, 3, 3},
};

}  // namespace

std::span<const Handler> scatter_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::tflite
