#include "src/formats/onnx/import/resample.h"

#include <cmath>

namespace webnn::inline v0_1::onnx {
namespace {

/// The coordinates in the input of the elements i of a result: (slope * i + offset) / unit.
struct Line {
  Wide slope = 0, offset = 0, unit = 1;
};

/// Products and sums that fail when 126 bits do not hold them.
struct Checked {
  Wide value;
  bool valid = true;

  friend Checked operator*(Checked a, Checked b) {
    Checked c{0, a.valid && b.valid};
    c.valid = !__builtin_mul_overflow(a.value, b.value, &c.value) && c.valid;
    return c;
  }
  friend Checked operator+(Checked a, Checked b) {
    Checked c{0, a.valid && b.valid};
    c.valid = !__builtin_add_overflow(a.value, b.value, &c.value) && c.valid;
    return c;
  }
};

/// A float as digits * 2^exponent, where digits is odd or 0.
struct Digits {
  std::int64_t digits = 0;
  int exponent = 0;
};
Digits digits_of(double v) {
  if (v == 0) return {};
  int exponent = 0;
  auto digits = static_cast<std::int64_t>(std::ldexp(std::frexp(v, &exponent), 53));
  exponent -= 53;
  for (; digits % 2 == 0; digits /= 2) ++exponent;
  return {digits, exponent};
}

/// From start * (in - 1) to end * (in - 1), or the middle of them.
Line cropped(const Call& c, const ResizedAxis& a) {
  const Digits start = digits_of(a.start), end = digits_of(a.end);
  const int low = std::min({start.exponent, end.exponent, 0});
  const auto scaled = [&](const Digits& d) {
    const int shift = d.exponent - low;
    return Checked{Wide{d.digits} * (Wide{1} << std::clamp(shift, 0, 62)), shift <= 62};
  };
  const Checked from = scaled(start), to = scaled(end), last{Wide{a.in} - 1};
  const Checked unit{Wide{1} << std::min(-low, 90), -low <= 90};
  // in * scale - 1 = above / below
  const Checked above{Wide{a.in} * a.scale.numerator - a.scale.denominator},
      below{a.scale.denominator};
  Checked slope{0}, offset = (from + to) * last, whole = unit * Checked{2};
  if (above.value > 0) {
    slope = (to + from * Checked{-1}) * last * below;
    offset = from * last * above;
    whole = unit * above;
  }
  const Checked furthest = slope * Checked{Wide{a.out}} + offset;
  if (!(furthest * Checked{4}).valid || !(offset * Checked{4}).valid || !(whole * Checked{4}).valid)
    c.unsupported(
        fail("a region of interest from {} to {}, which differ too much in size", a.start, a.end));
  return {slope.value, offset.value, whole.value};
}

/// The coordinate_transformation_mode. https://onnx.ai/onnx/operators/onnx__Resize.html
Line line_of(const Call& c, const Resampling& r, const ResizedAxis& a) {
  const Wide p = a.scale.numerator, q = a.scale.denominator, in = a.in;
  const Line half{2 * q, q - p, 2 * p};  // (i + 1/2) / scale - 1/2
  if (r.coordinates == "half_pixel") return half;
  if (r.coordinates == "pytorch_half_pixel") return a.out > 1 ? half : Line();
  if (r.coordinates == "half_pixel_symmetric")  // in / 2 * (1 - out / (in * scale)) more
    return {half.slope, half.offset + in * p - Wide{a.out} * q, half.unit};
  // The size of the result before it is rounded down, as in the definition by ONNX.
  if (r.coordinates == "align_corners")
    return in * p > q ? Line{(in - 1) * q, 0, in * p - q} : Line();
  if (r.coordinates == "asymmetric") return {q, 0, p};
  if (r.coordinates == "tf_half_pixel_for_nn") return {2 * q, q, 2 * p};
  if (r.coordinates == "tf_crop_and_resize") return cropped(c, a);
  c.refuse(fail("its coordinate_transformation_mode, {}, is unknown", in_quotes(r.coordinates)));
}

Wide floor_divided(Wide a, Wide b) { return a / b - (a % b < 0); }

/// Whether the element after `rest` of `unit`, which is in (0, unit], is nearer than that before.
bool takes_next(const Call& c, std::string_view mode, Wide rest, Wide unit) {
  if (rest == unit) return true;
  if (mode == "round_prefer_floor") return 2 * rest > unit;
  if (mode == "round_prefer_ceil") return 2 * rest >= unit;
  if (mode == "floor") return false;
  if (mode == "ceil") return true;
  c.refuse(fail("its nearest_mode, {}, is unknown", in_quotes(mode)));
}

double linear_weight(double distance) { return std::max(0.0, 1 - std::abs(distance)); }
double cubic_weight(double distance, double a) {
  const double x = std::abs(distance);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

Resampling::Mode mode_of(const Call& c) {
  const std::string_view mode = c.text("mode", "nearest");
  if (mode == "nearest") return Resampling::Mode::nearest;
  if (mode == "linear" || mode == "bilinear") return Resampling::Mode::linear;
  if (mode == "cubic" && c.version() >= 11) return Resampling::Mode::cubic;
  c.refuse(fail("its mode, {}, is unknown", in_quotes(mode)));
}

}  // namespace

Resampling resampling_of(const Call& c) {
  Resampling r{.mode = mode_of(c)};
  if (c.node().op_type == "Upsample" || c.version() < 11) {
    r.coordinates = "asymmetric";
    r.nearest = "floor";
    return r;
  }
  r.coordinates = c.text("coordinate_transformation_mode", r.coordinates);
  r.nearest = c.text("nearest_mode", r.nearest);
  r.cubic = c.real("cubic_coeff_a", -0.75);
  r.extrapolation = c.real("extrapolation_value", 0);
  r.antialias = c.integer("antialias", 0) != 0;
  r.exclude_outside = c.integer("exclude_outside", 0) != 0;
  return r;
}

std::vector<double> scales_of(const Call& c) {
  if (c.version() < 7) return {1, 1, c.real("height_scale", 0), c.real("width_scale", 0)};
  if (c.version() < 9 && c.node().op_type == "Upsample") {
    const auto list = c.reals("scales").value_or(std::vector<float>());
    return {list.begin(), list.end()};
  }
  const std::size_t i = c.version() < 11 ? 1 : 2;
  return c.has(i) ? c.reals(i) : std::vector<double>();
}

std::optional<Fraction> fraction_of(float v) {
  const Digits d = digits_of(v);
  if (d.exponent < -62 || d.exponent > 38) return std::nullopt;
  return d.exponent < 0 ? Fraction{d.digits, std::int64_t{1} << -d.exponent}
                        : Fraction{d.digits << d.exponent, 1};
}

Taps taps_of(const Call& c, const Resampling& r, const ResizedAxis& a) {
  const bool nearest = r.mode == Resampling::Mode::nearest;
  const bool linear = r.mode == Resampling::Mode::linear;
  const double shrink = r.antialias && !nearest ? std::min(a.scale.value(), 1.0) : 1.0;
  const double radius = linear ? 1 : 2;
  const std::int64_t first =
      nearest ? 0 : static_cast<std::int64_t>(std::floor(-radius / shrink)) + 1;
  Taps t;
  t.taps = nearest ? 1 : static_cast<std::size_t>(2 - 2 * first);
  c.spend(std::uint64_t{a.out} * t.taps * 12);
  const Line line = line_of(c, r, a);
  for (std::uint32_t i = 0; i < a.out; ++i) {
    const Wide x = line.slope * i + line.offset;
    const Wide below = floor_divided(x - 1, line.unit);  // the whole number before x
    if (below > 1'000'000'000'000 || below < -1'000'000'000'000)
      c.refuse(fail("a coordinate ({}) is too large", static_cast<double>(below)));
    const auto base = static_cast<std::int64_t>(below);
    const Wide rest = x - below * line.unit;
    const double ratio = static_cast<double>(rest) / static_cast<double>(line.unit);
    t.outside.push_back(r.coordinates == "tf_crop_and_resize" &&
                        (x < 0 || base >= std::int64_t{a.in} - 1));
    std::vector<double> weights;
    double sum = 0;
    for (std::size_t k = 0; k < t.taps; ++k) {
      const std::int64_t offset = nearest ? takes_next(c, r.nearest, rest, line.unit)
                                          : first + static_cast<std::int64_t>(k);
      const std::int64_t place = base + offset;
      const double distance = (static_cast<double>(offset) - ratio) * shrink;
      double w = nearest ? 1 : linear ? linear_weight(distance) : cubic_weight(distance, r.cubic);
      if (r.exclude_outside && (place < 0 || place >= a.in)) w = 0;
      weights.push_back(w);
      sum += w;
      t.places.push_back(std::clamp<std::int64_t>(place, 0, std::int64_t{a.in} - 1));
    }
    const bool normalized = r.exclude_outside || r.antialias;
    for (double w : weights)
      t.weights.push_back(static_cast<float>(normalized && sum != 0 ? w / sum : w));
  }
  return t;
}

}  // namespace webnn::inline v0_1::onnx
