// Resizing of images. WebNN's way is the format's half_pixel_centers; the others gather the rows
// and the columns that count and weight them.
#include "src/formats/common/resize_nearest.h"
#include "src/formats/tflite/import/call.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite {
namespace {

using Code = schema::BuiltinOperator;

using formats::Centers;

/// Height and width, which input 1 gives.
Dims sizes_of(const Call& c, const MLOperand& x, Centers centers) {
  c.require_rank(x, 4, 4);
  const auto size = c.ints(1);
  if (size.size() != 2) c.refuse(fail("the size has {} entries", size.size()));
  if (centers.align_corners && centers.half_pixel)
    c.refuse(fail("it has align_corners and half_pixel_centers"));
  Dims out;
  for (std::int64_t s : size) {
    out.push_back(c.dimension(s, "the new size"));
    c.spend(std::uint64_t{out.back()} * 16);
  }
  return out;
}

MLOperand resampled(const Call& c, const MLOperand& x, const Dims& sizes,
                    MLInterpolationMode mode) {
  return c.b.resample2d(x,
                        {.mode = mode, .sizes = Dims(sizes), .axes = {1, 2}, .label = c.label()});
}

void resize_bilinear(Call& c) {
  const auto o = c.options<schema::ResizeBilinearOptionsT>();
  const Centers centers{o.align_corners, o.half_pixel_centers};
  const MLOperand x = c.value(0);
  const Dims sizes = sizes_of(c, x, centers);
  c.put(formats::resize_bilinear(c.b, x, sizes[0], sizes[1], centers, c.label()));
}

void resize_nearest(Call& c) {
  const auto o = c.options<schema::ResizeNearestNeighborOptionsT>();
  const Centers centers{o.align_corners, o.half_pixel_centers};
  MLOperand x = c.stored(0);
  const Dims sizes = sizes_of(c, x, centers);
  const std::uint32_t height = x.shape()[1], width = x.shape()[2];
  const auto rows = formats::nearest_in_float(height, sizes[0], centers),
             columns = formats::nearest_in_float(width, sizes[1], centers);
  if (types::resampled.contains(x.dataType()) &&
      rows == formats::nearest_elements(height, sizes[0]) &&
      columns == formats::nearest_elements(width, sizes[1]))
    return c.put_stored(resampled(c, x, sizes, MLInterpolationMode::nearest_neighbor));
  x = c.b.gather(x, c.int32s({sizes[0]}, rows), {.axis = 1});
  c.put_stored(c.b.gather(x, c.int32s({sizes[1]}, columns), {.axis = 2, .label = c.label()}));
}

constexpr Handler handlers[] = {
    {Code::RESIZE_BILINEAR, resize_bilinear, 2, 2},
    {Code::RESIZE_NEAREST_NEIGHBOR, resize_nearest, 2, 2},
};

}  // namespace

std::span<const Handler> resample2d_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::tflite
