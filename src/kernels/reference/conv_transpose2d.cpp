#include "src/kernels/common/loop.h"
#include "src/kernels/reference/move.h"
#include "src/kernels/reference/wide.h"

namespace webnn::reference {
namespace {

/// The spatial sizes of one direction, down or across. What infer() has checked bounds every
/// place below by 2^35.
struct Extent {
  std::int64_t in, kernel, out, stride, dilation, padding;

  /// Where a kernel element puts the input element 0.
  std::int64_t offset(std::int64_t k) const { return k * dilation - padding; }
  /// The input elements [first, last) that a kernel element puts into [from, to).
  std::pair<std::int64_t, std::int64_t> reaching(std::int64_t k, std::int64_t from,
                                                 std::int64_t to) const {
    const std::int64_t low = from - offset(k), high = to - 1 - offset(k);
    if (high < 0) return {0, 0};
    return {low <= 0 ? 0 : (low + stride - 1) / stride, std::min(in, high / stride + 1)};
  }
};

struct Strides {
  std::size_t outer, channel, row, column;  // outer: the image, or the input channel of a filter
};

struct Transposed {
  Extent down, across;
  std::size_t inputs, outputs;  // channels of one group
  std::size_t groups;
  bool nhwc;
  Strides x, filter, y;
  int bias;
};

Strides image_strides(const Dims& shape, bool nhwc) {
  const auto s = strides_of(shape);
  const auto at = [&](std::size_t d) { return static_cast<std::size_t>(s[d]); };
  return nhwc ? Strides{at(0), at(3), at(1), at(2)} : Strides{at(0), at(1), at(2), at(3)};
}

Strides filter_strides(const Dims& shape, MLConvTranspose2dFilterOperandLayout layout) {
  using enum MLConvTranspose2dFilterOperandLayout;
  const auto s = strides_of(shape);
  const auto at = [&](std::size_t d) { return static_cast<std::size_t>(s[d]); };
  switch (layout) {
    case iohw: return {at(0), at(1), at(2), at(3)};
    case hwoi: return {at(3), at(2), at(0), at(1)};
    case ohwi: return {at(3), at(0), at(1), at(2)};
  }
  return {};
}

Transposed transposed_of(const ops::convTranspose2d& op, const Dims& out) {
  const auto& o = op.options;
  const shape::Image x = shape::image(op.input.shape(), o.inputLayout);
  const shape::Image y = shape::image(out, o.inputLayout);
  const ops::Filter f = ops::filter_sizes(op.filter.shape(), o.filterLayout);
  const bool nhwc = o.inputLayout == MLInputOperandLayout::nhwc;
  const auto extent = [&](std::uint64_t in, std::uint64_t kernel, std::uint64_t size,
                          std::size_t i) {
    return Extent{static_cast<std::int64_t>(in),
                  static_cast<std::int64_t>(kernel),
                  static_cast<std::int64_t>(size),
                  o.strides[i],
                  o.dilations[i],
                  o.padding[2 * i]};
  };
  return {extent(x.height, f.height, y.height, 0),
          extent(x.width, f.width, y.width, 1),
          x.channels / o.groups,
          f.outputs,
          o.groups,
          nhwc,
          image_strides(op.input.shape(), nhwc),
          filter_strides(op.filter.shape(), o.filterLayout),
          image_strides(out, nhwc),
          slot<&MLConvTranspose2dOptions::bias>(op)};
}

/// A row of the result: one image, output channel and height.
struct Row {
  std::size_t image, channel, height;
};
/// Rows in the order of memory.
Row row_at(const Transposed& t, std::size_t i) {
  const std::size_t channels = t.groups * t.outputs;
  const auto height = static_cast<std::size_t>(t.down.out);
  if (t.nhwc) return {i / channels / height, i % channels, i / channels % height};
  return {i / height / channels, i / height % channels, i % height};
}

/// Columns that are summed at a time.
constexpr std::int64_t columns = 256;

/// Adds to sums, of the columns [from, to) of a row, what the input puts there. x and filter are at
/// the row's image, group and output channel.
template <class T>
void add_row(const Transposed& t, std::size_t height, std::int64_t from, std::int64_t to,
             const T* x, const T* filter, double* sums) {
  const auto y = static_cast<std::int64_t>(height);
  for (std::int64_t kh = 0; kh < t.down.kernel; ++kh) {
    const auto [top, bottom] = t.down.reaching(kh, y, y + 1);
    if (top >= bottom) continue;
    for (std::int64_t kw = 0; kw < t.across.kernel; ++kw) {
      const auto [first, last] = t.across.reaching(kw, from, to);
      if (first >= last) continue;
      double* sum = sums + (first * t.across.stride + t.across.offset(kw) - from);
      const T* w = filter + static_cast<std::size_t>(kh) * t.filter.row +
                   static_cast<std::size_t>(kw) * t.filter.column;
      const T* in = x + static_cast<std::size_t>(top) * t.x.row +
                    static_cast<std::size_t>(first) * t.x.column;
      const auto n = static_cast<std::size_t>(last - first);
      const auto add = [&](std::size_t xs, std::size_t ys) {
        for (std::size_t c = 0; c < t.inputs; ++c) {
          const double factor = wide(w[c * t.filter.outer]);
          const T* row = in + c * t.x.channel;
          for (std::size_t i = 0; i < n; ++i) sum[i * ys] += wide(row[i * xs]) * factor;
        }
      };
      if (t.x.column == 1 && t.across.stride == 1) add(1, 1);
      else add(t.x.column, static_cast<std::size_t>(t.across.stride));
    }
  }
}

template <class T> Run convolve(const Transposed& t, const Partition& c) {
  return [=](Range r, const Buffers& b, std::byte*) {
    const T* bias = t.bias < 0 ? nullptr : b.in<T>(static_cast<std::size_t>(t.bias));
    for (std::size_t i = c.begin(r); i < c.end(r); ++i) {
      const Row row = row_at(t, i);
      const std::size_t group = row.channel / t.outputs;
      const T* x = b.in<T>(0) + row.image * t.x.outer + group * t.inputs * t.x.channel;
      const T* filter = b.in<T>(1) + group * t.inputs * t.filter.outer +
                        row.channel % t.outputs * t.filter.channel;
      T* y = b.out<T>() + row.image * t.y.outer + row.channel * t.y.channel + row.height * t.y.row;
      for (std::int64_t from = 0; from < t.across.out; from += columns) {
        const std::int64_t to = std::min(t.across.out, from + columns);
        double sums[columns];
        std::fill_n(sums, to - from, 0.0);
        add_row(t, row.height, from, to, x, filter, sums);
        for (std::int64_t k = from; k < to; ++k) {
          const double v = sums[k - from] + (bias ? wide(bias[row.channel]) : 0);
          y[static_cast<std::size_t>(k) * t.y.column] = narrow<T>(v);
        }
      }
    }
  };
}

Kernel make(const ops::convTranspose2d& op, const Node& node) {
  const Dims& out = node.output().shape();
  const Transposed t = transposed_of(op, out);
  const std::size_t rows = element_count(out) / static_cast<std::size_t>(t.across.out);
  const double products = static_cast<double>(element_count(op.input.shape())) *
                          static_cast<double>(element_count(op.filter.shape())) /
                          static_cast<double>(t.inputs * t.groups);
  const Partition c = partition(rows, 2 * products / static_cast<double>(rows) + 16);
  return {.name = "loop",
          .tiles = c.tiles(),
          .run = dispatch_type<types::floats>(op.input.dataType(),
                                              [&]<class T>() { return convolve<T>(t, c); })};
}

}  // namespace

Table<ops::ConvTranspose2dSection> kernels(ops::ConvTranspose2dSection) {
  return table<ops::ConvTranspose2dSection>(
      [](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
