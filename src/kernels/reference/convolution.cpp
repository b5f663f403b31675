#include "src/kernels/reference/convolution.h"

#include <numeric>

#include "src/kernels/reference/product.h"

namespace webnn::inline v0_1::reference {
namespace {

/// x with a * x % m == 1; a and m have no common divisor.
std::int64_t inverse(std::int64_t a, std::int64_t m) {
  std::int64_t r0 = m, r1 = a % m, t0 = 0, t1 = 1;
  while (r1 != 0) {
    const std::int64_t q = r0 / r1;
    r0 = std::exchange(r1, r0 - q * r1);
    t0 = std::exchange(t1, t0 - q * t1);
  }
  return t0 < 0 ? t0 + m : t0;
}

/// What a tile reads and writes: a block of a product.
template <class T> struct Task {
  const ConvolutionSizes& c;
  struct {
    Extent::Phase down, across;
  } phase;
  ProductShape::Location at;

  /// f(column, row of the phase, pixel in the row, n) for the pixels of the place.
  template <class F> void for_rows(F f) const {
    const auto width = static_cast<std::size_t>(phase.across.count);
    for (std::size_t j = 0; j < at.columns;) {
      const std::size_t pixel = at.column + j, q = pixel % width;
      const std::size_t n = std::min(at.columns - j, width - q);
      f(j, pixel / width, q, n);
      j += n;
    }
  }
  /// f(term, tap down, tap across, first channel, n) for the terms [term, term + count).
  template <class F> void for_taps(std::size_t term, std::size_t count, F f) const {
    for (std::size_t i = 0; i < count;) {
      const std::size_t tap = (term + i) / c.inputs, channel = (term + i) % c.inputs;
      const std::size_t n = std::min(count - i, c.inputs - channel);
      const auto taps = static_cast<std::size_t>(phase.across.taps);
      f(i, tap / taps, tap % taps, channel, n);
      i += n;
    }
  }

  /// The filter at the group and the first output channel of the place.
  template <class Panel>
  void pack_filter(const T* filter, Panel& to, std::size_t term, std::size_t count) const {
    to.rows_first = c.filter.output != 1 || c.outputs == 1;
    const auto element = [](const Extent::Phase& p, std::size_t tap) {
      return static_cast<std::size_t>(p.tap_first + static_cast<std::int64_t>(tap) * p.tap_step);
    };
    for_taps(term, count, [&](std::size_t i, auto down, auto across, auto channel, std::size_t n) {
      const T* from = filter + channel * c.filter.input + element(phase.down, down) * c.filter.row +
                      element(phase.across, across) * c.filter.column;
      if (to.rows_first)
        for (std::size_t r = 0; r < at.rows; ++r)
          widen(from + r * c.filter.output, c.filter.input, n,
                to.data + r * ProductBlock::depth + i);
      else
        for (std::size_t k = 0; k < n; ++k)
          widen(from + k * c.filter.input, 1, at.rows, to.data + (i + k) * ProductBlock::rows);
    });
  }

  /// The pixels [first, last) of n that read an element of the input, from `in` on.
  static std::pair<std::size_t, std::size_t> inside(std::int64_t in, std::int64_t step,
                                                    std::int64_t size, std::size_t n) {
    const auto up_to = [&](std::int64_t v) {  // pixels with in + pixel * step < v
      const std::int64_t steps = step == 1 ? v - in : (v - in + step - 1) / step;
      return v <= in ? 0 : std::min(n, static_cast<std::size_t>(steps));
    };
    return {up_to(0), up_to(size)};
  }

  /// The terms of the pixels of the place: 0 outside of the image, which is at the group's
  /// channels.
  template <class Panel>
  void pack_pixels(const T* image, Panel& to, std::size_t term, std::size_t count) const {
    to.rows_first = c.x.column == 1 || c.inputs < 4;
    const auto first = [](const Extent::Phase& p, std::size_t q, std::size_t tap) {
      return p.first + static_cast<std::int64_t>(q) * p.step +
             static_cast<std::int64_t>(tap) * p.tap_dilation;
    };
    const std::size_t step = static_cast<std::size_t>(phase.across.step) * c.x.column;
    for_taps(term, count, [&](std::size_t i, auto down, auto across, auto channel, std::size_t n) {
      for_rows([&](std::size_t j, std::size_t row, std::size_t q, std::size_t pixels) {
        const std::int64_t y = first(phase.down, row, down), x = first(phase.across, q, across);
        auto [begin, end] = inside(x, phase.across.step, c.across.in, pixels);
        if (y < 0 || y >= c.down.in) begin = end = 0;
        const auto at_y = static_cast<std::size_t>(y);
        const auto at_x =
            static_cast<std::size_t>(x + static_cast<std::int64_t>(begin) * phase.across.step);
        const T* from = begin == end
                            ? image
                            : image + channel * c.x.channel + at_y * c.x.row + at_x * c.x.column;
        if (to.rows_first) {
          for (std::size_t k = 0; k < n; ++k) {
            double* row_to = to.data + (i + k) * ProductBlock::columns + j;
            std::fill_n(row_to, begin, 0.0);
            widen(from + k * c.x.channel, step, end - begin, row_to + begin);
            std::fill(row_to + end, row_to + pixels, 0.0);
          }
        } else {
          double* column_to = to.data + j * ProductBlock::depth + i;
          for (std::size_t p = 0; p < pixels; ++p, column_to += ProductBlock::depth)
            if (p < begin || p >= end) std::fill_n(column_to, n, 0.0);
            else widen(from + (p - begin) * step, c.x.channel, n, column_to);
        }
      });
    });
  }

  /// `y` is at the first output channel of the place.
  void write(const ProductBlock& block, const T* bias, T* y) const {
    const std::size_t step = static_cast<std::size_t>(phase.across.out_step) * c.y.column;
    for_rows([&](std::size_t j, std::size_t row, std::size_t q, std::size_t n) {
      const auto place = [](const Extent::Phase& p, std::size_t i) {
        return static_cast<std::size_t>(p.out_first + static_cast<std::int64_t>(i) * p.out_step);
      };
      T* to = y + place(phase.down, row) * c.y.row + place(phase.across, q) * c.y.column;
      for (std::size_t r = 0; r < at.rows; ++r, to += c.y.channel) {
        const auto sums = block.sums_of(r, j, n) + (bias ? wide(bias[r]) : 0);
        if (step == 1) store(sums, to);
        else
          for (std::size_t p = 0; p < n; ++p) to[p * step] = result_of<T>(sums[Index(p)]);
      }
    });
  }
};

struct Convolution {
  ConvolutionSizes c;
  ProductShape shape;

