// Resizing of images [batch, height, width, channels].
#include <algorithm>

#include "src/formats/common/resize_bilinear.h"
#include "src/formats/nnrt/import/importer.h"

namespace webnn::inline v0_1::nnrt {
namespace {

using enum CoordinateTransformMode;

/// A coordinate in the input as a fraction, not negative: above / below.
struct Coordinate {
  std::int64_t above, below;
};
Coordinate coordinate(CoordinateTransformMode mode, std::int64_t in, std::int64_t out,
                      std::int64_t i) {
  switch (mode) {
    case COORDINATE_TRANSFORM_MODE_ALIGN_CORNERS: return {i * (in - 1), out - 1};
    case COORDINATE_TRANSFORM_MODE_HALF_PIXEL:
      return {std::max<std::int64_t>((2 * i + 1) * in - out, 0), 2 * out};
    default: return {i * in, out};
  }
}
std::int64_t rounded(NearestMode mode, Coordinate c) {
  switch (mode) {
    case NearestMode::NEAREST_MODE_FLOOR: return c.above / c.below;
    case NearestMode::NEAREST_MODE_CEIL: return (c.above + c.below - 1) / c.below;
    case NearestMode::NEAREST_MODE_ROUND_HALF_DOWN:
      return (2 * c.above + c.below - 1) / (2 * c.below);
    default: return (2 * c.above + c.below) / (2 * c.below);
  }
}

/// Rows (axis 1) or columns (axis 2), each the nearest one of x.
MLOperand nearest(const Call& c, const MLOperand& x, std::uint32_t axis, std::uint32_t out,
                  const Resize& a) {
  const std::uint32_t in = x.shape()[axis];
  if (in == out) return x;
  c.spend(std::uint64_t{out} * 4, "the indices of a resize");
  std::vector<std::int32_t> places;
  for (std::uint32_t i = 0; i < out; ++i) {
    const std::int64_t at =
        rounded(a.nearestMode, coordinate(a.coordinateTransformMode, in, out, i));
    places.push_back(static_cast<std::int32_t>(std::min<std::int64_t>(at, std::int64_t{in} - 1)));
  }
  return c.b.gather(x, c.b.constant({int32, {out}}, places), {.axis = axis});
}

/// The new height and width: of a second input, or else of the attributes.
Dims new_size(const Call& c, const Resize& a) {
  Dims size;
  if (c.has(1) && (a.newHeight == 0 || a.newWidth == 0))
    size = c.dimensions(c.ints(1), 2, "the new size");
  else size = {c.dimension(a.newHeight, "newHeight"), c.dimension(a.newWidth, "newWidth")};
  if (size[0] == 0 || size[1] == 0 || std::uint64_t{size[0]} * size[1] > max_tensor_byte_length)
    c.refuse(fail("its new size is {}", size));
  return size;
}

void resize(Call& c, const Resize& a) {
  const Dims size = new_size(c, a);
  const auto mode = a.coordinateTransformMode;
  const bool linear = a.method == ResizeMethod::RESIZE_METHOD_LINEAR;
  if (!linear && a.method != ResizeMethod::RESIZE_METHOD_NEAREST)
    c.unsupported(fail("resizing with {}", enumerator(a.method)));
  const auto resized = [&](const MLOperand& given) {
    c.require_rank(given, 4);
    MLOperand x = given;
    // One row or column is the first one.
    for (const std::uint32_t axis : {1u, 2u}) {
      if (size[axis - 1] != 1 || x.shape()[axis] == 1) continue;
      Dims sizes = x.shape();
      sizes[axis] = 1;
      x = c.b.slice(x, {0, 0, 0, 0}, sizes);
    }
    if (linear) {
      c.spend((std::uint64_t{size[0]} + size[1]) * 12, "the weights of a resize");
      return formats::resize_bilinear(
          c.b, x, size[0], size[1],
          {.align_corners = mode == COORDINATE_TRANSFORM_MODE_ALIGN_CORNERS,
           .half_pixel = mode == COORDINATE_TRANSFORM_MODE_HALF_PIXEL},
          c.label());
    }
    if (mode == COORDINATE_TRANSFORM_MODE_HALF_PIXEL &&
        a.nearestMode == NearestMode::NEAREST_MODE_ROUND_HALF_DOWN &&
        types::floats.contains(x.dataType()))
      return c.b.resample2d(x, {.sizes = size, .axes = {1, 2}, .label = c.label()});
    return nearest(c, nearest(c, x, 1, size[0], a), 2, size[1], a);
  };
  if (linear) return c.put(resized(c.value(0)));
  c.move([&](const MLOperand& x) {
    const MLOperand y = resized(x);
    return y.is(x) ? c.b.identity(y, {.label = c.label()}) : y;
  });
}

using enum NodeType;
constexpr Rule rules[] = {{NODE_TYPE_RESIZE, handle<Resize, resize>, 1, 2}};

}  // namespace

std::span<const Rule> resize_rules() { return rules; }

}  // namespace webnn::inline v0_1::nnrt
