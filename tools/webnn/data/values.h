// Elements of any data type as numbers.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include "tools/webnn/model/formats.h"
#include "webnn/float16.h"

namespace webnn::inline v0_1::tool {

/// f(index, value) for each element; int64 and uint64 beyond 2^53 are rounded.
template <class F>
void for_each_value(MLOperandDataType type, std::span<const std::byte> bytes, std::size_t count,
                    F&& f) {
  const auto all = [&]<class T>(T element) {
    for (std::size_t i = 0; i < count && (i + 1) * sizeof(T) <= bytes.size(); ++i) {
      std::memcpy(&element, bytes.data() + i * sizeof(T), sizeof(T));
      if constexpr (!std::is_arithmetic_v<T>)
        f(i, static_cast<double>(static_cast<float>(element)));
      else f(i, static_cast<double>(element));
    }
  };
  switch (type) {
    case float32: return all(float{});
    case float16: return all(Float16{});
    case bfloat16: return all(BFloat16{});
    case float8e4m3: return all(Float8E4M3{});
    case int32: return all(std::int32_t{});
    case uint32: return all(std::uint32_t{});
    case int64: return all(std::int64_t{});
    case uint64: return all(std::uint64_t{});
    case int8: return all(std::int8_t{});
    case uint8: return all(std::uint8_t{});
    case int4:
    case uint4:  // two in a byte, the first its low half
      for (std::size_t i = 0; i < count && i / 2 < bytes.size(); ++i) {
        const int v = std::to_integer<int>(bytes[i / 2]) >> (i % 2 * 4) & 15;
        f(i, static_cast<double>(type == int4 && v > 7 ? v - 16 : v));
      }
  }
}

struct Statistics {
  double min = 0, max = 0, mean = 0, deviation = 0;  ///< those of the finite elements
  std::size_t count = 0, not_finite = 0, zeros = 0;
  std::vector<std::size_t> histogram{};  ///< equal intervals from min to max
};
Statistics statistics_of(const MLOperandDescriptor& d, std::span<const std::byte> bytes,
                         std::size_t bins = 0);

std::vector<double> doubles_of(const MLOperandDescriptor& d, std::span<const std::byte> bytes);
double dequantized(double q, const std::optional<Quantization>& by);
/// The least and the greatest value of an integer type.
std::pair<double, double> range_of(MLOperandDataType type);
/// Writes the value as element `i` of the type: rounded to nearest, ties to even, and saturating;
/// a NaN becomes 0 in an integer type.
void store(double value, MLOperandDataType type, std::span<std::byte> bytes, std::size_t i);

}  // namespace webnn::inline v0_1::tool
