#include <cmath>

#include "src/kernels/reference/array.h"
#include "src/kernels/reference/copy.h"

namespace webnn::inline v0_1::reference {
namespace {

/// What an element of the result is made of on one axis: (1 - t) of `low` and t of `high`.
struct Sample {
  std::size_t low, high;
  double t;
};

/// One axis: the centers of elements lie at half coordinates.
class Axis {
 public:
  Axis(std::uint32_t in, std::uint32_t out, MLInterpolationMode mode)
      : in_(in), out_(out), mode_(in == out ? MLInterpolationMode::nearest_neighbor : mode) {}

  /// Samples are kept in a table, unless it could be much larger than the result.
  void tabulate() {
    if (out_ > 65536) return;
    for (std::size_t o = 0; o < static_cast<std::size_t>(out_); ++o) table_.push_back(sample(o));
  }
  Sample operator[](std::size_t o) const { return table_.empty() ? sample(o) : table_[o]; }
  std::size_t in() const { return static_cast<std::size_t>(in_); }

 private:
  /// The coordinate is ((2 o + 1) in - out) / (2 out), which integers hold exactly.
  Sample sample(std::size_t o) const {
    const std::int64_t twice = (2 * static_cast<std::int64_t>(o) + 1) * in_;
    if (mode_ == MLInterpolationMode::nearest_neighbor) {
      // ceil(coordinate - 1/2): halfway is the lower one.
      const std::int64_t nearest = (twice - 1) / (2 * out_);
      const auto at = static_cast<std::size_t>(std::clamp<std::int64_t>(nearest, 0, in_ - 1));
      return {at, at, 0};
    }
    const std::int64_t above = std::max<std::int64_t>(twice - out_, 0);
    const std::int64_t low = std::min(above / (2 * out_), in_ - 1);
    const std::int64_t rest = low == in_ - 1 ? 0 : above - low * 2 * out_;
    return {static_cast<std::size_t>(low), static_cast<std::size_t>(low + (rest > 0)),
            static_cast<double>(rest) / (2.0 * static_cast<double>(out_))};
  }

  std::int64_t in_, out_;
  MLInterpolationMode mode_;
  std::vector<Sample> table_{};
};

/// Not a + t (b - a) and nothing of b when t is 0: an infinite element is not spread as NaN.
template <class A, class Y> void mix(const A& a, const A& b, double t, Y&& y) {
  if (t == 0) y = a;
  else y = (1 - t) * a + t * b;
}

/// The result as [before][outer][between][inner][after], for the two axes.
struct Resampling {
  std::shared_ptr<const std::array<Axis, 2>> axes;  // outer, inner
  std::size_t between, after;
  std::size_t outer, inner;  // sizes of the result

  std::size_t row() const { return between * inner * after; }
  /// f(piece of the result, first and second piece of the input, share of the second), in elements
  /// of a row, for pieces of `after` elements.
  template <class F> void for_pieces(F f) const {
    const Axis& axis = (*axes)[1];
    for (std::size_t m = 0, i = 0; m < between; ++m)
      for (std::size_t k = 0; k < inner; ++k, i += after) {
        const Sample s = axis[k];
        f(i, (m * axis.in() + s.low) * after, (m * axis.in() + s.high) * after, s.t);
      }
  }
  /// f(row of the result, first and second row of the input, share of the second).
  template <class F> void for_rows(std::size_t begin, std::size_t end, F f) const {
    const Axis& axis = (*axes)[0];
    for (std::size_t row = begin; row < end; ++row) {
      const Sample s = axis[row % outer];
      const std::size_t image = row / outer * axis.in();
      f(row, image + s.low, image + s.high, s.t);
    }
  }
  std::size_t input_row() const { return between * (*axes)[1].in() * after; }
};

template <class T> Run nearest(const Resampling& s, const Partition& c) {
  return [=](Range r, const Buffers& b, std::byte*) {
    const T* x = b.in<T>();
    const T* last = nullptr;
    s.for_rows(c.begin(r), c.end(r), [&](std::size_t row, std::size_t from_row, auto, auto) {
      const T* from = x + from_row * s.input_row();
      T* to = b.out<T>() + row * s.row();
      if (from == last) std::memcpy(to, to - s.row(), s.row() * sizeof(T));
      else
        s.for_pieces([&](std::size_t i, std::size_t at, auto, auto) {
          if (s.after == 1) to[i] = from[at];
          else std::memcpy(to + i, from + at, s.after * sizeof(T));
        });
      last = from;
    });
  };
}

/// Two rows of the input at the places of the result are kept: the next row may need them too.
template <class T> Run linear(const Resampling& s, const Partition& c) {
  return [=](Range r, const Buffers& b, std::byte* scratch) {
    constexpr std::size_t none = ~std::size_t{0};
    const std::size_t size = s.row();
    std::array<double*, 3> memory;
    for (std::size_t i = 0; i < 3; ++i) memory[i] = reinterpret_cast<double*>(scratch) + i * size;
    std::array<std::size_t, 2> kept{none, none};
    const auto along = [&](std::size_t row, std::size_t other) {
      if (kept[0] == row || kept[1] == row) return memory[kept[1] == row];
      const std::size_t k = kept[0] == other;  // not over the other one
      const T* from = b.in<T>() + row * s.input_row();
      double* to = memory[k];
      s.for_pieces([&](std::size_t i, std::size_t low, std::size_t high, double t) {
        if (s.after == 1)
          to[i] = t == 0 ? wide(from[low]) : (1 - t) * wide(from[low]) + t * wide(from[high]);
        else
          mix(array<double>(from + low, s.after), array<double>(from + high, s.after), t,
              Array<double>(to + i, Index(s.after)));
      });
      kept[k] = row;
      return to;
    };
    Array<double> sum(memory[2], Index(size));
    s.for_rows(c.begin(r), c.end(r), [&](std::size_t row, auto low, auto high, double t) {
      const ConstArray<double> first(along(low, high), Index(size));
      mix(first, ConstArray<double>(along(high, low), Index(size)), t, sum);
      if constexpr (std::is_integral_v<T>) sum = sum.rint();
      store(sum, b.out<T>() + row * size);
    });
  };
}

}  // namespace

Candidate make(const ops::resample2d& op, const Node& node) {
  const Dims &in = op.input.shape(), &out = node.output().shape();
  const auto [first, last] = std::minmax(op.options.axes[0], op.options.axes[1]);
  std::array axes{Axis(in[first], out[first], op.options.mode),
                  Axis(in[last], out[last], op.options.mode)};
  for (Axis& a : axes) a.tabulate();
  Resampling s{std::make_shared<const std::array<Axis, 2>>(std::move(axes)), 1, 1, out[first],
               out[last]};
  for (std::uint32_t d = first + 1; d < last; ++d) s.between *= out[d];
  for (std::uint32_t d = last + 1; d < 4; ++d) s.after *= out[d];
  const bool copies = op.options.mode == MLInterpolationMode::nearest_neighbor;
  const Partition c =
      partition(element_count(out) / s.row(), (copies ? 2.0 : 12.0) * static_cast<double>(s.row()));
  const MLOperandDataType type = op.input.dataType();
  if (copies)
    return {.name = "copy nearest",
            .tiles = c.tiles(),
            .run = dispatch_width(type, [&]<class T>() -> Run { return nearest<T>(s, c); })};
  return {.name = "eigen array",
          .tiles = c.tiles(),
          .scratch = 3 * s.row() * sizeof(double),
          .run = dispatch_type<types::resampled>(
              type, [&]<class T>() -> Run { return linear<T>(s, c); })};
}

}  // namespace webnn::inline v0_1::reference
