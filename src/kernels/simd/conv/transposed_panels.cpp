#include "src/kernels/simd/conv/transposed_panels.h"

#include "src/kernels/common/slot.h"
#include "src/kernels/simd/conv/windows.h"
#include "src/kernels/simd/product/product_tiles.h"
#include "src/kernels/simd/vector/instruction_set.h"

namespace webnn::inline v0_1::simd {
namespace {

/// The product of a phase: a row for each of its pixels of the result, image by image.
struct Phase {
  Convolution windows;  // what the pixels see
  GatheredRows rows;
  PanelLayout layout;
  ProductTiles tiles;
  int first_tile;     // of all phases
  std::size_t pixel;  // of the result, of row 0
  PackedArray<float> w;
};

struct Panels {
  TransposedShape shape;
  Epilogue epilogue;
  PackedArray<float> bias{};
  std::vector<Phase> phases{};
  std::size_t copied = 0, results = 0;  // floats of scratch

  int tiles() const { return phases.back().first_tile + phases.back().tiles.count(); }
  /// The pixel of the result that is a row.
  std::size_t pixel(const Phase& p, std::size_t row) const {
    const std::size_t wide = to_size(p.windows.out_width), high = to_size(p.windows.out_height);
    const std::size_t column = row % wide, down = row / wide % high, image = row / wide / high;
    const std::size_t line = image * to_size(shape.down.out) + down * to_size(shape.down.stride);
    return p.pixel + line * to_size(shape.across.out) + column * to_size(shape.across.stride);
  }
  void run(const Phase& p, const ProductTiles::Span& s, const Buffers& b, float* scratch) const;
};

Convolution windows_of(const TransposedShape& t, int down, int across) {
  const int high = t.down.taps(down), wide = t.across.taps(across);
  return {.batch = t.batch,
          .height = t.down.in,
          .width = t.across.in,
          .channels = t.inputs,
          .out_height = t.down.end(down) - t.down.begin(down),
          .out_width = t.across.end(across) - t.across.begin(across),
          .out_channels = t.outputs,
          .kernel_height = high,
          .kernel_width = wide,
          .stride_y = 1,
          .stride_x = 1,
          .dilation_y = 1,
          .dilation_x = 1,
          .pad_top = high - 1 - t.down.begin(down),
          .pad_bottom = 0,
          .pad_left = wide - 1 - t.across.begin(across),
          .pad_right = 0,
          .groups = 1,
          .nhwc = true};
}

/// Whether the weights of a phase are read from beyond L1 and a part of L2 again and again when a
/// few rows of the result are computed at a time.
bool has_large_weights(const TransposedShape& t) {
  constexpr double large = 512 << 10;  // bytes
  const double taps = static_cast<double>(t.down.max_taps()) * t.across.max_taps();
  return 4 * taps * t.inputs * t.outputs > large;
}

Phase phase_of(std::vector<WeightBlock>& weights, const TransposedShape& t,
               const ops::convTranspose2d& op, int down, int across, int first_tile) {
  const Convolution windows = windows_of(t, down, across);
  const Product product{
      .rows = static_cast<int>(windows.pixels()),
      .columns = t.outputs,
      .k = to_size(windows.kernel_height) * to_size(windows.kernel_width) * to_size(t.inputs)};
  const PanelLayout layout(product.k, t.outputs);
  const int row = t.down.begin(down) * t.down.stride + down - t.down.padding,
            column = t.across.begin(across) * t.across.stride + across - t.across.padding;
  const auto pack = [=, k = product.k, &op](float* to) {
    const std::vector<float> matrix = phase_matrix(t, op, down, across, 1);
    const std::size_t n = to_size(t.outputs);
    for (std::size_t b = 0; b < layout.blocks(); ++b)
      pack_panels({matrix.data(), k, t.outputs, n, 1}, layout, b, to);
  };
  return {.windows = windows,
          .rows = gathered_windows(windows, to_size(t.inputs)),
          .layout = layout,
          .tiles = tiles_of(product, layout),
          .first_tile = first_tile,
          .pixel = to_size(row) * to_size(t.across.out) + to_size(column),
          .w = add_packed<float>(
              weights, layout.size(),
              phase_text(layout_text("phase panels/1", layout.block), t, op, down, across, 1),
              {slot<&ops::convTranspose2d::filter>(op)}, pack)};
}

void Panels::run(const Phase& p, const ProductTiles::Span& s, const Buffers& b,
                 float* scratch) const {
  const float* const x = b.in<float>();
  float* const y = b.out<float>();
  const std::size_t pitch = b.pitch_of(to_size(shape.outputs));
  const std::size_t n = to_size(shape.outputs),
                    first = to_size(p.layout.first_column(s.first_column)),
                    last = std::min(n, to_size(p.layout.first_column(s.last_column))),
                    chunk = panel_chunk(p.layout);
  float* results = scratch + copied;
  const PanelProduct g{
      .w = p.w.in(b), .bias = bias.in(b), .layout = p.layout, .y_stride = n, .epilogue = epilogue};
  for (std::size_t row = to_size(s.first_row); row < to_size(s.last_row); row += chunk) {
    const std::size_t rows = std::min(chunk, to_size(s.last_row) - row);
    multiply_panels(g, {x, 0, p.rows.copy, p.rows.context.get()}, row, rows, s.first_column,
                    s.last_column, results, nullptr, scratch);
    for (std::size_t r = 0; r < rows; ++r)
      std::copy_n(results + r * n + first, last - first, y + pixel(p, row + r) * pitch + first);
  }
}

}  // namespace

std::optional<Candidate> lower_transposed_panels(const ops::convTranspose2d& op,
                                                 const TransposedShape& shape, const Epilogue& e) {
  const bool all_read =
      shape.down.kernel >= shape.down.stride && shape.across.kernel >= shape.across.stride;
  const auto phases = static_cast<double>(shape.down.count()) * shape.across.count();
  constexpr double max_pixels = 1 << 30;
  if (e.residual >= 0 || !all_read || shape.outputs <= 2 * lanes() || !has_large_weights(shape) ||
      phases * shape.batch > max_pixels)
    return std::nullopt;
  const auto all = std::make_shared<Panels>(Panels{.shape = shape, .epilogue = e});
  std::vector<WeightBlock> weights;
  for_phases(shape, 1, [&](int down, int across) {
    all->phases.push_back(
        phase_of(weights, shape, op, down, across, all->phases.empty() ? 0 : all->tiles()));
    const Phase& p = all->phases.back();
    const std::size_t rows = p.windows.pixels();
    all->copied = std::max(all->copied, panel_scratch(p.layout, rows));
    all->results =
        std::max(all->results, std::min(rows, panel_chunk(p.layout)) * to_size(shape.outputs));
  });
  const Values bias = op.options.bias
                          ? values_of(*op.options.bias, slot<&MLConvTranspose2dOptions::bias>(op))
                          : Values();
  all->bias =
      packed_bias(weights, bias, shape.outputs, all->phases.front().layout.padded_columns());
  const std::size_t scratch = (all->copied + all->results) * sizeof(float);
  if (scratch > max_scratch) return std::nullopt;
  return Candidate{.name = "phase products" + e.text(),
                   .tiles = all->tiles(),
                   .scratch = scratch,
                   .row = e.row(to_size(shape.outputs)),
                   .weights = std::move(weights),
                   .run = [all = std::shared_ptr<const Panels>(all)](Range r, const Buffers& b,
                                                                     std::byte* scratch) {
                     for (const Phase& p : all->phases) {
                       const int begin = std::max(0, r.begin - p.first_tile),
                                 end = std::min(p.tiles.count(), r.end - p.first_tile);
                       if (begin >= end) continue;
                       p.tiles.for_spans(
                           {begin, end},
                           [&](const ProductTiles::Span& s) {
                             all->run(p, s, b, reinterpret_cast<float*>(scratch));
                           },
                           true);
                     }
                   }};
}

}  // namespace webnn::inline v0_1::simd
