#include <cmath>

#include "src/kernels/reference/move.h"
#include "src/kernels/reference/wide.h"

namespace webnn::reference {
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
      const std::int64_t least = (twice - 1) / (2 * out_);
      const auto at = static_cast<std::size_t>(std::clamp<std::int64_t>(least, 0, in_ - 1));
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
double mix(double a, double b, double t) { return t == 0 ? a : (1 - t) * a + t * b; }

template <class T> T rounded(double v) {
  if constexpr (std::is_integral_v<T>) return static_cast<T>(std::nearbyint(v));
  else return narrow<T>(v);
}

/// The result as [before][outer][between][inner][after], for the two axes.
struct Resampling {
  std::shared_ptr<const std::array<Axis, 2>> axes;  // outer, inner
  std::size_t between, after;
  std::size_t outer, inner;  // sizes of the result
  bool nearest;
};

/// f(y, x00, x01, x10, x11, outer, inner, n) for pieces of `after` elements: the first element of
/// the result and those that it is made of.
template <class F> void run_pieces(const Resampling& s, std::size_t begin, std::size_t end, F&& f) {
  const Axis &outer = (*s.axes)[0], &inner = (*s.axes)[1];
  while (begin < end) {
    const std::size_t skip = begin % s.after;
    std::size_t rest = begin / s.after;
    const std::size_t i = rest % s.inner;
    rest /= s.inner;
    const std::size_t middle = rest % s.between;
    rest /= s.between;
    const std::size_t o = rest % s.outer, before = rest / s.outer;
    const Sample across = outer[o];
    const std::size_t first = (before * outer.in() + across.low) * s.between + middle;
    const std::size_t second = (before * outer.in() + across.high) * s.between + middle;
    // A row of inner elements at a time, or what is left of it.
    for (std::size_t k = i, from = skip; k < s.inner && begin < end; ++k, from = 0) {
      const Sample along = inner[k];
      const auto at = [&](std::size_t row, std::size_t column) {
        return (row * inner.in() + column) * s.after + from;
      };
      const std::size_t n = std::min(end - begin, s.after - from);
      f(begin,
        std::array{at(first, along.low), at(first, along.high), at(second, along.low),
                   at(second, along.high)},
        across.t, along.t, n);
      begin += n;
    }
  }
}

template <class T> Run resample(const Resampling& s, const Partition& c) {
  return [=](Range r, const Buffers& b, std::byte*) {
    const T* x = b.in<T>();
    T* y = b.out<T>();
    const auto nearest = [&](std::size_t i, const auto& at, double, double, std::size_t n) {
      if (n == 1) y[i] = x[at[0]];
      else std::memcpy(y + i, x + at[0], n * sizeof(T));
    };
    const auto linear = [&](std::size_t i, const auto& at, double t, double u, std::size_t n) {
      for (std::size_t k = 0; k < n; ++k) {
        const auto value = [&](std::size_t corner) { return wide(x[at[corner] + k]); };
        y[i + k] = rounded<T>(mix(mix(value(0), value(1), u), mix(value(2), value(3), u), t));
      }
    };
    if (s.nearest) run_pieces(s, c.begin(r), c.end(r), nearest);
    else run_pieces(s, c.begin(r), c.end(r), linear);
  };
}

Kernel make(const ops::resample2d& op, const Node& node) {
  const Dims &in = op.input.shape(), &out = node.output().shape();
  const auto [first, last] = std::minmax(op.options.axes[0], op.options.axes[1]);
  std::array axes{Axis(in[first], out[first], op.options.mode),
                  Axis(in[last], out[last], op.options.mode)};
  for (Axis& a : axes) a.tabulate();
  Resampling s{
      std::make_shared<const std::array<Axis, 2>>(std::move(axes)), 1, 1, out[first], out[last],
      op.options.mode == MLInterpolationMode::nearest_neighbor};
  for (std::uint32_t d = first + 1; d < last; ++d) s.between *= out[d];
  for (std::uint32_t d = last + 1; d < 4; ++d) s.after *= out[d];
  const Partition c = partition(element_count(out), s.nearest ? 2 : 12, 64);
  return {.name = s.nearest ? "nearest" : "linear",
          .tiles = c.tiles(),
          .run = dispatch_type<types::resampled>(op.input.dataType(),
                                                 [&]<class T>() { return resample<T>(s, c); })};
}

}  // namespace

Table<ops::Resample2dSection> kernels(ops::Resample2dSection) {
  return table<ops::Resample2dSection>([](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
