// Operators that move elements, read some of them, or make tensors of one number.
#include <algorithm>
#include <numeric>

#include "src/formats/executorch/import/kernels.h"

namespace webnn::inline v0_1::executorch {
namespace {

constexpr auto max_size = static_cast<std::int64_t>(max_tensor_byte_length);

MLOperand transposed(const KernelCall& c, const MLOperand& x, const Dims& order) {
  MLGraphBuilder& b = c.b;
  return std::ranges::is_sorted(order) ? x : b.transpose(x, {.permutation = order});
}

MLOperand reshape(const KernelCall& c) {
  MLGraphBuilder& b = c.b;
  const MLOperand x = c.x();
  const Dims shape = c.result.sizes();
  if (element_count(shape) != element_count(x.shape()))
    c.unsupported(fail("its result has shape {}, its operand {}", shape, x.shape()));
  return x.shape() == shape ? x : b.reshape(x, shape);
}

MLOperand copy(const KernelCall& c) {
  const MLOperand x = c.x();
  if (x.dataType() == c.type()) return x;
  if (c.result.is_bool) c.unsupported(fail("its operand is {}, its result BOOL", x.dataType()));
  return c.cast(x, c.type());
}

MLOperand permute(const KernelCall& c) {
  const MLOperand x = c.x();
  const Dims order = c.dimensions(1, x.rank());
  if (order.size() != x.rank()) c.refuse(fail("it has no list of {} dimensions", x.rank()));
  return transposed(c, x, order);
}
MLOperand swap(const KernelCall& c) {
  const MLOperand x = c.x();
  Dims order(x.rank());
  std::iota(order.begin(), order.end(), 0u);
  std::swap(order[c.dimension(1, x.rank())], order[c.dimension(2, x.rank())]);
  return transposed(c, x, order);
}
MLOperand transpose(const KernelCall& c) {
  const MLOperand x = c.x();
  if (x.rank() > 2) c.refuse(fail("its operand has {} dimensions, more than 2", x.rank()));
  return x.rank() == 2 ? transposed(c, x, {1, 0}) : x;
}

std::vector<MLOperand> promoted_list(const KernelCall& c) {
  std::vector<MLOperand> all = c.tensors(0);
  if (all.empty()) c.refuse(fail("its list is empty"));
  for (MLOperand& x : all) x = c.cast(x, c.type());
  return all;
}
MLOperand concat(const KernelCall& c) {
  MLGraphBuilder& b = c.b;
  const std::vector<MLOperand> all = promoted_list(c);
  return b.concat(all, c.dimension(1, all.front().rank()));
}
MLOperand stack(const KernelCall& c) {
  MLGraphBuilder& b = c.b;
  std::vector<MLOperand> all = promoted_list(c);
  const std::uint32_t axis = c.dimension(1, all.front().rank() + 1);
  for (MLOperand& x : all) {
    Dims shape = x.shape();
    if (axis > shape.size()) c.refuse(fail("its tensors have different ranks"));
    shape.insert(shape.begin() + axis, 1);
    x = b.reshape(x, shape);
  }
  return b.concat(all, axis);
}

/// From the end when it is negative, and within the dimension.
std::uint32_t place_in(std::int64_t at, std::uint32_t size) {
  const std::int64_t n = size;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(at < 0 ? at + n : at, 0, n));
}

MLOperand slice_of(const KernelCall& c, const MLOperand& x, std::uint32_t axis, std::uint32_t start,
                   std::uint32_t size, std::uint32_t stride) {
  MLGraphBuilder& b = c.b;
  Dims starts(x.rank(), 0), sizes = x.shape(), strides(x.rank(), 1);
  if (size == 0) c.unsupported(fail("its result has no elements"));
  starts[axis] = start;
  sizes[axis] = size;
  strides[axis] = stride;
  return b.slice(x, starts, sizes, {.strides = strides});
}

MLOperand slice(const KernelCall& c) {
  const MLOperand x = c.x();
  const std::uint32_t axis = c.dimension(1, x.rank()), size = x.shape()[axis];
  const std::uint32_t start = c.is_none(2) ? 0 : place_in(c.integer(2), size),
                      end = c.is_none(3) ? size : place_in(c.integer(3), size);
  const std::int64_t step = c.integer(4);
  if (step < 1 || step > max_size) c.refuse(fail("its step is {}", step));
  return slice_of(c, x, axis, start, end > start ? end - start : 0,
                  static_cast<std::uint32_t>(step));
}

MLOperand select(const KernelCall& c) {
  MLGraphBuilder& b = c.b;
  const MLOperand x = c.x();
  const std::uint32_t axis = c.dimension(1, x.rank()), size = x.shape()[axis];
  const std::int64_t index = c.integer(2);
  if (index < -std::int64_t{size} || index >= size)
    c.refuse(fail("the index {} is not within a dimension of {}", index, size));
  Dims shape = x.shape();
  shape.erase(shape.begin() + axis);
  return b.reshape(slice_of(c, x, axis, place_in(index, size), 1, 1), shape);
}

MLOperand index_select(const KernelCall& c) {
  MLGraphBuilder& b = c.b;
  const MLOperand x = c.x(), index = c.x(2);
  if (index.rank() > 1) c.refuse(fail("its index has rank {}", index.rank()));
  const MLOperand list = index.rank() == 1 ? index : b.reshape(index, {1});
  return b.gather(x, list, {.axis = c.dimension(1, x.rank())});
}
MLOperand gather(const KernelCall& c) {
  MLGraphBuilder& b = c.b;
  MLOperand x = c.x(), index = c.x(2);
  const std::uint32_t axis = c.dimension(1, x.rank());
  if (index.rank() != x.rank()) c.refuse(fail("its index has rank {}", index.rank()));
  // Dimensions other than that of the axis may be longer than those of the index.
  Dims sizes = x.shape();
  for (std::uint32_t d = 0; d < x.rank(); ++d)
    if (d != axis) sizes[d] = std::min(sizes[d], index.shape()[d]);
  if (sizes != x.shape()) x = b.slice(x, Dims(x.rank(), 0), sizes);
  return b.gatherElements(x, index, {.axis = axis});
}
MLOperand embedding(const KernelCall& c) {
  MLGraphBuilder& b = c.b;
  return b.gather(c.x(0), c.x(1), {.axis = 0});
}

MLOperand expand(const KernelCall& c) {
  MLGraphBuilder& b = c.b;
  const MLOperand x = c.x();
  const Dims shape = c.result.sizes();
  return x.shape() == shape ? x : b.expand(x, shape);
}
MLOperand repeat(const KernelCall& c) {
  MLGraphBuilder& b = c.b;
  MLOperand x = c.x();
  const std::vector<std::int64_t> times = c.integers(1);
  if (times.size() < x.rank()) c.refuse(fail("it repeats {} dimensions", times.size()));
  Dims repetitions, shape(times.size() - x.rank(), 1);
  for (const std::int64_t n : times) {
    if (n < 1 || n > max_size) c.unsupported(fail("it repeats {} times", n));
    repetitions.push_back(static_cast<std::uint32_t>(n));
  }
  for (const std::uint32_t d : x.shape()) shape.push_back(d);
  if (shape != x.shape()) x = b.reshape(x, shape);
  return b.tile(x, repetitions);
}

MLOperand pad(const KernelCall& c) {
  MLGraphBuilder& b = c.b;
  const MLOperand x = c.x();
  const std::vector<std::int64_t> pads = c.integers(1);  // of the last dimension first
  if (pads.size() % 2 != 0 || pads.size() / 2 > x.rank())
    c.refuse(fail("it has {} paddings", pads.size()));
  Dims before(x.rank(), 0), after(x.rank(), 0);
  for (std::size_t i = 0; i < pads.size(); ++i) {
    if (pads[i] < 0) c.unsupported(fail("a padding is {}", pads[i]));
    if (pads[i] > max_size) c.refuse(fail("a padding is {}", pads[i]));
    (i % 2 ? after : before)[x.rank() - 1 - i / 2] = static_cast<std::uint32_t>(pads[i]);
  }
  return b.pad(x, before, after, {.value = c.number(2)});
}

MLOperand where(const KernelCall& c) {
  MLGraphBuilder& b = c.b;
  return b.where(c.x(0), c.promoted(1), c.promoted(2));
}

MLOperand filled(const KernelCall& c, std::size_t value) {
  MLGraphBuilder& b = c.b;
  const Dims shape = c.result.sizes();
  const MLOperand one = b.constant(c.type(), c.number(value));
  return shape.empty() ? one : b.expand(one, shape);
}
MLOperand full(const KernelCall& c) { return filled(c, 1); }

MLOperand scalar_tensor(const KernelCall& c) { return filled(c, 0); }
MLOperand masked(const KernelCall& c) {
  return c.b.where(c.x(1), c.scalar(c.number(2)), c.promoted(0));
}

MLOperand flip(const KernelCall& c) {
  const MLOperand x = c.x();
  const Dims axes = c.dimensions(1, x.rank());
  return axes.empty() ? x : c.b.reverse(x, {.axes = axes});
}
template <bool upper> MLOperand triangle(const KernelCall& c) {
  const std::int64_t diagonal = std::clamp<std::int64_t>(c.integer(1), -0x7fffffff, 0x7fffffff);
  return c.b.triangular(c.x(), {.upper = upper, .diagonal = static_cast<std::int32_t>(diagonal)});
}

constexpr KernelRow rows[] = {
    {"executorch_prim::et_view.default", &reshape},
    {"aten::view_copy.out", &reshape},
    {"aten::squeeze_copy.dim_out", &reshape},
    {"aten::squeeze_copy.dims_out", &reshape},
    {"aten::unsqueeze_copy.out", &reshape},
    {"aten::_to_copy.out", &copy},
    {"aten::alias_copy.out", &copy},
    {"aten::clone.out", &copy},
    {"aten::detach_copy.out", &copy},
    {"aten::lift_fresh_copy.out", &copy},
    {"dim_order_ops::_clone_dim_order.out", &copy},
    {"dim_order_ops::_to_dim_order_copy.out", &copy},
    {"aten::permute_copy.out", &permute},
    {"aten::transpose_copy.int_out", &swap},
    {"aten::t_copy.out", &transpose},
    {"aten::cat.out", &concat},
    {"aten::stack.out", &stack},
    {"aten::slice_copy.Tensor_out", &slice},
    {"aten::select_copy.int_out", &select},
    {"aten::index_select.out", &index_select},
    {"aten::gather.out", &gather},
    {"aten::embedding.out", &embedding},
    {"aten::expand_copy.out", &expand},
    {"aten::repeat.out", &repeat},
    {"aten::constant_pad_nd.out", &pad},
    {"aten::where.self_out", &where},
    {"aten::masked_fill.Scalar_out", &masked},
    {"aten::flip.out", &flip},
    {"aten::triu.out", &triangle<true>},
    {"aten::tril.out", &triangle<false>},
    {"aten::scalar_tensor.out", &scalar_tensor},
    {"aten::full.out", &full},
    {"aten::full_like.out", &full},
};

}  // namespace

std::span<const KernelRow> movement_kernels() { return rows; }

}  // namespace webnn::inline v0_1::executorch
