// Random tensors and shapes that are the same in every run and with every standard library.
#pragma once

#include "tests/support/tensor.h"

namespace webnn::inline v0_1::test {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 2 + 1) {}

  std::uint64_t next();
  double uniform(double low, double high);
  /// An integer, both ends included.
  std::uint32_t integer(std::uint32_t low, std::uint32_t high);

  /// Elements between low and high; whole numbers for an integer type.
  Tensor tensor(MLOperandDataType type, Dims shape, double low = -4, double high = 4);
  Dims shape(std::size_t rank, std::uint32_t largest = 5);
  /// A shape that broadcasts to the given one: some dimensions are 1, some leading ones missing.
  Dims broadcastable(const Dims& to);

 private:
  std::uint64_t state_;
};

}  // namespace webnn::inline v0_1::test
