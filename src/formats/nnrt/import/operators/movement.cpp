// Operators that move and make elements.
#include <algorithm>

#include "src/formats/nnrt/import/importer.h"

namespace webnn::inline v0_1::nnrt {
namespace {

/// A shape with one -1, which is what remains, and 0, which is the size of x.
Dims shape_from(const Call& c, const MLOperand& x, const std::vector<std::int64_t>& list) {
  Dims shape;
  std::uint64_t known = 1;
  std::optional<std::size_t> open;
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::int64_t v = list[i];
    if (v == 0 && i < x.rank()) v = x.shape()[i];
    if (v == -1 && open) c.refuse(fail("its shape has more than one -1"));
    if (v == -1) open = i;
    shape.push_back(v == -1 ? 1 : c.dimension(v, "a size"));
    known *= shape.back();
    if (known == 0 || known > max_tensor_byte_length) c.refuse(fail("its shape is {}", shape));
  }
  const std::uint64_t elements = element_count(x.shape());
  if (open && elements % known != 0)
    c.refuse(fail("its shape {} does not divide the {} elements", shape, elements));
  if (open) shape[*open] = static_cast<std::uint32_t>(elements / known);
  return shape;
}

void reshape(Call& c, const Attributes&) {
  const auto shape = c.ints(1);
  c.move([&](const MLOperand& x) {
    return c.b.reshape(x, shape_from(c, x, shape), {.label = c.label()});
  });
}
void flatten(Call& c, const Flatten& a) {
  c.move([&](const MLOperand& x) {
    const std::int64_t rank = x.rank();
    if (a.axis < -rank || a.axis > rank) c.refuse(fail("axis ({}) is not within the rank", a.axis));
    std::uint32_t rows = 1;
    const auto axis = static_cast<std::size_t>(a.axis < 0 ? a.axis + rank : a.axis);
    for (std::size_t d = 0; d < axis; ++d) rows *= x.shape()[d];
    const auto all = static_cast<std::uint32_t>(element_count(x.shape()));
    return c.b.reshape(x, {rows, all / rows}, {.label = c.label()});
  });
}
Dims without(const Call& c, const Dims& shape, const List& axes) {
  std::vector<bool> gone(shape.size());
  if (axes.empty())
    for (std::size_t d = 0; d < shape.size(); ++d) gone[d] = shape[d] == 1;
  for (const std::int64_t v : axes) gone[c.axis(v, shape.size())] = true;
  Dims out;
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (!gone[d]) out.push_back(shape[d]);
  return out;
}
void squeeze(Call& c, const Squeeze& a) {
  c.move([&](const MLOperand& x) {
    return c.b.reshape(x, without(c, x.shape(), a.axis), {.label = c.label()});
  });
}
/// Axes are those of the result.
void insert_dimensions(Call& c, const List& axes) {
  if (axes.size() > 64) c.refuse(fail("it has {} axes", axes.size()));
  c.move([&](const MLOperand& x) {
    Dims shape = x.shape();
    std::vector<std::uint32_t> sorted;
    for (const std::int64_t v : axes) sorted.push_back(c.axis(v, x.rank() + axes.size()));
    std::sort(sorted.begin(), sorted.end());
    for (const std::uint32_t axis : sorted) {
      if (axis > shape.size()) c.refuse(fail("the axes do not fit the shape {}", x.shape()));
      shape.insert(shape.begin() + axis, 1);
    }
    return c.b.reshape(x, shape, {.label = c.label()});
  });
}
void unsqueeze(Call& c, const Unsqueeze& a) { insert_dimensions(c, a.axis); }
void expand_dims(Call& c, const Attributes&) { insert_dimensions(c, c.ints(1)); }

void transpose(Call& c, const Attributes&) {
  const Dims order = c.dimensions(c.ints(1), c.stored(0).rank(), "perm");
  c.move([&](const MLOperand& x) {
    return c.b.transpose(x, {.permutation = order, .label = c.label()});
  });
}

/// All inputs as the result has them.
std::vector<MLOperand> parts(const Call& c, bool& moves) {
  moves = true;
  for (std::size_t i = 0; i < c.inputs(); ++i)
    moves = moves && c.in(i).quantParams == c.out().quantParams;
  std::vector<MLOperand> all;
  for (std::size_t i = 0; i < c.inputs(); ++i) all.push_back(moves ? c.stored(i) : c.value(i));
  return all;
}
void concat(Call& c, const Concat& a) {
  bool moves = true;
  const auto all = parts(c, moves);
  const MLOperand y = c.b.concat(all, c.axis(a.axis, all[0].rank()), {.label = c.label()});
  if (moves) c.put_stored(y);
  else c.put(y);
}
void stack(Call& c, const Stack& a) {
  bool moves = true;
  auto all = parts(c, moves);
  const std::uint32_t axis = c.axis(a.axis, all[0].rank() + 1);
  for (MLOperand& x : all) {
    Dims shape = x.shape();
    if (axis > shape.size()) c.refuse(fail("its inputs have different shapes"));
    shape.insert(shape.begin() + axis, 1);
    x = c.b.reshape(x, shape);
  }
  const MLOperand y = c.b.concat(all, axis, {.label = c.label()});
  if (moves) c.put_stored(y);
  else c.put(y);
}
void require_outputs(const Call& c, std::size_t parts) {
  if (parts != c.outputs()) c.refuse(fail("it has {} outputs for {} parts", c.outputs(), parts));
}
/// f gives the parts.
template <class F> void put_parts(Call& c, F&& f) {
  bool moves = true;
  for (std::size_t i = 0; i < c.outputs(); ++i)
    moves = moves && c.in(0).quantParams == c.out(i).quantParams;
  const auto all = f(moves ? c.stored(0) : c.value(0));
  for (std::size_t i = 0; i < all.size(); ++i) moves ? c.put_stored(all[i], i) : c.put(all[i], i);
}
void split(Call& c, const Split& a) {
  const MLOperand x = c.stored(0);
  const std::uint32_t axis = c.axis(a.axis, x.rank());
  const std::uint32_t parts = c.dimension(a.outputNum, "outputNum");
  require_outputs(c, a.sizeSplits.empty() ? parts : a.sizeSplits.size());
  const MLSplits splits = a.sizeSplits.empty()
                              ? MLSplits(parts)
                              : MLSplits(c.dimensions(a.sizeSplits, c.outputs(), "sizeSplits"));
  put_parts(c, [&](const MLOperand& given) {
    return c.b.split(given, splits, {.axis = axis, .label = c.label()});
  });
}
void unstack(Call& c, const Unstack& a) {
  const MLOperand x = c.stored(0);
  const std::uint32_t axis = c.axis(a.axis, x.rank());
  require_outputs(c, x.shape()[axis]);
  put_parts(c, [&](const MLOperand& given) {
    auto all = c.b.split(given, MLSplits(x.shape()[axis]), {.axis = axis});
    for (MLOperand& y : all) y = c.b.reshape(y, without(c, y.shape(), {axis}));
    return all;
  });
}

/// Along some dimensions, or all.
void slice(Call& c, const SliceFusion& a) {
  const auto begin = c.ints(1), size = c.ints(2);
  if (begin.size() != size.size() || (!a.axes.empty() && a.axes.size() != begin.size()))
    c.refuse(fail("it has {} begins and {} sizes", begin.size(), size.size()));
  c.move([&](const MLOperand& x) {
    Dims starts(x.rank(), 0), sizes = x.shape();
    for (std::size_t i = 0; i < begin.size(); ++i) {
      const std::uint32_t d =
          c.axis(a.axes.empty() ? static_cast<std::int64_t>(i) : a.axes[i], x.rank());
      starts[d] = c.dimension(begin[i], "begin");
      if (starts[d] >= sizes[d]) c.refuse(fail("begin ({}) is not below {}", starts[d], sizes[d]));
      sizes[d] = size[i] == -1 ? sizes[d] - starts[d] : c.dimension(size[i], "size");
    }
    return c.b.slice(x, starts, sizes, {.label = c.label()});
  });
}
/// What a slice takes along one dimension: places from first, in steps that may be negative.
struct Stride {
  std::int64_t first, count, step;
};
Stride stride_of(const Call& c, std::int64_t size, std::int64_t begin, std::int64_t end,
                 std::int64_t step, bool from_start, bool to_end, bool one) {
  constexpr std::int64_t most = std::int64_t{1} << 32;
  if (step == 0 || step > most || step < -most) c.refuse(fail("a stride is {}", step));
  const std::int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
  const auto place = [&](std::int64_t v) {
    return std::clamp<std::int64_t>(v < 0 ? std::max(v, -most) + size : v, low, high);
  };
  const std::int64_t from = from_start ? (step > 0 ? 0 : size - 1) : place(begin);
  if (one) {
    if (from < 0 || from >= size) c.refuse(fail("index {} of {} elements", begin, size));
    return {from, 1, 1};
  }
  const std::int64_t to = to_end ? (step > 0 ? size : -1) : place(end);
  const std::int64_t way = step > 0 ? to - from : from - to, width = step > 0 ? step : -step;
  if (way <= 0) c.refuse(fail("the slice from {} to {} in steps of {} is empty", begin, end, step));
  return {from, (way + width - 1) / width, step};
}
void strided_slice(Call& c, const StridedSlice& a) {
  if (a.ellipsisMask || a.newAxisMask) c.unsupported(fail("a slice with ellipsis or new axes"));
  const auto begin = c.ints(1), end = c.ints(2), strides = c.ints(3);
  c.move([&](const MLOperand& x) {
    if (begin.size() > x.rank() || end.size() != begin.size() || strides.size() != begin.size())
      c.refuse(fail("it has {} begins, {} ends and {} strides for shape {}", begin.size(),
                    end.size(), strides.size(), x.shape()));
    Dims starts(x.rank(), 0), sizes = x.shape(), steps(x.rank(), 1), reversed;
    List gone;
    for (std::size_t i = 0; i < begin.size(); ++i) {
      const bool one = a.shrinkAxisMask >> i & 1;
      const Stride s = stride_of(c, x.shape()[i], begin[i], end[i], strides[i],
                                 a.beginMask >> i & 1, a.endMask >> i & 1, one);
      const std::int64_t width = s.step > 0 ? s.step : -s.step, extent = (s.count - 1) * width;
      starts[i] = static_cast<std::uint32_t>(s.step > 0 ? s.first : s.first - extent);
      sizes[i] = static_cast<std::uint32_t>(extent + 1);
      steps[i] = s.count == 1 ? 1 : static_cast<std::uint32_t>(width);
      if (s.step < 0 && s.count > 1) reversed.push_back(static_cast<std::uint32_t>(i));
      if (one) gone.push_back(static_cast<std::int64_t>(i));
    }
    MLOperand y = x;
    if (sizes != x.shape() || steps != Dims(x.rank(), 1))
      y = c.b.slice(y, starts, sizes, {.strides = steps, .label = c.label()});
    if (!reversed.empty()) y = c.b.reverse(y, {.axes = reversed, .label = c.label()});
    if (!gone.empty()) y = c.b.reshape(y, without(c, y.shape(), gone));
    return y.is(x) ? c.b.identity(x, {.label = c.label()}) : y;
  });
}

void pad(Call& c, const PadFusion& a) {
  std::vector<std::int64_t> list;
  if (c.has(1)) list = c.ints(1);
  else
    for (const List& pair : a.paddings) list.insert(list.end(), pair.begin(), pair.end());
  const MLOperand x = c.value(0);
  if (list.size() != 2 * std::size_t{x.rank()})
    c.refuse(fail("it has {} paddings for {} dimensions", list.size(), x.rank()));
  Dims before, after;
  for (std::size_t d = 0; d < x.rank(); ++d) {
    before.push_back(c.dimension(list[2 * d], "a padding"));
    after.push_back(c.dimension(list[2 * d + 1], "a padding"));
  }
  if (a.paddingMode != PaddingMode::PADDING_MODE_CONSTANT &&
      a.paddingMode != PaddingMode::PADDING_MODE_REFLECT)
    c.unsupported(fail("padding with {}", enumerator(a.paddingMode)));
  const bool reflects = a.paddingMode == PaddingMode::PADDING_MODE_REFLECT;
  c.put(c.b.pad(x, before, after,
                {.mode = reflects ? MLPaddingMode::reflection : MLPaddingMode::constant,
                 .value = a.constantValue,
                 .label = c.label()}));
}

void broadcast_to(Call& c, const BroadcastTo& a) {
  c.move([&](const MLOperand& x) {
    Dims shape;
    for (const std::int64_t v : a.shape) shape.push_back(c.dimension(v, "a size"));
    return c.b.expand(x, shape, {.label = c.label()});
  });
}
void tile(Call& c, const TileFusion& a) {
  std::vector<std::int64_t> list = c.has(1) ? c.ints(1) : a.dims;
  c.move([&](const MLOperand& given) {
    MLOperand x = given;
    if (list.size() < x.rank()) list.insert(list.begin(), x.rank() - list.size(), 1);
    if (list.size() > x.rank()) {
      Dims shape(list.size() - x.rank(), 1);
      shape.insert(shape.end(), x.shape().begin(), x.shape().end());
      x = c.b.reshape(x, shape);
    }
    return c.b.tile(x, c.dimensions(list, x.rank(), "multiples"), {.label = c.label()});
  });
}

void cast(Call& c, const Attributes&) {
  const auto to = held_as(c.out().dataType);
  if (!to) c.unsupported(fail("a result of {}", enumerator(c.out().dataType)));
  const MLOperand x = c.value(0);
  // Everything but 0 is true.
  if (c.out().dataType == DataType::DATA_TYPE_BOOL)
    return c.put(c.b.notEqual(x, c.b.constant(x.dataType(), 0), {.label = c.label()}));
  c.put(c.b.cast(x, *to, {.label = c.label()}));
}

void gather(Call& c, const Attributes&) {
  const auto axis = c.ints(2);
  if (axis.size() != 1) c.refuse(fail("its axis has {} entries", axis.size()));
  const MLOperand indices = c.stored(1);
  c.move([&](const MLOperand& x) {
    return c.b.gather(x, indices, {.axis = c.axis(axis[0], x.rank()), .label = c.label()});
  });
}
void gather_nd(Call& c, const Attributes&) {
  const MLOperand indices = c.stored(1);
  c.move([&](const MLOperand& x) { return c.b.gatherND(x, indices, {.label = c.label()}); });
}
using enum NodeType;
constexpr Rule rules[] = {
    {NODE_TYPE_RESHAPE, reshape, 2, 2},
    {NODE_TYPE_FLATTEN, handle<Flatten, flatten>, 1, 1},
    {NODE_TYPE_SQUEEZE, handle<Squeeze, squeeze>, 1, 1},
    {NODE_TYPE_UNSQUEEZE, handle<Unsqueeze, unsqueeze>, 1, 1},
    {NODE_TYPE_EXPAND_DIMS, expand_dims, 2, 2},
    {NODE_TYPE_TRANSPOSE, transpose, 2, 2},
    {NODE_TYPE_CONCAT, handle<Concat, concat>, 1, many},
    {NODE_TYPE_STACK, handle<Stack, stack>, 1, many},
    {NODE_TYPE_SPLIT, handle<Split, split>, 1, 1, false},
    {NODE_TYPE_UNSTACK, handle<Unstack, unstack>, 1, 1, false},
    {NODE_TYPE_SLICE_FUSION, handle<SliceFusion, slice>, 3, 3},
    {NODE_TYPE_STRIDED_SLICE, handle<StridedSlice, strided_slice>, 4, 4},
    {NODE_TYPE_PAD_FUSION, handle<PadFusion, pad>, 1, 2},
    {NODE_TYPE_BROADCAST_TO, handle<BroadcastTo, broadcast_to>, 1, 1},
    {NODE_TYPE_TILE_FUSION, handle<TileFusion, tile>, 1, 2},
    {NODE_TYPE_CAST, cast, 1, 2},
    {NODE_TYPE_GATHER, gather, 3, 3},
    {NODE_TYPE_GATHER_ND, gather_nd, 2, 2},
};

}  // namespace

std::span<const Rule> movement_rules() { return rules; }

}  // namespace webnn::inline v0_1::nnrt
