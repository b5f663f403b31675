#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/int8/float_binary.cpp"
#include "src/kernels/simd/vector/int8/float_binary.h"

#include <hwy/foreach_target.h>

#include "src/kernels/simd/vector/int8/integers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

// Not called: without vectors there is no such backend.
void join_as_floats(const Int8FloatBinary&, const std::uint8_t*, std::size_t, const std::uint8_t*,
                    std::size_t, std::size_t, std::uint8_t*) {}

#else

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

template <Int8FloatBinary::What what, bool multiplies>
HWY_NOINLINE void join_all(const Int8FloatBinary& g, const Dequantized& x, const Dequantized& z,
                           std::size_t n, std::uint8_t* y) {
  using enum Int8FloatBinary::What;
  const Output output(g.result);
  const V scale = hn::Set(D(), multiplies ? 1 / g.scale : g.scale);
  for (std::size_t i = 0; i < n; i += vector_bytes) {
    V a[4], b[4];
    VI rounded[4];
    x.values(i, n - i, a);
    z.values(i, n - i, b);
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
      const V v = what == sum          ? hn::Add(a[k], b[k])
                  : what == difference ? hn::Sub(a[k], b[k])
                                       : hn::Mul(a[k], b[k]);
      rounded[k] = nearest_integers(multiplies ? hn::Mul(v, scale) : hn::Div(v, scale));
    }
    store_bytes(output.bytes(rounded[0], rounded[1], rounded[2], rounded[3]), y + i, n - i);
  }
}

template <Int8FloatBinary::What what>
void join_some(const Int8FloatBinary& g, const Dequantized& x, const Dequantized& z, std::size_t n,
               std::uint8_t* y) {
  if (g.multiplies) join_all<what, true>(g, x, z, n, y);
  else join_all<what, false>(g, x, z, n, y);
}

void join_as_floats(const Int8FloatBinary& g, const std::uint8_t* x, std::size_t x_step,
                    const std::uint8_t* z, std::size_t z_step, std::size_t n, std::uint8_t* y) {
  using enum Int8FloatBinary::What;
  if (n == 0) return;
  const Dequantized a(x, x_step, g.x_flip, g.x_zero, g.x_scale),
      b(z, z_step, g.z_flip, g.z_zero, g.z_scale);
  switch (g.what) {
    case sum: return join_some<sum>(g, a, b, n, y);
    case difference: return join_some<difference>(g, a, b, n, y);
    case product: return join_some<product>(g, a, b, n, y);
  }
}

#endif

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(join_as_floats);
void int8_float_binary(const Int8FloatBinary& g, const std::uint8_t* x, std::size_t x_step,
                       const std::uint8_t* z, std::size_t z_step, std::size_t n, std::uint8_t* y) {
  HWY_DYNAMIC_DISPATCH(join_as_floats)(g, x, x_step, z, z_step, n, y);
}
}  // namespace webnn::inline v0_1::simd
#endif
