#include "src/kernels/simd/conv/transposed_shape.h"

#include "src/kernels/common/convolution.h"
#include "src/kernels/common/packed_array.h"
#include "src/kernels/simd/vector/float32/gemm.h"
#include "src/kernels/simd/vector/instruction_set.h"

namespace webnn::inline v0_1::simd {

TransposedFilter filter_strides(const ops::convTranspose2d& op) {
  using enum MLConvTranspose2dFilterOperandLayout;
  const auto layout = op.options.filterLayout;
  const ops::Filter f = ops::filter_sizes(op.filter.shape(), layout);
  const std::size_t i = f.inputs, o = f.outputs, h = f.height, w = f.width;
  switch (layout) {
    case iohw: return {o * h * w, h * w, w, 1};
    case hwoi: return {1, i, w * o * i, o * i};
    case ohwi: return {1, h * w * i, w * i, i};
  }
  return {};
}

std::optional<TransposedShape> transposed_shape(const ops::convTranspose2d& op, const Dims& out) {
  const auto& o = op.options;
  constexpr std::uint32_t limit = 1 << 24;  // so that a sum of a few stays within an int
  for (const Dims* list : {&o.padding, &o.strides, &op.input.shape(), &op.filter.shape(), &out})
    for (std::uint32_t v : *list)
      if (v > limit) return std::nullopt;
  const Dims& in = op.input.shape();
  const ops::Filter f = ops::filter_sizes(op.filter.shape(), o.filterLayout);
  const auto n = [](std::uint64_t v) { return static_cast<int>(v); };
  return TransposedShape{
      .down = {n(in[1]), n(out[1]), n(f.height), n(o.strides[0]), n(o.padding[0])},
      .across = {n(in[2]), n(out[2]), n(f.width), n(o.strides[1]), n(o.padding[2])},
      .batch = n(in[0]),
      .inputs = n(in[3]),
      .outputs = n(out[3])};
}

std::vector<float> phase_matrix(const TransposedShape& t, const ops::convTranspose2d& op, int down,
                                int across, int count) {
  const TransposedFilter f = filter_strides(op);
  const float* const filter = floats_of(op.filter).data();
  const int high = t.down.taps(down), wide = t.across.taps(across), n = count * t.outputs;
  std::vector<float> matrix(to_size(high) * to_size(wide) * to_size(t.inputs) * to_size(n));
  auto to = matrix.begin();
  for (int i = high; i-- > 0;)
    for (int j = wide; j-- > 0;)
      for (std::size_t c = 0; c < to_size(t.inputs); ++c)
        for (int p = across; p < across + count; ++p) {
          const float* from = filter + to_size(down + i * t.down.stride) * f.row +
                              to_size(p + j * t.across.stride) * f.column + c * f.input;
          for (std::size_t k = 0; k < to_size(t.outputs); ++k) *to++ = from[k * f.output];
        }
  return matrix;
}

std::string phase_text(std::string name, const TransposedShape& t, const ops::convTranspose2d& op,
                       int down, int across, int count) {
  return layout_text(std::move(name), lanes(), static_cast<int>(op.options.filterLayout),
                     t.down.kernel, t.down.stride, t.across.kernel, t.across.stride, t.inputs,
                     t.outputs, down, across, count);
}

}  // namespace webnn::inline v0_1::simd
