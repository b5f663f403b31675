#include "tests/support/random.h"

#include <cmath>

namespace webnn::inline v0_1::test {

std::uint64_t Random::next() {  // splitmix64
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

double Random::uniform(double low, double high) {
  return low + (high - low) * static_cast<double>(next() >> 11) * 0x1p-53;
}

std::uint32_t Random::integer(std::uint32_t low, std::uint32_t high) {
  return low + static_cast<std::uint32_t>(next() % (std::uint64_t{high} - low + 1));
}

Tensor Random::tensor(MLOperandDataType type, Dims shape, double low, double high) {
  if (!is_float(type)) {
    low = std::max(std::ceil(low), lowest_of(type));
    high = std::min(high, highest_of(type));
  }
  return generated(type, std::move(shape), [&](const Dims&) {
    const double v = uniform(low, high);
    return is_float(type) ? v : std::max(low, std::floor(v + 0.5));
  });
}

Dims Random::shape(std::size_t rank, std::uint32_t largest) {
  Dims shape;
  for (std::size_t d = 0; d < rank; ++d) shape.push_back(integer(1, largest));
  return shape;
}

Dims Random::broadcastable(const Dims& to) {
  Dims shape(to.begin() + integer(0, static_cast<std::uint32_t>(to.size())), to.end());
  for (auto& d : shape)
    if (integer(0, 2) == 0) d = 1;
  return shape;
}

}  // namespace webnn::inline v0_1::test
