// Caller's memory handed to compute(): typed views that do not own, in lists that do not allocate.
#pragma once

#include <initializer_list>
#include <ranges>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "webnn/bfloat16.h"
#include "webnn/data_type.h"
#include "webnn/float16.h"
#include "webnn/float8e4m3.h"

namespace webnn::inline v0_1 {

/// The data type whose elements a C++ type views; nothing for raw bytes and 16-bit patterns.
template <class T> constexpr std::optional<MLOperandDataType> viewed_type() {
  using enum MLOperandDataType;
  if constexpr (std::is_same_v<T, float>) return float32;
  else if constexpr (std::is_same_v<T, Float16>) return float16;
  else if constexpr (std::is_same_v<T, BFloat16>) return bfloat16;
  else if constexpr (std::is_same_v<T, Float8E4M3>) return float8e4m3;
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
    return std::is_signed_v<T> ? int64 : uint64;
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 4)
    return std::is_signed_v<T> ? int32 : uint32;
  else if constexpr (std::is_same_v<T, std::int8_t>) return int8;
  else return std::nullopt;
}
/// float, Float16, BFloat16, Float8E4M3, 8-, 32- and 64-bit integers; std::byte and std::uint8_t
/// view any data type, std::uint16_t the bits of float16 and bfloat16.
template <class T>
concept Element = viewed_type<T>()
.has_value() || std::is_same_v<T, std::byte> || std::is_same_v<T, std::uint8_t> ||
    std::is_same_v<T, std::uint16_t>;

/// A list given in braces, as a vector or as an array; valid for the call.
template <class T> class ListView : public std::span<const T> {
 public:
  ListView(std::initializer_list<T> list) : std::span<const T>(list.begin(), list.size()) {}
  ListView(const std::vector<T>& list) : std::span<const T>(list) {}
  ListView(std::span<const T> list) : std::span<const T>(list) {}
};

/// A contiguous range of elements, constant or not.
template <class Byte> class View {
 public:
  template <std::ranges::contiguous_range R,
            class T = std::remove_cvref_t<std::ranges::range_reference_t<R>>>
  requires Element<T> && std::ranges::sized_range<R> &&
      (std::is_const_v<Byte> ||
       !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<R>>>)View(R&& range)
      : data_(reinterpret_cast<Byte*>(std::ranges::data(range))),
        size_(std::ranges::size(range) * sizeof(T)),
        type_(viewed_type<T>()),
        bits_(std::is_same_v<T, std::uint16_t>) {}
  /// The elements of a tensor of that shape, which is valid as long as the view. An input with open
  /// dimensions needs it if the number of elements does not determine their sizes.
  template <std::ranges::contiguous_range R>
  View(R&& range, ListView<std::uint32_t> shape) : View(std::forward<R>(range)) {
    shape_ = shape;
  }

  Byte* data() const { return data_; }
  std::size_t size() const { return size_; }  ///< in bytes
  std::span<Byte> bytes() const { return {data_, size_}; }
  /// Whether elements of that type may be read from or written to it.
  bool views(MLOperandDataType type) const {
    return bits_ ? bits_of(type) == 16 : !type_ || *type_ == type;
  }
  std::optional<MLOperandDataType> type() const { return type_; }
  /// The shape, when it was given; it is never empty.
  std::span<const std::uint32_t> shape() const { return shape_; }

 private:
  Byte* data_;
  std::size_t size_;
  std::optional<MLOperandDataType> type_;
  bool bits_;
  std::span<const std::uint32_t> shape_{};
};
using InputView = View<const std::byte>;
using OutputView = View<std::byte>;

}  // namespace webnn::inline v0_1
