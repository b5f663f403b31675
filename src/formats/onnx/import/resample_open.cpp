// Resize along dimensions whose sizes each run chooses: the places and the weights of the elements
// are computed by operators on shapes.
#include "src/formats/onnx/import/resample.h"

namespace webnn::inline v0_1::onnx {
namespace {

/// One axis that changes its size. The scale is a fraction.
struct OpenAxis {
  std::uint32_t axis;
  Size in, out, numerator, denominator;
  std::optional<float> scale{};  // as the file gives it
};

OpenAxis scaled(const Call& c, const MLOperand& x, std::uint32_t axis, std::size_t i,
                double given) {
  constexpr std::int64_t most = 0x7fffffff;  // so that products with sizes have 63 bits
  const auto scale = static_cast<float>(given);
  if (!(scale > 0) || scale > 1e9f) c.refuse(fail("scale {} is {}", i, given));
  const auto fraction = fraction_of(scale);
  if (!fraction || fraction->numerator > most || fraction->denominator > most)
    c.unsupported(fail("scale {} ({}) of an open dimension", i, given));
  const Size in = Size::dimension(x, axis);
  if (in.is_known()) {
    const auto out = static_cast<std::int64_t>(scale * static_cast<float>(in.number()));
    return {axis, in, c.dimension(out, "a size"), fraction->numerator, fraction->denominator,
            scale};
  }
  if (fraction->denominator == 1)
    return {axis, in, in * fraction->numerator, fraction->numerator, 1, scale};
  const MLOperand product = c.b.mul(c.b.cast(in.operand(c.b), float32), c.scalar(float32, scale));
  return {axis,
          in,
          Size::element(c.b.cast(product, int64), 0),
          fraction->numerator,
          fraction->denominator,
          scale};
}

std::vector<OpenAxis> axes_of(const Call& c, const MLOperand& x) {
  Ints all;
  for (std::uint32_t i = 0; i < x.rank(); ++i) all.push_back(i);
  const Dims places = c.axes(c.ints("axes").value_or(all), x.rank());
  const std::vector<double> scales = scales_of(c);
  const SizeList sizes = c.version() >= 11 && c.has(3) ? c.list(3) : SizeList();
  if (scales.empty() == sizes.empty()) c.refuse(fail("it needs scales or sizes, not both"));
  const std::size_t n = std::max(scales.size(), sizes.size());
  if (n != places.size()) c.refuse(fail("it has {} scales or sizes for {} axes", n, places.size()));
  c.check_dimensions(sizes, "a size");
  if (!sizes.empty() && c.text("keep_aspect_ratio_policy", "stretch") != "stretch")
    c.unsupported("keep_aspect_ratio_policy of open dimensions");
  std::vector<OpenAxis> axes;
  for (std::size_t i = 0; i < n; ++i) {
    if (sizes.empty()) {
      if (scales[i] != 1) axes.push_back(scaled(c, x, places[i], i, scales[i]));
    } else if (const Size in = Size::dimension(x, places[i]); !in.same_as(sizes[i])) {
      axes.push_back({places[i], in, sizes[i], sizes[i], in});
    }
  }
  return axes;
}

/// Whether resample2d computes the same along these axes at all sizes, but for linear modes that
/// take the first element for a result of one.
bool is_resample2d(const MLOperand& x, const Resampling& r, const std::vector<OpenAxis>& axes) {
  using enum Resampling::Mode;
  if (x.rank() != 4 || axes.size() > 2 || r.exclude_outside || r.mode == cubic ||
      !types::resampled.contains(x.dataType()))
    return false;
  bool by_scales = true, by_sizes = true;
  for (const OpenAxis& a : axes) {
    by_scales = by_scales && a.scale && a.denominator.is(1);
    by_sizes = by_sizes && !a.scale;
  }
  const bool half = r.coordinates == "half_pixel" || r.coordinates == "half_pixel_symmetric";
  if (r.mode == linear)
    return types::floats.contains(x.dataType()) && (by_scales || by_sizes) &&
           (half || r.coordinates == "pytorch_half_pixel");
  if (half && r.nearest == "round_prefer_floor") return by_scales || by_sizes;
  return by_scales && r.coordinates == "asymmetric" && r.nearest == "floor";
}

MLOperand resampled(const Call& c, MLOperand x, const Resampling& r,
                    const std::vector<OpenAxis>& axes) {
  const bool linear = r.mode == Resampling::Mode::linear;
  const auto mode = linear ? MLInterpolationMode::linear : MLInterpolationMode::nearest_neighbor;
  Dims places;
  std::vector<float> scales;
  SizeList sizes;
  for (const OpenAxis& a : axes) {
    places.push_back(a.axis);
    scales.push_back(a.scale.value_or(1));
    sizes.push_back(a.out);
    if (r.coordinates != "pytorch_half_pixel" || a.scale) continue;
    const MLOperand one = c.scalar(int64, 1), out = a.out.operand(c.b);
    const MLOperand read = c.b.where(c.b.equal(out, one), one, a.in.operand(c.b));
    x = c.sliced(x, a.axis, 0, Size::element(read, 0));
  }
  if (places.size() < 2) {  // a second axis that keeps its size
    places.push_back(places[0] == 3 ? 2 : places[0] + 1);
    scales.push_back(1);
    sizes.push_back(Size::dimension(x, places[1]));
  }
  if (axes[0].scale)
    return c.b.resample2d(x, {.mode = mode, .scales = scales, .axes = places, .label = c.label()});
  return c.b.resample2dDynamic(
      x,
      {.mode = mode, .sizes = formats::operand_of(c.b, sizes), .axes = places, .label = c.label()});
}

/// The coordinates of the elements of the result: whole numbers, which are -1 or greater, and what
/// is left, `rest` of `unit`.
struct Coordinates {
  MLOperand whole, rest, unit;
};

/// The coordinate_transformation_mode. https://onnx.ai/onnx/operators/onnx__Resize.html
Coordinates coordinates_of(const Call& c, const Resampling& r, const OpenAxis& a) {
  const Size &p = a.numerator, &q = a.denominator;
  Size slope = q * 2, offset = q - p, unit = p * 2;  // half_pixel: (i + 1/2) / scale - 1/2
  // The slope is 0 where a result of one element is the first.
  const auto unless = [&](const MLOperand& is_one, const Size& size) {
    return Size::element(c.b.where(is_one, c.scalar(int64, 0), size.operand(c.b)), 0);
  };
  if (r.coordinates == "pytorch_half_pixel") {
    const MLOperand is_one = c.b.equal(a.out.operand(c.b), c.scalar(int64, 1));
    slope = unless(is_one, slope);
    offset = unless(is_one, offset);
  } else if (r.coordinates == "half_pixel_symmetric") {
    offset = offset + a.in * p - a.out * q;
  } else if (r.coordinates == "align_corners") {
    unit = a.in * p - q;
    slope = unless(c.b.lesserOrEqual(unit.operand(c.b), c.scalar(int64, 0)), (a.in - 1) * q);
    offset = 0;
    unit = max(unit, 1);
  } else if (r.coordinates == "asymmetric") {
    slope = q;
    offset = 0;
    unit = p;
  } else if (r.coordinates == "tf_half_pixel_for_nn") {
    offset = q;
  } else if (r.coordinates != "half_pixel") {
    if (r.coordinates == "tf_crop_and_resize")
      c.unsupported("tf_crop_and_resize of open dimensions");
    c.refuse(fail("its coordinate_transformation_mode, {}, is unknown", in_quotes(r.coordinates)));
  }
  const MLOperand places = formats::numbers(c.b, int64, 0, a.out), divisor = unit.operand(c.b);
  const MLOperand x = c.b.add(c.b.mul(places, slope.operand(c.b)), offset.operand(c.b));
  // A quotient is rounded to 0.
  const MLOperand whole = c.b.sub(c.b.div(c.b.add(x, divisor), divisor), c.scalar(int64, 1));
  return {whole, c.b.sub(x, c.b.mul(whole, divisor)), divisor};
}

/// 1 where the element behind a coordinate is nearer, or is to be taken.
MLOperand takes_next(const Call& c, std::string_view mode, const Coordinates& at) {
  const MLOperand twice = c.b.mul(at.rest, c.scalar(int64, 2));
  if (mode == "round_prefer_floor") return c.b.cast(c.b.greater(twice, at.unit), int64);
  if (mode == "round_prefer_ceil") return c.b.cast(c.b.greaterOrEqual(twice, at.unit), int64);
  if (mode == "floor") return c.scalar(int64, 0);
  if (mode == "ceil") return c.b.cast(c.b.greater(at.rest, c.scalar(int64, 0)), int64);
  c.refuse(fail("its nearest_mode, {}, is unknown", in_quotes(mode)));
}

/// The weight of the element that lies `offset` behind the whole number before a coordinate.
MLOperand weight_of(const Call& c, const Resampling& r, std::int64_t offset,
                    const MLOperand& ratio) {
  const auto number = [&](double v) { return c.scalar(float32, v); };
  const MLOperand x = c.b.abs(c.b.sub(ratio, number(static_cast<double>(offset))));
  if (r.mode == Resampling::Mode::linear) return c.b.sub(number(1), x);
  const auto times = [&](const MLOperand& y, double k) { return c.b.mul(y, number(k)); };
  const auto plus = [&](const MLOperand& y, double k) { return c.b.add(y, number(k)); };
  const double a = r.cubic;
  if (offset == 0 || offset == 1)  // not farther than 1
    return plus(c.b.mul(c.b.mul(plus(times(x, a + 2), -(a + 3)), x), x), 1);
  return plus(c.b.mul(plus(c.b.mul(plus(times(x, a), -5 * a), x), 8 * a), x), -4 * a);
}

MLOperand along(const Call& c, const MLOperand& x, const Resampling& r, const OpenAxis& a) {
  const Coordinates at = coordinates_of(c, r, a);
  const MLOperand zero = c.scalar(int64, 0), last = (a.in - 1).operand(c.b);
  const auto element = [&](const MLOperand& place) {
    return c.b.gather(x, c.b.max(c.b.min(place, last), zero), {.axis = a.axis});
  };
  if (r.mode == Resampling::Mode::nearest)
    return element(c.b.add(at.whole, takes_next(c, r.nearest, at)));
  const MLOperand ratio = c.b.div(c.b.cast(at.rest, float32), c.b.cast(at.unit, float32));
  const bool linear = r.mode == Resampling::Mode::linear;
  std::vector<MLOperand> places, weights;
  std::optional<MLOperand> total, sum;
  for (std::int64_t offset = linear ? 0 : -1; offset <= (linear ? 1 : 2); ++offset) {
    places.push_back(c.b.add(at.whole, c.scalar(int64, offset)));
    MLOperand w = weight_of(c, r, offset, ratio);
    if (r.exclude_outside) {
      const MLOperand inside = c.b.logicalAnd(c.b.greaterOrEqual(places.back(), zero),
                                              c.b.lesserOrEqual(places.back(), last));
      w = c.b.where(inside, w, c.scalar(float32, 0));
    }
    weights.push_back(w);
    total = total ? c.b.add(*total, w) : w;
  }
  SizeList line(x.rank(), 1);
  line[a.axis] = a.out;
  for (std::size_t k = 0; k < places.size(); ++k) {
    MLOperand w = r.exclude_outside ? c.b.div(weights[k], *total) : weights[k];
    w = c.reshaped(c.cast(w, x.dataType()), line);
    const MLOperand y = c.b.mul(element(places[k]), w);
    sum = sum ? c.b.add(*sum, y) : y;
  }
  return *sum;
}

}  // namespace

MLOperand resized_open(const Call& c, const MLOperand& x, const Resampling& r) {
  if (r.antialias) c.unsupported("antialias of open dimensions");
  const std::vector<OpenAxis> axes = axes_of(c, x);
  if (axes.empty()) return c.b.identity(x, {.label = c.label()});
  if (is_resample2d(x, r, axes)) return resampled(c, x, r, axes);
  if (r.mode != Resampling::Mode::nearest && !types::floats.contains(x.dataType()))
    c.unsupported("interpolation of integers");
  MLOperand y = x;
  for (const OpenAxis& a : axes) {
    Resampling rounded = r;
    // Operator set 10 takes the element behind a coordinate where an axis shrinks.
    if (c.node().op_type == "Resize" && c.version() < 11 && a.scale && *a.scale < 1)
      rounded.nearest = "ceil";
    y = along(c, y, rounded, a);
  }
  return c.b.identity(y, {.label = c.label()});
}

}  // namespace webnn::inline v0_1::onnx
