// A tensor of a test: a descriptor and its bytes, made from and read as doubles.
#pragma once

#include <functional>
#include <string>

#include "tests/support/coordinates.h"
#include "webnn/float16.h"
#include "webnn/operand.h"

namespace webnn::inline v0_1::test {

struct Tensor {
  MLOperandDataType type = float32;
  Dims shape{};
  std::vector<std::byte> bytes{};

  MLOperandDescriptor descriptor() const { return {type, shape}; }
  std::size_t size() const;
  template <class T> const T* as() const { return reinterpret_cast<const T*>(bytes.data()); }
  template <class T> T* as() { return reinterpret_cast<T*>(bytes.data()); }
  /// The element; 64-bit integers of more than 53 bits are rounded.
  double operator[](std::size_t i) const;
  double at(const Dims& place) const { return (*this)[place_in(shape, place)]; }
  /// The element that counts there when this is broadcast.
  double broadcast_at(const Dims& place) const { return (*this)[broadcast_place_in(shape, place)]; }
  /// Rounds to the nearest value of the data type. An integer must hold the value.
  void set(std::size_t i, double value);
};

/// From doubles, each rounded to the nearest value of the type.
Tensor tensor(MLOperandDataType type, Dims shape, const std::vector<double>& values);
/// All elements alike.
Tensor filled(MLOperandDataType type, Dims shape, double value);
/// From f(place).
Tensor generated(MLOperandDataType type, Dims shape, const std::function<double(const Dims&)>& f);
/// Exactly, for integers of 64 bits.
Tensor integers(MLOperandDataType type, Dims shape, const std::vector<std::int64_t>& values);

/// The least and the largest value of an integer type; of a float type the largest finite ones.
double lowest_of(MLOperandDataType type);
double highest_of(MLOperandDataType type);

/// f(type) for each of the set.
template <class F> void for_each_type(DataTypes types, F&& f) {
  for (int i = 0; i < 8; ++i)
    if (const auto t = static_cast<MLOperandDataType>(i); types.contains(t)) f(t);
}

}  // namespace webnn::inline v0_1::test
