// Values that follow from nothing or from shapes.
#include <cmath>
#include <numbers>

#include "src/formats/onnx/import/call.h"

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
  c.set(0, {.x = c.b.constant(*d, std::move(*bytes)), .boolean = t.type == ElementType::BOOL});
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
  const Ints shape = c.ints(0);
  MLOperand value = c.scalar(float32, 0.0);
  bool boolean = false;
  if (const auto t = c.tensor("value")) {
    auto d = descriptor_of(*t);
    if (!d) c.unsupported(d.failure());
    if (element_count(d->shape) != 1) c.refuse(fail("its value has not one element"));
    auto bytes = constant_of(c.scope().import(), *t);
    if (!bytes) c.refuse(bytes.failure());
    value = c.b.constant({d->dataType, {}}, std::move(*bytes));
    boolean = t->type == ElementType::BOOL;
  }
  for (std::int64_t size : shape)
    if (size < 0) c.refuse(fail("a dimension of the shape is {}", size));
  if (std::count(shape.begin(), shape.end(), 0) > 0) {
    c.put_empty({shape.begin(), shape.end()}, value.dataType());
    return;
  }
  if (shape.size() > max_rank)
    c.unsupported(fail("the rank ({}) of the result is above {}", shape.size(), max_rank));
  const Dims dims = c.dims(shape);
  c.set(0, {.x = dims.empty() ? value : c.b.expand(value, dims, {.label = c.label()}),
            .boolean = boolean});
}

void range(Call& c) {
  const MLOperandDataType type = c.type(0);
  const std::uint64_t size = types::floats.contains(type) ? 4 : 8;
  constexpr double most = 0x7fffffff;
  if (types::floats.contains(type)) {
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

MLOperand places(Call& c, MLOperandDataType type, Dims shape, std::uint32_t n) {
  c.spend(std::uint64_t{n} * 8);
  Ints list;
  for (std::uint32_t i = 0; i < n; ++i) list.push_back(i);
  return c.integers(type, std::move(shape), list);
}

void eye_like(Call& c) {
  const ops::Sizes shape = c.shape(0);
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
  const auto rows = c.dimension(static_cast<std::int64_t>(shape[0]));
  const auto columns = c.dimension(static_cast<std::int64_t>(shape[1]));
  const std::int64_t k = std::clamp<std::int64_t>(c.integer("k", 0), -0x7fffffff, 0x7fffffff);
  const MLOperand hit = c.b.equal(c.b.add(places(c, int64, {rows, 1}, rows), c.scalar(int64, k)),
                                  places(c, int64, {1, columns}, columns), {.label = c.label()});
  c.set(0, {.x = type == uint8 ? hit : c.b.cast(hit, type), .boolean = boolean});
}

void one_hot(Call& c) {
  MLOperand indices = c.x(0);
  if (types::floats.contains(indices.dataType())) indices = c.b.cast(indices, int64);
  const std::vector<double> depth = c.reals(1);
  if (depth.size() != 1) c.refuse(fail("the depth has {} elements, not 1", depth.size()));
  if (!(depth[0] >= 1 && depth[0] <= 0x7fffffff)) c.refuse(fail("the depth is {}", depth[0]));
  const auto n = static_cast<std::uint32_t>(depth[0]);
  const MLOperand values = c.x(2);
  if (values.shape() != Dims{2}) c.refuse(fail("the values have shape {}", values.shape()));
  const std::uint32_t axis = c.axis(c.integer("axis", -1), indices.rank() + 1);
  Dims shape = indices.shape(), line(indices.rank() + 1, 1);
  shape.insert(shape.begin() + axis, 1);
  line[axis] = n;
  indices = c.cast(c.reshaped(indices, shape), int64);
  // Negative ones count from the end.
  const MLOperand wrapped = c.b.where(c.b.lesser(indices, c.scalar(int64, 0)),
                                      c.b.add(indices, c.scalar(int64, n)), indices);
  const MLOperand hit = c.b.equal(places(c, int64, line, n), wrapped, {.label = c.label()});
  const auto value = [&](std::uint32_t i) { return c.reshaped(c.sliced(values, 0, i, 1), {}); };
  c.put_like(2, c.b.where(hit, value(1), value(0)));
}

void non_zero(Call& c) {
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
    {"ConstantOfShape", &constant_of_shape, 9, 1, 1, 1, "the shape is known"},
    {"EyeLike", &eye_like, 9, 1, 1, 1, "is computed"},
    {"HammingWindow", &window<25, 21, 0>, 17, 1, 1, 1, "the size is known"},
    {"HannWindow", &window<1, 1, 0>, 17, 1, 1, 1, "the size is known"},
    {"NonZero", &non_zero, 9, 1, 1, 1, "the input is known"},
    {"OneHot", &one_hot, 9, 3, 3, 1, "the depth is known"},
    {"Range", &range, 11, 3, 3, 1, "start, limit and step are known"},
};

}  // namespace

std::span<const Handler> generator_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
