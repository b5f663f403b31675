#include "tests/support/ulp.h"

#include <cmath>
#include <limits>
#include <sstream>

#include "src/kernels/common/dispatch_type.h"

namespace webnn::inline v0_1::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::string text_of(const Dims& d) {
  std::ostringstream s;
  s << '[';
  for (std::size_t i = 0; i < d.size(); ++i) s << (i ? ", " : "") << d[i];
  return s.str() + ']';
}

template <class T> double distance_of_bits(T a, T b) {
  const float x = a, y = b;
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y) ? 0 : infinity;
  if (x == y) return 0;
  return std::abs(static_cast<double>(a.bits) - static_cast<double>(b.bits));
}

template <class T> double distance(T a, T b) {
  if constexpr (!std::is_integral_v<T>) return ulp_distance(a, b);
  else if constexpr (std::is_signed_v<T>)
    return ulp_distance(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
  else return ulp_distance(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b));
}

}  // namespace

double ulp_distance(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b) ? 0 : infinity;
  const auto order = [](float v) {
    const auto magnitude = static_cast<double>(std::bit_cast<std::uint32_t>(v) & 0x7fffffff);
    return std::signbit(v) ? -magnitude : magnitude;
  };
  return std::abs(order(a) - order(b));
}

double ulp_distance(Float16 a, Float16 b) { return distance_of_bits(a, b); }
double ulp_distance(BFloat16 a, BFloat16 b) { return distance_of_bits(a, b); }
double ulp_distance(Float8E4M3 a, Float8E4M3 b) { return distance_of_bits(a, b); }

double ulp_distance(std::int64_t a, std::int64_t b) {
  return a < b ? ulp_distance(b, a)
               : static_cast<double>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

double ulp_distance(std::uint64_t a, std::uint64_t b) {
  return static_cast<double>(a < b ? b - a : a - b);
}

std::string difference(const Tensor& actual, const Tensor& expected, Tolerance tolerance) {
  std::ostringstream s;
  s.precision(9);
  if (actual.type != expected.type || actual.shape != expected.shape) {
    s << name_of(actual.type) << ' ' << text_of(actual.shape) << " instead of "
      << name_of(expected.type) << ' ' << text_of(expected.shape);
    return s.str();
  }
  std::size_t wrong = 0;
  dispatch_every_type<types::any>(expected.type, [&]<class T>() {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double ulp = distance(actual.as<T>()[i], expected.as<T>()[i]);
      const double a = actual[i], e = expected[i];
      if (ulp <= tolerance.ulp || std::abs(a - e) <= tolerance.absolute) continue;
      if (++wrong <= 4)
        s << "\n  element " << i << " is " << a << ", expected " << e << ": " << ulp << " ULP";
    }
  });
  if (wrong == 0) return {};
  s << "\n  " << wrong << " of " << expected.size() << " elements of " << name_of(expected.type)
    << ' ' << text_of(expected.shape) << " are not within " << tolerance.ulp << " ULP";
  if (tolerance.absolute > 0) s << " or " << tolerance.absolute;
  return s.str();
}

}  // namespace webnn::inline v0_1::test
