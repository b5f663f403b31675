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

/// One sequence of neighbors, with memory for its powers of e. y may be x.
template <class T> void softmax(const T* x, T* y, std::size_t size, double* memory) {
  const auto largest = static_cast<double>(array<float>(x, size).maxCoeff());
  Array<double> e(memory, Index(size));
  e = array<double>(x, size).unaryExpr([=](double v) { return std::exp(v - largest); });
  store(e / e.sum(), y);
}

/// n neighboring sequences.
template <class T> void softmax(const T* x, T* y, const Sizes& s, std::size_t n, double* memory) {
  using Lanes = Eigen::Array<double, Eigen::Dynamic, 1, 0, lanes, 1>;
  Lanes largest = Lanes::Constant(Index(n), -std::numeric_limits<double>::infinity());
  Lanes sums = Lanes::Zero(Index(n));
  for (std::size_t i = 0; i < s.size; ++i)
    largest = largest.binaryExpr(array<double>(x + i * s.inner, n),
                                 [](double a, double b) { return std::max(a, b); });
  for (std::size_t i = 0; i < s.size; ++i) {
    Array<double> e(memory + i * n, Index(n));
    e = (array<double>(x + i * s.inner, n) - largest).unaryExpr([](double v) {
      return std::exp(v);
    });
    sums += e;
  }
  for (std::size_t i = 0; i < s.size; ++i)
    store(ConstArray<double>(memory + i * n, Index(n)) / sums, y + i * s.inner);
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
                  .scratch = sizeof(double) * s.size * std::min(s.inner, lanes),
                  .in_place = {0},
                  .run = [c, s, blocks](Range r, const Buffers& b, std::byte* scratch) {
                    auto* memory = reinterpret_cast<double*>(scratch);
                    for (std::size_t i = c.begin(r); i < c.end(r); ++i) {
                      const std::size_t first = i % blocks * lanes;
                      const std::size_t at = i / blocks * s.size * s.inner + first;
                      const std::size_t n = std::min(lanes, s.inner - first);
                      const T* x = b.in<T>() + at;
                      if (s.inner == 1) softmax(x, b.out<T>() + at, s.size, memory);
                      else softmax(x, b.out<T>() + at, s, n, memory);
                    }
                  }};
  });
}

}  // namespace

Table<ops::SoftmaxSection> kernels(ops::SoftmaxSection s) {
  return table(s, [](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
