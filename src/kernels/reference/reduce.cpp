#include "src/kernels/reference/fold.h"
#include "src/kernels/reference/kernels.h"
#include "src/kernels/reference/reduced_loops.h"

namespace webnn::reference {
namespace {

// Sums are kept in several lanes, which the compiler turns into vectors: neighboring elements of
// one sum where the innermost dimension is reduced, neighboring sums where it is kept.

template <class F, class T> T finish(typename F::Sum s, std::size_t n) {
  return static_cast<T>(static_cast<Compute<T>>(F::end(s, n)));
}

/// One result, its terms in runs of neighbors.
template <class F, class T> T reduce_runs(const Loop<1>& terms, const T* x) {
  constexpr std::size_t lanes = 16;
  using Sum = typename F::Sum;
  Sum rest = F::start;
  if (terms.inner < 2 * lanes) {
    terms.run(0, terms.rows, [&](std::size_t, const auto& at) {
      for (std::size_t k = 0; k < terms.inner; ++k)
        rest = F::step(rest, x[at[0] + static_cast<std::ptrdiff_t>(k)]);
    });
    return finish<F, T>(rest, terms.rows * terms.inner);
  }
  Sum sums[lanes];
  std::fill_n(sums, lanes, F::start);
  terms.run(0, terms.rows, [&](std::size_t, const auto& at) {
    const T* from = x + at[0];
    std::size_t k = 0;
    for (; k + lanes <= terms.inner; k += lanes)
      for (std::size_t l = 0; l < lanes; ++l) sums[l] = F::step(sums[l], from[k + l]);
    for (; k < terms.inner; ++k) rest = F::step(rest, from[k]);
  });
  for (const Sum& s : sums) rest = F::join(rest, s);
  return finish<F, T>(rest, terms.rows * terms.inner);
}

/// n neighboring results, from neighboring elements.
template <class F, class T>
void reduce_columns(const Loop<1>& terms, const T* x, T* y, std::size_t n) {
  constexpr std::size_t lanes = 64;
  for (std::size_t first = 0; first < n; first += lanes) {
    const std::size_t count = std::min(lanes, n - first);
    typename F::Sum sums[lanes];
    std::fill_n(sums, count, F::start);
    terms.run(0, terms.rows, [&](std::size_t, const auto& at) {
      const T* from = x + at[0] + first;
      for (std::size_t k = 0; k < terms.inner; ++k, from += terms.step[0])
        for (std::size_t l = 0; l < count; ++l) sums[l] = F::step(sums[l], from[l]);
    });
    for (std::size_t l = 0; l < count; ++l)
      y[first + l] = finish<F, T>(sums[l], terms.rows * terms.inner);
  }
}

template <ops::FixedString N, DataTypes A> Kernel make(const ops::Reduce<N, A>& op, const Node&) {
  const Dims& shape = op.input.shape();
  Dims axes;
  for (std::uint32_t d = 0; d < shape.size(); ++d) axes.push_back(d);
  if (op.options.axes) axes = *op.options.axes;
  const auto loops = reduced_loops<1>(shape, axes, {strides_of(shape)});
  const bool runs = loops.terms() > 1 && loops.reduced.step[0] == 1;
  const Partition c =
      partition(loops.outputs(), static_cast<double>(loops.terms()) + 4, runs ? 1 : 64);
  return dispatch_type<A>(op.input.dataType(), [&]<class T>() {
    using F = Fold<ops::Reduce<N, A>, T>;
    return Kernel{.name = runs ? "reduce rows" : "reduce columns",
                  .tiles = c.tiles(),
                  .run = [c, loops, runs](Range r, const Buffers& b, std::byte*) {
                    const auto part = [&](std::size_t i, const auto& at, std::size_t n) {
                      const T* x = b.in<T>() + at[0];
                      T* y = b.out<T>() + i;
                      if (!runs) return reduce_columns<F>(loops.reduced, x, y, n);
                      for (std::size_t k = 0; k < n; ++k, x += loops.kept.step[0])
                        y[k] = reduce_runs<F>(loops.reduced, x);
                    };
                    loops.kept.run_elements(c.begin(r), c.end(r), part);
                  }};
  });
}

}  // namespace

Table<ops::ReduceSection> kernels(ops::ReduceSection) {
  return table<ops::ReduceSection>([](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
