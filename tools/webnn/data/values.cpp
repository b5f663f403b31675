#include "tools/webnn/data/values.h"

namespace webnn::inline v0_1::tool {

std::pair<double, double> range_of(MLOperandDataType type) {
  const int bits = bits_of(type);
  const bool is_signed = type == int4 || type == int8 || type == int32 || type == int64;
  if (is_signed) return {-std::ldexp(1.0, bits - 1), std::ldexp(1.0, bits - 1) - 1};
  return {0, std::ldexp(1.0, bits) - 1};
}

Statistics statistics_of(const MLOperandDescriptor& d, std::span<const std::byte> bytes,
                         std::size_t bins) {
  Statistics s;
  s.count = element_count(d.shape);
  double sum = 0, squares = 0;
  std::size_t finite = 0;
  for_each_value(d.dataType, bytes, s.count, [&](std::size_t, double v) {
    s.zeros += v == 0;
    if (!std::isfinite(v)) {
      ++s.not_finite;
      return;
    }
    s.min = finite ? std::min(s.min, v) : v;
    s.max = finite ? std::max(s.max, v) : v;
    ++finite;
    sum += v;
    squares += v * v;
  });
  if (!finite) return s;
  s.mean = sum / static_cast<double>(finite);
  s.deviation = std::sqrt(std::max(0.0, squares / static_cast<double>(finite) - s.mean * s.mean));
  if (bins == 0) return s;
  s.histogram.resize(bins);
  const double width = (s.max - s.min) / static_cast<double>(bins);
  for_each_value(d.dataType, bytes, s.count, [&](std::size_t, double v) {
    if (!std::isfinite(v)) return;
    const double at = width > 0 ? (v - s.min) / width : 0;  // a constant has all in the first
    ++s.histogram[std::min(bins - 1, static_cast<std::size_t>(at))];
  });
  return s;
}

std::vector<double> doubles_of(const MLOperandDescriptor& d, std::span<const std::byte> bytes) {
  std::vector<double> all(element_count(d.shape));
  for_each_value(d.dataType, bytes, all.size(), [&](std::size_t i, double v) { all[i] = v; });
  return all;
}

double dequantized(double q, const std::optional<Quantization>& by) {
  return by ? (q - by->zero_point) * static_cast<double>(by->scale) : q;
}

void store(double value, MLOperandDataType type, std::span<std::byte> bytes, std::size_t i) {
  const auto put = [&]<class T>(T element) {
    std::memcpy(bytes.data() + i * sizeof(T), &element, sizeof(T));
  };
  const MLNumber v = MLNumber(value).to(type);
  const std::uint64_t bits = v.as_uint64();
  const auto number = static_cast<float>(v.as_double());
  switch (type) {
    case float32: return put(number);
    case float16: return put(Float16(number));
    case bfloat16: return put(BFloat16(number));
    case float8e4m3: return put(Float8E4M3(number));
    case int32:
    case uint32: return put(static_cast<std::uint32_t>(bits));
    case int64:
    case uint64: return put(bits);
    case int8:
    case uint8: return put(static_cast<std::uint8_t>(bits));
    case int4:
    case uint4: {
      const int shift = static_cast<int>(i % 2) * 4;
      const int kept = std::to_integer<int>(bytes[i / 2]) & (15 << (4 - shift));
      bytes[i / 2] = static_cast<std::byte>(kept | static_cast<int>(bits & 15) << shift);
    }
  }
}

}  // namespace webnn::inline v0_1::tool
