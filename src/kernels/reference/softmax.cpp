#include <cmath>
#include <limits>

#include "src/kernels/reference/array.h"
#include "src/kernels/reference/kernels.h"

namespace webnn::reference {
namespace {

/// Input [outer, size, inner], normalized along the middle.
struct Sizes {
  std::size_t outer = 1, size, inner = 1;
};
constexpr std::size_t lanes = 16;  // of inner at a time

/// float keeps a power of e that float16 would round away.
template <class T> constexpr bool keeps = std::same_as<T, float>;

/// One sequence of neighbors. y may be x.
template <class T> void softmax(const T* x, T* y, std::size_t size) {
  const auto largest = static_cast<double>(array<float>(x, size).maxCoeff());
  const auto power = [largest](double v) { return std::exp(v - largest); };
  constexpr std::size_t block = 256;
  double sum = 0, values[block];
  for (std::size_t i = 0; i < size; i += block) {
    Array<double> e(values, Index(std::min(block, size - i)));
    e = array<double>(x + i, std::size_t(e.size())).unaryExpr(power);
    sum += e.sum();
    if (keeps<T>) store(e, y + i);
  }
  if (keeps<T>) store(array<double>(y, size) / sum, y);
  else store(array<double>(x, size).unaryExpr(power) / sum, y);
}

/// n neighboring sequences.
template <class T> void softmax(const T* x, T* y, const Sizes& s, std::size_t n) {
  using Lanes = Eigen::Array<double, Eigen::Dynamic, 1, 0, lanes, 1>;
  const auto each = [&](auto&& f) {
    for (std::size_t i = 0; i < s.size; ++i) f(array<double>(x + i * s.inner, n), y + i * s.inner);
  };
  const auto power = [](const auto& v, const Lanes& largest) {
    return (v - largest).unaryExpr([](double d) { return std::exp(d); });
  };
  Lanes largest = Lanes::Constant(Index(n), -std::numeric_limits<double>::infinity());
  Lanes sums = Lanes::Zero(Index(n));
  each([&](const auto& v, T*) {
    largest = largest.binaryExpr(v, [](double a, double b) { return std::max(a, b); });
  });
  each([&](const auto& v, T* to) {
    const Lanes e = power(v, largest);
    sums += e;
    if (keeps<T>) store(e, to);
  });
  each([&](const auto& v, T* to) {
    if (keeps<T>) store(array<double>(to, n) / sums, to);
    else store(power(v, largest) / sums, to);
  });
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
    return Kernel{.name = "eigen reduction",
                  .tiles = c.tiles(),
                  .in_place = {0},
                  .run = [c, s, blocks](Range r, const Buffers& b, std::byte*) {
                    for (std::size_t i = c.begin(r); i < c.end(r); ++i) {
                      const std::size_t first = i % blocks * lanes;
                      const std::size_t at = i / blocks * s.size * s.inner + first;
                      if (s.inner == 1) softmax(b.in<T>() + at, b.out<T>() + at, s.size);
                      else
                        softmax(b.in<T>() + at, b.out<T>() + at, s,
                                std::min(lanes, s.inner - first));
                    }
                  }};
  });
}

}  // namespace

Table<ops::SoftmaxSection> kernels(ops::SoftmaxSection) {
  return table<ops::SoftmaxSection>([](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
