// The values of templates. Private.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace webnn::inline v0_1::lm::jinja {

struct Value;
struct Undefined {
  std::string name{};  // for messages
};
struct None {};
using Text = std::shared_ptr<const std::string>;
struct ListData;
using List = std::shared_ptr<const ListData>;
struct DictData;
using Dict = std::shared_ptr<const DictData>;
/// What `set ns.x` changes.
struct NamespaceData;
using Namespace = std::shared_ptr<NamespaceData>;

struct Arguments;
class Interpreter;
using Function = std::shared_ptr<const std::function<Value(Interpreter&, const Arguments&)>>;

struct Value {
  std::variant<Undefined, None, bool, std::int64_t, double, Text, List, Dict, Namespace, Function>
      data{};

  Value() = default;
  Value(None n) : data(n) {}
  Value(Undefined u) : data(std::move(u)) {}
  Value(bool b) : data(b) {}
  Value(std::int64_t i) : data(i) {}
  Value(double d) : data(d) {}
  Value(std::string s) : data(std::make_shared<const std::string>(std::move(s))) {}
  Value(std::string_view s) : Value(std::string(s)) {}
  Value(const char* s) : Value(std::string(s)) {}
  Value(List l) : data(std::move(l)) {}
  Value(Dict d) : data(std::move(d)) {}
  Value(Namespace n) : data(std::move(n)) {}
  Value(Function f) : data(std::move(f)) {}

  template <class T> bool is() const { return std::holds_alternative<T>(data); }
  template <class T> const T* as() const { return std::get_if<T>(&data); }
  bool is_undefined() const { return is<Undefined>(); }
  bool is_none() const { return is<None>(); }
  /// An integer, or a bool as 0 or 1.
  std::optional<std::int64_t> integer() const;
  std::optional<double> number() const;
  const std::string* text() const { return is<Text>() ? as<Text>()->get() : nullptr; }
  const std::vector<Value>* list() const;
};

struct Arguments {
  std::vector<Value> values{};
  std::vector<std::pair<std::string, Value>> named{};

  std::size_t size() const;
  /// By the place or by the name; null where it is not given.
  const Value* find(std::size_t place, std::string_view name) const;
};

struct ListData {
  std::vector<Value> items{};
  bool is_tuple = false;
  std::size_t depth = 1;   // of lists and objects in it
  std::uint64_t size = 0;  // of all that is in it, each time that it is
};
/// A key of an object: a text, or the digits of an int.
struct Key : std::string {
  Key(std::string text) : std::string(std::move(text)) {}
  Key(const char* text) : std::string(text) {}
  explicit Key(std::int64_t number) : std::string(std::to_string(number)), is_integer(true) {}
  bool same_as(const Key& k) const { return is_integer == k.is_integer && compare(k) == 0; }

  bool is_integer = false;
};
struct DictData {
  std::vector<std::pair<Key, Value>> items{};  // in the order of insertion
  std::size_t depth = 1;
  std::uint64_t size = 0;

  const Value* find_key(const Key& key) const;
  const Value* find_value(const Value& key) const;  ///< null for what is neither text nor int
  const Value* find(std::string_view text) const;
};
struct NamespaceData {
  DictData members{};
};

constexpr std::size_t max_depth = 64;  // of lists and objects in one another

/// The key that a value is, and the value that a key is.
Key key_of(const Value& value);
Value value_of(const Key& key);
std::size_t depth_of(const Value& value);
/// How much there is to print or to compare, in bytes. A value may be in a list several times, so
/// that the size is not that of the memory: it may be the greatest number.
std::uint64_t size_of(const Value& value);
void measure(ListData& data);
void measure(DictData& data);
bool is_true(const Value& value);
bool equal(const Value& a, const Value& b);
/// Whether a is less; nothing where they cannot be compared.
std::optional<bool> is_less(const Value& a, const Value& b);
/// What Python calls the type: "str".
std::string_view type_name(const Value& value);
/// As `{{ value }}` prints it.
std::string to_text(const Value& value);
/// As Python shows it in a list: texts in quotes.
std::string to_repr(const Value& value);
struct JsonStyle {
  std::optional<std::size_t> indent{};
  bool ascii = false, sorted = false;
  std::string item_separator = ", ", key_separator = ": ";
};
/// Nothing for what JSON does not have.
std::optional<std::string> to_json(const Value& value, const JsonStyle& style);

/// The characters of a text.
std::vector<std::string_view> characters_of(std::string_view text);
std::size_t count_characters(std::string_view text);

}  // namespace webnn::inline v0_1::lm::jinja
