// Operators that move blocks of an image between its sides, its channels and its batch.
#include "src/formats/tflite/import/paddings.h"

#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite {
namespace {

using Code = schema::BuiltinOperator;

/// Whether the size is a multiple of the number, or open: then a run refuses what is not.
bool may_divide(const Size& size, std::int64_t number) {
  return !size.is_known() || size.number() % number == 0;
}

/// [n, h, w, b * b * c] -> [n, h * b, w * b, c]
void depth_to_space(Call& c) {
  const auto o = c.options<schema::DepthToSpaceOptionsT>();
  const MLOperand x = c.stored(0);
  c.require_rank(x, 4, 4);
  const std::uint32_t block = c.dimension(o.block_size, "block_size");
  const SizeList s = formats::sizes_of(x);
  const std::int64_t area = std::int64_t{block} * block;
  if (s[3].is_known() && s[3].number() % area != 0)
    c.refuse(fail("the channels ({}) are not a multiple of the blocks of {}", s[3].text(), area));
  const Size channels = s[3] / area;
  MLOperand y = formats::reshape(c.b, x, {s[0], s[1], s[2], block, block, channels});
  y = c.b.transpose(y, {.permutation = {0, 1, 3, 2, 4, 5}});
  c.put_stored(formats::reshape(c.b, y,
                                {s[0], c.dimension(s[1] * block, "the height"),
                                 c.dimension(s[2] * block, "the width"), channels},
                                {.label = c.label()}));
}

/// [n, h * b, w * b, c] -> [n, h, w, b * b * c]
void space_to_depth(Call& c) {
  const auto o = c.options<schema::SpaceToDepthOptionsT>();
  const MLOperand x = c.stored(0);
  c.require_rank(x, 4, 4);
  const std::uint32_t block = c.dimension(o.block_size, "block_size");
  const SizeList s = formats::sizes_of(x);
  if (!may_divide(s[1], block) || !may_divide(s[2], block))
    c.refuse(fail("height and width of {} are not multiples of {}", formats::text_of(s), block));
  const Size height = s[1] / block, width = s[2] / block;
  MLOperand y = formats::reshape(c.b, x, {s[0], height, block, width, block, s[3]});
  y = c.b.transpose(y, {.permutation = {0, 1, 3, 2, 4, 5}});
  const Size channels = s[3] * (std::int64_t{block} * block);
  c.put_stored(formats::reshape(
      c.b, y, {s[0], height, width, c.dimension(channels, "the channels")}, {.label = c.label()}));
}

/// The sizes of the blocks of input 1, one for each dimension after the first.
Dims blocks_of(const Call& c, const MLOperand& x) {
  Dims out;
  for (std::int64_t size : c.ints(1)) out.push_back(c.dimension(size, "the size of a block"));
  if (out.empty() || out.size() + 1 > x.rank())
    c.refuse(fail("there are {} sizes of blocks for the input {}", out.size(),
                  formats::text_of(formats::sizes_of(x))));
  if (x.rank() + out.size() > max_rank)
    c.unsupported(fail("blocks along {} dimensions of {}", out.size(), x.rank()));
  return out;
}

/// [n, s1 * b1, ..., rest] -> [b1 * ... * n, s1, ..., rest], after padding.
void space_to_batch(Call& c) {
  MLOperand x = c.stored(0);
  const Dims block = blocks_of(c, x);
  const std::size_t m = block.size();
  const Paddings spatial = paddings_of(c, 2, m);
  Paddings all{SizeList(x.rank(), 0), SizeList(x.rank(), 0)};
  for (std::size_t i = 0; i < m; ++i) {
    all.before[i + 1] = spatial.before[i];
    all.after[i + 1] = spatial.after[i];
  }
  x = formats::pad(c.b, x, all.before, all.after, {.value = zero_of(c.out())});
  const SizeList s = formats::sizes_of(x);
  SizeList split{s[0]}, shape{0};
  Dims order;
  Size batch = s[0];
  for (std::size_t i = 0; i < m; ++i) {
    if (!may_divide(s[i + 1], block[i]))
      c.refuse(fail("dimension {} ({}) is not a multiple of its block ({})", i + 1, s[i + 1].text(),
                    block[i]));
    shape.push_back(s[i + 1] / block[i]);
    split.insert(split.end(), {shape.back(), block[i]});
    order.push_back(static_cast<std::uint32_t>(2 * i + 2));
    batch = c.dimension(batch * block[i], "the batch");
  }
  order.push_back(0);
  for (std::size_t i = 0; i < m; ++i) order.push_back(static_cast<std::uint32_t>(2 * i + 1));
  for (std::size_t d = m + 1; d < s.size(); ++d) {
    split.push_back(s[d]);
    order.push_back(static_cast<std::uint32_t>(d + m));
    shape.push_back(s[d]);
  }
  shape[0] = batch;
  const MLOperand y = c.b.transpose(formats::reshape(c.b, x, split), {.permutation = order});
  c.put_stored(formats::reshape(c.b, y, shape, {.label = c.label()}));
}

/// The way back, with crops instead of paddings.
void batch_to_space(Call& c) {
  const MLOperand x = c.stored(0);
  const Dims block = blocks_of(c, x);
  const std::size_t m = block.size();
  const Paddings crops = paddings_of(c, 2, m);
  const SizeList s = formats::sizes_of(x);
  Size batch = s[0];
  SizeList split, shape{0};
  Dims order{static_cast<std::uint32_t>(m)};
  for (std::size_t i = 0; i < m; ++i) {
    if (!may_divide(batch, block[i]))
      c.refuse(fail("the batch ({}) is not a multiple of the blocks {}", s[0].text(), block));
    batch = batch / block[i];
    split.push_back(block[i]);
    order.insert(order.end(),
                 {static_cast<std::uint32_t>(m + 1 + i), static_cast<std::uint32_t>(i)});
    shape.push_back(c.dimension(s[i + 1] * block[i], "a dimension"));
  }
  split.push_back(batch);
  split.insert(split.end(), s.begin() + 1, s.end());
  for (std::size_t d = m + 1; d < s.size(); ++d) {
    order.push_back(static_cast<std::uint32_t>(d + m));
    shape.push_back(s[d]);
  }
  shape[0] = batch;
  SizeList starts(shape.size(), 0), sizes = shape;
  bool whole = true;
  for (std::size_t i = 0; i < m; ++i) {
    const Size left = shape[i + 1] - crops.before[i] - crops.after[i];
    starts[i + 1] = crops.before[i];
    sizes[i + 1] = c.dimension(left, "what the crops leave of a dimension");
    whole = whole && crops.before[i].is(0) && crops.after[i].is(0);
  }
  MLOperand y = c.b.transpose(formats::reshape(c.b, x, split), {.permutation = order});
  y = formats::reshape(c.b, y, shape, {.label = c.label()});
  c.put_stored(whole ? y : formats::slice(c.b, y, starts, sizes));
}

constexpr Handler handlers[] = {
    {Code::DEPTH_TO_SPACE, depth_to_space, 1, 1},
    {Code::SPACE_TO_DEPTH, space_to_depth, 1, 1},
    {Code::SPACE_TO_BATCH_ND, space_to_batch, 3, 3},
    {Code::BATCH_TO_SPACE_ND, batch_to_space, 3, 3},
};

}  // namespace

std::span<const Handler> space_to_depth_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::tflite
