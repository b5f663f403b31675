// Resizing.
#include <algorithm>
#include <cmath>

#include "src/formats/common/resize_nearest.h"
#include "src/formats/onnx/export/lower.h"

namespace webnn::onnx::exporter {
namespace {

/// Which elements ONNX Runtime takes, which computes in float.
std::vector<std::int32_t> nearest_in_runtime(std::uint32_t in, std::uint32_t out) {
  const float scale = static_cast<float>(out) / static_cast<float>(in);
  std::vector<std::int32_t> places;
  for (std::uint32_t i = 0; i < out; ++i) {
    const float x = (static_cast<float>(i) + 0.5f) / scale - 0.5f;
    const bool half = x == std::trunc(x) + 0.5f;
    const auto nearest = static_cast<std::int64_t>(half ? std::trunc(x) : std::round(x));
    places.push_back(
        static_cast<std::int32_t>(std::clamp<std::int64_t>(nearest, 0, std::int64_t{in} - 1)));
  }
  return places;
}
bool runtime_agrees(const Dims& in, const Dims& out, const Dims& axes) {
  for (const std::uint32_t a : axes)
    if (nearest_in_runtime(in[a], out[a]) != formats::nearest_elements(in[a], out[a])) return false;
  return true;
}

}  // namespace

/// ONNX's nearest neighbor and linear interpolation with centers of half a pixel. Integers are
/// interpolated as float32, and along rows and columns: ONNX Runtime has no other dimensions.
Values lower(LoweringContext& s, const ops::resample2d& op) {
  Emitter& e = s.e();
  const auto& o = op.options;
  const bool linear = o.mode == MLInterpolationMode::linear;
  const bool rounded = linear && !types::floats.contains(s.type());
  Dims axes{std::min(o.axes[0], o.axes[1]), std::max(o.axes[0], o.axes[1])},
      order = identity_order(4);
  if (!linear && !runtime_agrees(op.input.shape(), s.shape(), axes)) {
    Value y = s(op.input);
    for (const std::uint32_t a : axes) {
      const auto places = formats::nearest_elements(op.input.shape()[a], s.shape()[a]);
      y = e.taken(y, Dims(places.begin(), places.end()), a);
    }
    return y;
  }
  if (linear && axes != Dims{2, 3} && axes != Dims{1, 2}) {
    order.clear();
    for (std::uint32_t d = 0; d < 4; ++d)
      if (d != axes[0] && d != axes[1]) order.push_back(d);
    order.insert(order.end(), axes.begin(), axes.end());
    axes = {2, 3};
  }
  const Dims to = permuted(s.shape(), order);
  Value x = e.transpose(s(op.input), order);
  if (rounded) x = e.cast(x, float32);
  Attributes a{{"axes", ints_of(axes)},
               {"coordinate_transformation_mode", std::string_view("half_pixel")},
               {"mode", std::string_view(linear ? "linear" : "nearest")}};
  if (!linear) a.push_back({"nearest_mode", std::string_view("round_prefer_floor")});
  Value y = e.like("Resize", {x, Value(), Value(), e.ints(permuted(to, axes))}, to, std::move(a));
  if (rounded) y = e.cast(e.like("Round", {y}), s.type());
  return e.transpose(y, inverse(order));
}

}  // namespace webnn::onnx::exporter
