// Operators whose result follows from shapes or from nothing.
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

/// A list of sizes as an operand of the type that the result has.
MLOperand operand_of(const Call& c, const SizeList& sizes) {
  if (!formats::are_known(sizes)) {
    const MLOperand y = formats::operand_of(c.b, sizes);
    const auto type = c.out().dataType;
    return type && type != int64 ? c.b.cast(y, *type) : y;
  }
  std::vector<std::int64_t> values;
  for (const Size& size : sizes) values.push_back(size.number());
  return integers(c, {static_cast<std::uint32_t>(values.size())}, values);
}

void shape(Call& c) {
  const MLOperand x = c.stored(0);
  if (x.rank() == 0) c.unsupported("the shape of a scalar, which has no elements");
  c.put_stored(operand_of(c, formats::sizes_of(x)));
}

void rank(Call& c) { c.put_stored(integers(c, {}, {c.stored(0).rank()})); }

void fill(Call& c) {
  const MLOperand value = c.stored(1);
  if (element_count(value.shape()) != 1) c.refuse(fail("the value has shape {}", value.shape()));
  const SizeList shape = c.list(0);
  for (const Size& size : shape) c.dimension(size, "a dimension");
  c.put_stored(formats::expand(c.b, c.reshaped(value, Dims()), shape, {.label = c.label()}));
}

void zeros_like(Call& c) {
  const MLOperand x = c.stored(0);
  c.put_stored(
      formats::expand(c.b, c.scalar_like(x, 0), formats::sizes_of(x), {.label = c.label()}));
}

/// From start, while below (above) limit, in steps of delta.
void range(Call& c) {
  if (c.follows_from_sizes(0) || c.follows_from_sizes(1) || c.follows_from_sizes(2)) {
    const auto scalar = [&](std::size_t i) { return c.reshaped(c.stored(i), Dims()); };
    return c.put_stored(c.b.range(scalar(0), scalar(1), scalar(2), {.label = c.label()}));
  }
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
  const SizeList x = c.list(0), y = c.list(1);
  SizeList out(std::max(x.size(), y.size()), 1);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Size a = i < x.size() ? x[x.size() - 1 - i] : 1,
               b = i < y.size() ? y[y.size() - 1 - i] : 1;
    const bool known = a.is_known() && b.is_known();
    if (known && !a.same_as(b) && !a.is(1) && !b.is(1))
      c.refuse(fail("sizes {} and {} do not broadcast", a.text(), b.text()));
    Size& both = out[out.size() - 1 - i];
    if (a.is(1)) both = b;
    else if (b.is(1) || a.is_known()) both = a;
    else both = b.is_known() ? b : max(a, b);
  }
  if (out.empty()) c.unsupported("the shape of a scalar, which has no elements");
  c.put_stored(operand_of(c, out));
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
  const auto n = static_cast<std::uint32_t>(Size::dimension(x, x.rank() - 1).number());
  c.put_stored(c.b.where(diagonal(c, n, n), formats::with_one(c.b, x, x.rank() - 1),
                         c.scalar_like(x, 0), {.label = c.label()}));
}

void matrix_set_diag(Call& c) {
  const MLOperand x = c.stored(0), d = c.stored(1);
  c.require_rank(x, 2, max_rank);
  const SizeList in = formats::sizes_of(x), shape = formats::sizes_of(d);
  const auto rows = static_cast<std::uint32_t>(in[in.size() - 2].number()),
             columns = static_cast<std::uint32_t>(in.back().number());
  if (shape.size() + 1 != x.rank() ||
      (shape.back().is_known() && !shape.back().is(std::min(rows, columns))))
    c.refuse(
        fail("the diagonal has shape {} for {}", formats::text_of(shape), formats::text_of(in)));
  MLOperand along = formats::with_one(c.b, d, d.rank() - 1);
  if (columns > rows) {
    Dims none(x.rank(), 0), after(x.rank(), 0);
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
