#include "tools/webnn/data/tolerance.h"

#include <fmt/format.h>

#include "tools/webnn/data/values.h"

namespace webnn::inline v0_1::tool {

namespace {

/// Half of a unit in the last place, relative to the number.
double rounding_of(MLOperandDataType type) {
  switch (type) {
    case float16: return 0x1p-11;
    case bfloat16: return 0x1p-8;
    case float8e4m3: return 0x1p-4;
    default: return 0x1p-24;
  }
}

}  // namespace

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
    if (!tolerance) limit = std::max(limit, 8 * rounding_of(d.dataType));
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
  app.add_option("--tolerance", tolerance,
                 "The largest difference between floats that is allowed, relative to the largest "
                 "value of their tensor; 1e-4 by default (float16: 4e-3, bfloat16: 0.03, "
                 "float8e4m3: 0.5). Integers may differ by 1, or not at all if this is 0. By "
                 "default, results of quantized models may differ by as much as one unit of each "
                 "quantized operator can grow to")
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
