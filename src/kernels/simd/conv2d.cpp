// The kernels of convolutions and of chains of convolutions, and their tiles.
#include "src/kernels/simd/conv2d.h"
#include "src/kernels/common/convolution.h"
#include "src/kernels/common/partition.h"
#include "src/kernels/common/sizes.h"
#include "src/kernels/common/slot.h"
#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/built.h"
#include "src/kernels/simd/conv/bfloat16_conv2d.h"
#include "src/kernels/simd/conv/choice.h"
#include "src/kernels/simd/conv/grouped_conv2d.h"
#include "src/kernels/simd/conv/images.h"
#include "src/kernels/simd/conv/windows.h"
#include "src/kernels/simd/conv/winograd.h"
#include "src/kernels/simd/cost.h"
#include "src/kernels/simd/product/product.h"
#include "src/kernels/simd/vector/float32/convolve.h"
#include "src/kernels/simd/vector/instruction_set.h"

namespace webnn::inline v0_1::simd {
namespace {

const float* offset(const float* p, std::size_t n) { return p ? p + n : nullptr; }

/// A stage that is a convolution.
struct Layer {
  const ops::conv2d* op;
  Convolution shape;
  Epilogue epilogue;
  int filter_slot, bias_slot;  ///< of Buffers::inputs; -1: no bias

