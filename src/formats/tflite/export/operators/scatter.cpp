// scatterElements, scatterND. TFLite's SCATTER_ND adds updates of the same element; in WebNN the
// last update wins. So the exporter computes which update, if any, each element takes, and gathers.
#include <numeric>

#include "src/formats/tflite/export/lower.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite::exporter {
namespace {

constexpr std::uint64_t max_comparisons = std::uint64_t{1} << 24;

std::uint32_t product(auto from, auto to) {
  return std::accumulate(from, to, std::uint32_t{1}, std::multiplies<>());
}

/// x has `places` rows; update i goes to row at[i], of int32. Both have rank 2.
Value scattered(LoweringContext& s, Value x, Value updates, Value at) {
  Emitter& e = s.e();
  const std::uint32_t places = e.shape(x)[0], count = e.shape(updates)[0];
  const Value all = e.concat({x, updates}, 0);
  if (e.constant(at)) {
    std::vector<std::int32_t> from(places);
    std::iota(from.begin(), from.end(), 0);
    const auto rows = e.values(at);
    for (std::uint32_t i = 0; i < count; ++i)
      from[static_cast<std::size_t>(rows[i])] = signed_of(places + i);
    return e.pick(all, from, 0);
  }
  if (std::uint64_t{places} * count > max_comparisons)
    return s.refuse(
        fail("finding the last of {} updates for {} places takes more than {} comparisons; TFLite "
             "itself adds updates of the same place",
             count, places, max_comparisons));
  // [places, count]: the number of the update in the columns where it falls on the row, else -1.
  std::vector<std::int32_t> rows(places), numbers(count);
  std::iota(rows.begin(), rows.end(), 0);
  std::iota(numbers.begin(), numbers.end(), signed_of(places));
  const Value row = e.constant(TensorType::INT32, {places, 1}, rows);
  const Value here = e.compare(EQUAL, row, e.reshape(at, {1, count}));
  const Value number = e.constant(TensorType::INT32, {1, count}, numbers);
  const Value candidates = e.select(here, number, e.scalar(TensorType::INT32, -1));
  const Value last = e.reduce(REDUCE_MAX, candidates, {1}, false);
  const Value untouched = e.compare(LESS, last, e.scalar(TensorType::INT32, 0));
  return e.gather(all, e.select(untouched, e.ints(rows), last), 0);
}

}  // namespace

Values lower(LoweringContext& s, const ops::scatterND& op) {
  Emitter& e = s.e();
  const TensorType type = type_of(op.input.dataType()), work = movable(type);
  const Dims &in = op.input.shape(), &where = op.indices.shape();
  const std::uint32_t k = where.back(), count = product(where.begin(), where.end() - 1);
  const std::uint32_t places = product(in.begin(), in.begin() + k),
                      width = product(in.begin() + k, in.end());
  const Value coordinates = e.reshape(
      e.cast(indices_below(s, op.indices, {in.begin(), in.begin() + k}), TensorType::INT32),
      {count, k});
  std::vector<std::int32_t> strides(k, 1);
  for (std::size_t d = k; d-- > 1;) strides[d - 1] = strides[d] * signed_of(in[d]);
  Value at;
  if (e.constant(coordinates)) {
    const auto values = e.values(coordinates);
    std::vector<std::int32_t> rows(count, 0);
    for (std::size_t i = 0; i < values.size(); ++i)
      rows[i / k] += static_cast<std::int32_t>(values[i]) * strides[i % k];
    at = e.ints(rows);
  } else {
    at = e.reduce(SUM, e.binary(MUL, coordinates, e.ints(strides)), {1}, false);
  }
  const Value x = e.reshape(e.cast(s(op.input), work), {places, width});
  const Value updates = e.reshape(e.cast(s(op.updates), work), {count, width});
  return e.cast(e.reshape(scattered(s, x, updates, at), in), type);
}

Values lower(LoweringContext& s, const ops::scatterElements& op) {
  Emitter& e = s.e();
  const TensorType type = type_of(op.input.dataType()), work = movable(type);
  const Dims &in = op.input.shape(), &where = op.indices.shape();
  const std::uint32_t axis = op.options.axis, count = product(where.begin(), where.end()),
                      places = product(in.begin(), in.end());
  const Value index =
      e.reshape(e.cast(indices_below(s, op.indices, {in[axis]}), TensorType::INT32), {count});
  // The part of the place that the other axes give.
  std::vector<std::int32_t> others;
  Dims place(where.size(), 0);
  const std::uint32_t stride = product(in.begin() + axis + 1, in.end());
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint32_t sum = 0;
    for (std::size_t d = 0; d < where.size(); ++d) sum = sum * in[d] + (d == axis ? 0 : place[d]);
    others.push_back(signed_of(sum));
    for (std::size_t d = where.size(); d-- > 0 && ++place[d] == where[d];) place[d] = 0;
  }
  Value at;
  if (e.constant(index)) {
    const auto values = e.values(index);
    for (std::uint32_t i = 0; i < count; ++i)
      others[i] += static_cast<std::int32_t>(values[i]) * signed_of(stride);
    at = e.ints(others);
  } else {
    at = e.binary(ADD, e.binary(MUL, index, double(stride)), e.ints(others));
  }
  const Value x = e.reshape(e.cast(s(op.input), work), {places, 1});
  const Value updates = e.reshape(e.cast(s(op.updates), work), {count, 1});
  return e.cast(e.reshape(scattered(s, x, updates, at), in), type);
}

}  // namespace webnn::inline v0_1::tflite::exporter
