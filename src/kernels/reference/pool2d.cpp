#include <cmath>
#include <limits>

#include "src/kernels/common/pooling.h"
#include "src/kernels/reference/kernels.h"

namespace webnn::reference {
namespace {

/// How the elements of a window add up.
template <class Op, class T> struct Fold;
template <class T> struct Fold<ops::averagePool2d, T> {
  using Sum = double;
  static constexpr Sum start = 0;
  static Sum step(Sum s, Compute<T> v) { return s + v; }
  static Sum end(Sum s, std::size_t n) { return n ? s / static_cast<double>(n) : 0; }
};
template <class T> struct Fold<ops::l2Pool2d, T> {
  using Sum = double;
  static constexpr Sum start = 0;
  static Sum step(Sum s, Compute<T> v) { return s + double{v} * double{v}; }
  static Sum end(Sum s, std::size_t) { return std::sqrt(s); }
};
template <class T> struct Fold<ops::maxPool2d, T> {  // NaN stays; the lowest for no element
  using Sum = Compute<T>;
  using Limits = std::numeric_limits<Sum>;
  static constexpr Sum start = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  static Sum step(Sum s, Sum v) { return ((v > s) | (v != v)) ? v : s; }
  static Sum end(Sum s, std::size_t) { return s; }
};

constexpr std::size_t lanes = 32;  // channels at a time, where they are neighbors

struct Pool {
  PoolingSide down, across;
  std::size_t batch, channels, together;            // channels at a time
  std::size_t x_image, x_row, x_column, x_channel;  // strides of the input; of the result:
  std::size_t y_image, y_column, y_channel;
  Partition c;

  Pool(const MLOperand& input, const MLPool2dOptions& o, const Dims& result);

  /// One window of `n` channels.
  template <class F, class T>
  void window(const T* x, T* y, std::size_t n, const PoolingSide::Span& h,
              const PoolingSide::Span& w) const {
    typename F::Sum sums[lanes];
    std::fill_n(sums, n, F::start);
    for (std::size_t i = 0; i < h.count; ++i) {
      const T* row = x + (h.first + i * h.step) * x_row + w.first * x_column;
      if (n == 1) {
        for (std::size_t k = 0; k < w.count; ++k)
          sums[0] = F::step(sums[0], static_cast<Compute<T>>(row[k * w.step * x_column]));
      } else {
        for (std::size_t k = 0; k < w.count; ++k)
          for (std::size_t l = 0; l < n; ++l)
            sums[l] = F::step(sums[l], static_cast<Compute<T>>(row[k * w.step * x_column + l]));
      }
    }
    for (std::size_t l = 0; l < n; ++l)
      y[l] = static_cast<T>(static_cast<Compute<T>>(F::end(sums[l], h.count * w.count)));
  }

  /// Items are rows of the result, for each block of channels of each image.
  template <class F, class T> void run(Range r, const Buffers& b) const {
    const std::size_t blocks = (channels + together - 1) / together;
    const auto height = static_cast<std::size_t>(down.out);
    for (std::size_t i = c.begin(r); i < c.end(r); ++i) {
      const std::size_t row = i % height, block = i / height % blocks, image = i / height / blocks;
      const std::size_t channel = block * together;
      const T* x = b.in<T>() + image * x_image + channel * x_channel;
      T* y = b.out<T>() + image * y_image + channel * y_channel +
             row * static_cast<std::size_t>(across.out) * y_column;
      const PoolingSide::Span h = down.inside(static_cast<std::int64_t>(row));
      for (std::int64_t o = 0; o < across.out; ++o, y += y_column)
        window<F>(x, y, std::min(together, channels - channel), h, across.inside(o));
    }
  }
};

Pool::Pool(const MLOperand& input, const MLPool2dOptions& o, const Dims& result) {
  const shape::Image in = shape::image(input.shape(), o.layout),
                     out = shape::image(result, o.layout);
  down = pooling_side(0, o, input.shape(), result);
  across = pooling_side(1, o, input.shape(), result);
  batch = in.batch, channels = in.channels;
  const bool nchw = o.layout == MLInputOperandLayout::nchw;
  together = nchw ? 1 : lanes;
  x_image = channels * in.height * in.width;
  x_channel = nchw ? in.height * in.width : 1;
  x_column = nchw ? 1 : channels;
  x_row = in.width * x_column;
  y_image = channels * out.height * out.width;
  y_channel = nchw ? out.height * out.width : 1;
  y_column = nchw ? 1 : channels;
  const double window = static_cast<double>(std::min(down.window, down.in)) *
                        static_cast<double>(std::min(across.window, across.in));
  c = partition(batch * ((channels + together - 1) / together) * out.height,
                static_cast<double>(out.width * std::min(together, channels)) * (2 * window + 8));
}

template <ops::FixedString N, DataTypes A>
Kernel make(const ops::Pool2d<N, A>& op, const Node& node) {
  const Pool pool(op.input, op.options, node.output().shape());
  return dispatch_type<A>(op.input.dataType(), [&]<class T>() {
    return Kernel{.name = "loop",
                  .tiles = pool.c.tiles(),
                  .run = [pool](Range r, const Buffers& b, std::byte*) {
                    pool.run<Fold<ops::Pool2d<N, A>, T>, T>(r, b);
                  }};
  });
}

}  // namespace

Table<ops::Pool2dSection> kernels(ops::Pool2dSection) {
  return table<ops::Pool2dSection>([](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
