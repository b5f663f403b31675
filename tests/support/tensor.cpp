#include "tests/support/tensor.h"

#include <limits>
#include <stdexcept>

#include "src/kernels/common/dispatch_type.h"

namespace webnn::inline v0_1::test {
namespace {

template <class T> T rounded(double v) {
  if constexpr (std::is_integral_v<T>) {
    const T t = static_cast<T>(v);
    if (static_cast<double>(t) != v) throw std::logic_error("a test's value is not in its type");
    return t;
  } else if constexpr (std::is_same_v<T, Float16>) {
    return T(static_cast<float>(MLNumber(v).to(float16).as_double()));
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return T(static_cast<float>(MLNumber(v).to(bfloat16).as_double()));
  } else if constexpr (std::is_same_v<T, Float8E4M3>) {
    return T(static_cast<float>(MLNumber(v).to(float8e4m3).as_double()));
  } else {
    return static_cast<T>(v);
  }
}

}  // namespace

std::size_t Tensor::size() const { return static_cast<std::size_t>(element_count(shape)); }

double Tensor::operator[](std::size_t i) const {
  if (bits_of(type) == 4) {
    const int low_or_high = std::to_integer<int>(bytes[i / 2]) / (i % 2 == 0 ? 1 : 16) % 16;
    return type == int4 && low_or_high >= 8 ? low_or_high - 16 : low_or_high;
  }
  return dispatch_every_type<types::any>(
      type, [&]<class T>() { return static_cast<double>(static_cast<Compute<T>>(as<T>()[i])); });
}

void Tensor::set(std::size_t i, double value) {
  if (bits_of(type) == 4) {
    const int bits = (rounded<int>(value) + 16) % 16, old = std::to_integer<int>(bytes[i / 2]);
    bytes[i / 2] = static_cast<std::byte>(i % 2 == 0 ? old / 16 * 16 + bits : old % 16 + bits * 16);
    return;
  }
  dispatch_every_type<types::any>(type, [&]<class T>() { as<T>()[i] = rounded<T>(value); });
}

Tensor filled(MLOperandDataType type, Dims shape, double value) {
  return generated(type, std::move(shape), [value](const Dims&) { return value; });
}

Tensor tensor(MLOperandDataType type, Dims shape, const std::vector<double>& values) {
  if (values.size() != element_count(shape))
    throw std::logic_error("a test's tensor has not its size");
  std::size_t i = 0;
  return generated(type, std::move(shape), [&](const Dims&) { return values[i++]; });
}

Tensor generated(MLOperandDataType type, Dims shape, const std::function<double(const Dims&)>& f) {
  Tensor t{type, std::move(shape), {}};
  t.bytes.resize(static_cast<std::size_t>(byte_length(t.descriptor())));
  std::size_t i = 0;
  for_each_place(t.shape, [&](const Dims& at) { t.set(i++, f(at)); });
  return t;
}

Tensor integers(MLOperandDataType type, Dims shape, const std::vector<std::int64_t>& values) {
  Tensor t = filled(type, std::move(shape), 0);
  if (values.size() != t.size()) throw std::logic_error("a test's tensor has not its size");
  dispatch_every_type<types::any>(type, [&]<class T>() {
    if constexpr (std::is_integral_v<T>)
      for (std::size_t i = 0; i < values.size(); ++i) t.as<T>()[i] = static_cast<T>(values[i]);
  });
  return t;
}

double lowest_of(MLOperandDataType type) {
  if (is_float(type)) return -highest_of(type);
  if (bits_of(type) == 4) return type == int4 ? -8 : 0;
  return dispatch_every_type<types::any>(type, []<class T>() {
    return static_cast<double>(std::numeric_limits<Compute<T>>::lowest());
  });
}

double highest_of(MLOperandDataType type) {
  if (type == float16) return 65504;
  if (type == bfloat16) return 0x1.fep127;
  if (type == float8e4m3) return 448;
  if (bits_of(type) == 4) return type == int4 ? 7 : 15;
  return dispatch_every_type<types::any>(
      type, []<class T>() { return static_cast<double>(std::numeric_limits<Compute<T>>::max()); });
}

}  // namespace webnn::inline v0_1::test
