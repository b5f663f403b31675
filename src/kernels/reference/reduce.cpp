#include <type_traits>

#include "src/kernels/reference/fold.h"
#include "src/kernels/reference/kernels.h"
#include "src/kernels/reference/reduced_loops.h"

namespace webnn::inline v0_1::reference {
namespace {

// Several partial results are kept side by side: of neighboring elements of one result where the
// innermost dimension is reduced, of neighboring results where it is kept.

/// The elements of a run, a whole number of groups of N, joined to N partial results. Not inlined,
/// where the partial results would no longer be one array in memory.
template <class F, class T, int N>
[[gnu::noinline]] void join_groups(const F& f, const T* from, std::size_t n,
                                   Fixed<typename F::Result, N>& all) {
  Fixed<typename F::Result, N> a = all;
  for (std::size_t k = 0; k < n; k += N)
    a = F::join(a,
                Eigen::Map<const Fixed<T, N>>(from + k).unaryExpr([&f](T v) { return f.term(v); }));
  all = a;
}

/// One result.
template <class F, class T> auto reduce_one(const F& f, const Loop<1>& terms, const T* x) {
  using Result = typename F::Result;
  constexpr std::size_t parts = F::parts;
  const auto term = [&f](T v) { return f.term(v); };
  const auto stride = static_cast<std::size_t>(terms.step[0]);
  const bool wide_runs = stride == 1 && terms.inner >= 2 * parts;
  auto all = Fixed<Result, parts>::Constant(F::start).eval();
  auto rest = Fixed<Result, 1>::Constant(F::start).eval();
  terms.run(0, terms.rows, [&](std::size_t, const auto& at) {
    const T* from = x + at[0];
    std::size_t k = 0;
    if (wide_runs) {
      k = terms.inner / parts * parts;
      join_groups(f, from, k, all);
    }
    for (; k < terms.inner; ++k)
      rest = F::join(rest, Eigen::Map<const Fixed<T, 1>>(from + k * stride).unaryExpr(term));
  });
  if (wide_runs) {
    const auto four = [&](Index i) { return all.template segment<4>(i); };
    Fixed<Result, 4> joined = F::join(four(0), four(4));
    if constexpr (parts == 16) joined = F::join(joined, F::join(four(8), four(12)).eval());
    for (Index p = 0; p < 4; ++p) rest = F::join(rest, joined.template segment<1>(p));
  }
  return rest[0];
}
template <class F, class T> T reduced(const Loop<1>& terms, const T* x) {
  const auto end = [&](const F& f) {
    return result_of<T>(f.end(reduce_one(f, terms, x), terms.rows * terms.inner));
  };
  if constexpr (std::is_constructible_v<F, double>)
    return end(F(reduce_one(Fold<ops::reduceMax, T>(), terms, x)));
  else return end(F());
}

/// Joins the terms of `count` rows of n neighboring elements to n sums; N is n or Eigen::Dynamic.
template <class F, int N, class T>
void join_rows(const T* from, std::ptrdiff_t step, std::size_t count, typename F::Result* sums,
               std::size_t n) {
  using Result = typename F::Result;
  using Sums = Eigen::Array<Result, N, 1, 0, (N < 0 ? 128 / sizeof(Result) : N), 1>;
  Eigen::Map<Eigen::Array<Result, N, 1>> all(sums, Index(n));
  Sums s = all;  // these stay in registers
  for (std::size_t k = 0; k < count; ++k, from += step)
    s = F::join(s, Eigen::Map<const Eigen::Array<T, N, 1>>(from, Index(n)).unaryExpr([](T v) {
      return F::term(v);
    }));
  all = s;
}

/// n neighboring results.
template <class F, class T>
void reduce_columns(const Loop<1>& terms, const T* x, T* y, std::size_t n) {
  if constexpr (std::is_constructible_v<F, double>) {  // what is summed differs
    constexpr std::size_t lanes = 16;
    for (; n > lanes; n -= lanes, x += lanes, y += lanes) reduce_columns<F>(terms, x, y, lanes);
    T largest[lanes];
    reduce_columns<Fold<ops::reduceMax, T>>(terms, x, largest, n);
    F f[lanes];
    double sums[lanes] = {};
    for (std::size_t l = 0; l < n; ++l) f[l] = F(wide(largest[l]));
    terms.run(0, terms.rows, [&](std::size_t, const auto& at) {
      const T* from = x + at[0];
      for (std::size_t k = 0; k < terms.inner; ++k, from += terms.step[0])
        for (std::size_t l = 0; l < n; ++l) sums[l] += f[l].term(from[l]);
    });
    for (std::size_t l = 0; l < n; ++l)
      y[l] = result_of<T>(f[l].end(sums[l], terms.rows * terms.inner));
  } else {
    using Result = typename F::Result;
    constexpr std::size_t lanes = 128 / sizeof(Result);  // what vector registers hold
    constexpr std::size_t columns = 128, rows = 16;      // elements that are read together
    for (std::size_t count; n > 0; n -= count, x += count, y += count) {
      count = std::min(n, columns);
      Result sums[columns];
      std::fill_n(sums, count, F::start);
      terms.run(0, terms.rows, [&](std::size_t, const auto& at) {
        for (std::size_t k = 0; k < terms.inner; k += rows) {
          const T* from = x + at[0] + static_cast<std::ptrdiff_t>(k) * terms.step[0];
          const std::size_t r = std::min(rows, terms.inner - k);
          std::size_t l = 0;
          for (; l + lanes <= count; l += lanes)
            join_rows<F, lanes>(from + l, terms.step[0], r, sums + l, lanes);
          if (l < count)
            join_rows<F, Eigen::Dynamic>(from + l, terms.step[0], r, sums + l, count - l);
        }
      });
      for (std::size_t l = 0; l < count; ++l)
        y[l] = result_of<T>(F::end(sums[l], terms.rows * terms.inner));
    }
  }
}

template <ops::FixedString N, DataTypes A>
Candidate make(const ops::Reduce<N, A>& op, const Node&) {
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
    return Candidate{.name = "eigen reduction",
                     .tiles = c.tiles(),
                     .run = [c, loops, runs](Range r, const Buffers& b, std::byte*) {
                       const auto part = [&](std::size_t i, const auto& at, std::size_t n) {
                         const T* x = b.in<T>() + at[0];
                         T* y = b.out<T>() + i;
                         if (!runs) return reduce_columns<F>(loops.reduced, x, y, n);
                         for (std::size_t k = 0; k < n; ++k, x += loops.kept.step[0])
                           y[k] = reduced<F>(loops.reduced, x);
                       };
                       loops.kept.run_elements(c.begin(r), c.end(r), part);
                     }};
  });
}

}  // namespace

Table<ops::ReduceSection> kernels(ops::ReduceSection s) {
  return table(s, [](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::inline v0_1::reference
