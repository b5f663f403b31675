#include "src/kernels/simd/product/small_matrix.h"

namespace webnn::inline v0_1::simd {
namespace {

std::size_t stride_of(const Dims& shape, std::size_t dimension) {
  std::size_t stride = 1;
  for (std::size_t d = dimension + 1; d < shape.size(); ++d) stride *= shape[d];
  return stride;
}

SmallAxis axis_of(const SmallWeights& w, std::size_t dimension) {
  const std::size_t size = w.shape[dimension];
  SmallAxis axis{.size = size, .stride = stride_of(w.shape, dimension), .block = size};
  if (!w.scaled()) return axis;
  axis.block = size / w.scale_shape[dimension];
  axis.scales = stride_of(w.scale_shape, dimension);
  return axis;
}

}  // namespace

SmallMatrix matrix_of(const SmallWeights& w, const WeightAxes& axes) {
  const SmallAxis k = axis_of(w, axes.k);
  SmallMatrix m{.k = {{{}, {}, {}, k}}, .column = axis_of(w, axes.column)};
  if (!axes.window) return m;
  const auto [height, width] = *axes.window;
  m.k = {{{.size = k.size / k.block, .stride = k.block * k.stride, .scales = k.scales},
          axis_of(w, height),
          axis_of(w, width),
          {.size = k.block, .stride = k.stride, .block = k.block}}};
  return m;
}

SmallMatrix matrix_at(const SmallWeights& w, SmallMatrix m, std::size_t i) {
  if (i == 0) return m;
  m.first.weight = i * stride_of(w.shape, w.shape.size() - 3);
  for (std::size_t d = w.shape.size() - 2; w.scaled() && d-- > 0; i /= w.shape[d])
    m.first.scale += axis_of(w, d)[i % w.shape[d]].scale;
  return m;
}

}  // namespace webnn::inline v0_1::simd
