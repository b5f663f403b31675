#include "src/kernels/common/convolution.h"

#include "src/kernels/common/halo.h"
#include "src/kernels/common/library_tiles.h"
#include "src/kernels/common/slot.h"
#include "src/kernels/onednn/backend.h"
#include "src/kernels/onednn/tile.h"

namespace webnn::onednn {
namespace {

/// Rows [r0, r1) and output channels [c0, c1) of the images [n0, n1).
struct Part {
  int n0, n1, r0, r1, c0, c1;
};

std::optional<std::string> too_much(const Convolution& c) {
  constexpr double most = 1 << 30;
  if (c.kernel_height > 128 || c.kernel_width > 128 || c.kernel_height * c.kernel_width > 4096)
    return "the filter is too large";
  if (std::max({c.stride_y, c.stride_x, c.dilation_y, c.dilation_x}) > 256)
    return "a stride or dilation above 256";
  const int effective_height = (c.kernel_height - 1) * c.dilation_y,
            effective_width = (c.kernel_width - 1) * c.dilation_x;
  if (std::max(c.pad_top, c.pad_bottom) > effective_height ||
      std::max(c.pad_left, c.pad_right) > effective_width)
    return "windows that lie outside of the input";
  if (c.batch > 65536) return "more than 65536 images";
  const double area = static_cast<double>(c.out_height) * c.out_width;
  if (area * c.kernel_height * c.kernel_width * c.group_inputs() >= most * 2 ||
      static_cast<double>(c.height) * c.width * c.channels >= most / 4 ||
      area * c.out_channels >= most / 4)
    return "an image above 1 GB";
  return std::nullopt;
}

/// A pointwise convolution of rows of pixels, whatever their images.
Convolution flattened(Convolution c) {
  if (!c.pointwise() || !c.nhwc) return c;
  const auto pixels = static_cast<int>(c.pixels());
  c.batch = c.width = c.out_width = 1;
  c.height = c.out_height = pixels;
  return c;
}

int multiple(int n, int of) { return (n + of - 1) / of * of; }

/// `count` in pieces of about the same size, each but the last a multiple of `unit`.
template <class F> void split(int count, int pieces, int unit, F add) {
  if (unit == 1) {
    pieces = std::min(pieces, count);
    for (int i = 0; i < pieces; ++i) add(count * i / pieces, count * (i + 1) / pieces);
    return;
  }
  const int each = multiple((count + pieces - 1) / pieces, unit);
  for (int at = 0; at < count; at += each) add(at, std::min(count, at + each));
}

/// Into how many pieces the output channels and the rows of an nhwc image are cut. Rows share the
/// weights and read a little of the input twice. Channels share the input; their results are
/// copied to their places, and each tile has to have enough of them.
struct Grid {
  int channels, rows;
};
Grid grid_of(const Convolution& c, int tiles) {
  const double weights = 4.0 * c.kernel_height * c.kernel_width * c.channels * c.out_channels;
  const bool wide = c.groups == 1 && c.out_channels >= 64 * tiles;
  if (c.pointwise())
    return wide && c.channels >= 256 && weights > (512 << 10) ? Grid{tiles, 1} : Grid{1, tiles};
  const bool few_rows = c.out_height < 2 * tiles;
  if (few_rows && tiles >= 4 && c.groups == 1 && c.out_channels >= 64) return {2, tiles / 2};
  return {1, tiles};
}

/// Tiles of whole images, else of a grid; nchw: of channels. By shape alone.
std::vector<Part> parts_of(const Convolution& c) {
  const int tiles = library_tiles(c.macs() / (c.depthwise() ? depthwise_rate : dense_rate));
  const Part whole{0, c.batch, 0, c.out_height, 0, c.out_channels};
  std::vector<Part> parts;
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
  } else {  // channels of one image lie together; groups stay whole
    const int unit = c.groups == 1 ? 1 : c.group_outputs();
    const bool blocks = c.out_channels >= 16 * tiles * unit;
    split(c.out_channels / unit, tiles, blocks ? 16 : 1, [&](int from, int to) {
      parts.push_back(whole);
      parts.back().c0 = from * unit, parts.back().c1 = to * unit;
    });
  }
  return parts;
}

class Lowered {
 public:
  Lowered(const ops::conv2d& op, const Convolution& c, const LoweringRequest& request)
      : op_(op), c_(c), request_(request), tiles_(std::make_shared<Tiles>()) {
    sums_ = request.epilogue.residual >= 0;
    if (op.options.bias && op.options.bias->constant()) {
      const auto values = floats_of(*op.options.bias);
      tiles_->bias.assign(values.begin(), values.end());
    }
  }

  Lowering run() {
    const std::vector<Part> parts = parts_of(c_);
    tiles_->tiles.reserve(parts.size());
    for (const Part& p : parts) add(p);
    Kernel k = kernel_of(tiles_, "conv", request_.epilogue);
    if (k.scratch > max_scratch) return Refusal{"needs too much scratch"};
    return k;
  }

 private:
  Halo rows_of(const Part& p) const {
    const int reach = (c_.kernel_height - 1) * c_.dilation_y + 1;
    if (!c_.nhwc) return whole_halo(c_.out_height, c_.stride_y, reach, c_.pad_top, c_.height);
    return halo(p.r0, p.r1, c_.stride_y, reach, c_.pad_top, c_.height);
  }

  /// Channels [c0, c1) belong to these groups.
  int group_begin(const Part& p) const { return c_.groups == 1 ? 0 : p.c0 / c_.group_outputs(); }
  int group_end(const Part& p) const { return c_.groups == 1 ? 1 : p.c1 / c_.group_outputs(); }

