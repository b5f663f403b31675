// When results count as the same.
#pragma once

#include "tools/webnn/common/options.h"
#include "tools/webnn/common/output.h"
#include "tools/webnn/data/ulp.h"

namespace webnn::inline v0_1::tool {

struct Verdict {
  bool agrees = true;   ///< within tolerance
  double relative = 0;  ///< floats: the largest difference, relative to the largest value
  double units = 0;     ///< integers: the largest difference
  bool floats = false, integers = false;
  double limit = 0;  ///< of `relative`, or of `units`
  /// The limit that allow() applied: what one unit of each quantized operator grows to.
  std::optional<double> growth{};

  void widen(const Verdict& other);
  /// For a result of a quantized graph that differs too much for a single operator: whether it is
  /// within what one unit of each quantized operator grows to.
  void allow(double growth, const Distances& distances);
};

/// Floats may differ by so much relative to the largest value of the same operand, or by eight
/// times what a number of the type is rounded by, if that is more: 2^-11 of float16, 2^-8 of
/// bfloat16, 2^-4 of float8e4m3; integers by one unit, for a result that was rounded.
Verdict judge(const MLOperandDescriptor& d, const Distances& distances,
              std::optional<double> tolerance);
Verdict judge(const MLOperandDescriptor& d, std::span<const std::byte> a,
              std::span<const std::byte> b, std::optional<double> tolerance);

void add_tolerance(CLI::App& app, std::optional<double>& tolerance);
inline constexpr double default_tolerance = 1e-4;

std::string difference_text(const Verdict& v);
/// "the same", "within tolerance" or "DIFFERS".
std::string_view word_of(const Verdict& v, const Distances& distances);
/// "3 of 10 elements differ, by 2 units at most; one unit for each quantized operator grows to 4".
std::string elements_text(const Verdict& v, const Distances& distances);
Json number_or_null(double v);  ///< JSON has no infinities

}  // namespace webnn::inline v0_1::tool
