// A writer of .gguf files for tests, which also writes what a file must not have.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "webnn/gguf.h"

namespace webnn::inline v0_1::gguf {

using Bytes = std::vector<std::byte>;

template <class T> void put(Bytes& out, T value) {
  const std::size_t at = out.size();
  out.resize(at + sizeof(T));
  std::memcpy(out.data() + at, &value, sizeof(T));
}
inline void put(Bytes& out, std::string_view text) {
  put(out, static_cast<std::uint64_t>(text.size()));
  const auto bytes = std::as_bytes(std::span(text));
  out.insert(out.end(), bytes.begin(), bytes.end());
}
inline void put(Bytes& out, const std::string& text) { put(out, std::string_view(text)); }
inline void put(Bytes& out, const char* text) { put(out, std::string_view(text)); }

template <class T> constexpr std::uint32_t type_of() {
  if constexpr (std::is_same_v<T, std::uint8_t>) return 0;
  else if constexpr (std::is_same_v<T, std::int8_t>) return 1;
  else if constexpr (std::is_same_v<T, std::uint16_t>) return 2;
  else if constexpr (std::is_same_v<T, std::int16_t>) return 3;
  else if constexpr (std::is_same_v<T, std::uint32_t>) return 4;
  else if constexpr (std::is_same_v<T, std::int32_t>) return 5;
  else if constexpr (std::is_same_v<T, float>) return 6;
  else if constexpr (std::is_same_v<T, bool>) return 7;
  else if constexpr (std::is_same_v<T, std::uint64_t>) return 10;
  else if constexpr (std::is_same_v<T, std::int64_t>) return 11;
  else if constexpr (std::is_same_v<T, double>) return 12;
  else return 8;
}

class Writer {
 public:
  std::uint32_t version = 3, alignment = 32;

  template <class T> Writer& value(std::string_view key, const T& x) {
    put(entry(key), type_of<T>());
    put(entries_, x);
    return *this;
  }
  template <class T> Writer& array(std::string_view key, const std::vector<T>& values) {
    put(entry(key), std::uint32_t{9});
    put(entries_, type_of<T>());
    put(entries_, static_cast<std::uint64_t>(values.size()));
    for (const T& x : values) put(entries_, x);
    return *this;
  }
  /// An entry whose type and value are given as bytes.
  Writer& raw(std::string_view key, const Bytes& bytes) {
    entry(key).insert(entries_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  /// The shape is row-major.
  Writer& tensor(std::string_view name, TensorType type, const std::vector<std::uint64_t>& shape,
                 const Bytes& bytes) {
    data_.resize((data_.size() + alignment - 1) / alignment * alignment);
    describe(name, static_cast<std::uint32_t>(type), shape, data_.size());
    data_.insert(data_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  Writer& describe(std::string_view name, std::uint32_t type,
                   const std::vector<std::uint64_t>& shape, std::uint64_t offset) {
    put(tensors_, name);
    put(tensors_, static_cast<std::uint32_t>(shape.size()));
    for (std::size_t i = shape.size(); i-- > 0;) put(tensors_, shape[i]);
    put(tensors_, type);
    put(tensors_, offset);
    ++tensor_count;
    return *this;
  }
  Bytes bytes() const {
    Bytes out;
    for (const char c : {'G', 'G', 'U', 'F'}) put(out, c);
    put(out, version);
    put(out, tensor_count);
    put(out, entry_count);
    out.insert(out.end(), entries_.begin(), entries_.end());
    out.insert(out.end(), tensors_.begin(), tensors_.end());
    if (!data_.empty()) out.resize((out.size() + alignment - 1) / alignment * alignment);
    out.insert(out.end(), data_.begin(), data_.end());
    return out;
  }

  std::uint64_t entry_count = 0, tensor_count = 0;

 private:
  Bytes& entry(std::string_view key) {
    ++entry_count;
    put(entries_, key);
    return entries_;
  }

  Bytes entries_{}, tensors_{}, data_{};
};

}  // namespace webnn::inline v0_1::gguf
