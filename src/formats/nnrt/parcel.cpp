// The parcels in which the interface passes attributes. A structure without lists and strings is
// written as its memory, others field by field: booleans in four bytes, enumerations in eight, a
// list as its count and its elements, a string as its bytes and a zero.
#include <cstring>
#include <type_traits>

#include "src/graph/failure.h"
#include "webnn/nnrt.h"

namespace webnn::inline v0_1::nnrt {
namespace {

template <class T> constexpr bool is_simple = std::is_arithmetic_v<T> || std::is_enum_v<T>;
template <class A> constexpr bool is_plain() {
  return std::apply(
      [](auto... f) {
        return (is_simple<std::remove_cvref_t<decltype(std::declval<A&>().*f.member)>> && ...);
      },
      A::fields);
}

class Writer {
 public:
  std::vector<std::byte> bytes{};

  template <class T> void raw(T v) {
    const auto* begin = reinterpret_cast<const std::byte*>(&v);
    bytes.insert(bytes.end(), begin, begin + sizeof v);
  }
  void align(std::size_t unit) {
    while (bytes.size() % unit) bytes.push_back({});
  }
  void field(bool v) { raw<std::int32_t>(v); }
  void field(float v) { raw(v); }
  void field(std::int64_t v) { raw(v); }
  template <class E>
  requires std::is_enum_v<E>
  void field(E v) { raw(static_cast<std::int64_t>(v)); }
  void field(const std::string& v) {
    for (const char c : v.substr(0, v.find('\0'))) bytes.push_back(static_cast<std::byte>(c));
    bytes.push_back({});
    align(4);
  }
  template <class T> void field(const std::vector<T>& list) {
    raw(static_cast<std::int32_t>(list.size()));
    for (const T& v : list) field(v);
  }
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T> T raw() {
    T v{};
    const auto from = take(sizeof v);
    std::memcpy(&v, from.data(), sizeof v);
    return v;
  }
  void align(std::size_t unit) { take((unit - at_ % unit) % unit); }
  void field(bool& v) { v = raw<std::int32_t>() != 0; }
  void field(float& v) { v = raw<float>(); }
  void field(std::int64_t& v) { v = raw<std::int64_t>(); }
  template <class E>
  requires std::is_enum_v<E>
  void field(E& v) { v = static_cast<E>(raw<std::int64_t>()); }
  void field(std::string& v) {
    for (char c = raw<char>(); c != 0; c = raw<char>()) v += c;
    align(4);
  }
  template <class T> void field(std::vector<T>& list) {
    list.resize(count());
    for (T& v : list) field(v);
  }
  /// Beyond what padding there may be, and the memory of an empty structure, nothing is left.
  bool ended() const { return bytes_.size() - at_ < (at_ == 0 ? 9 : 8); }

 private:
  /// How many elements follow, which have four bytes or more.
  std::size_t count() {
    const auto n = raw<std::int32_t>();
    if (n < 0 || static_cast<std::size_t>(n) > (bytes_.size() - at_) / 4)
      raise(
          {fail("a length ({}) exceeds the {} bytes that are left", n, bytes_.size() - at_).message,
           ErrorName::DataError},
          "nnrt");
    return static_cast<std::size_t>(n);
  }
  std::span<const std::byte> take(std::size_t size) {
    if (size > bytes_.size() - at_)
      raise({fail("the parcel has {} bytes, which are too few", bytes_.size()).message,
             ErrorName::DataError},
            "nnrt");
    const auto part = bytes_.subspan(at_, size);
    at_ += size;
    return part;
  }

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

/// Memory of the interface's structure: enumerations have one byte.
template <class T> constexpr std::size_t size_in_memory() {
  return std::is_enum_v<T> ? 1 : sizeof(T);
}

template <class A> void write(Writer& w, const A& attributes) {
  std::apply(
      [&](auto... f) {
        [[maybe_unused]] const auto one = [&](const auto& v) {
          using T = std::remove_cvref_t<decltype(v)>;
          if constexpr (is_plain<A>()) {
            w.align(size_in_memory<T>());
            if constexpr (std::is_enum_v<T>) w.raw(static_cast<std::int8_t>(v));
            else w.raw(v);
          } else {
            w.field(v);
          }
        };
        (one(attributes.*f.member), ...);
      },
      A::fields);
  // The generator aligns structures to 8 bytes.
  if constexpr (is_plain<A>()) {
    if (w.bytes.empty()) w.bytes.push_back({});
    w.align(8);
  }
}

template <class A> A read(Reader& r) {
  A attributes;
  std::apply(
      [&](auto... f) {
        [[maybe_unused]] const auto one = [&](auto& v) {
          using T = std::remove_cvref_t<decltype(v)>;
          if constexpr (is_plain<A>()) {
            r.align(size_in_memory<T>());
            if constexpr (std::is_enum_v<T>) v = static_cast<T>(r.raw<std::int8_t>());
            else if constexpr (std::is_same_v<T, bool>) v = r.raw<std::uint8_t>() != 0;
            else v = r.raw<T>();
          } else {
            r.field(v);
          }
        };
        (one(attributes.*f.member), ...);
      },
      A::fields);
  return attributes;
}

template <std::size_t I = 0> Attributes read_as(NodeType type, Reader& r) {
  if constexpr (I == std::variant_size_v<AnyAttributes>) {
    raise(
        {"the node type (" + name_of(type) + ") is not one of the interface", ErrorName::DataError},
        "nnrt");
  } else {
    using A = std::variant_alternative_t<I, AnyAttributes>;
    if (A::nodeType == type) return read<A>(r);
    return read_as<I + 1>(type, r);
  }
}

}  // namespace

std::vector<std::byte> to_parcel(const Attributes& attributes) {
  Writer w;
  std::visit([&](const auto& a) { write(w, a); }, attributes);
  return w.bytes;
}

Attributes from_parcel(NodeType type, std::span<const std::byte> bytes) {
  Reader r(bytes);
  Attributes a = read_as(type, r);
  if (!r.ended())
    raise({fail("the parcel has {} bytes, which are too many for {}", bytes.size(), name_of(type))
               .message,
           ErrorName::DataError},
          "nnrt");
  return a;
}

}  // namespace webnn::inline v0_1::nnrt
