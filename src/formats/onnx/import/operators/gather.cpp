// Elements at places that a tensor gives.
#include "src/formats/onnx/import/indices.h"

namespace webnn::inline v0_1::onnx {
namespace {

void gather(Call& c) {
  const MLOperand x = c.x();
  const std::uint32_t axis = c.axis(c.integer("axis", 0), x.rank());
  c.check_places(1, {Size::dimension(x, axis)});
  c.put_like(0, c.b.gather(x, c.x(1), {.axis = axis, .label = c.label()}));
}

void gather_elements(Call& c) {
  const MLOperand x = c.x(), indices = c.x(1);
  const std::uint32_t axis = c.axis(c.integer("axis", 0), x.rank());
  c.check_places(1, {Size::dimension(x, axis)});
  const MLOperand part = part_of(c, x, window_of(x, indices, axis));
  c.put_like(0, c.b.gatherElements(part, indices, {.axis = axis, .label = c.label()}));
}

/// Indices with the place in the leading dimensions before them, so that these count too.
MLOperand with_batches(Call& c, const MLOperand& indices, std::uint32_t batches) {
  std::vector<MLOperand> columns;
  const SizeList sizes = formats::sizes_of(indices);
  SizeList all = sizes;
  all.back() = 1;
  for (std::uint32_t d = 0; d < batches; ++d) {
    SizeList shape(indices.rank(), 1);
    shape[d] = sizes[d];
    columns.push_back(c.expand(c.numbers(indices.dataType(), shape, sizes[d]), all));
  }
  columns.push_back(indices);
  return c.b.concat(columns, indices.rank() - 1);
}

void gather_nd(Call& c) {
  const MLOperand x = c.x();
  MLOperand indices = c.x(1);
  const std::int64_t batches = c.integer("batch_dims", 0);
  if (batches < 0 || batches >= std::int64_t{std::min(x.rank(), indices.rank())})
    c.refuse(fail("batch_dims ({}) is not below the ranks", batches));
  const SizeList sizes = formats::sizes_of(x), own = formats::sizes_of(indices);
  for (std::size_t i = 0; i < static_cast<std::size_t>(batches); ++i)
    if (Call::differ(own[i], sizes[i]))
      c.refuse(fail("batch_dims is {}, but dimension {} of data is {}, and that of indices {}",
                    batches, i, sizes[i].number(), own[i].number()));
  c.check_places(1, columns_of(c, x, indices, static_cast<std::uint32_t>(batches)));
  if (batches > 0) indices = with_batches(c, indices, static_cast<std::uint32_t>(batches));
  c.put_like(0, c.b.gatherND(x, indices, {.label = c.label()}));
}

/// The elements where a known condition holds.
void compress(Call& c) {
  MLOperand x = c.x();
  const Ints condition = c.ints(1);
  if (c.shape(1).size() != 1) c.refuse(fail("the condition has rank {}, not 1", c.shape(1).size()));
  std::uint32_t axis = 0;
  if (c.has_attribute("axis")) axis = c.axis(c.integer("axis", 0), x.rank());
  else x = c.reshaped(x, SizeList{product(formats::sizes_of(x))});
  const Size whole = Size::dimension(x, axis);
  Ints places;
  for (std::size_t i = 0; i < condition.size(); ++i)
    if (condition[i]) places.push_back(static_cast<std::int64_t>(i));
  if (whole.is_known() && condition.size() > static_cast<std::uint64_t>(whole.number()))
    c.refuse(
        fail("the condition ({}) is longer than the axis ({})", condition.size(), whole.number()));
  if (places.empty()) {
    ops::Sizes shape(x.shape().begin(), x.shape().end());
    shape[axis] = 0;
    c.put_empty(shape, x.dataType());
    return;
  }
  const auto n = static_cast<std::uint32_t>(places.size());
  c.put_like(0, c.b.gather(x, c.int64s({n}, places), {.axis = axis, .label = c.label()}));
}

constexpr Handler handlers[] = {
    {"Compress", &compress, 9, 2, 2, 1, "the condition is known"},
    {"Gather", &gather, 1, 2, 2},
    {"GatherElements", &gather_elements, 11, 2, 2},
    {"GatherND", &gather_nd, 11, 2, 2},
};

}  // namespace

std::span<const Handler> gather_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
