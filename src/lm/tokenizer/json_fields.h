// Members of JSON objects, with errors that say where they are. Private.
#pragma once

#include <optional>
#include <string>

#include "src/formats/common/value.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::lm {

using formats::Value;

/// An object of a file, and its place in it: "pre_tokenizer.pretokenizers[1]".
struct Fields {
  const Value& value;
  std::string place{};
  std::string_view label{};
  std::string_view op = "tokenizer";  ///< for messages

  [[noreturn]] void refuse(std::string_view message, ErrorName name = ErrorName::DataError) const {
    const std::string where = place.empty() ? std::string() : place + ": ";
    raise({where + std::string(message), name}, op, label);
  }
  bool is_null() const { return value.kind == Value::Kind::null; }
  /// Null where the object has no such key, or null there.
  const Value* find(std::string_view key) const {
    if (value.kind != Value::Kind::object) refuse("it is not an object");
    const Value* v = value.find(key);
    return v && v->kind != Value::Kind::null ? v : nullptr;
  }
  Fields at(std::string_view key) const {
    const Value* v = find(key);
    if (!v) refuse(std::string(key) + " is missing");
    return {*v, place.empty() ? std::string(key) : place + '.' + std::string(key), label, op};
  }
  Fields item(std::size_t i) const {
    return {value.items[i], place + '[' + std::to_string(i) + ']', label, op};
  }
  /// The items of a list.
  std::size_t count() const {
    if (value.kind != Value::Kind::list) refuse("it is not a list");
    return value.items.size();
  }
  template <class T> T as() const {
    T out{};
    if (auto bad = formats::from_value(value, out)) refuse(bad->message);
    return out;
  }
  template <class T> T get(std::string_view key) const { return at(key).as<T>(); }
  template <class T> T get(std::string_view key, T otherwise) const {
    return find(key) ? at(key).as<T>() : std::move(otherwise);
  }
  std::string text(std::string_view key, std::string otherwise = {}) const {
    return get<std::string>(key, std::move(otherwise));
  }
};

}  // namespace webnn::inline v0_1::lm
