// Padding: row by row, whole elements of the last padded dimension at a time.
#include <cstring>

#include "src/kernels/common/partition.h"
#include "src/kernels/simd/backend.h"

namespace webnn::inline v0_1::simd {
namespace {

/// A dimension with what is put before it and after it.
struct Side {
  std::size_t in, begin, end;

  std::size_t out() const { return begin + in + end; }
  bool inside(std::size_t o) const { return o >= begin && o < begin + in; }
  /// The element that a place of the result repeats.
  std::size_t source(std::size_t o, MLPaddingMode mode) const {
    if (inside(o)) return o - begin;
    if (mode == MLPaddingMode::edge) return o < begin ? 0 : in - 1;
    return o < begin ? begin - o : 2 * in + begin - 2 - o;
  }
};

/// The dimensions up to the last padded one; those behind it are one element of `run` floats.
struct Padding {
  MLPaddingMode mode;
  float value;
  std::vector<Side> outer{};
  Side last{1, 0, 0};
  std::size_t run = 1, rows = 1;  // of the result

  explicit Padding(const ops::pad& op)
      : mode(op.options.mode), value(static_cast<float>(op.options.value.to(float32).as_double())) {
    const Dims& in = op.input.shape();
    std::size_t d = in.size();
    for (; d > 1 && op.beginningPadding[d - 1] == 0 && op.endingPadding[d - 1] == 0; --d)
      run *= in[d - 1];
    const auto side = [&](std::size_t i) {
      return Side{in[i], op.beginningPadding[i], op.endingPadding[i]};
    };
    if (d > 0) last = side(d - 1);
    for (std::size_t i = 0; i + 1 < d; ++i) {
      outer.push_back(side(i));
      rows *= outer.back().out();
    }
  }

  /// The row of the input that a row of the result repeats; nothing when it holds only the value.
  std::optional<std::size_t> source(std::size_t row) const {
    std::size_t from = 0, stride = 1;
    for (std::size_t d = outer.size(); d-- > 0;) {
      const Side& s = outer[d];
      const std::size_t o = row % s.out();
      row /= s.out();
      if (mode == MLPaddingMode::constant && !s.inside(o)) return std::nullopt;
      from += s.source(o, mode) * stride;
      stride *= s.in;
    }
    return from;
  }

  void run_row(std::size_t row, const float* x, float* y) const {
    const auto from = source(row);
    if (!from) return static_cast<void>(std::fill_n(y, last.out() * run, value));
    x += *from * last.in * run;
    const auto outside = [&](std::size_t begin, std::size_t end) {
      if (mode == MLPaddingMode::constant)
        return static_cast<void>(std::fill(y + begin * run, y + end * run, value));
      for (std::size_t o = begin; o < end; ++o) {
        const float* element = x + last.source(o, mode) * run;
        if (run == 1) y[o] = *element;
        else std::memcpy(y + o * run, element, run * sizeof(float));
      }
    };
    outside(0, last.begin);
    std::memcpy(y + last.begin * run, x, last.in * run * sizeof(float));
    outside(last.begin + last.in, last.out());
  }
};

}  // namespace

Lowering lower(const ops::pad& op, Chain chain) {
  if (chain.size() > 1) return Refusal{"nothing is fused to a padding"};
  const Padding p(op);
  const std::size_t row = p.last.out() * p.run;
  const Partition c = partition(p.rows, static_cast<double>(row) / 4 + 4);
  return Candidate{.name = "pad rows",
                   .tiles = c.tiles(),
                   .run = [p, c, row](Range r, const Buffers& b, std::byte*) {
                     for (std::size_t i = c.begin(r); i < c.end(r); ++i)
                       p.run_row(i, b.in<float>(), b.out<float>() + i * row);
                   }};
}

}  // namespace webnn::inline v0_1::simd
