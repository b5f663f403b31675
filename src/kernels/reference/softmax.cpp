#include <cmath>
#include <limits>

#include "src/kernels/reference/kernels.h"

namespace webnn::reference {
namespace {

/// Input [outer, size, inner], normalized along the middle.
struct Sizes {
  std::size_t outer = 1, size, inner = 1;
};
constexpr std::size_t lanes = 16;  // of inner at a time

/// n neighboring sequences. y may be x.
template <class T> void softmax(const T* x, T* y, const Sizes& s, std::size_t n) {
  float largest[lanes];
  double sums[lanes]{};
  std::fill_n(largest, n, -std::numeric_limits<float>::infinity());
  for (std::size_t i = 0; i < s.size; ++i)
    for (std::size_t l = 0; l < n; ++l)
      largest[l] = std::max<float>(largest[l], x[i * s.inner + l]);
  const auto power = [&](std::size_t i, std::size_t l) {
    return std::exp(double{static_cast<float>(x[i * s.inner + l])} - double{largest[l]});
  };
  for (std::size_t i = 0; i < s.size; ++i)
    for (std::size_t l = 0; l < n; ++l) {
      const double e = power(i, l);
      sums[l] += e;
      if constexpr (std::same_as<T, float>) y[i * s.inner + l] = static_cast<float>(e);
    }
  for (std::size_t i = 0; i < s.size; ++i)
    for (std::size_t l = 0; l < n; ++l) {
      T& v = y[i * s.inner + l];
      // float keeps the power that float16 would round away.
      const double e = std::same_as<T, float> ? double{static_cast<float>(v)} : power(i, l);
      v = static_cast<T>(static_cast<float>(e / sums[l]));
    }
}

Kernel make(const ops::softmax& op, const Node&) {
  const Dims& in = op.input.shape();
  Sizes s{.size = in[op.axis]};
  for (std::size_t d = 0; d < op.axis; ++d) s.outer *= in[d];
  for (std::size_t d = op.axis + 1; d < in.size(); ++d) s.inner *= in[d];
  const std::size_t blocks = (s.inner + lanes - 1) / lanes;
  const Partition c =
      partition(s.outer * blocks,
                40.0 * static_cast<double>(s.size) * static_cast<double>(std::min(s.inner, lanes)));
  return dispatch_type<types::floats>(op.input.dataType(), [&]<class T>() {
    return Kernel{.name = "loop",
                  .tiles = c.tiles(),
                  .in_place = {0},
                  .run = [c, s, blocks](Range r, const Buffers& b, std::byte*) {
                    for (std::size_t i = c.begin(r); i < c.end(r); ++i) {
                      const std::size_t first = i % blocks * lanes;
                      const std::size_t at = i / blocks * s.size * s.inner + first;
                      softmax(b.in<T>() + at, b.out<T>() + at, s, std::min(lanes, s.inner - first));
                    }
                  }};
  });
}

}  // namespace

Table<ops::SoftmaxSection> kernels(ops::SoftmaxSection) {
  return table<ops::SoftmaxSection>([](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
