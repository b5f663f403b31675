#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/int8/softmax.cpp"
#include "src/kernels/simd/vector/int8/softmax.h"

#include <algorithm>

#include <hwy/foreach_target.h>

#include "src/kernels/simd/vector/float32/math-inl.h"
#include "src/kernels/simd/vector/int8/dequantized-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

// Not called: without vectors there is no such backend.
void softmax_of_bytes(const Int8Softmax&, const std::uint8_t*, std::size_t, std::size_t,
                      std::uint8_t*) {}

#else

std::uint8_t largest_byte(const std::uint8_t* x, std::size_t n, std::uint8_t flip) {
  const DB d;
  const hn::Repartition<std::uint32_t, D> du;
  const VB f = hn::Set(d, flip);
  VB most = hn::Zero(d);
  std::size_t i = 0;
  for (; i + vector_bytes <= n; i += vector_bytes)
    most = hn::Max(most, hn::Xor(hn::LoadU(d, x + i), f));
  most = hn::Max(most, hn::BitCast(d, hn::ShiftRight<16>(hn::BitCast(du, most))));
  most = hn::Max(most, hn::BitCast(d, hn::ShiftRight<8>(hn::BitCast(du, most))));
  const VI each = hn::And(hn::BitCast(DI(), most), hn::Set(DI(), 255));
  auto largest = static_cast<std::uint8_t>(hn::GetLane(hn::MaxOfLanes(DI(), each)));
  for (; i < n; ++i) largest = std::max(largest, static_cast<std::uint8_t>(x[i] ^ flip));
  return largest;
}

/// The numbers of the bytes of a vector.
struct Places {
  HWY_ALIGN std::uint8_t bytes[vector_bytes];
  Places() {
    for (std::size_t i = 0; i < vector_bytes; ++i) bytes[i] = static_cast<std::uint8_t>(i);
  }
};

/// The powers of a row: 1 for its largest element.
class Powers {
 public:
  HWY_INLINE Powers(const Int8Softmax& g, const Places& places, const std::uint8_t* x,
                    std::size_t n)
      : x_(x, 1, g.flip, largest_byte(x, n, g.flip), g.scale), places_(places) {}

  /// Those of a vector of bytes, in the order of interleave_quads(); 0 behind the first n.
  HWY_INLINE void of(std::size_t i, std::size_t n, V (&to)[4]) const {
    x_.values(i, n, to);
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) to[k] = exp_within(at_least(to[k], constant(min_exponent)));
    if (n >= vector_bytes) return;
    V places[4];
    Dequantized(places_.bytes, 1, 0, 0, 1).values(0, vector_bytes, places);
    const V end = constant(static_cast<float>(n));
    for (int k = 0; k < 4; ++k) to[k] = hn::IfThenElseZero(hn::Lt(places[k], end), to[k]);
  }

 private:
  Dequantized x_;
  const Places& places_;
};

constexpr std::size_t kept = 2048;  // powers of a row

void softmax_of_row(const Int8Softmax& g, const Places& places, const std::uint8_t* x,
                    std::size_t n, float* HWY_RESTRICT all, std::uint8_t* HWY_RESTRICT y) {
  constexpr std::size_t chunk = 1024;  // elements that are added as floats
  const D d;
  const Powers powers(g, places, x, n);
  double sum = 0;
  for (std::size_t begin = 0; begin < n; begin += chunk) {
    V sums[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
    for (std::size_t i = begin; i < std::min(n, begin + chunk); i += vector_bytes) {
      V v[4];
      powers.of(i, n - i, v);
#pragma GCC unroll 4
      for (std::size_t k = 0; k < 4; ++k) {
        sums[k] = hn::Add(sums[k], v[k]);
        if (n <= kept) hn::Store(v[k], d, all + i + k * vector_lanes);
      }
    }
    sum += double{hn::GetLane(
        hn::SumOfLanes(d, hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]))))};
  }
  const Output output(g.result);
  const V factor = constant(static_cast<float>(1 / (sum * g.unit)));
  for (std::size_t i = 0; i < n; i += vector_bytes) {
    V v[4];
    VI rounded[4];
    if (n > kept) powers.of(i, n - i, v);
#pragma GCC unroll 4
    for (std::size_t k = 0; k < 4; ++k) {
      if (n <= kept) v[k] = hn::Load(d, all + i + k * vector_lanes);
      rounded[k] = nearest_integers(hn::Mul(v[k], factor));
    }
    store_bytes(output.bytes(rounded[0], rounded[1], rounded[2], rounded[3]), y + i, n - i);
  }
}

void softmax_of_bytes(const Int8Softmax& g, const std::uint8_t* x, std::size_t rows, std::size_t n,
                      std::uint8_t* y) {
  const Places places;
  HWY_ALIGN float all[kept];
  for (std::size_t r = 0; r < rows; ++r) softmax_of_row(g, places, x + r * n, n, all, y + r * n);
}

#endif

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(softmax_of_bytes);
void int8_softmax(const Int8Softmax& g, const std::uint8_t* x, std::size_t rows, std::size_t n,
                  std::uint8_t* y) {
  HWY_DYNAMIC_DISPATCH(softmax_of_bytes)(g, x, rows, n, y);
}
}  // namespace webnn::inline v0_1::simd
#endif
