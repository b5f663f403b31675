// Values that follow from nothing or from shapes.
#include <cmath>
#include <numbers>

#include "src/formats/common/fold.h"
#include "src/formats/onnx/import/padded.h"
#include "src/graph/graph_data.h"

namespace webnn::inline v0_1::onnx {
namespace {

/// A tensor of an attribute.
void put_tensor(Call& c, const Tensor& t) {
  if (is_empty(t)) {
    c.put_empty({t.dims.begin(), t.dims.end()}, data_type_of(t.type).value_or(float32));
    return;
  }
  const auto stop = [&](const Failure& f) {
    if (f.name == ErrorName::NotSupportedError) c.unsupported(f);
    c.refuse(f);
  };
  auto d = descriptor_of(t);
  if (!d) stop(d.failure());
  auto bytes = constant_of(c.scope().import(), t);
  if (!bytes) stop(bytes.failure());
  c.set(0, {.x = c.b.constant(*d, std::move(*bytes)),
            .boolean = t.type == ElementType::BOOL,
            .narrow = is_narrow(t.type) ? t.type : ElementType::UNDEFINED});
}

void constant(Call& c) {
  const auto length = [](const auto& list) {
    return Dims{static_cast<std::uint32_t>(list.size())};
  };
  if (const auto t = c.tensor("value")) {
    put_tensor(c, *t);
  } else if (c.has_attribute("value_float")) {
    c.put(c.scalar(float32, c.real("value_float", 0)));
  } else if (c.has_attribute("value_int")) {
    c.put(c.int64s({}, {c.integer("value_int", 0)}));
  } else if (const auto reals = c.reals("value_floats")) {
    if (reals->empty()) c.put_empty({0}, float32);
    else c.put(c.floats(float32, length(*reals), *reals));
  } else if (const auto ints = c.ints("value_ints")) {
    if (ints->empty()) c.put_empty({0}, int64);
    else c.put(c.int64s(length(*ints), *ints));
  } else {
    c.unsupported("its value is a text or sparse");
  }
}

void constant_of_shape(Call& c) {
  const SizeList shape = c.list(0);
  MLOperand value = c.scalar(float32, 0.0);
  bool boolean = false;
  if (const auto t = c.tensor("value")) {
    auto d = descriptor_of(*t);
    if (!d) c.unsupported(d.failure());
    if (element_count(d->shape) != 1) c.refuse(fail("its value does not have one element"));
    auto bytes = constant_of(c.scope().import(), *t);
    if (!bytes) c.refuse(bytes.failure());
    value = c.b.constant({d->dataType, {}}, std::move(*bytes));
    boolean = t->type == ElementType::BOOL;
  }
  for (const Size& size : shape)
    if (size.is_known() && size.number() < 0)
      c.refuse(fail("a dimension of the shape is {}", size.number()));
  if (std::ranges::any_of(shape, [](const Size& size) { return size.is(0); })) {
    ops::Sizes sizes;
    for (const Size& size : shape) sizes.push_back(static_cast<std::uint64_t>(size.number()));
    return c.put_empty(sizes, value.dataType());
  }
  if (shape.size() > max_rank)
    c.unsupported(fail("the rank ({}) of the result is above {}", shape.size(), max_rank));
  c.set(0, {.x = shape.empty() ? value : c.expand(value, shape, c.label()), .boolean = boolean});
}

/// Of values that follow from open sizes.
void range_dynamic(Call& c, MLOperandDataType type) {
  const MLOperandDataType computed = bits_of(type) < 32 ? float32 : type;
  const auto scalar = [&](std::size_t i) {
    const MLOperand x = c.cast(c.x(i), computed);
    return x.rank() == 0 ? x : c.reshaped(x, {});
  };
  const MLOperand y = c.b.range(scalar(0), scalar(1), scalar(2), {c.label()});
  c.put(c.cast(y, type));
}

void range(Call& c) {
  const MLOperandDataType type = c.type(0);
  const std::uint64_t size = is_float(type) ? 4 : 8;
  constexpr double most = 0x7fffffff;
  for (std::size_t i = 0; i < 3; ++i)
    if (c.follows_from_sizes(i)) return range_dynamic(c, type);
  if (is_float(type)) {
    const double start = c.real(0), limit = c.real(1), step = c.real(2);
    const double n = step == 0 ? -1 : std::max(0.0, std::ceil((limit - start) / step));
    if (!(n >= 0) || n > most) c.refuse(fail("start {}, limit {}, step {}", start, limit, step));
    if (n == 0) return c.put_empty({0}, type);
    c.spend(static_cast<std::uint64_t>(n) * size);
    std::vector<float> values;
    for (double i = 0; i < n; ++i) values.push_back(static_cast<float>(start + i * step));
    return c.put(c.floats(type, {static_cast<std::uint32_t>(n)}, values));
  }
  const std::int64_t start = c.integer(0), limit = c.integer(1), step = c.integer(2);
  const double distance = static_cast<double>(limit) - static_cast<double>(start);
  const double n = step == 0 ? -1 : std::ceil(distance / static_cast<double>(step));
  if (step == 0 || n > most) c.refuse(fail("start {}, limit {}, step {}", start, limit, step));
  if (n <= 0) return c.put_empty({0}, type);
  c.spend(static_cast<std::uint64_t>(n) * size);
  Ints values{start};
  while (static_cast<double>(values.size()) < n) {
    const auto next = static_cast<std::uint64_t>(values.back()) + static_cast<std::uint64_t>(step);
    values.push_back(static_cast<std::int64_t>(next));
  }
  c.put(c.integers(type, {static_cast<std::uint32_t>(n)}, values));
}

void eye_like(Call& c) {
  const SizeList shape = c.sizes(0);
  if (shape.size() != 2) c.refuse(fail("the rank ({}) of its input is not 2", shape.size()));
  MLOperandDataType type = c.type(0);
  bool boolean = c.in(0).boolean;
  if (c.has_attribute("dtype")) {
    const ElementType given = c.element_type("dtype", ElementType::FLOAT);
    boolean = given == ElementType::BOOL;
    // No more than 0 and 1, which float32 has exactly.
    type = given == ElementType::DOUBLE ? float32 : c.data_type(given);
    if (given == ElementType::DOUBLE) c.data_type(given);
  }
  c.check_dimensions(shape);
  const Size &rows = shape[0], &columns = shape[1];
  const std::int64_t k = std::clamp<std::int64_t>(c.integer("k", 0), -0x7fffffff, 0x7fffffff);
  const MLOperand hit = c.b.equal(c.b.add(c.numbers(int64, {rows, 1}, rows), c.scalar(int64, k)),
                                  c.numbers(int64, {1, columns}, columns), {.label = c.label()});
  c.set(0, {.x = type == uint8 ? hit : c.b.cast(hit, type), .boolean = boolean});
}

Size depth_of(Call& c) {
  if (c.follows_from_sizes(1) && !is_float(c.type(1))) return c.size(1);
  const std::vector<double> depth = c.reals(1);
  if (depth.size() != 1) c.refuse(fail("the depth has {} elements, not 1", depth.size()));
  if (!(depth[0] >= 1 && depth[0] <= 0x7fffffff)) c.refuse(fail("the depth is {}", depth[0]));
  return static_cast<std::int64_t>(depth[0]);
}

void one_hot(Call& c) {
  MLOperand indices = c.x(0);
  if (is_float(indices.dataType())) indices = c.b.cast(indices, int64);
  const Size n = depth_of(c);
  const MLOperand values = c.x(2);
  if (!Call::may_have_shape(values, {2}))
    c.refuse(fail("the values have shape {}", Call::shape_text(values)));
  const std::uint32_t axis = c.axis(c.integer("axis", -1), indices.rank() + 1);
  SizeList shape = formats::sizes_of(indices), line(indices.rank() + 1, 1);
  shape.insert(shape.begin() + axis, 1);
  line[axis] = n;
  indices = c.cast(c.reshaped(indices, shape), int64);
  // Negative ones count from the end.
  const MLOperand end = n.operand(c.b);
  const MLOperand wrapped =
      c.b.where(c.b.lesser(indices, c.scalar(int64, 0)), c.b.add(indices, end), indices);
  const MLOperand hit = c.b.equal(c.numbers(int64, line, n), wrapped, {.label = c.label()});
  const auto value = [&](std::uint32_t i) { return c.reshaped(c.sliced(values, 0, i, 1), {}); };
  c.put_like(2, c.b.where(hit, value(1), value(0)));
}

/// Whether no element of x is 0, where that is clear: it is an element other than 0, repeated.
bool has_no_zero(Call& c, const MLOperand& x) {
  if (x.record().kind != OperandKind::result) return false;
  const webnn::NodeData& node = owner_of(x)->nodes[x.record().producer];
  if (node.op.kind() != ops::DeclaredOps::index_of<ops::expandDynamic>()) return false;
  const MLOperand& value = static_cast<const ops::expandDynamic*>(node.op.get())->input;
  if (!value.constant() || element_count(value.shape()) != 1 || bits_of(value.dataType()) < 8)
    return false;
  const auto zero = c.b.equal(value, c.scalar_like(value, 0));
  const auto known = formats::folded(zero, c.b);
  return known && known->constant()->bytes()[0] == std::byte{0};
}

/// The coordinates of all elements: a row for each dimension.
void put_all_places(Call& c, const MLOperand& x) {
  const SizeList sizes = formats::sizes_of(x);
  const Size n = product(sizes);
  const MLOperand places = c.numbers(int64, {1, n}, n);
  std::vector<MLOperand> rows;
  Size step = 1;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    MLOperand row = places;
    if (!step.is(1)) row = c.b.div(row, step.operand(c.b));
    if (d > 0) row = c.b.modulusFloor(row, sizes[d].operand(c.b));
    if (d > 0) step = step * sizes[d];
    rows.insert(rows.begin(), row);
  }
  c.put(rows.size() == 1 ? rows[0] : c.b.concat(rows, 0));
}

void non_zero(Call& c) {
  if (!c.empty(0) && c.x().is_open() && c.x().rank() > 0 && has_no_zero(c, c.x()))
    return put_all_places(c, c.x());
  if (!c.can_be_known(0)) return non_zero_of_data(c);
  const ops::Sizes shape = c.shape(0);
  const std::vector<double> values = c.reals(0);
  Ints coordinates;
  std::vector<Ints> hits;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0) continue;
    Ints place(shape.size());
    std::size_t rest = i;
    for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d])
      place[d] = static_cast<std::int64_t>(rest % shape[d]);
    hits.push_back(place);
  }
  if (hits.empty() || shape.empty()) return c.put_empty({shape.size(), hits.size()}, int64);
  for (std::size_t d = 0; d < shape.size(); ++d)
    for (const Ints& place : hits) coordinates.push_back(place[d]);
  c.put(
      c.int64s({static_cast<std::uint32_t>(shape.size()), static_cast<std::uint32_t>(hits.size())},
               coordinates));
}

