#include "tools/webnn/page/numbers.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace webnn::inline v0_1::tool {
namespace {

constexpr std::size_t bins = 32;

}  // namespace

Json number_json(double v) {
  if (std::isnan(v)) return "NaN";
  if (std::isinf(v)) return v > 0 ? "Infinity" : "-Infinity";
  if (v == std::trunc(v) && std::abs(v) < 0x1p53) return static_cast<std::int64_t>(v);
  return std::strtod(fmt::format("{:.9g}", v).c_str(), nullptr);
}

Json statistics_json(const MLOperandDescriptor& d, std::span<const std::byte> bytes) {
  const Statistics s = statistics_of(d, bytes, bins);
  return {{"min", number_json(s.min)},
          {"max", number_json(s.max)},
          {"mean", number_json(s.mean)},
          {"std", number_json(s.deviation)},
          {"zeros", s.zeros},
          {"not_finite", s.not_finite},
          {"count", s.count},
          {"histogram", s.histogram}};
}

}  // namespace webnn::inline v0_1::tool
