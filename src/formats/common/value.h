// A value of JSON, or of an option in .webnn text, and what the types of attributes make of it.
// Private; a shared library of a format has its own copy and does not show it.
#pragma once

#include <string>
#include <vector>

#include "webnn/error.h"

namespace webnn::inline v0_1::formats {

struct Value {
  enum class Kind : std::uint8_t { null, boolean, number, string, name, list, object };

  Kind kind = Kind::null;
  std::string text{};  ///< "true", a number as it is written, a string without its quotes
  /// Those of a list; in an object a string, the value of that key, ...
  std::vector<Value> items{};
  std::size_t offset = 0;  ///< where it begins in its file

  [[gnu::visibility("hidden")]] static Value boolean(bool v);
  [[gnu::visibility("hidden")]] static Value number(std::string text);
  [[gnu::visibility("hidden")]] static Value number(std::uint64_t v);
  [[gnu::visibility("hidden")]] static Value string(std::string text);
  [[gnu::visibility("hidden")]] static Value list(std::vector<Value> items = {});
  [[gnu::visibility("hidden")]] static Value object();

  bool is_text() const { return kind == Kind::string || kind == Kind::name; }
  /// The value of a key of an object, or null.
  [[gnu::visibility("hidden")]] const Value* find(std::string_view key) const;
  /// Adds a key to an object.
  [[gnu::visibility("hidden")]] Value& set(std::string key, Value value);
};

/// For messages: `"nchw"`, `1.5`, `a list`.
[[gnu::visibility("hidden")]] std::string shown(const Value& value);

// Numbers are printed so that they are read as the same bits: decimals as short as possible, and
// what has none as the strings "Infinity", "-Infinity", "NaN" and "NaN:0x7ff8000000000001".

[[gnu::visibility("hidden")]] Value to_value(bool v);
[[gnu::visibility("hidden")]] Value to_value(std::uint32_t v);
[[gnu::visibility("hidden")]] Value to_value(std::int32_t v);
[[gnu::visibility("hidden")]] Value to_value(float v);
[[gnu::visibility("hidden")]] Value to_value(double v);
[[gnu::visibility("hidden")]] Value to_value(const MLNumber& v);  ///< with a point, if a double
template <NamedEnum E> Value to_value(E e) { return Value::string(std::string(name_of(e))); }
template <class T> Value to_value(const std::vector<T>& list);
template <class T> Value to_value(const std::optional<T>& v);
template <class... T> Value to_value(const std::variant<T...>& v);

template <class T> Value to_value(const std::vector<T>& list) {
  Value all = Value::list();
  for (const T& v : list) all.items.push_back(to_value(v));
  return all;
}
template <class T> Value to_value(const std::optional<T>& v) { return v ? to_value(*v) : Value(); }
template <class... T> Value to_value(const std::variant<T...>& v) {
  return std::visit([](const auto& x) { return to_value(x); }, v);
}

// A failure says what is wrong with the value: `"left" is not one of forward, backward, both`.

using Bad = std::optional<Failure>;
[[gnu::visibility("hidden")]] Bad from_value(const Value& value, bool& out);
[[gnu::visibility("hidden")]] Bad from_value(const Value& value, std::uint32_t& out);
[[gnu::visibility("hidden")]] Bad from_value(const Value& value, std::int32_t& out);
[[gnu::visibility("hidden")]] Bad from_value(const Value& value, std::uint64_t& out);
[[gnu::visibility("hidden")]] Bad from_value(const Value& value, float& out);
[[gnu::visibility("hidden")]] Bad from_value(const Value& value, double& out);
[[gnu::visibility("hidden")]] Bad from_value(const Value& value, MLNumber& out);
[[gnu::visibility("hidden")]] Bad from_value(const Value& value, std::string& out);
/// The index of a name among those of an enumeration.
[[gnu::visibility("hidden")]] Result<std::size_t> index_of(const Value& value,
                                                           std::span<const std::string_view> names);
template <NamedEnum E> Bad from_value(const Value& value, E& out) {
  const auto index = index_of(value, enum_names<E>);
  if (!index) return index.failure();
  out = static_cast<E>(*index);
  return std::nullopt;
}
template <class T> Bad from_value(const Value& value, std::vector<T>& out);
template <class T> Bad from_value(const Value& value, std::optional<T>& out);
template <class T> Bad from_value(const Value& value, OptionalList<T>& out);
template <class T>
requires requires { typename T::variant; }
Bad from_value(const Value& value, T& out);

template <class T> Bad from_value(const Value& value, std::vector<T>& out) {
  if (value.kind != Value::Kind::list) return detail::fail("{} is not a list", shown(value));
  out.clear();
  for (const Value& item : value.items)
    if (auto bad = from_value(item, out.emplace_back())) return bad;
  return std::nullopt;
}
template <class T> Bad from_value(const Value& value, std::optional<T>& out) {
  out.reset();
  return value.kind == Value::Kind::null ? std::nullopt : from_value(value, out.emplace());
}
template <class T> Bad from_value(const Value& value, OptionalList<T>& out) {
  if (value.kind == Value::Kind::null) {
    out = std::nullopt;
    return std::nullopt;
  }
  std::vector<T> list;
  auto bad = from_value(value, list);
  out = std::move(list);
  return bad;
}
/// A number, or a list of them: MLSplits.
template <class T>
requires requires { typename T::variant; }
Bad from_value(const Value& value, T& out) {
  if (value.kind == Value::Kind::list) {
    std::variant_alternative_t<1, typename T::variant> list;
    auto bad = from_value(value, list);
    out = std::move(list);
    return bad;
  }
  std::variant_alternative_t<0, typename T::variant> one{};
  auto bad = from_value(value, one);
  out = one;
  return bad;
}

}  // namespace webnn::inline v0_1::formats
