// Operators whose result is a constant, because shapes are known here.
#include <cmath>

#include "src/formats/tflite/import/call.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite {
namespace {

using Code = schema::BuiltinOperator;

/// Integers as the type that the result has.
MLOperand integers(const Call& c, Dims shape, const std::vector<std::int64_t>& values) {
  const auto type = c.out().dataType;
  if (type == int64) {
    c.spend(values.size() * 8);
    return c.b.constant({int64, std::move(shape)}, values);
  }
  if (type != int32) c.refuse(fail("{} is {}", c.out().text(), name_of_type(c.out().type)));
  std::vector<std::int32_t> narrow;
  for (std::int64_t v : values) narrow.push_back(static_cast<std::int32_t>(v));
  return c.int32s(std::move(shape), narrow);
}

void shape(Call& c) {
  const MLOperand x = c.stored(0);
  if (x.rank() == 0) c.unsupported("the shape of a scalar, which has no elements");
  c.put_stored(integers(c, {x.rank()}, {x.shape().begin(), x.shape().end()}));
}

void rank(Call& c) { c.put_stored(integers(c, {}, {c.stored(0).rank()})); }

Dims dims_of(const Call& c, std::size_t input) {
  Dims out;
  for (std::int64_t size : c.ints(input)) out.push_back(c.dimension(size, "a dimension"));
  return out;
}

void fill(Call& c) {
  const MLOperand value = c.stored(1);
  if (element_count(value.shape()) != 1) c.refuse(fail("the value has shape {}", value.shape()));
  c.put_stored(c.b.expand(c.reshaped(value, {}), dims_of(c, 0), {.label = c.label()}));
}

void zeros_like(Call& c) {
  const MLOperand x = c.stored(0);
  c.put_stored(c.b.expand(c.scalar_like(x, 0), x.shape(), {.label = c.label()}));
}

/// From start, while below (above) limit, in steps of delta.
void range(Call& c) {
  const MLNumber start = c.number(0), limit = c.number(1), delta = c.number(2);
  const double step = delta.as_double(), from = start.as_double(), to = limit.as_double();
  const double count = std::ceil((to - from) / step);
  if (!(step != 0) || !(count >= 1))
    c.unsupported(fail("the range from {} to {} in steps of {} is empty", start, limit, delta));
  if (std::abs(from) > 1e15 || std::abs(to) > 1e15 || count > 1e9)
    c.refuse(fail("the range from {} to {} in steps of {} is too long", start, limit, delta));
  const auto n = static_cast<std::uint32_t>(count);
  c.spend(std::uint64_t{n} * 8);
  if (c.stored(0).dataType() == float32) {
    std::vector<float> values(n);
    for (std::uint32_t i = 0; i < n; ++i) values[i] = static_cast<float>(from + i * step);
    return c.put_stored(c.floats({n}, values));
  }
  std::vector<std::int64_t> values(n);
  for (std::uint32_t i = 0; i < n; ++i) values[i] = static_cast<std::int64_t>(from + i * step);
  c.put_stored(integers(c, {n}, values));
}

/// The shape to which two shapes broadcast.
void broadcast_args(Call& c) {
  const auto x = c.ints(0), y = c.ints(1);
  std::vector<std::int64_t> out(std::max(x.size(), y.size()), 1);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t a = i < x.size() ? x[x.size() - 1 - i] : 1,
                       b = i < y.size() ? y[y.size() - 1 - i] : 1;
    if (a != b && a != 1 && b != 1) c.refuse(fail("sizes {} and {} do not broadcast", a, b));
    out[out.size() - 1 - i] = a == 1 ? b : a;
  }
  if (out.empty()) c.unsupported("the shape of a scalar, which has no elements");
  const auto n = static_cast<std::uint32_t>(out.size());
  c.put_stored(integers(c, {n}, out));
}

/// A matrix with ones on the diagonal, as a condition.
MLOperand diagonal(const Call& c, std::uint32_t rows, std::uint32_t columns) {
  c.spend(std::uint64_t{rows} * columns);
  std::vector<std::uint8_t> ones(std::uint64_t{rows} * columns);
  for (std::uint64_t i = 0; i < std::min(rows, columns); ++i) ones[i * columns + i] = 1;
  return c.b.constant({uint8, {rows, columns}}, ones);
}

void matrix_diag(Call& c) {
  const MLOperand x = c.stored(0);
  c.require_rank(x, 1, max_rank - 1);
  const std::uint32_t n = x.shape().back();
  Dims shape = x.shape();
  shape.insert(shape.end() - 1, 1);
  c.put_stored(c.b.where(diagonal(c, n, n), c.b.reshape(x, shape), c.scalar_like(x, 0),
                         {.label = c.label()}));
}

void matrix_set_diag(Call& c) {
  const MLOperand x = c.stored(0), d = c.stored(1);
  c.require_rank(x, 2, max_rank);
  const std::uint32_t rows = x.shape()[x.rank() - 2], columns = x.shape().back();
  Dims shape = d.shape();
  if (shape.size() + 1 != x.rank() || shape.back() != std::min(rows, columns))
    c.refuse(fail("the diagonal has shape {} for {}", shape, x.shape()));
  shape.insert(shape.end() - 1, 1);
  MLOperand along = c.b.reshape(d, shape);
  if (columns > rows) {
    Dims none(shape.size(), 0), after(shape.size(), 0);
    after.back() = columns - rows;
    along = c.b.pad(along, none, after);
  }
  c.put_stored(c.b.where(diagonal(c, rows, columns), along, x, {.label = c.label()}));
}

constexpr Handler handlers[] = {
    {Code::SHAPE, shape, 1, 1},
    {Code::RANK, rank, 1, 1},
    {Code::FILL, fill, 2, 2},
    {Code::ZEROS_LIKE, zeros_like, 1, 1},
    {Code::RANGE, range, 3, 3},
    {Code::BROADCAST_ARGS, broadcast_args, 2, 2},
    {Code::MATRIX_DIAG, matrix_diag, 1, 1},
    {Code::MATRIX_SET_DIAG, matrix_set_diag, 2, 2},
};

}  // namespace

std::span<const Handler> generator_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::tflite
