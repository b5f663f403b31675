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
  if (v.growth) growth = std::max(growth.value_or(0), *v.growth);
}

void Verdict::allow(double most, const Distances& x) {
  if (!std::isfinite(most) || most <= 0) return;
  growth = most;
  agrees = agrees || x.largest <= most;
}

Verdict judge(const MLOperandDescriptor& d, const Distances& x, std::optional<double> tolerance) {
  Verdict v;
  if (is_float(d.dataType)) {
    double limit = tolerance.value_or(default_tolerance);
    const int bits = d.dataType == float16      ? 11
                     : d.dataType == bfloat16   ? 8
                     : d.dataType == float8e4m3 ? 4
                                                : 0;
    if (!tolerance && bits) limit = 8 * std::ldexp(1.0, -bits);
    v.floats = true;
    v.relative = x.largest_relative;
    v.limit = limit;
    v.agrees = v.relative <= limit;
  } else {
    v.integers = true;
    v.units = x.largest;
    v.limit = tolerance && *tolerance == 0 ? 0 : 1;
    v.agrees = v.units <= v.limit;
  }
  return v;
}
Verdict judge(const MLOperandDescriptor& d, std::span<const std::byte> a,
              std::span<const std::byte> b, std::optional<double> tolerance) {
  return judge(d, distances(d, a, b), tolerance);
}

void add_tolerance(CLI::App& app, std::optional<double>& tolerance) {
  app.add_option(
         "--tolerance", tolerance,
         "Largest difference between floats, relative to the largest value of their tensor; 1e-4 "
         "if not given (float16: 4e-3). Integers may differ by 1, with 0 not at all. If it is "
         "not given, results of quantized models may differ by what one unit of each quantized "
         "operator grows to")
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

std::string_view word_of(const Verdict& v, const Distances& x) {
  return x.different == 0 ? "the same" : v.agrees ? "within tolerance" : "DIFFERS";
}

std::string elements_text(const Verdict& v, const Distances& x) {
  std::string s = fmt::format("{} of {} elements differ", x.different, x.count);
  if (x.different == 0) return s;
  if (v.integers) {
    s += fmt::format(", by {} unit{} at most; ", x.largest, x.largest == 1 ? "" : "s");
    s += v.growth ? fmt::format("one unit for each quantized operator grows to {}", *v.growth)
                  : fmt::format("{:.0f} is allowed", v.limit);
    return s;
  }
  if (v.growth)
    return s +
           fmt::format(", by {:.3g} at most; one unit for each quantized operator grows to {:.3g}",
                       x.largest, *v.growth);
  return s + fmt::format(", by {:.2g} of the largest value at most; {:.2g} is allowed", v.relative,
                         v.limit);
}

Json number_or_null(double v) { return std::isfinite(v) ? Json(v) : Json(nullptr); }

}  // namespace webnn::inline v0_1::tool
