#include "src/kernels/common/convolution.h"

#include "src/kernels/common/halo.h"
#include "src/kernels/common/library.h"
#include "src/kernels/common/sizes.h"
#include "src/kernels/common/slot.h"
#include "src/kernels/onednn/backend.h"
#include "src/kernels/onednn/tile.h"

namespace webnn::inline v0_1::onednn {
namespace {

std::optional<std::string> refusal_reason(const Convolution& c) {
  constexpr double max_bytes = 1 << 30;
  if (c.kernel_height > 128 || c.kernel_width > 128 || c.kernel_height * c.kernel_width > 4096)
    return "the filter is too large";
  if (std::max({c.stride_y, c.stride_x, c.dilation_y, c.dilation_x}) > 256)
    return "a stride or dilation above 256";
  if (c.windows_outside()) return "a window lies outside of the input";
  if (c.out_width == 1 && c.out_height > 1 && c.stride_x != c.stride_y)
    return "the result has one column, and its strides differ";  // wrong results of oneDNN 3.7
  if (c.batch > 65536) return "more than 65536 images";
  const double area = static_cast<double>(c.out_height) * c.out_width;
  if (area * c.kernel_height * c.kernel_width * c.group_inputs() >= max_bytes * 2 ||
      static_cast<double>(c.height) * c.width * c.channels >= max_bytes / 4 ||
      area * c.out_channels >= max_bytes / 4)
    return "an image above 1 GB";
  return std::nullopt;
}

/// `count` in pieces of about the same size, each but the last a multiple of `unit`.
template <class F> void split(int count, int pieces, int unit, F add) {
  if (unit == 1) {
    pieces = std::min(pieces, count);
    for (int i = 0; i < pieces; ++i) add(count * i / pieces, count * (i + 1) / pieces);
    return;
  }
  const int each = round_up((count + pieces - 1) / pieces, unit);
  for (int at = 0; at < count; at += each) add(at, std::min(count, at + each));
}

/// The numbers of pieces of the output channels and of the rows of an nhwc image. Pieces of rows
/// share the weights and read a little of the input twice. Pieces of channels share the input;
/// their results are copied to the output, so each needs enough channels.
struct Grid {
  int channels, rows;
};
Grid grid_of(const Convolution& c, int tiles) {
  constexpr int for_few_threads = 8;
  const double weights = 4.0 * c.kernel_height * c.kernel_width * c.channels * c.out_channels;
  if (tiles > for_few_threads) {
    constexpr double large_weights = 256 << 10;  // bytes
    Grid g = grid_of(c, for_few_threads);
    while (g.channels * g.rows < tiles) {
      const bool rows = c.out_height >= 4 * g.rows;
      const bool channels = c.groups == 1 && c.out_channels >= 128 * g.channels;
      if (channels && (!rows || weights / g.channels > large_weights)) g.channels *= 2;
      else if (rows) g.rows *= 2;
      else break;
    }
    return g;
  }
  const bool wide = c.groups == 1 && c.out_channels >= 64 * tiles;
  if (c.pointwise())
    return wide && c.channels >= 256 && weights > (512 << 10) ? Grid{tiles, 1} : Grid{1, tiles};
  const bool few_rows = c.out_height < 2 * tiles;
  if (few_rows && tiles >= 4 && c.groups == 1 && c.out_channels >= 64) return {2, tiles / 2};
  return {1, tiles};
}

/// Tiles of whole images, or of a grid (nhwc) or of channels (nchw). They depend on the shape only.
std::vector<ImageRegion> parts_of(const Convolution& c) {
  const int tiles = library_tiles(c.macs() / (c.depthwise() ? depthwise_rate : dense_rate));
  const ImageRegion whole{0, c.batch, 0, c.out_height, 0, c.out_channels};
  std::vector<ImageRegion> parts;
  if (c.batch >= tiles) {
    split(c.batch, tiles, 1, [&](int from, int to) {
      parts.push_back(whole);
      parts.back().n0 = from, parts.back().n1 = to;
    });
  } else if (c.nhwc) {
    const Grid grid = grid_of(c, tiles);
    split(c.out_channels, grid.channels, grid.channels == 1 ? c.out_channels : 16,
          [&](int c0, int c1) {
            split(c.out_height, grid.rows, 1, [&](int r0, int r1) {
              parts.push_back({0, c.batch, r0, r1, c0, c1});
            });
          });
  } else {  // the channels of an image are contiguous; groups are not split
    const int unit = c.groups == 1 ? 1 : c.group_outputs();
    const bool blocks = c.out_channels >= 16 * tiles * unit;
    split(c.out_channels / unit, tiles, blocks ? 16 : 1, [&](int from, int to) {
      parts.push_back(whole);
      parts.back().c0 = from * unit, parts.back().c1 = to * unit;
    });
  }
  return parts;
}

class ConvolutionLowering {
 public:
  ConvolutionLowering(const ops::conv2d& op, const Convolution& c, const LoweringRequest& request)
      : op_(op), c_(c), request_(request), tiles_(std::make_shared<Tiles>()) {
    sums_ = request.epilogue.residual >= 0;
  }