  template <class T>
  void run(const ProductShape::Location& at, const Buffers& b, ProductBlock& block) const {
    const auto phases_across = static_cast<std::size_t>(c.across.phases());
    const auto phases = static_cast<std::size_t>(c.down.phases()) * phases_across;
    const std::size_t p = at.batch % phases, group = at.batch / phases % c.groups;
    const std::size_t image = at.batch / phases / c.groups, output = group * c.outputs + at.row;
    Task<T> task{c,
                 {c.down.phase(static_cast<std::int64_t>(p / phases_across)),
                  c.across.phase(static_cast<std::int64_t>(p % phases_across))},
                 at};
    const auto& phase = task.phase;
    const auto pixels = static_cast<std::size_t>(phase.down.count * phase.across.count);
    if (at.column >= pixels) return;  // the first phase has the most
    task.at.columns = std::min(at.columns, pixels - at.column);
    const T* x = b.in<T>(0) + image * c.x.batch + group * c.inputs * c.x.channel;
    const T* filter = b.in<T>(1) + group * c.filter.group + at.row * c.filter.output;
    multiply_block(
        c.inputs * static_cast<std::size_t>(phase.down.taps * phase.across.taps), task.at, block,
        [&](auto& panel, std::size_t k, std::size_t n) { task.pack_filter(filter, panel, k, n); },
        [&](auto& panel, std::size_t k, std::size_t n) { task.pack_pixels(x, panel, k, n); });
    task.write(block, c.bias < 0 ? nullptr : b.in<T>(static_cast<std::size_t>(c.bias)) + output,
               b.out<T>() + image * c.y.batch + output * c.y.channel);
  }
};

}  // namespace

Extent::Phase Extent::phase(std::int64_t i) const {
  if (!transposed) return {out, 0, 1, -padding, stride, dilation, kernel, 0, 1};
  // The kernel elements k with (i + padding - k * dilation) divisible by the stride.
  const std::int64_t common = std::gcd(stride, dilation), step = stride / common;
  Phase p{(out - i + stride - 1) / stride, i, stride, 0, 1, -dilation / common, 0, 0, step};
  if ((i + padding) % common != 0) return p;
  // Below 2^64, as both factors are below 2^32.
  p.tap_first =
      static_cast<std::int64_t>(static_cast<std::uint64_t>((i + padding) / common % step) *
                                static_cast<std::uint64_t>(inverse(dilation / common, step)) %
                                static_cast<std::uint64_t>(step));
  p.taps = std::max<std::int64_t>(0, (kernel - p.tap_first + step - 1) / step);
  p.first = (i + padding - p.tap_first * dilation) / stride;
  return p;
}

Candidate convolution_kernel(const ConvolutionSizes& c, MLOperandDataType type) {
  const auto count = [](std::int64_t v) { return static_cast<std::size_t>(v); };
  const std::size_t phases = count(c.down.phases() * c.across.phases());
  const std::size_t terms = c.inputs * count(c.down.kernel * c.across.kernel);
  return product_kernel(
      Convolution{c,
                  {c.images * c.groups * phases, c.outputs,
                   count(c.down.phase(0).count * c.across.phase(0).count), terms / phases + 1}},
      type);
}

}  // namespace webnn::inline v0_1::reference
