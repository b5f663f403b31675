// Parts of images that data gives.
#include "src/formats/onnx/import/call.h"
#include "src/operators/operators.h"

namespace webnn::inline v0_1::onnx {
namespace {

void roi_align(Call& c) {
  // Before operator set 16 regions are not moved.
  const std::string_view mode = c.text("coordinate_transformation_mode",
                                       c.version() < 16 ? "output_half_pixel" : "half_pixel");
  if (mode != "half_pixel" && mode != "output_half_pixel")
    c.refuse(fail("its coordinate_transformation_mode, {}, is unknown", in_quotes(mode)));
  c.put(c.b.custom(operators::roi_align(), {c.x(0), c.x(1), c.x(2)},
                   {.attributes = {{"height", c.integer("output_height", 1)},
                                   {"width", c.integer("output_width", 1)},
                                   {"samples", c.integer("sampling_ratio", 0)},
                                   {"scale", c.real("spatial_scale", 1)},
                                   {"halfPixel", mode == "half_pixel"},
                                   {"mode", std::string(c.text("mode", "avg"))}},
                    .label = c.label()})[0]);
}

/// The coordinates of a dimension of an image, from -1 to 1.
std::vector<float> line(std::int64_t n, bool corners) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto at = static_cast<double>(i), size = static_cast<double>(n);
    values.push_back(static_cast<float>(!corners ? (2 * at + 1) / size - 1
                                        : n > 1  ? 2 * at / (size - 1) - 1
                                                 : -1));
  }
  return values;
}

/// The places of an image times the matrices: rows of x, y, perhaps z, and 1.
void affine_grid(Call& c) {
  const MLOperand theta = c.x();
  c.require_floats(theta);
  const Ints size = c.ints(1);
  if (size.size() != 4 && size.size() != 5)
    c.refuse(fail("the size has {} numbers, not 4 or 5", size.size()));
  const auto n = static_cast<std::uint32_t>(size.size() - 2);
  c.require_shape(theta, {size[0], n, n + 1}, "theta");
  const bool corners = c.integer("align_corners", 0) != 0;
  std::uint64_t places = 1;
  for (std::uint32_t d = 0; d < n; ++d) {
    places *= c.dimension(size[2 + d], "a size");
    if (places > max_tensor_byte_length) c.unsupported(fail("the grid has {} places", places));
  }
  c.spend(places * (n + 1) * 4);
  std::vector<float> grid(places * (n + 1), 1);
  std::uint64_t step = 1;
  for (std::uint32_t k = 0; k < n; ++k) {  // x is the last dimension
    const std::int64_t length = size[n + 1 - k];
    const std::vector<float> values = line(length, corners);
    for (std::uint64_t i = 0; i < places; ++i)
      grid[i * (n + 1) + k] = values[i / step % static_cast<std::uint64_t>(length)];
    step *= static_cast<std::uint64_t>(length);
  }
  const MLOperand base =
      c.floats(theta.dataType(), {1, static_cast<std::uint32_t>(places), n + 1}, grid);
  const MLOperand y = c.b.matmul(base, c.permuted(theta, {0, 2, 1}), {.label = c.label()});
  SizeList shape{size[0]};
  shape.insert(shape.end(), size.begin() + 2, size.end());
  shape.push_back(n);
  c.put(c.reshaped(y, shape));
}

constexpr Handler handlers[] = {
    {"AffineGrid", &affine_grid, 20, 2, 2, 1, "composed; the size is known"},
    {"RoiAlign", &roi_align, 10, 3, 3, 1, "as webnn.RoiAlign"},
};

}  // namespace

std::span<const Handler> region_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
