#include "tools/webnn/data/ulp.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "tools/webnn/data/values.h"

namespace webnn::inline v0_1::tool {
namespace {

/// Bit patterns of floats in the order of their values.
template <class Signed> double float_ulps(Signed a, Signed b) {
  const auto ordered = [](Signed v) {
    return v < 0 ? static_cast<double>(std::numeric_limits<Signed>::min()) - static_cast<double>(v)
                 : static_cast<double>(v);
  };
  return std::abs(ordered(a) - ordered(b));
}

double ulps(MLOperandDataType type, std::span<const std::byte> a, std::span<const std::byte> b,
            std::size_t i, double x, double y) {
  if (std::isnan(x) && std::isnan(y)) return 0;
  if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<double>::infinity();
  const auto pattern = [i](std::span<const std::byte> bytes, auto bits) {
    std::memcpy(&bits, bytes.data() + i * sizeof bits, sizeof bits);
    return bits;
  };
  if (type == float32) return float_ulps(pattern(a, std::int32_t{}), pattern(b, std::int32_t{}));
  if (is_float(type) && bits_of(type) == 16)
    return float_ulps(pattern(a, std::int16_t{}), pattern(b, std::int16_t{}));
  if (type == float8e4m3) return float_ulps(pattern(a, std::int8_t{}), pattern(b, std::int8_t{}));
  return std::abs(x - y);
}

}  // namespace

Distances distances(const MLOperandDescriptor& d, std::span<const std::byte> a,
                    std::span<const std::byte> b) {
  Distances out;
  const std::vector<double> x = doubles_of(d, a), y = doubles_of(d, b);
  out.count = x.size();
  out.histogram.resize(buckets);
  double largest_value = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double apart = ulps(d.dataType, a, b, i, x[i], y[i]);
    std::size_t bucket = 0;
    for (double limit = 1; apart >= limit && bucket + 1 < buckets; limit *= 2) ++bucket;
    ++out.histogram[bucket];
    out.different += apart > 0;
    if (apart > out.largest_ulp) {
      out.largest_ulp = apart;
      out.where = i;
    }
    if (apart > 0) {
      const double distance = std::abs(x[i] - y[i]);  // equal infinities have none
      out.largest = std::isnan(distance) ? std::numeric_limits<double>::infinity()
                                         : std::max(out.largest, distance);
    }
    if (std::isfinite(x[i])) largest_value = std::max(largest_value, std::abs(x[i]));
  }
  out.largest_relative = out.largest == 0    ? 0
                         : largest_value > 0 ? out.largest / largest_value
                                             : std::numeric_limits<double>::infinity();
  if (!x.empty()) {
    out.a = x[out.where];
    out.b = y[out.where];
  }
  return out;
}

Similarity similarity(std::span<const double> a, std::span<const double> b) {
  double ab = 0, aa = 0, bb = 0, noise = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
    noise += (a[i] - b[i]) * (a[i] - b[i]);
  }
  const double infinity = std::numeric_limits<double>::infinity();
  Similarity s;
  s.cosine = aa > 0 && bb > 0 ? ab / std::sqrt(aa) / std::sqrt(bb) : aa == bb ? 1 : 0;
  s.signal_to_noise = noise == 0 ? infinity : aa > 0 ? 10 * std::log10(aa / noise) : -infinity;
  return s;
}

std::string bucket_name(std::size_t bucket) {
  if (bucket < 2) return std::to_string(bucket);
  const std::uint64_t least = std::uint64_t{1} << (bucket - 1);
  if (bucket + 1 == buckets) return fmt::format("{} or more", least);
  return fmt::format("{}-{}", least, 2 * least - 1);
}

}  // namespace webnn::inline v0_1::tool
