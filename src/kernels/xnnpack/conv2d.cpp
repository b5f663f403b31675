#include "src/kernels/common/convolution.h"

#include "src/kernels/common/halo.h"
#include "src/kernels/common/library.h"
#include "src/kernels/common/sizes.h"
#include "src/kernels/common/slot.h"
#include "src/kernels/xnnpack/backend.h"
#include "src/kernels/xnnpack/tile.h"

namespace webnn::inline v0_1::xnnpack {
namespace {

std::optional<std::string> refusal_reason(const Convolution& c) {
  if (!c.nhwc) return "nchw";
  if (c.kernel_height > 4096 || c.kernel_width > 4096) return "the filter is too large";
  if (c.windows_outside()) return "a window lies outside of the input";
  // XNNPACK holds a pointer for each element of each window.
  constexpr double max_pointers = 4e6;
  if (!c.pointwise() &&
      static_cast<double>(c.out_height) * c.out_width * c.kernel_height * c.kernel_width >
          max_pointers)
    return "too many windows";
  return std::nullopt;
}

/// Each tile packs the weights of its channels: rows and images are split where weights are small.
std::vector<ImageRegion> parts_of(const Convolution& c) {
  constexpr double small = 128 << 10;  // bytes
  const auto wanted = library_tiles(c.macs() / (c.depthwise() ? depthwise_rate : dense_rate));
  const double weights = 4.0 * c.kernel_height * c.kernel_width * c.group_inputs() * c.out_channels;
  const ImageRegion whole{0, c.batch, 0, c.out_height, 0, c.out_channels};
  std::vector<ImageRegion> parts;
  const auto split = [&](int count, int unit, int ImageRegion::*begin, int ImageRegion::*end) {
    const int each = round_up((count + wanted - 1) / wanted, unit);
    for (int at = 0; at < count; at += each) {
      ImageRegion p = whole;
      p.*begin = at;
      p.*end = std::min(count, at + each);
      parts.push_back(p);
    }
  };
  if (weights <= small && c.batch >= wanted) split(c.batch, 1, &ImageRegion::n0, &ImageRegion::n1);
  else if (weights <= small && c.out_height >= wanted)
    split(c.out_height, 1, &ImageRegion::r0, &ImageRegion::r1);
  else
    split(c.out_channels, c.groups == 1 || c.depthwise() ? 16 : c.group_outputs(), &ImageRegion::c0,
          &ImageRegion::c1);
  return parts;
}

/// The operator of a tile, without its weights.
struct OperatorForm {
  ConvolutionForm form;
  std::size_t kernel_at, bias_at;  // the elements at which they begin
};

/// A tile, whose operator is made later.
std::pair<Tile, OperatorForm> tile_of(const ops::conv2d& op, const Convolution& c,
                                      const ImageRegion& p, const Epilogue& epilogue) {
  const bool split_rows = p.r1 - p.r0 != c.out_height;  // then images are not contiguous
  const Halo rows =
      split_rows ? halo(p.r0, p.r1, c.stride_y, c.effective_height(), c.pad_top, c.height)
                 : whole_halo(c.out_height, c.stride_y, c.effective_height(), c.pad_top, c.height);
  const Halo columns =
      whole_halo(c.out_width, c.stride_x, c.effective_width(), c.pad_left, c.width);
  const int groups = c.groups == 1 ? 1 : (p.c1 - p.c0) / c.group_outputs();
  const int group = c.groups == 1 ? 0 : p.c0 / c.group_outputs();
  const auto u = [](int v) { return static_cast<std::uint32_t>(v); };
  const std::size_t kernel =
      to_size(c.kernel_height) * to_size(c.kernel_width) * to_size(c.group_inputs());
  OperatorForm form{
      {.pad_top = u(rows.before),
       .pad_right = u(columns.after),
       .pad_bottom = u(rows.after),
       .pad_left = u(columns.before),
       .kernel_height = u(c.kernel_height),
       .kernel_width = u(c.kernel_width),
       .stride_y = u(c.stride_y),
       .stride_x = u(c.stride_x),
       .dilation_y = u(c.dilation_y),
       .dilation_x = u(c.dilation_x),
       .groups = u(groups),
       .group_inputs = to_size(c.group_inputs()),
       .group_outputs = c.groups == 1 ? to_size(p.c1 - p.c0) : to_size(c.group_outputs()),
       .input_step = to_size(c.channels),
       .output_step = to_size(c.out_channels),
       .kernel = nullptr,
       .bias = nullptr,
       .bounds = bounds_of(epilogue),
       .batch = split_rows ? 1 : to_size(p.n1 - p.n0),
       .height = to_size(rows.size()),
       .width = to_size(c.width)},
      to_size(p.c0) * kernel,
      to_size(p.c0)};
  Tile t;
  const std::size_t in_row = to_size(c.width) * to_size(c.channels),
                    out_row = to_size(c.out_width) * to_size(c.out_channels);
  const std::size_t images = split_rows ? 1 : to_size(p.n1 - p.n0);
  const std::size_t inputs = to_size(groups) * to_size(c.group_inputs());
  t.a = {images * to_size(rows.size()) * in_row - to_size(c.channels) + inputs,
         c.group_inputs() % 4 != 0 || inputs % 4 != 0};
  t.output.rows = images * to_size(p.r1 - p.r0) * to_size(c.out_width);
  t.output.columns = to_size(p.c1 - p.c0);
  t.output.step = to_size(c.out_channels);
  t.after = remainder_of(epilogue);
  if (!products_keep_nan()) {
    const auto layout = op.options.filterLayout;
    const auto strides = filter_strides(ops::filter_sizes(op.filter.shape(), layout), layout);
    const float* weights = floats_of(op.filter).data();
    const float* bias = op.options.bias ? floats_of(*op.options.bias).data() : nullptr;
    const std::size_t pixels = to_size(p.r1 - p.r0) * to_size(c.out_width);
    const std::size_t before =
        to_size(rows.begin) * in_row + to_size(group) * to_size(c.group_inputs());
    t.element = [=](const float* a, std::size_t row, std::size_t column) {
      const float* image = a - before + row / pixels * to_size(c.height) * in_row;
      const int pixel = static_cast<int>(row % pixels);
      return convolved_at(c, image, weights, strides, bias, p.r0 + pixel / c.out_width,
                          pixel % c.out_width, p.c0 + static_cast<int>(column));
    };
  }
  for (int i = p.n0; i < (split_rows ? p.n1 : p.n0 + 1); ++i)
    t.calls.push_back(
        {(to_size(i) * to_size(c.height) + to_size(rows.begin)) * in_row +
             to_size(group) * to_size(c.group_inputs()),
         0, (to_size(i) * to_size(c.out_height) + to_size(p.r0)) * out_row + to_size(p.c0)});
  return {std::move(t), form};
}

/// Whether XNNPACK makes such an operator; its parameters do not depend on the number of channels.
bool supports(ConvolutionForm form) {
  const std::vector<float> zeros(to_size(form.kernel_height) * to_size(form.kernel_width));
  form.groups = 1;
  form.group_inputs = form.group_outputs = 1;
  form.kernel = zeros.data();
  return static_cast<bool>(convolution(form));
}

}  // namespace

Lowering lower(const ops::conv2d& op, const LoweringRequest& request) {
  const auto& bias = op.options.bias;
  if (!op.filter.constant() || (bias && !bias->constant()))
    return Refusal{"filter and bias are not constant"};
  const auto given = convolution_of(op, request.result);
  if (!given) return Refusal{"a dimension is too large"};
  if (auto reason = refusal_reason(*given)) return Refusal{*reason};
  const Convolution c = given->flattened();
  Tiles tiles;
  std::vector<OperatorForm> forms;
  for (const ImageRegion& p : parts_of(c)) {
    auto [tile, form] = tile_of(op, c, p, request.epilogue);
    tiles.push_back(std::move(tile));
    forms.push_back(form);
  }
  if (!supports(forms.front().form)) return Refusal{not_supported};
  WeightBlock held{.bytes = element_count(op.filter.shape()) * sizeof(float),
                   .inputs = {slot<&ops::conv2d::filter>(op)}};
  if (bias) held.inputs.push_back(slot<&MLConv2dOptions::bias>(op));
  if (!products_keep_nan()) held.kept = held.inputs;
  return kernel_of(std::move(tiles), "conv" + request.epilogue.text(), std::move(held),
                   [&op, forms = std::move(forms)](Tiles& all) {
                     const std::vector<float> filter = filter_ohwi(op);
                     const float* bias =
                         op.options.bias ? floats_of(*op.options.bias).data() : nullptr;
                     for (std::size_t i = 0; i < all.size(); ++i) {
                       auto [form, kernel_at, bias_at] = forms[i];
                       form.kernel = filter.data() + kernel_at;
                       form.bias = bias ? bias + bias_at : nullptr;
                       all[i].op = convolution(form);
                     }
                   });
}

}  // namespace webnn::inline v0_1::xnnpack