  std::size_t taps() const { return to_size(shape.kernel_height) * to_size(shape.kernel_width); }
  std::size_t row() const { return to_size(shape.out_width) * to_size(shape.out_channels); }
  std::size_t in_image() const {
    return to_size(shape.height) * to_size(shape.width) * to_size(shape.channels);
  }
  std::size_t out_image() const { return to_size(shape.out_height) * row(); }
  Values bias() const {
    return op->options.bias ? values_of(*op->options.bias, bias_slot) : Values();
  }
  /// [out][height][width][in]
  Values filter() const {
    const auto layout = op->options.filterLayout;
    if (layout == MLConv2dFilterOperandLayout::ohwi ||
        (layout == MLConv2dFilterOperandLayout::oihw && taps() == 1))
      return values_of(op->filter, filter_slot);
    const auto read = [op = op] {
      const auto all = std::make_shared<const std::vector<float>>(filter_ohwi(*op));
      return std::shared_ptr<const float>(all, all->data());
    };
    return {filter_slot, read,
            layout_text(" filter", static_cast<int>(layout), shape.kernel_height,
                        shape.kernel_width, shape.group_inputs(), shape.groups)};
  }
};

std::variant<Layer, Refusal> layer_of(Chain chain, const Stage& stage) {
  const auto* op = stage.head.as<ops::conv2d>();
  if (!op) return Refusal{"only convolutions can follow a convolution"};
  if (op->options.inputLayout != MLInputOperandLayout::nhwc) return Refusal{"only nhwc"};
  if (!op->filter.constant()) return Refusal{"the filter is not constant"};
  if (op->options.bias && !op->options.bias->constant()) return Refusal{"the bias is not constant"};
  const auto shape = convolution_of(*op, stage.head.output());
  if (!shape) return Refusal{"a size is above 2^24"};
  return Layer{op, *shape, stage.epilogue,
               slot_of(chain, stage.first, slot<&ops::conv2d::filter>(*op)),
               slot_of(chain, stage.first, slot<&MLConv2dOptions::bias>(*op))};
}

/// The memory of one image in a dispatch.
struct Images {
  const float *x, *residual;
  float* y;
};
Images image(const Layer& l, const Buffers& b, std::size_t i) {
  const int r = l.epilogue.residual;
  const std::size_t channels = to_size(l.shape.out_channels);
  return {b.in<float>() + i * l.in_image(),
          r < 0 ? nullptr : b.in<float>(to_size(r)) + i * l.out_image(),
          b.out<float>() + i * (l.out_image() / channels * b.pitch_of(channels))};
}

std::vector<int> in_place(const Epilogue& e) {
  return e.residual < 0 ? std::vector<int>{} : std::vector<int>{e.residual};
}

/// The filter of each group in vector columns, or in rows for narrow products, one after the other;
/// the bias likewise.
PackedWeights pack_filter(std::vector<WeightBlock>& weights, const Layer& l, bool narrow = false) {
  const Convolution& s = l.shape;
  const std::size_t k = l.taps() * to_size(s.group_inputs()), groups = to_size(s.groups);
  const int columns = s.group_outputs();
  const std::size_t each = to_size(columns), padded = padded_columns(columns);
  const std::size_t matrix = k * (narrow ? each : padded);
  const Values from = l.filter(), bias = l.bias();
  const auto pack_groups = [=](float* to) {
    const auto filter = from();
    for (std::size_t g = 0; g < groups; ++g)
      (narrow ? pack_rows : pack_columns)({filter.get() + g * each * k, k, columns, 1, k},
                                          to + g * matrix);
  };
  const auto pack_biases = [=](float* to) {
    const auto values = bias();
    for (std::size_t g = 0; g < groups; ++g)
      pack_bias(offset(values.get(), g * each), columns, to + g * padded);
  };
  return {
      add_packed<float>(
          weights, groups * matrix,
          layout_text(narrow ? "filter rows/1" : "filter columns/1", lanes(), k, columns, groups) +
              from.order,
          {from.slot}, pack_groups),
      add_packed<float>(weights, groups * padded,
                        bias ? layout_text("filter bias/1", lanes(), columns, groups) : "zeros/1",
                        {bias.slot}, pack_biases)};
}

PackedWeights pack_depthwise(std::vector<WeightBlock>& weights, const Layer& l) {
  const std::size_t channels = to_size(l.shape.channels), taps = l.taps();
  const Values from = l.filter(), bias = l.bias();
  const auto pack_taps = [=](float* to) {
    const auto filter = from();
    for (std::size_t c = 0; c < channels; ++c)
      for (std::size_t i = 0; i < taps; ++i) to[i * channels + c] = filter.get()[c * taps + i];
  };
  const auto pack_biases = [=](float* to) {
    if (bias) std::copy_n(bias().get(), channels, to);
  };
  return {add_packed<float>(weights, taps * channels,
                            layout_text("depthwise filter/1", channels, taps) + from.order,
                            {from.slot}, pack_taps),
          add_packed<float>(weights, padded_columns(l.shape.channels),
                            bias ? layout_text("depthwise bias/1", channels) : "zeros/1",
                            {bias.slot}, pack_biases)};
}

/// A product without weights; k and x_stride as for a 1x1 convolution.
Gemm gemm_of(const Layer& l) {
  const std::size_t inputs = to_size(l.shape.group_inputs());
  return {.column_size = l.taps() * inputs * to_size(lanes()),
          .k = inputs,
          .x_stride = to_size(l.shape.channels),
          .y_stride = to_size(l.shape.out_channels),
          .columns = l.shape.group_outputs(),
          .epilogue = l.epilogue};
}

/// The same.
Depthwise depthwise_of(const Layer& l) {
  const Convolution& s = l.shape;
  return {.height = s.height,
          .width = s.width,
          .channels = s.channels,
          .out_height = s.out_height,
          .out_width = s.out_width,
          .kernel_h = s.kernel_height,
          .kernel_w = s.kernel_width,
          .stride_y = s.stride_y,
          .stride_x = s.stride_x,
          .dilation_y = s.dilation_y,
          .dilation_x = s.dilation_x,
          .pad_top = s.pad_top,
          .pad_left = s.pad_left,
          .epilogue = l.epilogue};
}

Im2col im2col_of(const Convolution& s) {
  const bool padded = s.pad_top || s.pad_bottom || s.pad_left || s.pad_right;
  const bool gaps = s.dilation_x > 1 && s.kernel_width > 1;
  const bool strided =
      s.groups > 1 && s.kernel_width > 1;  // a pixel has channels of other groups too
  return {.mode = gaps                ? Im2col::Mode::taps
                  : padded || strided ? Im2col::Mode::rows
                                      : Im2col::Mode::direct,
          .kernel_h = s.kernel_height,
          .kernel_w = s.kernel_width,
          .stride_y = s.stride_y,
          .stride_x = s.stride_x,
          .dilation_y = s.dilation_y,
          .dilation_x = s.dilation_x,
          .pad_top = s.pad_top,
          .pad_left = s.pad_left,
          .height = s.height,
          .width = s.width,
          .out_width = s.out_width,
          .channels = to_size(s.group_inputs()),
          .pixel = to_size(s.channels)};
}

/// Sets the weights of a run.
template <class T> T with(T k, const PackedWeights& p, const Buffers& b) {
  k.w = p.w.in(b);
  k.bias = p.bias.in(b);
  return k;
}

Product pointwise(const Layer& l) {
  const std::size_t inputs = to_size(l.shape.channels);
  return {.rows = static_cast<int>(l.shape.pixels()),
          .columns = l.shape.out_channels,
          .k = inputs,
          .a_row = inputs,
          .b_k = 1,
          .b_column = inputs,
          .b = l.filter(),
          .bias = l.bias(),
          .epilogue = l.epilogue};
}

/// Whether copying what the rows see costs little beside the product: where no input is copied
/// twice, or where the weights take so much of L2 that they are gone when a run begins. Then a
/// panel of them is read once for many rows.
bool copies_little(const Layer& l) {
  const Convolution& s = l.shape;
  if (s.groups > 1 || s.channels < lanes() || s.out_channels <= 2 * lanes()) return false;
  if (l.taps() == 1) return true;
  constexpr double large = 512 << 10;      // bytes
  constexpr std::size_t max_pixels = 128;  // with more, they are copied too often
  return s.pixels() < max_pixels &&
         4.0 * static_cast<double>(l.taps()) * s.channels * s.out_channels > large;
}

/// A dense convolution as one product of what each pixel sees.
Product product_of(const Layer& l) {
  const std::size_t k = l.taps() * to_size(l.shape.channels);
  return {.rows = static_cast<int>(l.shape.pixels()),
          .columns = l.shape.out_channels,
          .k = k,
          .b_k = 1,
          .b_column = k,
          .b = l.filter(),
          .bias = l.bias(),
          .epilogue = l.epilogue};
}

/// Rows of the result to compute together, so that blocks of registers are full.
int rows_together(const Layer& l, const Im2col& w) {
  const int rows = rows_at_once(), wide = w.out_width;
  const auto use = [&](int n) {
    return static_cast<double>(n * wide) / ((n * wide + rows - 1) / rows * rows);
  };
  if (wide > 4 * rows) return 1;
  int best = 1;
  for (int n = 2; n <= std::min(4, l.shape.out_height); ++n)
    if (use(n) > use(best) * 1.1) best = n;
  Im2col taps = w;
  taps.mode = Im2col::Mode::taps;
  return taps.scratch(best) * sizeof(float) <= 512 << 10 ? best : 1;
}

/// Rows of the result to compute after one another over one copy of the image's rows. There remain
/// enough strips for several threads.
int rows_of_strip(const Convolution& s, Im2col w) {
  constexpr std::size_t max_bytes = 256 << 10;
  if (w.mode != Im2col::Mode::rows || s.effective_height() <= s.stride_y) return 1;
  for (int n = std::min(8, s.out_height / 8); n > 1; --n) {
    w.strip = n;
    if (w.scratch(n) * sizeof(float) <= max_bytes) return n;
  }
  return 1;
}

Lowering dense(const Layer& l) {
  if (auto k = lower_grouped_conv2d(l.shape, l.epilogue, l.filter(), l.bias()))
    return *std::move(k);
  if (copies_little(l)) {
    Lowering product =
        lower_product(product_of(l), gathered_windows(l.shape, to_size(l.shape.channels)));
    if (auto* k = std::get_if<Candidate>(&product))
      k->fallback_reason = slower_because(l.shape, false, 1);
    return product;
  }
  Im2col w = im2col_of(l.shape);
  const bool gaps = w.mode == Im2col::Mode::taps;
  int together = rows_together(l, w);
  if (together > 1) w.mode = Im2col::Mode::taps;
  else together = w.strip = rows_of_strip(l.shape, w);
  const std::size_t scratch = w.scratch(together) * sizeof(float);
  if (scratch > max_scratch) return Refusal{"needs too much scratch"};
  Gemm strided;
  set_strides(strided, w, together);
  const bool narrow = is_narrow(l.shape.group_outputs(), strided.segments, strided.k);
  std::vector<WeightBlock> weights;
  const PackedWeights p = pack_filter(weights, l, narrow);
  Gemm first_group = gemm_of(l);
  if (narrow) first_group.narrow = true, first_group.column_size /= to_size(lanes());
  const int groups = l.shape.groups, height = l.shape.out_height;
  const std::size_t per_image = to_size((height + together - 1) / together);
  const std::size_t items = per_image * to_size(l.shape.batch);
  const Partition c =
      partition(items, l.shape.macs() / static_cast<double>(items) / macs_per_operation);
  Candidate k{.name = (narrow ? "narrow " : "") +
                      std::string(groups > 1 ? "grouped conv" : "conv") + l.epilogue.text(),
              .tiles = c.tiles(),
              .scratch = scratch,
              .in_place = in_place(l.epilogue),
              .row = l.epilogue.row(to_size(l.shape.out_channels)),
              .weights = std::move(weights)};
  const bool few = first_group.columns < lanes();
  k.fallback_reason = few && (!narrow || groups > 1)
                          ? "fewer output channels than lanes"
                          : slower_because(l.shape, gaps, strided.x_stride);
  const auto image_of = [l](const Buffers& b, std::size_t i) { return image(l, b, i); };
  k.run = [=, wide = to_size(l.shape.out_width)](Range r, const Buffers& b, std::byte* scratch) {
    const std::size_t pixel = b.pitch_of(first_group.y_stride), row = wide * pixel;
    for_images(c.begin(r), c.end(r), per_image, [&](std::size_t i, int begin, int end) {
      const Images u = image_of(b, i);
      for (int t = begin; t < end; ++t) {
        const int y0 = t * together, n = std::min(together, height - y0);
        Gemm g = with(first_group, p, b);
        g.y_stride = pixel;
        for (int group = 0; group < groups; ++group) {
          const std::size_t at = to_size(y0) * row + to_size(group) * to_size(g.columns);
          convolve(g, w, y0, n, u.x + to_size(group) * w.channels, u.y + at, offset(u.residual, at),
                   reinterpret_cast<float*>(scratch));
          g.w += g.column_size * to_size(narrow ? g.columns : vector_columns(g.columns));
          g.bias += padded_columns(g.columns);
        }
      }
    });
  };
  return k;
}

Lowering depthwise(const Layer& l) {
  std::vector<WeightBlock> weights;
  const PackedWeights p = pack_depthwise(weights, l);
  const Depthwise d = depthwise_of(l);
  const std::size_t per_image = to_size(d.out_height), items = per_image * to_size(l.shape.batch);
  const Partition c =
      partition(items, l.shape.macs() / static_cast<double>(items) / macs_per_operation);
  const std::string size = std::to_string(d.kernel_h) + "x" + std::to_string(d.kernel_w);
  Candidate k{.name = (d.is_small() ? "depthwise " + size : "depthwise") + l.epilogue.text(),
              .tiles = c.tiles(),
              .grain = 2,
              .weights = std::move(weights)};
  k.run = [=](Range r, const Buffers& b, std::byte*) {
    const Depthwise here = with(d, p, b);
    for_images(c.begin(r), c.end(r), per_image, [&](std::size_t i, int begin, int end) {
      const Images u = image(l, b, i);
      simd::depthwise(here, begin, end, u.x, u.y, u.residual);
    });
  };
  return k;
}

/// For an optional convolution, a depthwise one and a 1x1 one.
std::optional<Refusal> refuse_fusion(const Layer* e, const Layer& d, const Layer& p) {
  const bool residual = d.epilogue.residual >= 0 || (e && e->epilogue.residual >= 0);
  if (!d.shape.depthwise() || !p.shape.pointwise() || residual || (e && e->shape.groups != 1))
    return Refusal{"only a 1x1 convolution can follow, after a depthwise one"};
  const bool same =
      d.shape.out_height == p.shape.height && d.shape.out_width == p.shape.width &&
      (!e || (e->shape.out_height == d.shape.height && e->shape.out_width == d.shape.width));
  if (!same)
    return Refusal{"an image of one column is computed as a row in only one of the convolutions"};
  if (e && !e->shape.pointwise() && e->shape.channels > 16)
    return Refusal{"fusion is not faster after a large convolution"};
  // Measured: on fewer columns the halo, and reading the weights again for every two rows, cost
  // more than the stores that are saved.
  if (d.shape.width < (e ? 28 : 56)) return Refusal{"fusion is not faster on so few columns"};
  return std::nullopt;
}

Lowering fused(const Layer* e, const Layer& d, const Layer& j) {
  if (auto bad = refuse_fusion(e, d, j)) return *bad;
  struct Weights {
    PackedWeights expand{}, depthwise{}, project{};
  };
  Weights p;
  std::vector<WeightBlock> weights;
  InvertedResidual b;
  b.rows = d.shape.stride_y == 1 ? 2 : 1;
  b.channels = d.shape.channels;
  if (d.shape.width > 56) b.channels = std::min(b.channels, static_cast<int>(padded_columns(96)));
  if (e) b.im2col = im2col_of(e->shape);
  b.depthwise = depthwise_of(d);
  const std::size_t scratch = b.scratch() * sizeof(float);
  if (scratch > max_scratch) return Refusal{"needs too much scratch"};
  if (e) {
    p.expand = pack_filter(weights, *e);
    b.expand = gemm_of(*e);
  }
  p.depthwise = pack_depthwise(weights, d);
  p.project = pack_filter(weights, j);
  b.project = gemm_of(j);
  const Layer& first = e ? *e : d;
  const std::size_t in_image = first.in_image(), out_image = j.out_image(),
                    per_image = to_size(d.shape.out_height);
  const double macs = d.shape.macs() + j.shape.macs() + (e ? e->shape.macs() : 0);
  const std::size_t items = per_image * to_size(d.shape.batch);
  const Partition c = partition(items, macs / static_cast<double>(items) / macs_per_operation);
  const std::string name = !e                     ? "fused depthwise+1x1"
                           : e->shape.pointwise() ? "fused 1x1+depthwise+1x1"
                                                  : "fused conv+depthwise+1x1";
  return Candidate{
      .name = name + j.epilogue.text(),
      .tiles = c.tiles(),
      .grain = e ? (c.tiles() + 1) / 2 : 2,
      .scratch = scratch,
      .weights = std::move(weights),
      .run = [=, residual = j.epilogue.residual](Range r, const Buffers& u, std::byte* s) {
        InvertedResidual here = b;
        here.expand = with(b.expand, p.expand, u);
        here.depthwise = with(b.depthwise, p.depthwise, u);
        here.project = with(b.project, p.project, u);
        for_images(c.begin(r), c.end(r), per_image, [&](std::size_t i, int begin, int end) {
          const float* added =
              residual < 0 ? nullptr : u.in<float>(to_size(residual)) + i * out_image;
          inverted_residual(here, begin, end, u.in<float>() + i * in_image,
                            u.out<float>() + i * out_image, added, reinterpret_cast<float*>(s));
        });
      }};
}

}  // namespace

std::variant<Product, Refusal> pointwise_product(Chain chain, const Stage& stage) {
  auto layer = layer_of(chain, stage);
  if (auto* refusal = std::get_if<Refusal>(&layer)) return *refusal;
  const Layer& l = std::get<Layer>(layer);
  if (!l.shape.pointwise()) return Refusal{"not a 1x1 convolution"};
  return pointwise(l);
}

Lowering lower_conv2d(Chain chain, const Options& options) {
  const auto stages = stages_of(chain);
  if (!stages) return Refusal{"only a sum, an activation or another convolution can follow"};
  if (stages->size() > 3) return Refusal{"more than three convolutions"};
  std::vector<Layer> layers;
  for (const Stage& stage : *stages) {
    auto layer = layer_of(chain, stage);
    if (auto* refusal = std::get_if<Refusal>(&layer)) return *refusal;
    layers.push_back(std::get<Layer>(layer));
  }
  const Layer& l = layers.front();
  if (layers.size() == 3) return fused(&l, layers[1], layers[2]);
  if (layers.size() == 2) return fused(nullptr, l, layers[1]);
  const bool in_bfloat16 = options.bfloat16 != Bfloat16Products::none;
  if (auto k = lower_winograd(*l.op, l.shape, l.epilogue, options.winograd, in_bfloat16))
    return *std::move(k);
  if (l.shape.depthwise()) return depthwise(l);
  Product p = l.shape.pointwise() ? pointwise(l) : product_of(l);
  p.bfloat16 = options.bfloat16;
  if (l.shape.pointwise()) return lower_product(p);
  if constexpr (bfloat16_built)
    if (auto k = bfloat16_conv2d(l.shape, p)) return *std::move(k);
  return dense(l);
}

}  // namespace webnn::inline v0_1::simd
