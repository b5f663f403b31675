#include "src/formats/onnx/import/resample.h"

#include <cmath>

namespace webnn::inline v0_1::onnx {
namespace {

/// The coordinate in the input of element i of the result.
double coordinate(const Call& c, const Resampling& r, const ResizedAxis& a, std::uint32_t i) {
  // The size of the result before it is rounded down, as in the definition by ONNX.
  const double in = a.in, out = in * a.scale, x = i;
  const double half = (x + 0.5) / a.scale - 0.5;
  if (r.coordinates == "half_pixel") return half;
  if (r.coordinates == "pytorch_half_pixel") return a.out > 1 ? half : 0;
  if (r.coordinates == "half_pixel_symmetric") return in / 2 * (1 - a.out / out) + half;
  if (r.coordinates == "align_corners") return out > 1 ? x * (in - 1) / (out - 1) : 0;
  if (r.coordinates == "asymmetric") return x / a.scale;
  if (r.coordinates == "tf_half_pixel_for_nn") return (x + 0.5) / a.scale;
  if (r.coordinates == "tf_crop_and_resize")
    return out > 1 ? a.start * (in - 1) + x * (a.end - a.start) * (in - 1) / (out - 1)
                   : 0.5 * (a.start + a.end) * (in - 1);
  c.refuse(fail("its coordinate_transformation_mode, {}, is unknown", in_quotes(r.coordinates)));
}

/// Whether the element after `ratio`, which is in (0, 1], is nearer than that before it.
bool takes_next(const Call& c, std::string_view mode, double ratio) {
  if (ratio == 1) return true;
  if (mode == "round_prefer_floor") return ratio > 0.5;
  if (mode == "round_prefer_ceil") return ratio >= 0.5;
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

}  // namespace

Taps taps_of(const Call& c, const Resampling& r, const ResizedAxis& a) {
  const bool nearest = r.mode == Resampling::Mode::nearest;
  const bool linear = r.mode == Resampling::Mode::linear;
  const double shrink = r.antialias && !nearest ? std::min(a.scale, 1.0) : 1.0;
  const double radius = linear ? 1 : 2;
  const std::int64_t first =
      nearest ? 0 : static_cast<std::int64_t>(std::floor(-radius / shrink)) + 1;
  Taps t;
  t.taps = nearest ? 1 : static_cast<std::size_t>(2 - 2 * first);
  c.spend(std::uint64_t{a.out} * t.taps * 12);
  for (std::uint32_t i = 0; i < a.out; ++i) {
    const double x = coordinate(c, r, a, i);
    if (!(std::abs(x) < 1e12)) c.refuse(fail("a coordinate ({}) is too large", x));
    const auto base = static_cast<std::int64_t>(std::ceil(x)) - 1;
    const double ratio = x - static_cast<double>(base);
    t.outside.push_back(r.coordinates == "tf_crop_and_resize" && (x < 0 || x > a.in - 1.0));
    std::vector<double> weights;
    double sum = 0;
    for (std::size_t k = 0; k < t.taps; ++k) {
      const std::int64_t offset =
          nearest ? takes_next(c, r.nearest, ratio) : first + static_cast<std::int64_t>(k);
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
