// Kernels that compute each element of the result from the elements at the same place: array
// expressions over blocks of all operands.
#pragma once

#include <cmath>

#include "src/kernels/common/loop.h"
#include "src/kernels/reference/elements.h"
#include "src/kernels/reference/kernels.h"

namespace webnn::inline v0_1::reference {

/// Integer arithmetic wraps, as the contract says; signed overflow would be undefined.
template <class T> struct WrappingType { using type = T; };
template <std::integral T> struct WrappingType<T> { using type = std::make_unsigned_t<T>; };
template <class T> using Wrapping = typename WrappingType<T>::type;
template <class T> constexpr T wrapping_negate(T v) {
  if constexpr (std::is_integral_v<T>) return static_cast<T>(-static_cast<std::uint64_t>(v));
  else return -v;
}

/// An attribute as its operator uses it: converted to the data type of the operand.
inline double coefficient(double value, const MLOperand& x) {
  return MLNumber(value).to(x.dataType()).as_double();
}

/// A function of arrays that calls f for each of their elements.
template <class F> constexpr auto each(F f) {
  return [f](const auto& x, const auto&... z) {
    if constexpr (sizeof...(z) == 0) return x.unaryExpr(f);
    else return x.binaryExpr(z..., f);
  };
}

using BlockLoop = Loop<1, std::size_t{2} * max_rank>;

/// A loop over the elements of a tensor of shape `to`, in order; its offset is that of the element
/// of a tensor of shape `from` which counts for them: for all along a dimension of size 1, else for
/// a block. Ones are added in front of `from`.
BlockLoop loop_over_blocks(Dims from, const Dims& to);

constexpr std::size_t all = std::numeric_limits<std::size_t>::max();

/// An operand as it is broadcast to the result, as arrays of type S.
template <class T, class S> class Reader {
 public:
  Reader(const BlockLoop& loop, const std::byte* data) : loop_(loop), data_(data) {
    whole_ = loop.rank == 0 && (loop.step[0] == 1 || loop.inner == 1);
    repeats_ = loop.rank == 1 && loop.strides[0][0] == 0 && loop.step[0] == 1 &&
               loop.inner <= capacity / 8;
    if (!repeats_) return;
    read(0, loop.inner, block_);
    for (std::size_t n = loop.inner; n < 2 * capacity; n *= 2)
      std::copy_n(block_, std::min(n, 2 * capacity - n), block_ + n);
  }
  /// How many elements from this one on can be read at a time.
  std::size_t available(std::size_t begin, const std::byte* result) const {
    if (direct(result)) return all;
    if (!std::same_as<S, T> || whole_ || repeats_ || loop_.step[0] != 1) return capacity;
    return std::max(capacity, loop_.inner - begin % loop_.inner);
  }
  /// n elements. Not an array over the result, which the compiler could not tell from it.
  ConstArray<S> operator()(std::size_t begin, std::size_t n, const std::byte* result) {
    const auto size = static_cast<Index>(n);
    if (repeats_) return {block_ + begin % loop_.inner, size};
    if (direct(result)) return {reinterpret_cast<const S*>(data_) + begin, size};
    if (begin >= filled_.first && begin + n <= filled_.second) return {block_, size};
    if (!whole_) return {read_rows(begin, n), size};
    read(begin, n, block_);
    return {block_, size};
  }

 private:
  static constexpr std::size_t capacity = 8192 / sizeof(S);  // for what cannot be read in place

  bool direct(const std::byte* result) const {
    return whole_ && std::same_as<S, T> && data_ != result;
  }
  void read(std::size_t from, std::size_t n, S* to) const { Elements<T>::read(data_, from, n, to); }
  const S* read_rows(std::size_t begin, std::size_t n) {
    const S* found = block_;
    const auto step = static_cast<std::size_t>(loop_.step[0]);
    if (step == 0 && loop_.rank == 1 && loop_.inner < n) {  // each of some elements several times
      const auto stride = static_cast<std::size_t>(loop_.strides[0][0]);
      std::size_t row = begin / loop_.inner, first = begin % loop_.inner;
      for (S *to = block_, *end = block_ + n; to < end; first = 0, ++row) {
        const std::size_t count = std::min(loop_.inner - first, std::size_t(end - to));
        read(row * stride, 1, to);
        to = std::fill_n(to + 1, count - 1, *to);
      }
      return block_;
    }
    loop_.run_elements(begin, begin + n, [&](std::size_t i, const auto& at, std::size_t count) {
      S* to = block_ + (i - begin);
      const auto from = static_cast<std::size_t>(at[0]);
      if (step == 1 && count == n && std::same_as<S, T>)
        found = reinterpret_cast<const S*>(data_) + from;
      else if (step == 1) read(from, count, to);
      else if (step == 0) read(from, 1, to), std::fill_n(to, count, *to);
      else
        for (std::size_t k = 0; k < count; ++k) read(from + k * step, 1, to + k);
      if (step == 0 && count == n) {  // all that the block can hold: the row may go on
        std::fill_n(block_, capacity, *to);
        filled_ = {begin, (begin / loop_.inner + 1) * loop_.inner};
      }
    });
    return found;
  }

  const BlockLoop& loop_;
  const std::byte* data_;
  bool whole_, repeats_;
  std::pair<std::size_t, std::size_t> filled_{};  // elements for which the block is filled
  alignas(64) S block_[2 * capacity];
};

/// An operand of a single element, as a constant expression.
template <class T, class S> class SingleReader {
 public:
  SingleReader(const BlockLoop&, const std::byte* data) { Elements<T>::read(data, 0, 1, &value_); }
  std::size_t available(std::size_t, const std::byte*) const { return all; }
  auto operator()(std::size_t, std::size_t n, const std::byte*) const {
    return ConstArray<S>::Constant(static_cast<Index>(n), value_);
  }

 private:
  S value_;
};

/// Long rows of the result for which one of two operands has a single element, if there are such.
struct ScalarRows {
  Loop<2> loop;
  int scalar = -1;  ///< which operand; -1: there are none

