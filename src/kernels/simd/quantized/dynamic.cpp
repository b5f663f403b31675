// Quantization of a tensor by its own range: the range, then the integers.
#include <cmath>
#include <limits>

#include "src/kernels/common/partition.h"
#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/vector/float32/rows.h"
#include "src/kernels/simd/vector/int8/rows.h"

namespace webnn::inline v0_1::simd {
namespace {

/// The operators one by one, so that NaN and infinities have the same effects.
float larger(float a, float b) { return a != a || b != b ? a + b : std::max(a, b); }
float smaller(float a, float b) { return a != a || b != b ? a + b : std::min(a, b); }

struct Extremes {
  float low = 0, high = 0;

  void add(const Extremes& e) {
    low = smaller(low, e.low);
    high = larger(high, e.high);
  }
};

struct Scale {
  float scale;
  std::uint8_t zero;

  Scale(const Extremes& e, bool guarded) {
    const float range = e.high - e.low;
    scale = guarded && range == 0 ? 1 : range / 255;
    const float place = std::nearbyint(-(e.low / scale));
    zero = place >= 255 ? 255 : place > 0 ? static_cast<std::uint8_t>(place) : 0;
  }
};

/// Items are elements; the shared memory has the extremes of each tile.
struct Quantize {
  bool guarded;
  fused::Quotient quotient;
  Partition c;
  int rounds;

  Extremes extremes(const float* x, std::size_t tile) const {
    constexpr std::size_t cached = 4096;  // elements that are in L1 for the second reading
    Extremes e;
    const std::size_t end = std::min(c.count, (tile + 1) * c.each);
    for (std::size_t i = tile * c.each; i < end; i += cached) {
      const std::size_t n = std::min(cached, end - i);
      Extremes some;
      reduce_rows(Reduction::min, x + i, 1, n, &some.low);
      reduce_rows(Reduction::max, x + i, 1, n, &some.high);
      e.add(some);
    }
    return e;
  }
  void quantize(Range r, const Buffers& b) const {
    const auto* all = reinterpret_cast<const Extremes*>(b.shared);
    Extremes e;
    for (int t = 0; t < c.tiles(); ++t) e.add(all[t]);
    const Scale s(e, guarded);
    const std::size_t begin = c.begin(r), n = c.end(r) - begin;
    const float* x = b.in<float>() + begin;
    std::uint8_t* y = b.out<std::uint8_t>() + begin;
    if (quotient == fused::Quotient::exact) int8_quantize(x, n, s.scale, {.zero = s.zero}, y);
    else int8_quantize_quotient(x, n, s.scale, s.zero, y);
    if (r.begin > 0) return;
    *b.out<float>(1) = s.scale;
    *b.out<std::uint8_t>(2) = s.zero;
  }
  void run(Range r, const Buffers& b) const {
    if (r.round == 0)
      for (int t = r.begin; t < r.end; ++t)
        reinterpret_cast<Extremes*>(b.shared)[t] =
            extremes(b.in<float>(), static_cast<std::size_t>(t));
    if (r.round + 1 == rounds) quantize(r, b);
  }
};

}  // namespace

Lowering lower_dynamic_quantize(const fused::dynamicQuantizeLinear& op) {
  constexpr double cost = 4;
  Quantize q{.guarded = op.options.guarded,
             .quotient = op.options.quotient,
             .c = partition(element_count(op.input.shape()), cost, 64),
             .rounds = 2};
  const int tiles = q.c.tiles();
  if (tiles == 1) q.rounds = 1;
  return Candidate{.name = "dynamic quantization",
                   .tiles = tiles,
                   .rounds = q.rounds,
                   .shared = static_cast<std::size_t>(tiles) * sizeof(Extremes),
                   .run = [q](Range r, const Buffers& b, std::byte*) { q.run(r, b); }};
}

}  // namespace webnn::inline v0_1::simd
