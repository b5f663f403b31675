#include "tools/webnn/data/tolerance.h"

#include <fmt/format.h>

#include "tools/webnn/data/values.h"

namespace webnn::inline v0_1::tool {

void Verdict::widen(const Verdict& v) {
  agrees = agrees && v.agrees;
  relative = std::max(relative, v.relative);
  units = std::max(units, v.units);
  floats = floats || v.floats;
  integers = integers || v.integers;
}

Verdict judge(const MLOperandDescriptor& d, const Distances& x, std::optional<double> tolerance) {
  Verdict v;
  if (is_float(d.dataType)) {
    double limit = tolerance.value_or(default_tolerance);
    if (!tolerance && d.dataType == float16) limit = 8 * std::ldexp(1.0, -11);
    v.floats = true;
    v.relative = x.largest_relative;
    v.agrees = v.relative <= limit;
  } else {
    v.integers = true;
    v.units = x.largest;
    v.agrees = v.units <= (tolerance && *tolerance == 0 ? 0 : 1);
  }
  return v;
}
Verdict judge(const MLOperandDescriptor& d, std::span<const std::byte> a,
              std::span<const std::byte> b, std::optional<double> tolerance) {
  return judge(d, distances(d, a, b), tolerance);
}

void add_tolerance(CLI::App& app, std::optional<double>& tolerance) {
  app.add_option("--tolerance", tolerance,
                 "How far floats may part, relative to the largest value of the same tensor; 1e-4 "
                 "if not given (float16: 4e-3). Integers may part by 1, with 0 not at all")
      ->type_name("X")
      ->check(CLI::NonNegativeNumber);
}

std::string difference_text(const Verdict& v) {
  std::string s;
  if (v.floats) s = v.relative == 0 ? "none" : fmt::format("{:.2g} relative", v.relative);
  if (v.integers)
    s += (s.empty() ? "" : ", ") +
         (v.units == 0 ? std::string("none in integers") : fmt::format("{} in integers", v.units));
  return s;
}

Json number_or_null(double v) { return std::isfinite(v) ? Json(v) : Json(nullptr); }

}  // namespace webnn::inline v0_1::tool
