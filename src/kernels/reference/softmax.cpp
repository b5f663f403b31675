#include <cmath>
#include <limits>

#include "src/kernels/reference/array.h"
#include "src/kernels/reference/kernels.h"
#include "src/kernels/reference/lanes.h"

namespace webnn::inline v0_1::reference {
namespace {

constexpr std::size_t together = 16;  // lanes at a time

/// One sequence of neighbors, with memory for its powers of e. y may be x.
template <class T> void softmax(const T* x, T* y, std::size_t size, double* memory) {
  const auto largest = static_cast<double>(array<float>(x, size).maxCoeff());
  Array<double> e(memory, Index(size));
  e = array<double>(x, size).unaryExpr([=](double v) { return std::exp(v - largest); });
  store(e / e.sum(), y);
}

/// n neighboring sequences.
template <class T> void softmax(const T* x, T* y, const Lanes& s, std::size_t n, double* memory) {
  using Values = Eigen::Array<double, Eigen::Dynamic, 1, 0, together, 1>;
  Values largest = Values::Constant(Index(n), -std::numeric_limits<double>::infinity());
  Values sums = Values::Zero(Index(n));
  for (std::size_t i = 0; i < s.size; ++i)
    largest = largest.binaryExpr(array<double>(x + i * s.after, n),
                                 [](double a, double b) { return std::max(a, b); });
  for (std::size_t i = 0; i < s.size; ++i) {
    Array<double> e(memory + i * n, Index(n));
    e = (array<double>(x + i * s.after, n) - largest).unaryExpr([](double v) {
      return std::exp(v);
    });
    sums += e;
  }
  for (std::size_t i = 0; i < s.size; ++i)
    store(ConstArray<double>(memory + i * n, Index(n)) / sums, y + i * s.after);
}

}  // namespace

Candidate make(const ops::softmax& op, const Node&) {
  const Lanes s(op.input.shape(), op.axis);
  const std::size_t blocks = (s.after + together - 1) / together;
  const Partition c =
      partition(s.before * blocks, 40.0 * static_cast<double>(s.size) *
                                       static_cast<double>(std::min(s.after, together)));
  return dispatch_type<types::floats>(op.input.dataType(), [&]<class T>() {
    return Candidate{.name = "eigen reduction",
                     .tiles = c.tiles(),
                     .scratch = sizeof(double) * s.size * std::min(s.after, together),
                     .in_place = {0},
                     .run = [c, s, blocks](Range r, const Buffers& b, std::byte* scratch) {
                       auto* memory = reinterpret_cast<double*>(scratch);
                       for (std::size_t i = c.begin(r); i < c.end(r); ++i) {
                         const std::size_t first = i % blocks * together;
                         const std::size_t at = i / blocks * s.size * s.after + first;
                         const std::size_t n = std::min(together, s.after - first);
                         const T* x = b.in<T>() + at;
                         if (s.after == 1) softmax(x, b.out<T>() + at, s.size, memory);
                         else softmax(x, b.out<T>() + at, s, n, memory);
                       }
                     }};
  });
}

}  // namespace webnn::inline v0_1::reference
