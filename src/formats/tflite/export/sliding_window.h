// Padding and layouts of convolutions and pooling.
#pragma once

#include "src/formats/tflite/export/lower.h"

namespace webnn::inline v0_1::tflite::exporter {

inline const Dims to_nhwc{0, 2, 3, 1}, to_nchw{0, 3, 1, 2};

/// One of the two dimensions over which a window slides.
struct Sliding {
  std::uint32_t in = 0, out = 0;
  std::uint32_t size = 1, stride = 1, dilation = 1;
  std::uint64_t before = 0;  ///< padding

  std::uint64_t extent() const { return std::uint64_t{size - 1} * dilation + 1; }
  /// The padding at the end that windows reach; it may be less or more than what was given.
  std::uint64_t after() const;
};

/// Whether the padding is what TFLite calls SAME, or VALID.
bool is_same(const Sliding& s);
bool is_valid(const Sliding& s);
/// The padding as TFLite names it, SAME or VALID, if it is one of them.
std::optional<schema::Padding> padding_of(const Sliding& height, const Sliding& width);

/// Whether all numbers fit into int32, as TFLite has them.
inline bool fits(const Sliding& s) {
  constexpr std::uint64_t max = 0x7fffffff;
  return s.size <= max && s.stride <= max && s.dilation <= max && s.before <= max &&
         s.after() <= max;
}
Failure too_large();
/// What an operator of a window has in its file that follows from sizes: the kind of its padding,
/// and the padding at the end.
inline std::uint64_t written_of(const Sliding& s) {
  return s.after() << 2 | std::uint64_t{is_valid(s)} << 1 | std::uint64_t{is_same(s)};
}
/// The image with its padding.
Value pad_image(Emitter& e, Value x, const Sliding& height, const Sliding& width,
                std::optional<double> value = {});

inline Value to_image(Emitter& e, Value x, MLInputOperandLayout layout) {
  return layout == MLInputOperandLayout::nchw ? e.transpose(x, to_nhwc) : x;
}
inline Value from_image(Emitter& e, Value y, MLInputOperandLayout layout) {
  return layout == MLInputOperandLayout::nchw ? e.transpose(y, to_nchw) : y;
}
inline Dims image_shape(const Dims& shape, MLInputOperandLayout layout) {
  return layout == MLInputOperandLayout::nchw ? permuted(shape, to_nhwc) : shape;
}

}  // namespace webnn::inline v0_1::tflite::exporter
