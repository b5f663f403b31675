#include "src/formats/tflite/import/sliding_window.h"

#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite {

WindowPadding padding_of(const Call& call, schema::Padding padding, const MLOperand& image,
                         WindowAxis height, WindowAxis width) {
  if (padding == schema::Padding::VALID) return {};
  if (padding != schema::Padding::SAME)
    call.refuse(fail("the padding ({}) is neither SAME nor VALID", static_cast<int>(padding)));
  const auto [top, bottom] = same_padding(Size::dimension(image, 1), height);
  const auto [left, right] = same_padding(Size::dimension(image, 2), width);
  return {top, bottom, left, right};
}

MLOperand with_open_padding(const Call& call, const MLOperand& image, WindowPadding& padding,
                            MLNumber value) {
  if (formats::are_known(padding.list())) return image;
  const WindowPadding p = std::exchange(padding, {});
  return formats::pad(call.b, image, {0, p.top, p.left, 0}, {0, p.bottom, p.right, 0},
                      {.value = value});
}

}  // namespace webnn::inline v0_1::tflite
