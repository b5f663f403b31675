// Kernels that compute each element of the result from the elements at the same place.
#pragma once

#include <cmath>

#include "src/kernels/common/loop.h"
#include "src/kernels/reference/kernels.h"

namespace webnn::reference {

/// Integer arithmetic wraps, as the contract says; signed overflow would be undefined.
template <class T> constexpr T wrapping_negate(T v) {
  if constexpr (std::is_integral_v<T>) return static_cast<T>(-static_cast<std::uint64_t>(v));
  else return -v;
}

/// An attribute as its operator uses it: converted to the data type of the operand.
inline double coefficient(double value, const MLOperand& x) {
  return MLNumber(value).to(x.dataType()).as_double();
}

/// y[i] = f(x[i]) for i < n; y may be x. The loops vectorize: the first is never in place.
template <class T, class Y, class F> void map(const T* x, Y* y, std::size_t n, F f) {
  const auto g = [&](T v) {
    return static_cast<Y>(static_cast<Compute<Y>>(f(static_cast<Compute<T>>(v))));
  };
  if (static_cast<const void*>(x) != y) {
    for (std::size_t i = 0; i < n; ++i) y[i] = g(x[i]);
  } else if constexpr (std::same_as<T, Y>) {
    for (std::size_t i = 0; i < n; ++i) y[i] = g(y[i]);
  }
}

/// y = f(x) for each element, in the compute type of the data type; results of type Y, or of the
/// operand's. `cost`: operations of one f.
template <DataTypes Allowed, class Y = void, class F>
Kernel elementwise(const MLOperand& x, F f, double cost = 4) {
  const Partition c = partition(element_count(x.shape()), cost, 64);
  return dispatch_type<Allowed>(x.dataType(), [&]<class T>() {
    using Result = std::conditional_t<std::is_void_v<Y>, T, Y>;
    Kernel k{.name = "loop", .tiles = c.tiles()};
    if constexpr (std::same_as<T, Result>) k.in_place = {0};
    k.run = [c, f](Range r, const Buffers& b, std::byte*) {
      const std::size_t begin = c.begin(r);
      map(b.in<T>() + begin, b.out<Result>() + begin, c.end(r) - begin, f);
    };
    return k;
  });
}

/// y = f(a, b) with the two broadcast to the result's shape; results of type Y, or of the
/// operands'.
template <DataTypes Allowed, class Y = void, class F>
Kernel elementwise(const MLOperand& a, const MLOperand& b, const MLOperand& y, F f,
                   double cost = 4) {
  const Dims& shape = y.shape();
  const Loop<2> loop(shape,
                     {broadcast_strides(a.shape(), shape), broadcast_strides(b.shape(), shape)});
  const Partition c = partition(element_count(shape), cost, 64);
  Kernel k{.name = "loop", .tiles = c.tiles()};
  const std::size_t width = static_cast<std::size_t>(bits_of(y.dataType()));
  if (width == static_cast<std::size_t>(bits_of(a.dataType()))) {
    if (a.shape() == shape) k.in_place.push_back(0);
    if (b.shape() == shape) k.in_place.push_back(1);
  }
  k.run = dispatch_type<Allowed>(a.dataType(), [&]<class T>() -> decltype(k.run) {
    using Result = std::conditional_t<std::is_void_v<Y>, T, Y>;
    return [c, f, loop](Range r, const Buffers& buffers, std::byte*) {
      const T *pa = buffers.in<T>(0), *pb = buffers.in<T>(1);
      Result* py = buffers.out<Result>();
      using C = Compute<T>;
      loop.run_elements(c.begin(r), c.end(r), [&](std::size_t i, const auto& at, std::size_t n) {
        const T *x = pa + at[0], *z = pb + at[1];
        Result* out = py + i;
        const auto each = [&](std::ptrdiff_t sx, std::ptrdiff_t sz) {
          for (std::size_t k = 0; k < n; ++k) {
            const auto s = static_cast<std::ptrdiff_t>(k);
            out[k] = static_cast<Result>(static_cast<Compute<Result>>(
                f(static_cast<C>(x[s * sx]), static_cast<C>(z[s * sz]))));
          }
        };
        // Constant strides, so that the compiler can vectorize.
        if (loop.step[0] == 1 && loop.step[1] == 1) each(1, 1);
        else if (loop.step[0] == 0 && loop.step[1] == 1) each(0, 1);
        else if (loop.step[0] == 1 && loop.step[1] == 0) each(1, 0);
        else each(loop.step[0], loop.step[1]);
      });
    };
  });
  return k;
}

}  // namespace webnn::reference
