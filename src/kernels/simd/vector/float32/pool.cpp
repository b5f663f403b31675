#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/float32/pool.cpp"
#include "src/kernels/simd/vector/float32/pool.h"

#include <hwy/foreach_target.h>

#include <limits>

#include "src/kernels/simd/vector/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

// The reductions of a window. GCC would compile implicit constructors for the baseline instruction
// set.
struct Average {
  V sum;
  HWY_INLINE Average() : sum(hn::Zero(D())) {}
  HWY_INLINE void step(V v) { sum = hn::Add(sum, v); }
  HWY_INLINE V end(std::size_t n) const {
    return n ? hn::Div(sum, hn::Set(D(), static_cast<float>(n))) : sum;
  }
};

/// In double: squares of large and of small floats overflow or underflow a float.
struct L2 {
  Doubles sum;
  HWY_INLINE L2() : sum(doubles(hn::Zero(D()))) {}
  HWY_INLINE void step(V v) {
    const Doubles w = doubles(v);
    sum.lower = hn::MulAdd(w.lower, w.lower, sum.lower);
    sum.upper = hn::MulAdd(w.upper, w.upper, sum.upper);
  }
  HWY_INLINE V end(std::size_t) const { return floats({hn::Sqrt(sum.lower), hn::Sqrt(sum.upper)}); }
};

/// NaN if there is one.
struct Maximum {
  V largest;
  HWY_INLINE Maximum() : largest(hn::Set(D(), -std::numeric_limits<float>::infinity())) {}
  HWY_INLINE void step(V v) {
    largest = hn::IfThenElse(hn::Or(hn::Gt(v, largest), hn::IsNaN(v)), v, largest);
  }
  HWY_INLINE V end(std::size_t) const { return largest; }
};

/// The same where no element is NaN. `sum` is NaN if one is, or if infinities of both signs are
/// there: then Maximum has to be asked.
struct LikelyMaximum {
  V largest, sum;
  HWY_INLINE LikelyMaximum()
      : largest(hn::Set(D(), -std::numeric_limits<float>::infinity())), sum(hn::Zero(D())) {}
  HWY_INLINE void step(V v) {
    largest = hn::Max(v, largest);
    sum = hn::Add(sum, v);
  }
  HWY_INLINE V end(std::size_t) const { return largest; }
  HWY_INLINE bool is_certain() const { return hn::AllFalse(D(), hn::IsNaN(sum)); }
};

/// One window for `blocks` whole vectors of channels, or for a part of one.
template <class F, int blocks>
HWY_INLINE void window(const PoolingSide::Span& h, const PoolingSide::Span& w, std::size_t row,
                       std::size_t column, const float* x, float* y, int left) {
  const D d;
  F folds[blocks];
  for (std::size_t i = 0; i < h.count; ++i) {
    const float* at = x + (h.first + i * h.step) * row + w.first * column;
    for (std::size_t k = 0; k < w.count; ++k, at += w.step * column)
      if constexpr (blocks == 1) folds[0].step(load_some(at, left));
      else
        for (int b = 0; b < blocks; ++b) folds[b].step(hn::LoadU(d, at + b * vector_lanes));
  }
  if constexpr (requires { folds[0].is_certain(); }) {
    bool certain = true;
    for (int b = 0; b < blocks; ++b) certain &= folds[b].is_certain();
    if (HWY_UNLIKELY(!certain)) return window<Maximum, blocks>(h, w, row, column, x, y, left);
  }
  const std::size_t n = h.count * w.count;
  if constexpr (blocks == 1) store_some(folds[0].end(n), y, left);
  else
    for (int b = 0; b < blocks; ++b) hn::StoreU(folds[b].end(n), d, y + b * vector_lanes);
}

template <class F>
HWY_INLINE void row_of(const Pool& p, std::size_t row, std::size_t first, std::size_t last,
                       const float* x, float* y) {
  constexpr int together = 4;
  constexpr auto lanes = static_cast<std::size_t>(vector_lanes);
  const std::size_t column = p.channels, stride = static_cast<std::size_t>(p.across.in) * column;
  const PoolingSide::Span h = p.down.inside(static_cast<std::int64_t>(row));
  for (std::int64_t o = 0; o < p.across.out; ++o, y += column) {
    const PoolingSide::Span w = p.across.inside(o);
    std::size_t c = first;
    for (; c + together * lanes <= last; c += together * lanes)
      window<F, together>(h, w, stride, column, x + c, y + c, 0);
    for (; c < last; c += lanes)
      window<F, 1>(h, w, stride, column, x + c, y + c, static_cast<int>(std::min(last - c, lanes)));
  }
}

void row_of_pool(const Pool& p, std::size_t row, std::size_t first, std::size_t last,
                 const float* x, float* y) {
  switch (p.kind) {
    case PoolKind::average: return row_of<Average>(p, row, first, last, x, y);
    case PoolKind::l2: return row_of<L2>(p, row, first, last, x, y);
    case PoolKind::max: return row_of<LikelyMaximum>(p, row, first, last, x, y);
  }
}

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(row_of_pool);
void pool_row(const Pool& p, std::size_t row, std::size_t first, std::size_t last, const float* x,
              float* y) {
  HWY_DYNAMIC_DISPATCH(row_of_pool)(p, row, first, last, x, y);
}
}  // namespace webnn::inline v0_1::simd
#endif
