// Numbers and texts one after the other, little-endian. Private.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/graph/failure.h"

namespace webnn::inline v0_1::compiled {

[[noreturn]] inline void damaged(std::string_view what) {
  raise({"it is damaged: " + std::string(what), ErrorName::DataError}, "load");
}

class Writer {
 public:
  template <class T> void put(T v) {
    static_assert(std::is_integral_v<T> || std::is_enum_v<T>);
    const auto from = std::as_bytes(std::span(&v, 1));
    bytes_.insert(bytes_.end(), from.begin(), from.end());
  }
  void count(std::size_t n) { put(static_cast<std::uint32_t>(n)); }
  void text(std::string_view s) {
    count(s.size());
    const auto from = std::as_bytes(std::span(s));
    bytes_.insert(bytes_.end(), from.begin(), from.end());
  }
  void texts(const std::vector<std::string>& all) {
    count(all.size());
    for (const std::string& s : all) text(s);
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_{};
};

/// Throws a DataError at the end of the bytes.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <class T> T get() {
    static_assert(std::is_integral_v<T>);
    T v;
    std::memcpy(&v, take(sizeof v).data(), sizeof v);
    return v;
  }
  bool flag() {
    const auto v = get<std::uint8_t>();
    if (v > 1) damaged("a flag is neither 0 nor 1");
    return v == 1;
  }
  /// How many things follow that have at least one byte each, up to a limit.
  std::size_t count(std::size_t most = ~std::size_t{0}) {
    const std::size_t n = get<std::uint32_t>();
    if (n > rest_.size() || n > most) damaged("a count is too large");
    return n;
  }
  std::string text() {
    const auto from = take(count());
    return {reinterpret_cast<const char*>(from.data()), from.size()};
  }
  std::vector<std::string> texts() {
    std::vector<std::string> all;
    for (std::size_t n = count(); n > 0; --n) all.push_back(text());
    return all;
  }
  void end() const {
    if (!rest_.empty()) damaged("the graph has bytes beyond its end");
  }

 private:
  std::span<const std::byte> take(std::size_t n) {
    if (n > rest_.size()) damaged("the graph ends too early");
    const auto taken = rest_.first(n);
    rest_ = rest_.subspan(n);
    return taken;
  }

  std::span<const std::byte> rest_;
};

}  // namespace webnn::inline v0_1::compiled
