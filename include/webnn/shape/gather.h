// What the gather and scatter operators ask of their indices.
#pragma once

#include "webnn/shape/dims.h"

namespace webnn::inline v0_1::shape {

/// gatherElements and scatterElements: along all other axes, indices has the sizes of input.
inline Check check_off_axis(const MLOperand& indices, const MLOperand& input, std::uint32_t axis) {
  const Dims &i = indices.shape(), &x = input.shape();
  for (std::size_t d = 0; d < x.size(); ++d)
    if (d != axis && i[d] != x[d])
      return detail::fail("dimension {} ({}) of indices differs from that of input ({})", d, i[d],
                          x[d]);
  return {};
}

/// gatherND and scatterND: the last dimension of indices counts the coordinates it gives.
inline Check check_coordinates(const MLOperand& indices, const MLOperand& input) {
  if (indices.shape().back() <= input.rank()) return {};
  return detail::fail("the last dimension ({}) of indices is greater than the rank ({}) of input",
                      indices.shape().back(), input.rank());
}

/// The shape of the slices of input that those coordinates name.
inline Sizes slices(const MLOperand& indices, const MLOperand& input) {
  const Dims &i = indices.shape(), &x = input.shape();
  Sizes out(i.begin(), i.end() - 1);
  out.insert(out.end(), x.begin() + i.back(), x.end());
  return out;
}

}  // namespace webnn::inline v0_1::shape
