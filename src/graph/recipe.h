// What a derived constant follows from besides its sources, as bytes that are compared.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "webnn/operand.h"

namespace webnn::inline v0_1 {

class Op;

class Recipe {
 public:
  /// `name`: of the function, which no other has.
  explicit Recipe(std::string_view name) { *this << name; }

  template <class T>
  requires std::integral<T> || std::is_enum_v<T> Recipe& operator<<(T number) {
    return append(static_cast<std::uint64_t>(number));
  }
  Recipe& operator<<(double number) { return append(std::bit_cast<std::uint64_t>(number)); }
  Recipe& operator<<(std::string_view text) {
    append(text.size());
    text_ += text;
    return *this;
  }
  template <class T> Recipe& operator<<(const std::vector<T>& list) {
    append(list.size());
    for (const T& x : list) *this << x;
    return *this;
  }
  Recipe& operator<<(const MLOperandDescriptor& d) { return *this << d.dataType << d.shape; }
  /// The kind, all attributes but the label, and how many operands each row has.
  Recipe& operator<<(const Op& op);

  const std::string& text() const { return text_; }

 private:
  Recipe& append(std::uint64_t number) {
    text_.append(reinterpret_cast<const char*>(&number), sizeof number);
    return *this;
  }
  std::string text_{};
};

}  // namespace webnn::inline v0_1