/// a0 - a1 cos(2 pi i / n) + a2 cos(4 pi i / n), where n is the size, or one less.
template <int A0, int A1, int A2> void window(Call& c) {
  const std::int64_t size = c.integer(std::size_t{0});
  const auto n = c.dimension(size, "the size");
  const ElementType type = c.element_type("output_datatype", ElementType::FLOAT);
  const MLOperandDataType data_type = c.data_type(type);
  c.spend(std::uint64_t{n} * 8);
  const double period = c.integer("periodic", 1) != 0 ? n : n - 1.0;
  const double scale = A0 + A1 + A2;
  std::vector<float> values;
  for (std::uint32_t i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * i / period;
    values.push_back(
        static_cast<float>((A0 - A1 * std::cos(angle) + A2 * std::cos(2 * angle)) / scale));
  }
  c.put(c.floats(data_type, {n}, values));
}

constexpr Handler handlers[] = {
    {"BlackmanWindow", &window<42, 50, 8>, 17, 1, 1, 1, "the size is known"},
    {"Constant", &constant, 1, 0, 0, 1, "not of texts, not sparse"},
    {"ConstantOfShape", &constant_of_shape, 9, 1, 1, 1,
     "the shape is known or follows from shapes"},
    {"EyeLike", &eye_like, 9, 1, 1, 1, "is computed"},
    {"HammingWindow", &window<25, 21, 0>, 17, 1, 1, 1, "the size is known"},
    {"HannWindow", &window<1, 1, 0>, 17, 1, 1, 1, "the size is known"},
    {"NonZero", &non_zero, 9, 1, 1, 1,
     "as webnn.NonZero, unless the input is known, or one element that is repeated: see below"},
    {"OneHot", &one_hot, 9, 3, 3, 1, "the depth is known or follows from shapes"},
    {"Range", &range, 11, 3, 3, 1, "start, limit and step are known or follow from shapes"},
};

}  // namespace

std::span<const Handler> generator_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
