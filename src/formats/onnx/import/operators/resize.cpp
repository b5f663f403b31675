// Resize and Upsample: as resample2d where that computes the same, else composed axis by axis.
#include <cmath>

#include "src/formats/onnx/import/resample.h"

namespace webnn::inline v0_1::onnx {
namespace {

/// Sizes that keep the aspect ratio, from those given.
void keep_aspect(Call& c, std::vector<ResizedAxis>& axes) {
  const std::string_view policy = c.text("keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch" || axes.empty()) return;
  if (policy != "not_larger" && policy != "not_smaller")
    c.refuse(fail("its keep_aspect_ratio_policy, {}, is unknown", in_quotes(policy)));
  Fraction scale = axes[0].scale;
  for (const ResizedAxis& a : axes)
    if (policy == "not_larger" ? a.scale < scale : scale < a.scale) scale = a.scale;
  for (ResizedAxis& a : axes) {
    a.scale = scale;
    const Wide twice = 2 * Wide{scale.numerator} * a.in + scale.denominator;
    a.out = c.dimension(static_cast<std::int64_t>(twice / (2 * Wide{scale.denominator})), "a size");
  }
}

std::vector<ResizedAxis> axes_of(Call& c, const MLOperand& x, const Resampling& r) {
  Ints all;
  for (std::uint32_t i = 0; i < x.rank(); ++i) all.push_back(i);
  const Dims places = c.axes(c.ints("axes").value_or(all), x.rank());
  const std::vector<double> scales = scales_of(c);
  const Ints sizes = c.version() >= 11 && c.has(3) ? c.ints(3) : Ints();
  if (scales.empty() == sizes.empty()) c.refuse(fail("it needs scales or sizes, not both"));
  if (std::max(scales.size(), sizes.size()) != places.size())
    c.refuse(fail("it has {} scales or sizes for {} axes", std::max(scales.size(), sizes.size()),
                  places.size()));
  std::vector<double> region;
  if (r.coordinates == "tf_crop_and_resize") region = c.reals(1);
  if (!region.empty() && region.size() != 2 * places.size())
    c.refuse(fail("its region has {} values for {} axes", region.size(), places.size()));
  std::vector<ResizedAxis> axes;
  for (std::size_t i = 0; i < places.size(); ++i) {
    ResizedAxis a{.axis = places[i], .in = x.shape()[places[i]]};
    if (sizes.empty()) {
      const auto scale = static_cast<float>(scales[i]);
      if (!(scale > 0) || scale > 1e9f) c.refuse(fail("scale {} is {}", i, scales[i]));
      a.out = c.dimension(static_cast<std::int64_t>(scale * static_cast<float>(a.in)), "a size");
      const auto fraction = fraction_of(scale);
      if (!fraction) c.unsupported(fail("scale {} ({}) is too small", i, scales[i]));
      a.scale = *fraction;
    } else {
      a.out = c.dimension(sizes[i], "a size");
      a.scale = {a.out, a.in};
    }
    if (!region.empty()) {
      for (std::size_t k : {i, i + places.size()})
        if (!std::isfinite(region[k])) c.refuse(fail("value {} of its region is {}", k, region[k]));
      a.start = region[i];
      a.end = region[i + places.size()];
    }
    axes.push_back(a);
  }
  if (!sizes.empty()) keep_aspect(c, axes);
  return axes;
}

/// Whether resample2d computes the same along these axes.
bool is_resample2d(const MLOperand& x, const Resampling& r, const std::vector<ResizedAxis>& axes) {
  if (x.rank() != 4 || axes.size() > 2 || r.antialias || r.exclude_outside ||
      r.mode == Resampling::Mode::cubic || !types::resampled.contains(x.dataType()))
    return false;
  if (r.mode == Resampling::Mode::linear && !types::floats.contains(x.dataType())) return false;
  bool whole = true, enlarged = true, larger = true;
  for (const ResizedAxis& a : axes) {
    whole = whole && a.exact();
    enlarged = enlarged && a.out % a.in == 0;
    larger = larger && a.out > 1;
  }
  const bool half = r.coordinates == "half_pixel" || r.coordinates == "half_pixel_symmetric" ||
                    (r.coordinates == "pytorch_half_pixel" && larger);
  if (r.mode == Resampling::Mode::linear) return whole && half;
  // With a whole factor the nearest element is the same by all these rules.
  const bool same = enlarged && r.coordinates == "asymmetric" && r.nearest == "floor";
  return whole && (same || (half && r.nearest == "round_prefer_floor"));
}

MLOperand resampled(Call& c, const MLOperand& x, const Resampling& r,
                    std::vector<ResizedAxis> axes) {
  if (axes.size() < 2) {  // a second axis that keeps its size
    const std::uint32_t other = axes[0].axis == 3 ? 2 : axes[0].axis + 1;
    axes.push_back({.axis = other, .in = x.shape()[other], .out = x.shape()[other]});
  }
  return c.b.resample2d(
      x, {.mode = r.mode == Resampling::Mode::linear ? MLInterpolationMode::linear
                                                     : MLInterpolationMode::nearest_neighbor,
          .sizes = {axes[0].out, axes[1].out},
          .axes = {axes[0].axis, axes[1].axis},
          .label = c.label()});
}

/// A sum of many elements as a product with a matrix.
MLOperand by_matrix(Call& c, const MLOperand& x, const ResizedAxis& a, const Taps& t) {
  c.spend(std::uint64_t{a.in} * a.out * 4);
  std::vector<float> matrix(std::size_t{a.in} * a.out);
  for (std::size_t i = 0; i < a.out; ++i)
    for (std::size_t k = 0; k < t.taps; ++k)
      matrix[static_cast<std::size_t>(t.places[i * t.taps + k]) * a.out + i] +=
          t.weights[i * t.taps + k];
  Dims order;
  for (std::uint32_t d = 0; d < x.rank(); ++d) order.push_back(d);
  std::swap(order[a.axis], order.back());
  MLOperand y = x.rank() == 1 ? c.reshaped(x, {1, a.in}) : c.permuted(x, order);
  y = c.b.matmul(y, c.floats(x.dataType(), {a.in, a.out}, matrix));
  return x.rank() == 1 ? c.reshaped(y, {a.out}) : c.permuted(y, order);
}

MLOperand by_gathers(Call& c, const MLOperand& x, const ResizedAxis& a, const Taps& t) {
  std::optional<MLOperand> sum;
  Dims line(x.rank(), 1);
  line[a.axis] = a.out;
  for (std::size_t k = 0; k < t.taps; ++k) {
    Ints places;
    std::vector<float> weights;
    for (std::size_t i = k; i < t.places.size(); i += t.taps) {
      places.push_back(t.places[i]);
      weights.push_back(t.weights[i]);
    }
    MLOperand y = c.b.gather(x, c.integers(int32, {a.out}, places), {.axis = a.axis});
    if (t.taps > 1) y = c.b.mul(y, c.floats(x.dataType(), line, weights));
    sum = sum ? c.b.add(*sum, y) : y;
  }
  return *sum;
}

MLOperand along(Call& c, const MLOperand& x, Resampling r, const ResizedAxis& a) {
  // Operator set 10 takes the element behind a coordinate where an axis shrinks.
  if (c.node().op_type == "Resize" && c.version() < 11 && a.scale < Fraction{1, 1})
    r.nearest = "ceil";
  const Taps t = taps_of(c, r, a);
  MLOperand y = t.taps > 4 ? by_matrix(c, x, a, t) : by_gathers(c, x, a, t);
  if (std::count(t.outside.begin(), t.outside.end(), true) == 0) return y;
  Dims line(x.rank(), 1);
  line[a.axis] = a.out;
  const MLOperand outside = c.integers(uint8, line, Ints(t.outside.begin(), t.outside.end()));
  return c.b.where(outside, c.scalar_like(y, r.extrapolation), y);
}

void resize(Call& c) {
  MLOperand x = c.x();
  const MLOperandDataType type = x.dataType();
  const Resampling r = resampling_of(c);
  if (x.is_open() || (c.has(3) && c.follows_from_sizes(3))) return c.put(resized_open(c, x, r));
  std::vector<ResizedAxis> axes = axes_of(c, x, r);
  const bool crops = r.coordinates == "tf_crop_and_resize";
  std::erase_if(axes, [&](const ResizedAxis& a) { return !crops && a.in == a.out && a.exact(); });
  if (axes.empty()) return c.put(c.b.identity(x, {.label = c.label()}));
  if (is_resample2d(x, r, axes)) return c.put(resampled(c, x, r, axes));
  const bool floats = types::floats.contains(type);
  if (r.mode != Resampling::Mode::nearest && !floats) c.unsupported("interpolation of integers");
  for (const ResizedAxis& a : axes)
    if (!crops || a.in != a.out || a.start != 0 || a.end != 1) x = along(c, x, r, a);
  c.put(c.b.identity(x, {.label = c.label()}));
}

constexpr Handler handlers[] = {
    {"Resize", &resize, 10, 1, 4, 1,
     "scales are known, sizes are known or follow from shapes; all modes, but antialias and "
     "tf_crop_and_resize only without open dimensions; resample2d where it computes the same, else "
     "composed"},
    {"Upsample", &resize, 1, 1, 2, 1, "scales are known"},
};

}  // namespace

std::span<const Handler> resize_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
