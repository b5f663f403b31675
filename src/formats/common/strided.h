// Parts of tensors, every so many elements of each dimension. Private; a shared library of a format
// has its own copy and does not show it.
#pragma once

#include "src/formats/common/size.h"

namespace webnn::inline v0_1::formats {

/// The places of a dimension from start on and before end; a negative step goes down to the one
/// behind end.
struct Strided {
  Size start, end;
  std::int64_t step;
};

/// Negative places count from the end of a dimension of that size; what lies outside is moved
/// inside.
[[gnu::visibility("hidden")]] Strided clipped(const Strided&, const Size& size);
/// How many places these are, where they are clipped. The step is not 0.
[[gnu::visibility("hidden")]] Size length(const Strided&);
/// The elements at places of each dimension, which are clipped and not empty.
[[gnu::visibility("hidden")]] MLOperand strided_slice(MLGraphBuilder&, const MLOperand& x,
                                                      const std::vector<Strided>& places,
                                                      const std::string& label);

}  // namespace webnn::inline v0_1::formats
