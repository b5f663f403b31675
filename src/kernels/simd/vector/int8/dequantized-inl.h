// Bytes as the floats that they stand for. One copy per target.
#if defined(WEBNN_SIMD_DEQUANTIZED_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef WEBNN_SIMD_DEQUANTIZED_INL_H
#undef WEBNN_SIMD_DEQUANTIZED_INL_H
#else
#define WEBNN_SIMD_DEQUANTIZED_INL_H
#endif
#include "src/kernels/simd/vector/int8/integers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

/// An operand: bytes, or one byte for all.
class Dequantized {
 public:
  HWY_INLINE Dequantized(const std::uint8_t* x, std::size_t step, std::uint8_t flip,
                         std::int32_t zero, float scale)
      : x_(x),
        step_(step),
        flip_(hn::Set(DB(), flip)),
        all_(hn::Set(DB(), step ? 0 : *x)),
        zero_(hn::Set(D(), offset + static_cast<float>(zero))),
        scale_(hn::Set(D(), scale)) {}

  /// The values of `n` bytes, at most a vector; in the order of interleave_quads().
  HWY_INLINE void values(std::size_t i, std::size_t n, V* to) const {
    const DB d;
    const hn::Repartition<std::uint16_t, D> pairs;
    const VB bytes = hn::Xor(step_ ? load_bytes(x_ + i, n) : all_, flip_);
    // The upper half of the bits of 2^23, to which the lower half adds an integer.
    const auto upper = hn::Set(pairs, std::uint16_t{0x4b00});
    const auto low = hn::BitCast(pairs, hn::InterleaveLower(d, bytes, hn::Zero(d)));
    const auto high = hn::BitCast(pairs, hn::InterleaveUpper(d, bytes, hn::Zero(d)));
    to[0] = value(hn::InterleaveLower(pairs, low, upper));
    to[1] = value(hn::InterleaveUpper(pairs, low, upper));
    to[2] = value(hn::InterleaveLower(pairs, high, upper));
    to[3] = value(hn::InterleaveUpper(pairs, high, upper));
  }

 private:
  static constexpr float offset = 8388608;

  HWY_INLINE V value(hn::Vec<hn::Repartition<std::uint16_t, D> > bits) const {
    return hn::Mul(hn::Sub(hn::BitCast(D(), bits), zero_), scale_);
  }

  const std::uint8_t* x_;
  std::size_t step_;
  VB flip_, all_;
  V zero_, scale_;
};

#endif

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
