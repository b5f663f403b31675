#include "src/formats/tflite/import/sliding_window.h"

#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite {

Dims padding_of(const Call& call, schema::Padding padding, const Dims& image, WindowAxis height,
                WindowAxis width) {
  if (padding == schema::Padding::VALID) return {0, 0, 0, 0};
  if (padding != schema::Padding::SAME)
    call.refuse(fail("the padding ({}) is neither SAME nor VALID", static_cast<int>(padding)));
  const auto [top, bottom] = same_padding(image[1], height);
  const auto [left, right] = same_padding(image[2], width);
  return {top, bottom, left, right};
}

}  // namespace webnn::inline v0_1::tflite
