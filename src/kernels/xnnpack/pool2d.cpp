#include "src/kernels/common/pooling.h"

#include "src/kernels/common/halo.h"
#include "src/kernels/common/library.h"
#include "src/kernels/common/sizes.h"
#include "src/kernels/xnnpack/backend.h"
#include "src/kernels/xnnpack/tile.h"

namespace webnn::inline v0_1::xnnpack {
namespace {

std::optional<std::string> refusal_reason(const Pooling2d& p) {
  if (!p.nhwc) return "nchw";
  if (!windows_meet_input(p)) return "a window without an element of the input";
  if (p.window_height > 4096 || p.window_width > 4096) return "the window is too large";
  if (p.window_height == 1 && p.window_width == 1) return "a window of one element";
  if (p.pad_top >= p.effective_height() || p.pad_left >= p.effective_width() ||
      p.beyond_bottom() >= p.effective_height() || p.beyond_right() >= p.effective_width())
    return "the padding is not smaller than the window";
  // XNNPACK holds a pointer for each element of each window.
  constexpr double max_pointers = 4e6;
  if (static_cast<double>(p.out_height) * p.out_width * p.window_height * p.window_width >
      max_pointers)
    return "too many windows";
  return std::nullopt;
}

bool averages_keep_nan() {
  static const bool keep = keeps_nan(average_pooling({.pad_top = 0,
                                                      .pad_right = 0,
                                                      .pad_bottom = 0,
                                                      .pad_left = 0,
                                                      .window_height = 1,
                                                      .window_width = 2,
                                                      .stride_y = 1,
                                                      .stride_x = 1,
                                                      .dilation_y = 1,
                                                      .dilation_x = 1,
                                                      .channels = 1,
                                                      .input_step = 1,
                                                      .output_step = 1,
                                                      .batch = 1,
                                                      .height = 1,
                                                      .width = 2}));
  return keep;
}

/// Rows [r0, r1) of the channels [c0, c1).
Tile tile_of(const Pooling2d& p, int r0, int r1, int c0, int c1,
             Operator (*make)(const PoolingForm&)) {
  const Halo rows = halo(r0, r1, p.stride_y, p.effective_height(), p.pad_top, p.height);
  const Halo columns =
      whole_halo(p.out_width, p.stride_x, p.effective_width(), p.pad_left, p.width);
  const auto u = [](int v) { return static_cast<std::uint32_t>(v); };
  Tile t;
  t.op = make({.pad_top = u(rows.before),
               .pad_right = u(columns.after),
               .pad_bottom = u(rows.after),
               .pad_left = u(columns.before),
               .window_height = u(p.window_height),
               .window_width = u(p.window_width),
               .stride_y = u(p.stride_y),
               .stride_x = u(p.stride_x),
               .dilation_y = u(p.dilation_y),
               .dilation_x = u(p.dilation_x),
               .channels = to_size(c1 - c0),
               .input_step = to_size(p.channels),
               .output_step = to_size(p.channels),
               .batch = 1,
               .height = to_size(rows.size()),
               .width = to_size(p.width)});
  const std::size_t in_row = to_size(p.width) * to_size(p.channels),
                    out_row = to_size(p.out_width) * to_size(p.channels);
  t.a = {to_size(rows.size()) * in_row - to_size(p.channels) + to_size(c1 - c0),
         (c1 - c0) % 4 != 0};
  t.reads_result = make == &max_pooling;  // more than nine elements take several passes
  t.output.rows = to_size(r1 - r0) * to_size(p.out_width);
  t.output.columns = to_size(c1 - c0);
  t.output.step = to_size(p.channels);
  for (int i = 0; i < p.batch; ++i)
    t.calls.push_back(
        {(to_size(i) * to_size(p.height) + to_size(rows.begin)) * in_row + to_size(c0), 0,
         (to_size(i) * to_size(p.out_height) + to_size(r0)) * out_row + to_size(c0)});
  const bool max = make == &max_pooling;
  if (max || !averages_keep_nan())  // a maximum loses a NaN beside a number
    t.plain = [=](const float* a, const float*, float* y) {
      const float* image = a - (to_size(rows.begin) * in_row + to_size(c0));
      for (int r = r0; r < r1; ++r)
        for (int w = 0; w < p.out_width; ++w)
          for (int c = c0; c < c1; ++c)
            y[to_size(r - r0) * out_row + to_size(w) * to_size(p.channels) + to_size(c - c0)] =
                max ? largest_in_window(p, image, c, r, w) : mean_of_window(p, image, c, r, w);
    };
  return t;
}

Lowering lower(const Pooling2d& p, Operator (*make)(const PoolingForm&)) {
  const double reads = static_cast<double>(p.batch) * p.channels * p.out_height * p.out_width *
                       p.window_height * p.window_width;
  const auto wanted = library_tiles(reads / pooling_rate);
  Tiles tiles;
  if (p.out_height >= wanted) {
    for (int i = 0; i < wanted; ++i)
      tiles.push_back(tile_of(p, p.out_height * i / wanted, p.out_height * (i + 1) / wanted, 0,
                              p.channels, make));
  } else {
    const int each = ((p.channels + wanted - 1) / wanted + 15) / 16 * 16;
    for (int c = 0; c < p.channels; c += each)
      tiles.push_back(tile_of(p, 0, p.out_height, c, std::min(p.channels, c + each), make));
  }
  return kernel_of(std::move(tiles), "pool");
}

}  // namespace

Lowering lower(const ops::averagePool2d& op, const LoweringRequest& request) {
  const auto p = pooling_of(op.input, op.options, request.result);
  if (!p) return Refusal{"a dimension is too large"};
  if (p->dilated()) return Refusal{"dilations"};
  if (auto reason = refusal_reason(*p)) return Refusal{*reason};
  return lower(*p, &average_pooling);
}

Lowering lower(const ops::maxPool2d& op, const LoweringRequest& request) {
  const auto p = pooling_of(op.input, op.options, request.result);
  if (!p) return Refusal{"a dimension is too large"};
  // XNNPACK reads the nearest pixel instead of padding, which may not belong to the window.
  if (p->dilated() && p->padded()) return Refusal{"dilations and padding at once"};
  if (auto reason = refusal_reason(*p)) return Refusal{*reason};
  return lower(*p, &max_pooling);
}

}  // namespace webnn::inline v0_1::xnnpack