  Lowering run() {
    const std::vector<ImageRegion> parts = parts_of(c_);
    tiles_->tiles.reserve(parts.size());
    for (const ImageRegion& p : parts) add(p);
    return kernel_of(tiles_, "conv", request_.epilogue);
  }

 private:
  Halo rows_of(const ImageRegion& p) const {
    if (!c_.nhwc)
      return whole_halo(c_.out_height, c_.stride_y, c_.effective_height(), c_.pad_top, c_.height);
    return halo(p.r0, p.r1, c_.stride_y, c_.effective_height(), c_.pad_top, c_.height);
  }

  /// Channels [c0, c1) belong to these groups.
  int group_begin(const ImageRegion& p) const {
    return c_.groups == 1 ? 0 : p.c0 / c_.group_outputs();
  }
  int group_end(const ImageRegion& p) const {
    return c_.groups == 1 ? 1 : p.c1 / c_.group_outputs();
  }

  memory::desc image(int channels, int height, int width) const {
    if (flat_) std::swap(height, width);  // many rows of one pixel: one row of pixels
    return {{1, channels, height, width}, f32, c_.nhwc ? Tag::nhwc : Tag::nchw};
  }

  /// The filter of a region in the layout of the constant.
  memory::desc plain_filter(const ImageRegion& p) const {
    using enum MLConv2dFilterOperandLayout;
    const memory::dim I = c_.group_inputs(), H = c_.kernel_height, W = c_.kernel_width,
                      O = c_.out_channels;
    memory::dim so = 0, sh = 0, sw = 0, si = 0;
    switch (op_.options.filterLayout) {
      case oihw: so = I * H * W, si = H * W, sh = W, sw = 1; break;
      case hwio: sh = W * I * O, sw = I * O, si = O, so = 1; break;
      case ohwi: so = H * W * I, sh = W * I, sw = I, si = 1; break;
      case ihwo: si = H * W * O, sh = W * O, sw = O, so = 1; break;
    }
    const memory::dim outputs = p.c1 - p.c0;
    if (c_.groups == 1) return {{outputs, I, H, W}, f32, {so, si, sh, sw}};
    const memory::dim groups = group_end(p) - group_begin(p), each = outputs / groups;
    return {{groups, each, I, H, W}, f32, {so * each, so, si, sh, sw}};
  }
  /// Where the filter of channel c0 begins.
  std::size_t filter_at(int c0) const {
    using enum MLConv2dFilterOperandLayout;
    const auto layout = op_.options.filterLayout;
    const bool outputs_first = layout == oihw || layout == ohwi;
    const auto step = outputs_first ? static_cast<std::size_t>(c_.kernel_height) *
                                          static_cast<std::size_t>(c_.kernel_width) *
                                          static_cast<std::size_t>(c_.group_inputs())
                                    : 1;
    return static_cast<std::size_t>(c0) * step;
  }

