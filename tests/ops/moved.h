// Operators that only move elements, by their definition: each element of the result is one element
// of the input.
#pragma once

#include <cstring>

#include "tests/support/run.h"

namespace webnn::inline v0_1::test {

/// Every bit pattern, NaN among them.
inline Tensor random_bits(Random& random, MLOperandDataType type, Dims shape) {
  Tensor t = filled(type, std::move(shape), 0);
  for (std::byte& b : t.bytes) b = static_cast<std::byte>(random.next());
  return t;
}

/// The element at each place is the element of `from` that source(place) names, or 0.
inline Tensor moved(const Tensor& from, Dims shape,
                    const std::function<std::optional<Dims>(const Dims&)>& source) {
  Tensor to = filled(from.type, std::move(shape), 0);
  const std::size_t width = to.bytes.size() / to.size();
  std::byte* next = to.bytes.data();
  for_each_place(to.shape, [&](const Dims& at) {
    if (const auto place = source(at))
      std::memcpy(next, from.bytes.data() + place_in(from.shape, *place) * width, width);
    next += width;
  });
  return to;
}

/// Whether two results have the same bits, which differences of floats do not tell of NaN.
inline bool same_bits(const Tensor& a, const Tensor& b) {
  return a.type == b.type && a.shape == b.shape && a.bytes == b.bytes;
}

/// Places along a dimension of that size, most of them inside: also the extremes of the type.
inline Tensor random_indices(Random& random, MLOperandDataType type, const Dims& shape,
                             std::uint32_t size) {
  const auto n = static_cast<std::int64_t>(size);
  const std::vector<std::int64_t> beyond =
      type == uint32 ? std::vector<std::int64_t>{n, n + 1, 0x7fffffff, 0x80000000, 0xffffffff}
      : type == int32
          ? std::vector<std::int64_t>{n, -n - 1, INT32_MAX, INT32_MIN, INT32_MIN + 1}
          : std::vector<std::int64_t>{n,        -n - 1,      INT64_MAX,  INT64_MIN,
                                      1L << 32, -(1L << 32), 0x80000000, (1L << 40) + 1};
  std::vector<std::int64_t> values(element_count(shape));
  for (auto& v : values) {
    v = static_cast<std::int64_t>(random.integer(0, size - 1));
    const std::uint32_t kind = random.integer(0, 7);
    if (kind == 0) v = beyond[random.integer(0, static_cast<std::uint32_t>(beyond.size()) - 1)];
    else if (kind < 3 && type != uint32) v -= n;
  }
  return integers(type, shape, values);
}

/// The place that an index names: from the end when negative, the nearest when outside. A double
/// holds every index but the largest exactly, and those are far outside.
inline std::uint32_t named_place(double index, std::uint32_t size) {
  const double n = size;
  if (index >= n) return size - 1;
  if (index >= 0) return static_cast<std::uint32_t>(index);
  return index < -n ? 0 : static_cast<std::uint32_t>(index + n);
}

}  // namespace webnn::inline v0_1::test
