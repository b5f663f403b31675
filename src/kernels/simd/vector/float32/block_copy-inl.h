// Blocks of sums whose last columns are not there, as blocks of whole vectors. One copy per target.
#if defined(WEBNN_SIMD_BLOCK_COPY_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef WEBNN_SIMD_BLOCK_COPY_INL_H
#undef WEBNN_SIMD_BLOCK_COPY_INL_H
#else
#define WEBNN_SIMD_BLOCK_COPY_INL_H
#endif
#include "src/kernels/simd/vector/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

/// Rows of floats, `stride` from one to the next.
template <class T> struct BlockOf {
  T* base;
  std::size_t stride;
  T* at(int r) const { return base + static_cast<std::size_t>(r) * stride; }
};

/// The first `columns` floats of each row. In whole vectors, where `to` has them: zeros follow.
HWY_NOINLINE inline void copy_columns(const BlockOf<const float>& from, int rows, int columns,
                                      const BlockOf<float>& to, int whole) {
  for (int r = 0; r < rows; ++r) {
    const float* x = from.at(r);
    float* y = to.at(r);
    for (int i = 0; i < whole; i += vector_lanes)
      hn::StoreU(i < columns ? load_some(x + i, columns - i) : hn::Zero(D()), D(), y + i);
    for (int i = 0; i < columns && whole == 0; i += vector_lanes)
      store_some(hn::LoadU(D(), x + i), y + i, columns - i);
  }
}

/// The memory of a block of which only `left` columns are in the matrix. The kernels of blocks are
/// many, and with it each has one way to load and to store vectors.
template <int Rows, int Columns> struct BlockCopy {
  static constexpr int whole = Columns * vector_lanes;

  /// The block at x, or its copy.
  HWY_INLINE BlockOf<const float> read(const float* x, std::size_t stride, int left) {
    if (left >= whole) return {x, stride};
    copy_columns({x, stride}, Rows, left, {floats_, whole}, whole);
    return {floats_, whole};
  }
  /// Where the block at y is stored before write().
  HWY_INLINE BlockOf<float> place(float* y, std::size_t stride, int left) {
    y_ = {y, stride};
    left_ = left;
    return left >= whole ? y_ : BlockOf<float>{floats_, whole};
  }
  HWY_INLINE void write() const {
    if (left_ < whole) copy_columns({floats_, whole}, Rows, left_, y_, 0);
  }

 private:
  HWY_ALIGN float floats_[Rows * Columns * vector_lanes];
  BlockOf<float> y_;
  int left_;
};

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
