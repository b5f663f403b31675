#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/int8/float_binary.cpp"
#include "src/kernels/simd/vector/int8/float_binary.h"

#include <hwy/foreach_target.h>

#include "src/kernels/simd/vector/int8/dequantized-inl.h"
#include "src/kernels/simd/vector/int8/quotients-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

// Not called: without vectors there is no such backend.
void join_as_floats(const Int8FloatBinary&, const std::uint8_t*, std::size_t, const std::uint8_t*,
                    std::size_t, std::size_t, std::uint8_t*) {}

#else

template <Int8FloatBinary::What what, bool multiplies>
HWY_NOINLINE void join_all(const Int8FloatBinary& g, const Dequantized& x, const Dequantized& z,
                           std::size_t n, std::uint8_t* y) {
  using enum Int8FloatBinary::What;
  const Output output(g.result);
  const Quotients quotients(g.scale, g.result);
  const V inverse = hn::Set(D(), 1 / g.scale);
  for (std::size_t i = 0; i < n; i += vector_bytes) {
    V a[4], b[4];
    VI rounded[4];
    x.values(i, n - i, a);
    z.values(i, n - i, b);
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
      a[k] = what == sum          ? hn::Add(a[k], b[k])
             : what == difference ? hn::Sub(a[k], b[k])
                                  : hn::Mul(a[k], b[k]);
      if constexpr (multiplies) rounded[k] = nearest_integers(hn::Mul(a[k], inverse));
    }
    if constexpr (!multiplies) quotients.round(a, rounded);
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
