#include "src/kernels/reference/kernels.h"
#include "src/kernels/reference/product.h"

namespace webnn::reference {
namespace {

// A product for each image and group: the filter, [output channels, terms], times the terms of each
// pixel of the result. A term is an input channel and a place in the window.

struct Strides {
  std::size_t batch, channel, row, column;

  Strides(const shape::Image& i, MLInputOperandLayout layout) {
    const bool nchw = layout == MLInputOperandLayout::nchw;
    batch = i.channels * i.height * i.width;
    channel = nchw ? i.height * i.width : 1;
    row = i.width * (nchw ? 1 : i.channels);
    column = nchw ? 1 : i.channels;
  }
};

struct Convolve {
  shape::Image in, out;
  ops::Filter filter;
  Strides x, y;
  std::int64_t pad_top, pad_left, stride_y, stride_x, dilation_y, dilation_x;
  std::size_t groups;
  bool channels_first;  // whether terms run through the window before the next channel
  std::size_t filter_row, filter_term;  // strides of the filter: output channel, term
  int bias;                             // its input, -1 when absent
  ProductShape product;
  Partition c;

  explicit Convolve(const ops::conv2d& op, const Dims& result);
  template <class T> void run(Range r, const Buffers& b, std::byte* scratch) const;
  template <class T>
  void pack_pixels(const T* image, const ProductShape::Place& at, std::size_t term,
                   std::size_t count, double (*to)[ProductBlock::columns]) const;
};

Convolve::Convolve(const ops::conv2d& op, const Dims& result)
    : in(shape::image(op.input.shape(), op.options.inputLayout)),
      out(shape::image(result, op.options.inputLayout)),
      filter(ops::filter_sizes(op.filter.shape(), op.options.filterLayout)),
      x(in, op.options.inputLayout),
      y(out, op.options.inputLayout) {
  using enum MLConv2dFilterOperandLayout;
  const MLConv2dOptions& o = op.options;
  pad_top = o.padding[0], pad_left = o.padding[2];
  stride_y = o.strides[0], stride_x = o.strides[1];
  dilation_y = o.dilations[0], dilation_x = o.dilations[1];
  groups = o.groups;
  bias = slot<&MLConv2dOptions::bias>(op);
  const std::size_t terms = filter.inputs * filter.height * filter.width;
  channels_first = o.filterLayout == oihw || o.filterLayout == ihwo;
  const bool outputs_first = o.filterLayout == oihw || o.filterLayout == ohwi;
  filter_row = outputs_first ? terms : 1;
  filter_term = outputs_first ? 1 : filter.outputs;
  product = {in.batch * groups, filter.outputs / groups, out.height * out.width, terms};
  c = product.cut_blocks();
}

/// The terms of the pixels of a place: 0 outside of the image.
template <class T>
void Convolve::pack_pixels(const T* image, const ProductShape::Place& at, std::size_t term,
                           std::size_t count, double (*to)[ProductBlock::columns]) const {
  std::int64_t rows[ProductBlock::columns], columns[ProductBlock::columns];
  for (std::size_t j = 0; j < at.columns; ++j) {
    const std::size_t pixel = at.column + j;
    rows[j] = static_cast<std::int64_t>(pixel / out.width) * stride_y - pad_top;
    columns[j] = static_cast<std::int64_t>(pixel % out.width) * stride_x - pad_left;
  }
  const auto height = static_cast<std::int64_t>(in.height);
  const auto width = static_cast<std::int64_t>(in.width);
  const std::size_t window = filter.height * filter.width;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = term + k;
    const std::size_t channel = channels_first ? i / window : i % filter.inputs;
    const std::size_t place = channels_first ? i % window : i / filter.inputs;
    const auto down = static_cast<std::int64_t>(place / filter.width) * dilation_y;
    const auto across = static_cast<std::int64_t>(place % filter.width) * dilation_x;
    const T* from = image + channel * x.channel;
    for (std::size_t j = 0; j < at.columns; ++j) {
      const std::int64_t row = rows[j] + down, column = columns[j] + across;
      const bool inside = row >= 0 && row < height && column >= 0 && column < width;
      to[k][j] = inside ? static_cast<Compute<T>>(from[static_cast<std::size_t>(row) * x.row +
                                                       static_cast<std::size_t>(column) * x.column])
                        : 0.0;
    }
  }
}

template <class T> void Convolve::run(Range r, const Buffers& b, std::byte* scratch) const {
  auto& block = *reinterpret_cast<ProductBlock*>(scratch);
  const T* add = bias < 0 ? nullptr : b.in<T>(static_cast<std::size_t>(bias));
  for (std::size_t i = c.begin(r); i < c.end(r); ++i) {
    const ProductShape::Place at = product.place(i);
    const std::size_t n = at.batch / groups, group = at.batch % groups;
    const std::size_t first = group * product.rows;  // output channel of the group
    const T* image = b.in<T>(0) + n * x.batch + group * filter.inputs * x.channel;
    const T* weights = b.in<T>(1) + first * filter_row;
    T* result = b.out<T>() + n * y.batch;
    multiply_block(
        product, at, block,
        [&](std::size_t row, std::size_t term, std::size_t count, double* to) {
          const T* from = weights + row * filter_row + term * filter_term;
          for (std::size_t k = 0; k < count; ++k)
            to[k] = static_cast<Compute<T>>(from[k * filter_term]);
        },
        [&](std::size_t term, std::size_t count, auto& panel) {
          pack_pixels(image, at, term, count, panel);
        },
        [&](std::size_t row, std::size_t pixel, double sum) {
          if (add) sum += static_cast<Compute<T>>(add[first + row]);
          result[(first + row) * y.channel + pixel * y.column] =
              static_cast<T>(static_cast<float>(sum));
        });
  }
}

Kernel make(const ops::conv2d& op, const Node& node) {
  const Convolve convolve(op, node.output().shape());
  Kernel k{.name = "product", .tiles = convolve.c.tiles(), .scratch = sizeof(ProductBlock)};
  k.run = dispatch_type<types::floats>(op.input.dataType(), [&]<class T>() -> decltype(k.run) {
    return [convolve](Range r, const Buffers& b, std::byte* scratch) {
      convolve.run<T>(r, b, scratch);
    };
  });
  return k;
}

}  // namespace

Table<ops::Conv2dSection> kernels(ops::Conv2dSection) {
  return table<ops::Conv2dSection>([](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
