#include "src/kernels/simd/conv/grouped_conv2d.h"

#include <memory>

#include "src/kernels/common/partition.h"
#include "src/kernels/common/sizes.h"
#include "src/kernels/simd/cost.h"
#include "src/kernels/simd/options.h"
#include "src/kernels/simd/product/pack.h"
#include "src/kernels/simd/vector/float32/grouped.h"
#include "src/kernels/simd/vector/instruction_set.h"

namespace webnn::inline v0_1::simd {
namespace {

Grouped grouped_of(const Convolution& s, const Epilogue& epilogue) {
  return {.height = s.height,
          .width = s.width,
          .channels = s.channels,
          .out_height = s.out_height,
          .out_width = s.out_width,
          .group = s.group_inputs(),
          .kernel_h = s.kernel_height,
          .kernel_w = s.kernel_width,
          .stride_y = s.stride_y,
          .stride_x = s.stride_x,
          .dilation_y = s.dilation_y,
          .dilation_x = s.dilation_x,
          .pad_top = s.pad_top,
          .pad_left = s.pad_left,
          .epilogue = epilogue};
}

void pack_filter(const Grouped& g, const float* filter, float* to) {
  std::size_t at = 0;
  for (int v = 0; v < g.blocks() * (g.block() / lanes()); ++v)
    for (int k = 0; k < g.kernel_h; ++k)
      for (int i = 0; i < g.group; ++i)
        for (int j = 0; j < g.kernel_w; ++j)
          for (int l = 0; l < lanes(); ++l, ++at) {
            const int channel = v * lanes() + l;
            const auto tap = to_size(k * g.kernel_w + j);
            if (channel < g.channels)
              to[at] = filter[(to_size(channel) * to_size(g.kernel_h * g.kernel_w) + tap) *
                                  to_size(g.group) +
                              to_size(i)];
          }
}

}  // namespace

std::optional<Candidate> lower_grouped_conv2d(const Convolution& s, const Epilogue& epilogue,
                                              const Values& filter, const Values& bias) {
  constexpr int max_group = 8;     // oneDNN's products of 16 channels are faster
  constexpr int rows_of_item = 8;  // of the result: the rows before and after them are copied twice
  const Grouped g = grouped_of(s, epilogue);
  const bool same = s.groups > 1 && s.group_inputs() == s.group_outputs();
  if (!same || !g.supported() || g.group > max_group || g.scratch() * sizeof(float) > max_scratch)
    return std::nullopt;
  std::vector<WeightBlock> weights;
  const PackedWeights p{
      add_packed<float>(weights, to_size(g.blocks()) * g.weights(),
                        layout_text("grouped filter/2", lanes(), g.channels, g.group, g.kernel_h,
                                    g.kernel_w, g.block()) +
                            filter.order,
                        {filter.slot}, [=](float* to) { pack_filter(g, filter().get(), to); }),
      add_packed<float>(weights, to_size(g.blocks()) * to_size(g.block()),
                        bias ? layout_text("grouped bias/1", g.channels) : "zeros/1", {bias.slot},
                        [=, channels = to_size(g.channels)](float* to) {
                          if (bias) std::copy_n(bias().get(), channels, to);
                        })};
  const std::size_t strips = to_size(divide_up(g.out_height, rows_of_item)),
                    blocks = to_size(g.blocks());
  const std::size_t items = to_size(s.batch) * blocks * strips;
  const Partition c = partition(items, s.macs() / static_cast<double>(items) / macs_per_operation);
  const std::size_t x_image = to_size(g.height) * to_size(g.width) * to_size(g.channels),
                    y_image = to_size(g.out_height) * to_size(g.out_width) * to_size(g.channels);
  Candidate k{.name = "grouped " + std::to_string(g.group) + epilogue.text(),
              .tiles = c.tiles(),
              .scratch = g.scratch() * sizeof(float),
              .weights = std::move(weights)};
  if (epilogue.residual >= 0) k.in_place = {epilogue.residual};
  k.run = [=, residual = epilogue.residual](Range r, const Buffers& b, std::byte* scratch) {
    Grouped here = g;
    here.w = p.w.in(b);
    here.bias = p.bias.in(b);
    for (std::size_t i = c.begin(r); i < c.end(r); ++i) {
      const std::size_t image = i / (blocks * strips), block = i / strips % blocks;
      const int first = static_cast<int>(i % strips) * rows_of_item;
      grouped_conv(here, static_cast<int>(block), first,
                   std::min(first + rows_of_item, g.out_height), b.in<float>() + image * x_image,
                   b.out<float>() + image * y_image,
                   residual < 0 ? nullptr : b.in<float>(to_size(residual)) + image * y_image,
                   reinterpret_cast<float*>(scratch));
    }
  };
  return k;
}

}  // namespace webnn::inline v0_1::simd