  ScalarRows(const MLOperand& y, const MLOperand& a, const MLOperand& b);
};

/// The operands of the result's shape and element size, which it may replace.
std::vector<int> replaceable(const MLOperand& y, std::initializer_list<const MLOperand*> x);

/// y = f(a, b), where along a row the one that is a single element is a constant expression.
template <class Y, class A, class B, class F>
Run scalar_rows_run(F f, const Partition& c, const std::array<BlockLoop, 2>& loops,
                    const ScalarRows& rows) {
  return [=](Range r, const Buffers& b, std::byte*) {
    std::byte* result = b.outputs[0];
    const auto run = [&](auto&& reader, auto value, auto evaluate) {
      rows.loop.run_elements(c.begin(r), c.end(r), [&](std::size_t i, const auto& at, auto count) {
        const auto constant = value(at);
        for (const std::size_t end = i + count; i < end;) {
          const std::size_t n = std::min(end - i, reader.available(i, result));
          const auto values = reader(i, n, result);
          Elements<Y>::set(evaluate(values, values.Constant(values.size(), constant)), result, i);
          i += n;
        }
      });
    };
    if (rows.scalar == 0)
      run(
          Reader<B, Compute<B>>(loops[1], b.inputs[1]),
          [&](const auto& at) { return static_cast<Compute<A>>(b.in<A>(0)[at[0]]); },
          [&](const auto& v, const auto& constant) { return f(constant, v); });
    else
      run(
          Reader<A, Compute<A>>(loops[0], b.inputs[0]),
          [&](const auto& at) { return static_cast<Compute<B>>(b.in<B>(1)[at[1]]); },
          [&](const auto& v, const auto& constant) { return f(v, constant); });
  };
}

/// y = f(x...); the operand with the number `Single`, if there is one, has a single element.
template <int Single, class Y, class S, class... T, class F>
Run array_run(F f, const Partition& c, const std::array<BlockLoop, sizeof...(T)>& loops) {
  return [=](Range r, const Buffers& b, std::byte*) {
    const auto evaluate = [&](auto&&... reader) {
      std::byte* result = b.outputs[0];
      for (std::size_t i = c.begin(r), n; i < c.end(r); i += n) {
        n = std::min({c.end(r) - i, reader.available(i, result)...});
        Elements<Y>::set(f(reader(i, n, result)...), result, i);
      }
    };
    const auto reader = [&]<class A, std::size_t I>() {
      using V = std::conditional_t<std::is_void_v<S>, Compute<A>, S>;
      using R = std::conditional_t<int(I) == Single, SingleReader<A, V>, Reader<A, V>>;
      return R(loops[I], b.inputs[I]);
    };
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      evaluate(reader.template operator()<T, I>()...);
    }
    (std::index_sequence_for<T...>());
  };
}

/// y = f(x...) for operands of the types T, broadcast to y, as arrays of type S or, if it is void,
/// of their compute types. `cost`: operations of one element. A tile begins at a multiple of 64
/// elements, so that no two ranges share a byte.
template <class Y, class S, class... T, class F, class... X>
Candidate array_kernel(F f, double cost, const MLOperand& y, const X&... x) {
  const Partition c = partition(element_count(y.shape()), cost, 64);
  const std::array loops{loop_over_blocks(x.shape(), y.shape())...};
  Candidate k{.name = "eigen array", .tiles = c.tiles(), .in_place = replaceable(y, {&x...})};
  if constexpr (sizeof...(T) == 2 && std::is_void_v<S>)
    if (const ScalarRows rows(y, x...); rows.scalar >= 0) {
      k.run = scalar_rows_run<Y, T...>(f, c, loops, rows);
      return k;
    }
  k.run = array_run<-1, Y, S, T...>(f, c, loops);
  if constexpr (sizeof...(T) == 3 && std::is_void_v<S>) {
    const std::array single{element_count(x.shape()) == 1 ...};
    if (single[2]) k.run = array_run<2, Y, S, T...>(f, c, loops);
    else if (single[1]) k.run = array_run<1, Y, S, T...>(f, c, loops);
  }
  return k;
}

/// y = f(x, z...) for operands of one type; results of type Y, or of theirs. `Unsigned`: integers
/// are taken as unsigned ones.
template <DataTypes Allowed, class Y = void, bool Unsigned = false, class F, class... Z>
Candidate elementwise(F f, double cost, const MLOperand& y, const MLOperand& x, const Z&... z) {
  return dispatch_type<Allowed>(x.dataType(), [&]<class T>() {
    using A = std::conditional_t<Unsigned, Wrapping<T>, T>;
    using Result = std::conditional_t<std::is_void_v<Y>, A, Y>;
    if constexpr (sizeof...(Z) == 0) return array_kernel<Result, void, A>(f, cost, y, x);
    else return array_kernel<Result, void, A, A>(f, cost, y, x, z...);
  });
}
template <class Op, class F> Candidate elementwise(const Op& op, F f, double cost = 4) {
  return elementwise<input_types<Op>>(f, cost, op.input, op.input);
}

}  // namespace webnn::inline v0_1::reference
