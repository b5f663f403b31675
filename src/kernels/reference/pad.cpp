#include "src/kernels/reference/copy.h"

namespace webnn::inline v0_1::reference {
namespace {

/// A dimension with what is put before it and after it.
struct Side {
  std::size_t in, begin, end;

  std::size_t out() const { return begin + in + end; }
  bool inside(std::size_t o) const { return o >= begin && o < begin + in; }
  /// Where the element of a place outside comes from.
  std::size_t source(std::size_t o, MLPaddingMode mode) const {
    if (o < begin) return mode == MLPaddingMode::edge ? 0 : begin - o;
    if (o < begin + in) return o - begin;
    return mode == MLPaddingMode::edge ? in - 1 : in - 2 - (o - begin - in);
  }
};

/// Dimensions without padding are joined with the one before: the last ones to `run`, elements
/// that stay together.
struct Pad {
  MLPaddingMode mode;
  std::vector<Side> sides{};  // the last one is the row
  std::size_t run = 1;

  explicit Pad(const ops::pad& op);
  std::size_t row() const { return sides.back().out() * run; }

  /// f(whether inside, row of the input) for a row of the result.
  template <class F> void locate(std::size_t row, F&& f) const {
    std::size_t from = 0, stride = 1;
    bool inside = true;
    for (std::size_t d = sides.size() - 1; d-- > 0;) {
      const Side& s = sides[d];
      const std::size_t o = row % s.out();
      row /= s.out();
      if (mode != MLPaddingMode::constant || s.inside(o)) from += s.source(o, mode) * stride;
      else inside = false;
      stride *= s.in;
    }
    f(inside, from);
  }

  /// The elements [begin, end) of a row.
  template <class T>
  void fill_row(const T* x, T* y, std::size_t begin, std::size_t end, T value) const {
    const Side& s = sides.back();
    const std::size_t first = s.begin * run, last = first + s.in * run;
    if (mode == MLPaddingMode::constant) {
      if (begin < first) std::fill(y + begin, y + std::min(end, first), value);
      if (end > last) std::fill(y + std::max(begin, last), y + end, value);
    } else {
      const auto outside = [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) y[i] = x[s.source(i / run, mode) * run + i % run];
      };
      outside(begin, std::min(end, first));
      outside(std::max(begin, last), end);
    }
    const std::size_t from = std::max(begin, first), to = std::min(end, last);
    if (from < to) std::memcpy(y + from, x + (from - first), (to - from) * sizeof(T));
  }
};

Pad::Pad(const ops::pad& op) : mode(op.options.mode) {
  const Dims& in = op.input.shape();
  std::size_t d = in.size();
  for (; d > 0 && op.beginningPadding[d - 1] == 0 && op.endingPadding[d - 1] == 0; --d)
    run *= in[d - 1];
  for (std::size_t k = 0; k < d; ++k)
    sides.push_back({in[k], op.beginningPadding[k], op.endingPadding[k]});
  if (sides.empty()) sides.push_back({1, 0, 0});
}

template <class T> T value_of(const ops::pad& op) {
  return dispatch_every_type<types::any>(op.input.dataType(), [&]<class U>() -> T {
    const MLNumber number = op.options.value.to(op.input.dataType());
    if constexpr (sizeof(U) != sizeof(T)) return 0;
    else if constexpr (std::is_integral_v<U>) return static_cast<T>(number.as_uint64());
    else return std::bit_cast<T>(static_cast<U>(static_cast<float>(number.as_double())));
  });
}

}  // namespace

Candidate make(const ops::pad& op, const Node& node) {
  const Pad pad(op);
  const Partition c = partition(element_count(node.output().shape()), 2, 64);
  return dispatch_width(op.input.dataType(), [&]<class T>() {
    const T value = value_of<T>(op);
    return Candidate{.name = "copy rows",
                     .tiles = c.tiles(),
                     .run = [c, pad, value](Range r, const Buffers& b, std::byte*) {
                       const std::size_t length = pad.row();
                       for (std::size_t i = c.begin(r); i < c.end(r);) {
                         const std::size_t row = i / length, begin = i % length;
                         const std::size_t end = std::min(length, begin + (c.end(r) - i));
                         T* y = b.out<T>() + row * length;
                         pad.locate(row, [&](bool inside, std::size_t from) {
                           const T* x = b.in<T>() + from * pad.sides.back().in * pad.run;
                           if (inside) pad.fill_row(x, y, begin, end, value);
                           else std::fill(y + begin, y + end, value);
                         });
                         i += end - begin;
                       }
                     }};
  });
}

}  // namespace webnn::inline v0_1::reference
