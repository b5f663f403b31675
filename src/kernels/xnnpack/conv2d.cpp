#include "src/kernels/common/convolution.h"

#include "src/kernels/common/halo.h"
#include "src/kernels/common/library_tiles.h"
#include "src/kernels/xnnpack/backend.h"
#include "src/kernels/xnnpack/tile.h"

namespace webnn::xnnpack {
namespace {

/// Rows [r0, r1) and output channels [c0, c1) of the images [n0, n1).
struct Part {
  int n0, n1, r0, r1, c0, c1;
};

int multiple(int n, int of) { return (n + of - 1) / of * of; }

std::optional<std::string> too_much(const Convolution& c) {
  if (!c.nhwc) return "nchw";
  if (c.kernel_height > 4096 || c.kernel_width > 4096) return "the filter is too large";
  const int effective_height = (c.kernel_height - 1) * c.dilation_y,
            effective_width = (c.kernel_width - 1) * c.dilation_x;
  if (std::max(c.pad_top, c.pad_bottom) > effective_height ||
      std::max(c.pad_left, c.pad_right) > effective_width)
    return "windows that lie outside of the input";
  // XNNPACK holds a pointer for each element of each window.
  constexpr double max_pointers = 4e6;
  if (!c.pointwise() &&
      static_cast<double>(c.out_height) * c.out_width * c.kernel_height * c.kernel_width >
          max_pointers)
    return "too many windows";
  return std::nullopt;
}

Convolution flattened(Convolution c) {
  if (!c.pointwise()) return c;
  const auto pixels = static_cast<int>(c.pixels());
  c.batch = c.width = c.out_width = 1;
  c.height = c.out_height = pixels;
  return c;
}

/// Each tile packs the weights of its channels: rows and images are split where weights are small.
std::vector<Part> parts_of(const Convolution& c) {
  constexpr double small = 128 << 10;
  const auto wanted = library_tiles(c.macs() / (c.depthwise() ? depthwise_rate : dense_rate));
  const double weights = 4.0 * c.kernel_height * c.kernel_width * c.group_inputs() * c.out_channels;
  const Part whole{0, c.batch, 0, c.out_height, 0, c.out_channels};
  std::vector<Part> parts;
  const auto split = [&](int count, int unit, int Part::*begin, int Part::*end) {
    const int each = multiple((count + wanted - 1) / wanted, unit);
    for (int at = 0; at < count; at += each) {
      Part p = whole;
      p.*begin = at;
      p.*end = std::min(count, at + each);
      parts.push_back(p);
    }
  };
  if (weights <= small && c.batch >= wanted) split(c.batch, 1, &Part::n0, &Part::n1);
  else if (weights <= small && c.out_height >= wanted) split(c.out_height, 1, &Part::r0, &Part::r1);
  else
    split(c.out_channels, c.groups == 1 || c.depthwise() ? 16 : c.group_outputs(), &Part::c0,
          &Part::c1);
  return parts;
}

Tile tile_of(const Convolution& c, const Part& p, const float* filter, const float* bias,
             const Epilogue& epilogue) {
  const int reach = (c.kernel_height - 1) * c.dilation_y + 1;
  const bool split_rows = p.r1 - p.r0 != c.out_height;  // then images do not follow each other
  const Halo rows = split_rows ? halo(p.r0, p.r1, c.stride_y, reach, c.pad_top, c.height)
                               : whole_halo(c.out_height, c.stride_y, reach, c.pad_top, c.height);
  const Halo columns = whole_halo(c.out_width, c.stride_x, (c.kernel_width - 1) * c.dilation_x + 1,
                                  c.pad_left, c.width);
  const int groups = c.groups == 1 ? 1 : (p.c1 - p.c0) / c.group_outputs();
  const int group = c.groups == 1 ? 0 : p.c0 / c.group_outputs();
  const auto u = [](int v) { return static_cast<std::uint32_t>(v); };
  const auto n = [](int v) { return static_cast<std::size_t>(v); };
  const std::size_t kernel = n(c.kernel_height) * n(c.kernel_width) * n(c.group_inputs());
  Tile t;
  t.op = convolution({.pad_top = u(rows.before),
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
                      .group_inputs = n(c.group_inputs()),
                      .group_outputs = c.groups == 1 ? n(p.c1 - p.c0) : n(c.group_outputs()),
                      .input_step = n(c.channels),
                      .output_step = n(c.out_channels),
                      .kernel = filter + n(p.c0) * kernel,
                      .bias = bias ? bias + p.c0 : nullptr,
                      .bounds = bounds_of(epilogue),
                      .batch = split_rows ? 1 : n(p.n1 - p.n0),
                      .height = n(rows.size()),
                      .width = n(c.width)});
  const std::size_t in_row = n(c.width) * n(c.channels),
                    out_row = n(c.out_width) * n(c.out_channels);
  const std::size_t images = split_rows ? 1 : n(p.n1 - p.n0);
  const std::size_t inputs = n(groups) * n(c.group_inputs());
  t.a = {images * n(rows.size()) * in_row - n(c.channels) + inputs,
         c.group_inputs() % 4 != 0 || inputs % 4 != 0};
  t.rows = images * n(p.r1 - p.r0) * n(c.out_width);
  t.columns = n(p.c1 - p.c0);
  t.step = n(c.out_channels);
  t.after = remainder_of(epilogue);
  for (int i = p.n0; i < (split_rows ? p.n1 : p.n0 + 1); ++i)
    t.places.push_back(
        {(n(i) * n(c.height) + n(rows.begin)) * in_row + n(group) * n(c.group_inputs()), 0,
         (n(i) * n(c.out_height) + n(p.r0)) * out_row + n(p.c0)});
  return t;
}

}  // namespace

Lowering lower(const ops::conv2d& op, const LoweringRequest& request) {
  const auto& bias = op.options.bias;
  if (!op.filter.constant() || (bias && !bias->constant()))
    return Refusal{"filter and bias are not constant"};
  const auto given = convolution_of(op, request.result);
  if (!given) return Refusal{"a dimension is too large"};
  if (auto reason = too_much(*given)) return Refusal{*reason};
  const Convolution c = flattened(*given);
  const std::vector<float> filter = filter_ohwi(op);
  Tiles tiles;
  for (const Part& p : parts_of(c))
    tiles.push_back(
        tile_of(c, p, filter.data(), bias ? floats_of(*bias).data() : nullptr, request.epilogue));
  Lowering l = lowered(std::move(tiles), "conv" + request.epilogue.text());
  if (auto* k = std::get_if<Kernel>(&l)) k->packed = filter.size() * sizeof(float);
  return l;
}

}  // namespace webnn::xnnpack
