// Resizing of images. WebNN's way is the format's half_pixel_centers; the others gather the rows
// and the columns that count and weight them.
#include "src/formats/common/resize_nearest.h"
#include "src/formats/common/resize_open.h"
#include "src/formats/tflite/import/call.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite {
namespace {

using Code = schema::BuiltinOperator;

using formats::Centers;

/// Height and width, which input 1 gives.
SizeList sizes_of(const Call& c, const MLOperand& x, Centers centers) {
  c.require_rank(x, 4, 4);
  const SizeList size = c.list(1);
  if (size.size() != 2) c.refuse(fail("the size has {} entries", size.size()));
  if (centers.align_corners && centers.half_pixel)
    c.refuse(fail("it has align_corners and half_pixel_centers"));
  for (const Size& s : size) {
    c.dimension(s, "the new size");
    if (s.is_known()) c.spend(static_cast<std::uint64_t>(s.number()) * 16);
  }
  return size;
}

bool are_known(const MLOperand& x, const SizeList& sizes) {
  return formats::are_known({sizes[0], sizes[1], Size::dimension(x, 1), Size::dimension(x, 2)});
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
  const SizeList sizes = sizes_of(c, x, centers);
  if (!are_known(x, sizes) || x.is_open())
    return c.put(formats::resize_bilinear_open(c.b, x, sizes[0], sizes[1], centers, c.label()));
  const Dims known = formats::dims_of(sizes);
  c.put(formats::resize_bilinear(c.b, x, known[0], known[1], centers, c.label()));
}

void resize_nearest(Call& c) {
  const auto o = c.options<schema::ResizeNearestNeighborOptionsT>();
  const Centers centers{o.align_corners, o.half_pixel_centers};
  MLOperand x = c.stored(0);
  const SizeList wanted = sizes_of(c, x, centers);
  if (!are_known(x, wanted))
    return c.put_stored(
        formats::resize_nearest_open(c.b, x, wanted[0], wanted[1], centers, c.label()));
  const Dims sizes = formats::dims_of(wanted);
  const Dims image = formats::dims_of({Size::dimension(x, 1), Size::dimension(x, 2)});
  const std::uint32_t height = image[0], width = image[1];
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
