#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/int8/channels.cpp"
#include "src/kernels/simd/vector/int8/channels.h"

#include <hwy/foreach_target.h>

#include "src/kernels/simd/vector/int8/quotients-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

// Not called: without vectors there is no such backend.
void affine_bytes(const Int8Distances&, const float*, const float*, std::size_t,
                  const std::uint8_t*, std::size_t, const Int8Result&, std::uint8_t*) {}
void prelu_bytes(const Int8Distances&, float, const float*, float, std::size_t, const std::uint8_t*,
                 std::size_t, const Int8Result&, std::uint8_t*) {}

#else

static_assert(int8_channel_step % vector_bytes == 0);

/// The numbers of the channels of four vectors.
class ChannelVectors {
 public:
  HWY_INLINE ChannelVectors(const float* all, std::size_t period)
      : all_(all), one_(hn::Set(D(), *all)), is_one_(period == 1) {}
  /// Vector k of those that begin with channel `first`.
  HWY_INLINE V at(std::size_t first, int k) const {
    return is_one_ ? one_ : hn::LoadU(D(), all_ + first + k * vector_lanes);
  }

 private:
  const float* all_;
  V one_;
  bool is_one_;
};

/// f(distances of four vectors, their first channel, integers) for all bytes.
template <class F>
HWY_INLINE void map_distances(const Int8Distances& d, std::size_t period, const std::uint8_t* x,
                              std::size_t n, const Int8Result& result, std::uint8_t* y, F f) {
  constexpr auto lanes = static_cast<std::size_t>(vector_lanes);
  const Output output(result);
  const VI zero = hn::Set(DI(), d.zero);
  std::size_t channel = 0;
  const auto four_vectors = [&](const std::uint8_t* from) WEBNN_UNROLLED {
    V v[4];
    VI q[4];
    unrolled<4>([&](auto k) WEBNN_UNROLLED {
      const VI bytes = load_ints(from + std::size_t{k} * lanes, lanes, d.flip);
      v[k] = hn::ConvertTo(D(), hn::Sub(bytes, zero));
    });
    f(v, channel, q);
    channel += vector_bytes;
    if (channel >= period) channel = 0;
    return in_rows(output.bytes(q[0], q[1], q[2], q[3]));
  };
  std::size_t i = 0;
  for (; i + vector_bytes <= n; i += vector_bytes) hn::StoreU(four_vectors(x + i), DB(), y + i);
  if (i == n) return;
  HWY_ALIGN std::uint8_t last[vector_bytes] = {};
  std::memcpy(last, x + i, n - i);
  hn::Store(four_vectors(last), DB(), last);
  std::memcpy(y + i, last, n - i);
}

void affine_bytes(const Int8Distances& d, const float* factor, const float* summand,
                  std::size_t period, const std::uint8_t* x, std::size_t n,
                  const Int8Result& result, std::uint8_t* y) {
  const ChannelVectors factors(factor, period), summands(summand, period);
  map_distances(
      d, period, x, n, result, y, [&](V(&v)[4], std::size_t channel, VI(&q)[4]) WEBNN_UNROLLED {
        unrolled<4>([&](auto k) WEBNN_UNROLLED {
          q[k] =
              nearest_integers(hn::MulAdd(v[k], factors.at(channel, k), summands.at(channel, k)));
        });
      });
}

void prelu_bytes(const Int8Distances& d, float x_scale, const float* slope, float scale,
                 std::size_t period, const std::uint8_t* x, std::size_t n, const Int8Result& result,
                 std::uint8_t* y) {
  const ChannelVectors slopes(slope, period);
  const Quotients quotients(scale, result);
  const V unit = hn::Set(D(), x_scale);
  map_distances(d, period, x, n, result, y,
                [&](V(&v)[4], std::size_t channel, VI(&q)[4]) WEBNN_UNROLLED {
                  unrolled<4>([&](auto k) WEBNN_UNROLLED {
                    const V value = hn::Mul(v[k], unit);
                    v[k] = hn::IfThenElse(hn::Lt(value, hn::Zero(D())),
                                          hn::Mul(value, slopes.at(channel, k)), value);
                  });
                  quotients.round(v, q);
                });
}

#endif

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(affine_bytes);
HWY_EXPORT(prelu_bytes);
void int8_affine(const Int8Distances& d, const float* factor, const float* summand,
                 std::size_t period, const std::uint8_t* x, std::size_t n, const Int8Result& result,
                 std::uint8_t* y) {
  HWY_DYNAMIC_DISPATCH(affine_bytes)(d, factor, summand, period, x, n, result, y);
}
void int8_prelu(const Int8Distances& d, float x_scale, const float* slope, float scale,
                std::size_t period, const std::uint8_t* x, std::size_t n, const Int8Result& result,
                std::uint8_t* y) {
  HWY_DYNAMIC_DISPATCH(prelu_bytes)(d, x_scale, slope, scale, period, x, n, result, y);
}
}  // namespace webnn::inline v0_1::simd
#endif