  void add(const ImageRegion& p) {
    const Halo rows = rows_of(p);
    const Halo columns =
        whole_halo(c_.out_width, c_.stride_x, c_.effective_width(), c_.pad_left, c_.width);
    const int outputs = p.c1 - p.c0, height = p.r1 - p.r0;
    const int inputs =
        c_.groups == 1 ? c_.channels : (group_end(p) - group_begin(p)) * c_.group_inputs();
    const memory::desc plain = plain_filter(p);
    ConvolutionForm form{.x = image(inputs, rows.size(), c_.width),
                         .y = image(outputs, height, c_.out_width),
                         .strides = {c_.stride_y, c_.stride_x},
                         .dilations = {c_.dilation_y, c_.dilation_x},
                         .pad_begin = {rows.before, columns.before},
                         .pad_end = {rows.after, columns.after}};
    if (op_.options.bias) form.bias = memory::desc({outputs}, f32, Tag::a);
    if (p.c0 != layouts_begin_) layouts_ = {};
    layouts_begin_ = p.c0;
    const auto made = layouts_.describe(dims_of(plain), [&](const memory::desc& w) {
      form.w = w;
      return convolution(form, attributes_of(request_.epilogue, sums_));
    });
    Tile t;
    t.arguments.w = memory(made.weights_desc(), cpu(), nullptr);
    t.weights = layouts_.in(made.weights_desc(), [&](const memory::desc& layout) {
      return pack(tiles_->weights,
                  {op_.filter, slot<&ops::conv2d::filter>(op_), filter_at(p.c0), plain}, layout);
    });
    tiles_->add_implementation(made.impl_info_str());
    t.primitive = dnnl::convolution_forward(made);
    t.arguments.x = memory(form.x, cpu(), nullptr);
    t.arguments.y = memory(form.y, cpu(), nullptr);
    if (const auto s = made.scratchpad_desc(); s.get_size() > 0)
      t.arguments.scratchpad = memory(s, cpu(), nullptr);
    add_bias(t, p, form);
    add_calls(t, p, rows);
    tiles_->tiles.push_back(std::move(t));
  }

  void add_bias(Tile& t, const ImageRegion& p, const ConvolutionForm& form) {
    if (!form.bias) return;
    t.arguments.bias = memory(*form.bias, cpu(), nullptr);
    t.bias_slot = slot<&MLConv2dOptions::bias>(op_);
    t.bias_at = static_cast<std::size_t>(p.c0);
  }

  void add_calls(Tile& t, const ImageRegion& p, const Halo& rows) const {
    const std::size_t in_area = to_size(c_.height) * to_size(c_.width),
                      out_area = to_size(c_.out_height) * to_size(c_.out_width);
    const std::size_t in_image = in_area * to_size(c_.channels),
                      out_image = out_area * to_size(c_.out_channels);
    std::size_t x = 0, y = 0;
    if (c_.nhwc) {
      x = to_size(rows.begin) * to_size(c_.width) * to_size(c_.channels);
      y = to_size(p.r0) * to_size(c_.out_width) * to_size(c_.out_channels) + to_size(p.c0);
      t.staged = p.c1 - p.c0 != c_.out_channels;
      t.output.rows = t.staged ? to_size(p.r1 - p.r0) * to_size(c_.out_width) : 1;
      t.output.columns =
          t.staged ? to_size(p.c1 - p.c0)
                   : to_size(p.r1 - p.r0) * to_size(c_.out_width) * to_size(c_.out_channels);
      t.output.step = to_size(c_.out_channels);
    } else {
      x = to_size(group_begin(p)) * to_size(c_.group_inputs()) * in_area;
      y = to_size(p.c0) * out_area;
      t.output.columns = to_size(p.c1 - p.c0) * out_area;
    }
    for (int image = p.n0; image < p.n1; ++image)
      t.calls.push_back({to_size(image) * in_image + x, 0, to_size(image) * out_image + y});
    t.prefill.residual = request_.epilogue.residual;
  }

  const ops::conv2d& op_;
  const Convolution c_;
  const bool flat_ = c_.pointwise() && c_.nhwc;
  const LoweringRequest& request_;
  bool sums_ = false;
  PackedLayouts layouts_{};  // those of the filter from one channel on
  int layouts_begin_ = 0;    // that channel
  std::shared_ptr<Tiles> tiles_;
};

}  // namespace

Lowering lower(const ops::conv2d& op, const LoweringRequest& request) {
  if (!op.filter.constant()) return Refusal{"the filter is not constant"};
  const auto c = convolution_of(op, request.result);
  if (!c) return Refusal{"a dimension is too large"};
  if (auto reason = refusal_reason(*c)) return Refusal{*reason};
  return ConvolutionLowering(op, c->flattened(), request).run();
}

}  // namespace webnn::inline v0_1::onednn