  memory::desc image(int channels, int height, int width) const {
    if (flat_) std::swap(height, width);  // many rows of one pixel: one row of pixels
    return {{1, channels, height, width}, f32, c_.nhwc ? Tag::nhwc : Tag::nchw};
  }

  /// The filter of a part as the constant lies: o, i, h and w in steps of the layout.
  memory::desc plain_filter(const Part& p) const {
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
  /// Where the filter of channel c0 begins in the constant.
  const float* filter_at(int c0) const {
    using enum MLConv2dFilterOperandLayout;
    const auto layout = op_.options.filterLayout;
    const bool outputs_first = layout == oihw || layout == ohwi;
    const auto step = outputs_first ? static_cast<std::size_t>(c_.kernel_height) *
                                          static_cast<std::size_t>(c_.kernel_width) *
                                          static_cast<std::size_t>(c_.group_inputs())
                                    : 1;
    return floats_of(op_.filter).data() + static_cast<std::size_t>(c0) * step;
  }

  void add(const Part& p) {
    const Halo rows = rows_of(p);
    const Halo columns =
        whole_halo(c_.out_width, c_.stride_x, (c_.kernel_width - 1) * c_.dilation_x + 1,
                   c_.pad_left, c_.width);
    const int outputs = p.c1 - p.c0, height = p.r1 - p.r0;
    const int inputs =
        c_.groups == 1 ? c_.channels : (group_end(p) - group_begin(p)) * c_.group_inputs();
    const bool shared = weights_ && p.c0 == weights_begin_;  // the tile before has asked oneDNN
    const memory::desc plain = plain_filter(p);
    ConvolutionForm form{
        .x = image(inputs, rows.size(), c_.width),
        .w = shared ? weights_.get_desc() : memory::desc(dims_of(plain), f32, Tag::any),
        .y = image(outputs, height, c_.out_width),
        .strides = {c_.stride_y, c_.stride_x},
        .dilations = {c_.dilation_y, c_.dilation_x},
        .pad_begin = {rows.before, columns.before},
        .pad_end = {rows.after, columns.after}};
    if (op_.options.bias) form.bias = memory::desc({outputs}, f32, Tag::a);
    const auto made = convolution(form, attributes_of(request_.epilogue, sums_));
    Tile t;
    t.w = shared ? weights_ : pack(filter_at(p.c0), plain, made.weights_desc());
    if (!shared) tiles_->packed += t.w.get_desc().get_size();
    weights_ = t.w;
    weights_begin_ = p.c0;
    if (tiles_->implementation.empty()) tiles_->implementation = made.impl_info_str();
    t.primitive = dnnl::convolution_forward(made);
    t.x = memory(form.x, cpu(), nullptr);
    t.y = memory(form.y, cpu(), nullptr);
    if (const auto s = made.scratchpad_desc(); s.get_size() > 0)
      t.scratchpad = memory(s, cpu(), nullptr);
    add_bias(t, p, form);
    place(t, p, rows);
    tiles_->tiles.push_back(std::move(t));
  }

  void add_bias(Tile& t, const Part& p, const ConvolutionForm& form) {
    if (!form.bias) return;
    if (tiles_->bias.empty()) {
      t.bias = memory(*form.bias, cpu(), nullptr);
      t.bias_slot = slot<&MLConv2dOptions::bias>(op_);
      t.bias_at = static_cast<std::size_t>(p.c0);
    } else {
      t.bias = memory(*form.bias, cpu(), tiles_->bias.data() + p.c0);
    }
  }

  void place(Tile& t, const Part& p, const Halo& rows) const {
    const auto n = [](int v) { return static_cast<std::size_t>(v); };
    const std::size_t in_area = n(c_.height) * n(c_.width),
                      out_area = n(c_.out_height) * n(c_.out_width);
    const std::size_t in_image = in_area * n(c_.channels),
                      out_image = out_area * n(c_.out_channels);
    std::size_t x = 0, y = 0;
    if (c_.nhwc) {
      x = n(rows.begin) * n(c_.width) * n(c_.channels);
      y = n(p.r0) * n(c_.out_width) * n(c_.out_channels) + n(p.c0);
      t.staged = p.c1 - p.c0 != c_.out_channels;
      t.rows = t.staged ? n(p.r1 - p.r0) * n(c_.out_width) : 1;
      t.columns = t.staged ? n(p.c1 - p.c0) : n(p.r1 - p.r0) * n(c_.out_width) * n(c_.out_channels);
      t.step = n(c_.out_channels);
    } else {
      x = n(group_begin(p)) * n(c_.group_inputs()) * in_area;
      y = n(p.c0) * out_area;
      t.columns = n(p.c1 - p.c0) * out_area;
    }
    for (int image = p.n0; image < p.n1; ++image)
      t.places.push_back({n(image) * in_image + x, 0, n(image) * out_image + y});
    t.prefill.residual = request_.epilogue.residual;
  }

  const ops::conv2d& op_;
  const Convolution c_;
  const bool flat_ = c_.pointwise() && c_.nhwc;
  const LoweringRequest& request_;
  bool sums_ = false;
  memory weights_;  // of the channels from here on
  int weights_begin_ = 0;
  std::shared_ptr<Tiles> tiles_;
};

}  // namespace

Lowering lower(const ops::conv2d& op, const LoweringRequest& request) {
  if (!op.filter.constant()) return Refusal{"the filter is not constant"};
  const auto c = convolution_of(op, request.result);
  if (!c) return Refusal{"a dimension is too large"};
  if (auto reason = too_much(*c)) return Refusal{*reason};
  return Lowered(op, flattened(*c), request).run();
}

}  // namespace webnn::onednn
