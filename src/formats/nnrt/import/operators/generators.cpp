// Operators that make elements: of shapes, of ranges, one-hot vectors, scattered ones.
#include "src/formats/nnrt/import/importer.h"

namespace webnn::inline v0_1::nnrt {
namespace {

Dims sizes_of(const Call& c, std::size_t i) {
  Dims shape;
  for (const std::int64_t v : c.ints(i)) shape.push_back(c.dimension(v, "a size"));
  return shape;
}
/// Numbers as a constant of that type.
MLOperand constant(const Call& c, MLOperandDataType type, const std::vector<std::int64_t>& values,
                   Dims shape) {
  c.spend(values.size() * 8, "a list of numbers");
  const auto as = [&]<class T>(T) {
    return c.b.constant({type, std::move(shape)}, std::vector<T>(values.begin(), values.end()));
  };
  switch (type) {
    case int32: return as(std::int32_t{});
    case int64: return as(std::int64_t{});
    case float32: return as(float{});
    default: c.unsupported(fail("a list of {}", type));
  }
}
MLOperandDataType result_type(const Call& c) {
  const auto type = held_as(c.out().dataType);
  if (!type) c.unsupported(fail("a result of {}", enumerator(c.out().dataType)));
  return *type;
}
std::vector<std::int64_t> counted(std::uint64_t n) {
  std::vector<std::int64_t> all;
  for (std::uint64_t i = 0; i < n; ++i) all.push_back(static_cast<std::int64_t>(i));
  return all;
}

void shape(Call& c, const Attributes&) {
  const Dims s = c.stored(0).shape();
  if (s.empty()) c.unsupported(fail("the shape of a scalar, which has no elements"));
  c.put_stored(
      constant(c, result_type(c), {s.begin(), s.end()}, {static_cast<std::uint32_t>(s.size())}));
}
void rank(Call& c, const Attributes&) {
  c.put_stored(constant(c, result_type(c), {std::int64_t{c.stored(0).rank()}}, {}));
}

/// From start to limit in steps: of its three inputs, or else of its attributes.
void range(Call& c, const Range& a) {
  const auto value = [&](std::size_t i, std::int64_t attribute) {
    if (c.inputs() != 3) return attribute;
    const auto list = c.ints(i);
    if (list.size() != 1) c.refuse(fail("its input {} has {} elements", i, list.size()));
    return list[0];
  };
  const std::int64_t start = value(0, a.start), limit = value(1, a.limit), step = value(2, a.delta);
  constexpr std::int64_t most = std::int64_t{1} << 53;  // all doubles, and no overflow
  for (const std::int64_t v : {start, limit, step})
    if (v < -most || v > most) c.refuse(fail("{} is not between {} and {}", v, -most, most));
  const std::int64_t way = step > 0 ? limit - start : start - limit;
  if (step == 0 || way <= 0)
    c.refuse(fail("the range from {} to {} in steps of {} is empty", start, limit, step));
  const std::int64_t size = step > 0 ? step : -step;
  const auto n = static_cast<std::uint64_t>((way + size - 1) / size);
  c.spend(n * 8, "a range");
  std::vector<std::int64_t> all;
  for (std::uint64_t i = 0; i < n; ++i) all.push_back(start + static_cast<std::int64_t>(i) * step);
  c.put_stored(constant(c, result_type(c), all, {static_cast<std::uint32_t>(n)}));
}

void constant_of_shape(Call& c, const ConstantOfShape& a) {
  if (a.value.size() > 1) c.refuse(fail("it has {} values", a.value.size()));
  const MLOperand v = c.b.constant(result_type(c), a.value.empty() ? 0.0 : double{a.value[0]});
  c.put_stored(c.b.expand(v, sizes_of(c, 0), {.label = c.label()}));
}
void fill(Call& c, const Attributes&) {
  c.put(c.b.expand(c.reshaped(c.value(0), {}), sizes_of(c, 1), {.label = c.label()}));
}

/// The indices along a new dimension of `depth` elements, of which one is onValue.
void one_hot(Call& c, const OneHot& a) {
  const auto list = c.ints(1);
  if (list.size() != 1) c.refuse(fail("its depth has {} elements", list.size()));
  const std::uint32_t depth = c.dimension(list[0], "its depth");
  MLOperand x = c.stored(0);
  if (x.dataType() != int32) x = c.b.cast(x, int64);
  const std::uint32_t axis = c.axis(a.axis, std::size_t{x.rank()} + 1);
  Dims shape = x.shape(), along(shape.size() + 1, 1);
  shape.insert(shape.begin() + axis, 1);
  along[axis] = depth;
  c.spend(std::uint64_t{depth} * 8, "the indices of one-hot vectors");
  const MLOperand places = constant(c, x.dataType(), counted(depth), along);
  const MLOperand there = c.b.equal(c.b.reshape(x, shape), places);
  const MLOperand on = c.reshaped(c.value(2), {}), off = c.reshaped(c.value(3), {});
  c.put(c.b.where(there, on, off, {.label = c.label()}));
}

/// Zeros where nothing is scattered.
void scatter_nd(Call& c, const Attributes&) {
  const MLOperand updates = c.value(1);
  const MLOperand zeros = c.b.expand(c.b.constant(updates.dataType(), 0), sizes_of(c, 2));
  c.put(c.b.scatterND(zeros, c.stored(0), updates, {.label = c.label()}));
}

using enum NodeType;
constexpr Rule rules[] = {
    {NODE_TYPE_SHAPE, shape, 1, 1},
    {NODE_TYPE_RANK, rank, 1, 1},
    {NODE_TYPE_RANGE, handle<Range, range>, 1, 3},
    {NODE_TYPE_CONSTANT_OF_SHAPE, handle<ConstantOfShape, constant_of_shape>, 1, 1},
    {NODE_TYPE_FILL, fill, 2, 2},
    {NODE_TYPE_ONE_HOT, handle<OneHot, one_hot>, 4, 4},
    {NODE_TYPE_SCATTER_ND, scatter_nd, 3, 3},
    {NODE_TYPE_SPARSE_TO_DENSE, scatter_nd, 3, 3},
};

}  // namespace

std::span<const Rule> generator_rules() { return rules; }

}  // namespace webnn::inline v0_1::nnrt
