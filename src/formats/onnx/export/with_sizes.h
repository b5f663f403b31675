// Sizes that ONNX does not compare in a run where WebNN does. Private.
#pragma once

#include "src/formats/onnx/export/lower.h"

namespace webnn::inline v0_1::onnx::exporter {

/// Computed sizes as they are: where a Reshape has them from a Concat of which one part is not
/// known, ONNX Runtime makes that -1, and compares nothing.
inline Value not_inferred(Emitter& e, Value sizes) {
  return e.constant_of(sizes) ? sizes : e.like("Abs", {sizes});
}
/// x, whose dimensions have those sizes, or its own where they are 0: int64. A Reshape, which does
/// not take another number of elements. At most one dimension may differ, or none is larger.
inline Value with_sizes(Emitter& e, Value x, Value sizes, const Dims& shape) {
  return e.like("Reshape", {x, not_inferred(e, sizes)}, shape);
}
/// The same for all dimensions.
inline Value with_shape(Emitter& e, Value x, Value sizes, const Dims& shape) {
  return e.like("Reshape", {x, not_inferred(e, sizes)}, shape, {{"allowzero", std::int64_t{1}}});
}
/// x, which has in dimension `axis` the size of dimension `other` of y.
inline Value with_size_of(Emitter& e, Value x, std::uint32_t axis, Value y, std::uint32_t other) {
  const std::int64_t begin = other;
  std::vector<Value> sizes;
  if (axis > 0) sizes.push_back(e.ints(Ints(axis, 0)));
  sizes.push_back(e.node("Shape", {y}, int64, Dims{1}, {{"start", begin}, {"end", begin + 1}}));
  if (axis + 1 < e.rank(x)) sizes.push_back(e.ints(Ints(e.rank(x) - axis - 1, 0)));
  const Value list = sizes.size() == 1 ? sizes[0] : e.concat(std::move(sizes), 0);
  return with_sizes(e, x, list, e.shape(x));
}

}  // namespace webnn::inline v0_1::onnx::exporter
