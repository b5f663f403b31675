// Lines of the image are converted once for all rows of a filter that see them: a window is then
// one segment of each of its lines. With an odd number of channels, and strides such that windows
// begin with whole pairs, pixels lie without gaps; a segment then may have the first channel of the
// next pixel at its end, whose weights are zero. As zero times what is not finite is NaN, lines
// with such numbers are copied window by window, without that channel.
#include "src/kernels/simd/conv/bfloat16_conv2d.h"

#include "src/kernels/simd/conv/images.h"
#include "src/kernels/simd/conv/windows.h"
#include "src/kernels/simd/cost.h"
#include "src/kernels/simd/product/bfloat16_product.h"
#include "src/kernels/simd/product/product_tiles.h"
#include "src/kernels/simd/vector/bfloat16/lines.h"
#include "src/kernels/simd/vector/bfloat16/panels.h"
#include "src/kernels/simd/vector/bfloat16/tiles.h"
#include "src/kernels/simd/vector/instruction_set.h"

namespace webnn::inline v0_1::simd {
namespace {

constexpr std::size_t max_block = 512;  // pairs

/// Cuts sums into blocks of whole segments, or segments into equal blocks; false if these would be
/// short.
bool cut(PanelLayout& layout, std::size_t segment, std::size_t unit) {
  constexpr std::size_t min_block = 96;
  if (segment <= max_block) {
    layout.block = std::min(layout.k, max_block / segment * segment);
    return true;
  }
  layout.block = max_block;
  while (layout.block >= min_block && segment % layout.block) layout.block -= unit;
  return layout.block >= min_block;
}

/// A convolution over converted lines.
struct LineConvolution {
  Convolution shape;
  Product product;
  PanelLayout layout{};
  PackedPairs packed{};
  ProductTiles tiles{};  ///< whose rows are lines of the result
  int strip = 1;         ///< of these lines at a time
  bool joined = false;   ///< pixels without gaps

  std::size_t pixel() const { return pairs_of(to_size(shape.channels)); }
  std::size_t segment_floats() const {
    return to_size(shape.kernel_width) * to_size(shape.channels);
  }
  std::size_t segment() const {
    return joined ? pairs_of(segment_floats()) : to_size(shape.kernel_width) * pixel();
  }
  std::size_t stride() const {  ///< pairs from window to window
    return to_size(shape.stride_x) * (joined ? to_size(shape.channels) : 2 * pixel()) / 2;
  }
  bool reads_beyond() const { return joined && segment_floats() % 2 != 0; }
  PairLines lines() const {
    return {.height = shape.height,
            .width = shape.width,
            .channels = to_size(shape.channels),
            .joined = joined,
            .pad_left = shape.pad_left,
            .columns = to_size(shape.out_width - 1) * to_size(shape.stride_x) +
                       to_size(shape.kernel_width)};
  }
  std::size_t copied(int rows) const {
    return to_size(rows - 1) * to_size(shape.stride_y) + to_size(shape.effective_height());
  }
  static std::size_t runs_bytes(int rows) { return round_up(to_size(rows) * sizeof(PairRun), 64); }
  std::size_t flags_bytes(int rows) const { return round_up(copied(rows), 64); }
  std::size_t scratch(int rows) const {  ///< bytes
    return runs_bytes(rows) + flags_bytes(rows) +
           (lines_pairs(rows) + windows_pairs()) * sizeof(std::uint32_t);
  }
  std::size_t lines_pairs(int rows) const { return copied(rows) * lines().pitch(); }
  /// The windows of a line of the result, in which a block of the terms lies together.
  std::size_t windows_pairs() const {
    return reads_beyond() ? to_size(shape.out_width) * layout.block : 0;
  }
  void run(Range r, const Buffers& b, std::byte* scratch) const;

