#include "src/kernels/common/pooling.h"
#include "src/kernels/reference/fold.h"
#include "src/kernels/reference/kernels.h"

namespace webnn::inline v0_1::reference {
namespace {

/// A window is reduced.
template <class Op> struct Reduction { using type = ops::reduceMax; };
template <> struct Reduction<ops::averagePool2d> { using type = ops::reduceMean; };
template <> struct Reduction<ops::l2Pool2d> { using type = ops::reduceL2; };

constexpr int lanes = 32;  // channels at a time, where they are neighbors

struct Pool {
  PoolingSide down, across;
  std::size_t batch, channels, together;            // channels at a time
  std::size_t x_image, x_row, x_column, x_channel;  // strides of the input; of the result:
  std::size_t y_image, y_column, y_channel;
  Partition c;

  Pool(const MLOperand& input, const MLPool2dOptions& o, const Dims& result);

  /// One window of `n` channels; N is n or Eigen::Dynamic.
  template <class F, int N, class T>
  void window(const T* x, T* y, std::size_t n, const PoolingSide::Span& h,
              const PoolingSide::Span& w) const {
    using Result = typename F::Result;
    using Sums = Eigen::Array<Result, N, 1, 0, (N < 0 ? lanes : N), 1>;
    Sums sums = Sums::Constant(Index(n), F::start);
    for (std::size_t i = 0; i < h.count; ++i) {
      const T* row = x + (h.first + i * h.step) * x_row + w.first * x_column;
      for (std::size_t k = 0; k < w.count; ++k)
        sums = F::join(
            sums, Eigen::Map<const Eigen::Array<T, N, 1>>(row + k * w.step * x_column, Index(n))
                      .unaryExpr([](T v) { return F::term(v); }));
    }
    const std::size_t count = std::max<std::size_t>(1, h.count * w.count);
    for (std::size_t l = 0; l < n; ++l) y[l] = result_of<T>(F::end(sums[Index(l)], count));
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
      const std::size_t n = std::min(together, channels - channel);
      for (std::int64_t o = 0; o < across.out; ++o, y += y_column)
        if (together == 1) window<F, 1>(x, y, n, h, across.inside(o));
        else if (n == lanes) window<F, lanes>(x, y, n, h, across.inside(o));
        else window<F, Eigen::Dynamic>(x, y, n, h, across.inside(o));
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
  together = nchw ? 1 : std::size_t{lanes};
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
Candidate make(const ops::Pool2d<N, A>& op, const Node& node) {
  const Pool pool(op.input, op.options, node.output().shape());
  return dispatch_type<A>(op.input.dataType(), [&]<class T>() {
    return Candidate{.name = "eigen reduction",
                     .tiles = pool.c.tiles(),
                     .run = [pool](Range r, const Buffers& b, std::byte*) {
                       pool.run<Fold<typename Reduction<ops::Pool2d<N, A>>::type, T>, T>(r, b);
                     }};
  });
}

}  // namespace

Table<ops::Pool2dSection> kernels(ops::Pool2dSection s) {
  return table(s, [](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::inline v0_1::reference
