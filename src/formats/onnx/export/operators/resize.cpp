// Resizing.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "src/formats/common/resize_nearest.h"
#include "src/formats/onnx/export/resize.h"

namespace webnn::inline v0_1::onnx::exporter {
namespace {

/// Whether ONNX Runtime, which computes in float, takes the nearest elements too: coordinates are
/// exact where one size is the other times a power of 2, or not so near to a half of two elements
/// that rounding moves them across.
bool is_safe_in_float(std::uint32_t in, std::uint32_t out) {
  const std::uint32_t large = std::max(in, out), small = std::min(in, out);
  if (large % small == 0 && std::has_single_bit(large / small)) return true;
  for (std::int64_t i = 0; i < out; ++i) {
    const std::int64_t unit = 2 * std::int64_t{out}, place = (2 * i + 1) * in - out;
    const std::int64_t rest = (place % unit + unit) % unit;
    const double from_half = static_cast<double>(std::abs(rest - out)) / static_cast<double>(unit),
                 coordinate = static_cast<double>(place) / static_cast<double>(unit);
    if (from_half <= 1e-6 * std::max(1.0, coordinate)) return false;
  }
  return true;
}
bool runtime_agrees(const Dims& in, const Dims& out, const Dims& axes) {
  return std::all_of(axes.begin(), axes.end(),
                     [&](std::uint32_t a) { return is_safe_in_float(in[a], out[a]); });
}

}  // namespace

Value resized(LoweringContext& s, const MLOperand& input, MLInterpolationMode mode, Dims axes,
              Value sizes, Value scales) {
  Emitter& e = s.e();
  const bool linear = mode == MLInterpolationMode::linear;
  const bool rounded = linear && !types::floats.contains(s.type());
  Dims order = identity_order(4);
  if (axes[0] > axes[1]) {
    std::swap(axes[0], axes[1]);
    if (sizes) sizes = e.reverse_list(sizes);
    if (scales) scales = e.reverse_list(scales);
  }
  if (linear && axes != Dims{2, 3} && axes != Dims{1, 2}) {
    order.clear();
    for (std::uint32_t d = 0; d < 4; ++d)
      if (d != axes[0] && d != axes[1]) order.push_back(d);
    order.insert(order.end(), axes.begin(), axes.end());
    axes = {2, 3};
  }
  Value x = e.transpose(s(input), order);
  if (rounded) x = e.cast(x, float32);
  Attributes a{{"axes", ints_of(axes)},
               {"coordinate_transformation_mode", std::string_view("half_pixel")},
               {"mode", std::string_view(linear ? "linear" : "nearest")}};
  if (!linear) a.push_back({"nearest_mode", std::string_view("round_prefer_floor")});
  std::vector<Value> inputs{x, Value(), scales};
  if (sizes) inputs.push_back(sizes);
  Value y = e.like("Resize", std::move(inputs), permuted(s.shape(), order), std::move(a));
  if (rounded) y = e.cast(e.like("Round", {y}), s.type());
  return e.transpose(y, inverse(order));
}

Values lower(LoweringContext& s, const ops::resample2d& op) {
  Emitter& e = s.e();
  const auto& o = op.options;
  const bool linear = o.mode == MLInterpolationMode::linear;
  // Of open dimensions the sizes are not known, but that they are multiples.
  const auto whole = [](float scale) { return scale >= 1 && std::trunc(scale) == scale; };
  const bool open = s.is_open(op.input, o.axes[0]) || s.is_open(op.input, o.axes[1]);
  if (open && !o.sizes && whole(o.scales[0]) && whole(o.scales[1])) {
    const Constant scales = Constant::copy_of(std::as_bytes(std::span(o.scales)));
    return resized(s, op.input, o.mode, o.axes, {}, e.constant(float32, {2}, scales));
  }
  if (!open && !linear && !runtime_agrees(op.input.shape(), s.shape(), o.axes)) {
    Value y = s(op.input);
    for (const std::uint32_t a : {std::min(o.axes[0], o.axes[1]), std::max(o.axes[0], o.axes[1])}) {
      const auto places = formats::nearest_elements(op.input.shape()[a], s.shape()[a]);
      y = e.taken(y, Dims(places.begin(), places.end()), a);
    }
    return y;
  }
  return resized(s, op.input, o.mode, o.axes, e.ints(permuted(s.shape(), o.axes)));
}

}  // namespace webnn::inline v0_1::onnx::exporter