 private:
  /// Lines [first, last) of an image for some groups of columns.
  void run_strip(const PairProduct& g, const PairLines& from, int first, int last, int first_group,
                 int last_group, float* y, const float* residual, std::byte* scratch) const;
  /// Copies the windows of a line of the result; `x`: the pairs of a block in the first one.
  void copy_windows(const std::uint32_t* x, std::size_t segments, std::uint32_t* to) const;
};

bool are_finite(const std::uint32_t* pairs, std::size_t n) {
  constexpr std::uint32_t first = 0x7f80, second = 0x7f800000;
  std::uint32_t found = 0;
  for (std::size_t i = 0; i < n; ++i)
    found |= static_cast<std::uint32_t>((pairs[i] & first) == first) |
             static_cast<std::uint32_t>((pairs[i] & second) == second);
  return found == 0;
}

void LineConvolution::copy_windows(const std::uint32_t* x, std::size_t segments,
                                   std::uint32_t* to) const {
  const std::size_t line = to_size(shape.dilation_y) * lines().pitch(), each = segment();
  for (std::size_t i = 0; i < to_size(shape.out_width); ++i, x += stride())
    for (std::size_t s = 0; s < segments; ++s, to += each) {
      std::copy_n(x + s * line, each, to);
      to[each - 1] &= 0xffffu;
    }
}

void LineConvolution::run_strip(const PairProduct& g, const PairLines& from, int first, int last,
                                int first_group, int last_group, float* y, const float* residual,
                                std::byte* scratch) const {
  const std::size_t wide = to_size(shape.out_width), pitch = from.pitch();
  const std::span runs(reinterpret_cast<PairRun*>(scratch), to_size(last - first));
  auto* const finite = reinterpret_cast<std::uint8_t*>(scratch + runs_bytes(strip));
  auto* const pairs =
      reinterpret_cast<std::uint32_t*>(scratch + runs_bytes(strip) + flags_bytes(strip));
  std::uint32_t* const windows = pairs + lines_pairs(strip);
  const std::size_t lines_here = copied(last - first);
  convert_lines(product.bfloat16, from, first * shape.stride_y - shape.pad_top, lines_here, pairs);
  for (std::size_t i = 0; reads_beyond() && i < lines_here; ++i)
    finite[i] = are_finite(pairs + i * pitch, pitch);
  const auto sees_finite = [&](std::size_t row) {
    const std::uint8_t* line = finite + row * to_size(shape.stride_y);
    for (int k = 0; k < shape.kernel_height; ++k, line += shape.dilation_y)
      if (*line == 0) return false;
    return true;
  };
  for (std::size_t block = 0; block < layout.blocks(); ++block) {
    const std::size_t begin = block * layout.block, each = std::min(layout.block, segment());
    const std::uint32_t* x =
        pairs + begin / segment() * to_size(shape.dilation_y) * pitch + begin % segment();
    const PairTerms terms{.each = each,
                          .segments = layout.block_size(block) / each,
                          .stride = to_size(shape.dilation_y) * pitch};
    std::size_t count = 0;
    for (std::size_t i = 0; i < to_size(last - first); ++i) {
      const PairRun line{x + i * to_size(shape.stride_y) * pitch, i * wide, wide};
      if (!reads_beyond() || sees_finite(i)) {
        runs[count++] = line;
        continue;
      }
      copy_windows(line.x, terms.segments, windows);
      const PairRun copied{windows, line.first, wide};
      const std::size_t terms_together = terms.segments * each;
      multiply_pair_chunk(g,
                          {.runs = {&copied, 1},
                           .stride = terms_together,
                           .terms = {.each = terms_together},
                           .y = y,
                           .residual = residual},
                          block, first_group, last_group, true);
    }
    if (count > 0)
      multiply_pair_chunk(g,
                          {.runs = runs.first(count),
                           .stride = stride(),
                           .terms = terms,
                           .y = y,
                           .residual = residual},
                          block, first_group, last_group, true);
  }
}

void LineConvolution::run(Range r, const Buffers& b, std::byte* scratch) const {
  const std::size_t channels = to_size(shape.out_channels), pixel = b.pitch_of(channels),
                    row = to_size(shape.out_width) * pixel, per_image = to_size(shape.out_height);
  const std::size_t in_image =
      to_size(shape.height) * to_size(shape.width) * to_size(shape.channels);
  const int added = product.epilogue.residual;
  const PairProduct g{.products = product.bfloat16,
                      .w = packed.w.in(b),
                      .bias = packed.bias.in(b),
                      .layout = layout,
                      .y_stride = pixel,
                      .epilogue = product.epilogue};
  tiles.for_spans(
      r,
      [&](const ProductTiles::Span& s) {
        for_images(to_size(s.first_row), to_size(s.last_row), per_image,
                   [&](std::size_t i, int begin, int end) {
                     PairLines from = lines();
                     from.image = b.in<float>() + i * in_image;
                     const int strips = divide_up(end - begin, strip);
                     for (int k = 0; k < strips; ++k) {
                       const int first = begin + (end - begin) * k / strips,
                                 last = begin + (end - begin) * (k + 1) / strips;
                       const std::size_t at = (i * per_image + to_size(first)) * row;
                       run_strip(g, from, first, last, s.first_column, s.last_column,
                                 b.out<float>() + at,
                                 added < 0 ? nullptr : b.in<float>(to_size(added)) + at, scratch);
                     }
                   });
      },
      true);
}

/// Tiles of whole lines. Large weights of small images are cut between threads by columns.
ProductTiles line_tiles(const Product& p, const PanelLayout& layout, std::size_t lines) {
  ProductTiles t = tiles_of(p, layout);
  const std::size_t parts = t.row_tiles();
  if (t.column_tiles() > 1) t.rows = {lines, divide_up(lines, std::min(parts, lines))};
  else t.rows = partition(lines, p.macs() / static_cast<double>(lines) / macs_per_operation);
  return t;
}

/// The filter with a zero behind each `channels` weights, of which there are `pixels` times as
/// many.
Values padded_filter(const Values& filter, std::size_t pixels, std::size_t channels) {
  const auto read = [=] {
    const auto from = filter();
    const auto to = std::make_shared<std::vector<float>>(pixels * (channels + 1));
    for (std::size_t i = 0; i < pixels; ++i)
      std::copy_n(from.get() + i * channels, channels, to->data() + i * (channels + 1));
    return std::shared_ptr<const float>(to, to->data());
  };
  return {filter.slot, read, filter.order + layout_text(" even", channels)};
}

}  // namespace

std::optional<Candidate> bfloat16_conv2d(const Convolution& s, const Product& product) {
  constexpr std::size_t max_strip = 384 << 10;  // bytes: a part of L2
  if (s.groups > 1 || s.channels < 2 || !is_faster_in_bfloat16(product)) return std::nullopt;
  const bool one_line = s.kernel_height == 1 && s.kernel_width == 1;
  if (one_line || (s.dilation_x > 1 && s.kernel_width > 1))
    return bfloat16_product(product, gathered_windows(s, to_size(s.channels)));
  LineConvolution c{.shape = s, .product = product};
  const std::size_t taps = to_size(s.kernel_height) * to_size(s.kernel_width),
                    channels = to_size(s.channels);
  c.joined = channels % 2 != 0 && s.stride_x % 2 == 0 && pairs_of(c.segment_floats()) <= max_block;
  if (c.reads_beyond()) {
    Product& p = c.product;
    const std::size_t lines = to_size(s.kernel_height);
    p.b = padded_filter(product.b, to_size(s.out_channels) * lines, c.segment_floats());
    p.k = p.b_column = lines * (c.segment_floats() + 1);
  } else if (channels % 2 != 0 && !c.joined) {
    Product& p = c.product;
    p.b = padded_filter(product.b, to_size(s.out_channels) * taps, channels);
    p.k = p.b_column = taps * (channels + 1);
  }
  Bfloat16Products& how = c.product.bfloat16;
  if (c.segment() % pairs_of_step != 0) how = without_tiles(how);
  c.layout = pair_layout(how, c.product.k, s.out_channels);
  if (!cut(c.layout, c.segment(), are_tiles(how) ? pairs_of_step : 1))
    return bfloat16_product(product, gathered_windows(s, channels));
  const std::size_t lines = to_size(s.batch) * to_size(s.out_height);
  c.tiles = line_tiles(product, c.layout, lines);
  while (c.strip < s.out_height && c.scratch(c.strip + 1) <= max_strip) ++c.strip;
  if (c.scratch(c.strip) > max_scratch) return std::nullopt;
  Candidate k{.name = "bfloat16 conv" + product.epilogue.text(),
              .tiles = c.tiles.count(),
              .grain = c.tiles.row_tiles() > 1 ? std::min(2, c.tiles.count()) : 1,
              .scratch = c.scratch(c.strip),
              .row = product.epilogue.row(to_size(s.out_channels))};
  if (product.epilogue.residual >= 0) k.in_place = {product.epilogue.residual};
  c.packed = pack_pairs(k.weights, c.product, c.layout);
  k.run = [c = std::move(c)](Range r, const Buffers& b, std::byte* scratch) {
    c.run(r, b, scratch);
  };
  return k;
}

}  // namespace webnn::inline v0_1::simd
