#include "src/formats/common/custom_values.h"

#include <algorithm>
#include <limits>
#include <span>

#include "src/formats/common/base64.h"
#include "src/graph/failure.h"
#include "webnn/custom.h"

namespace webnn::inline v0_1::formats {
namespace {

Value value_of(std::monostate) { return {}; }
Value value_of(bool v) { return Value::boolean(v); }
Value value_of(std::int64_t v) { return to_value(MLNumber(v)); }
Value value_of(double v) {
  Value number = to_value(MLNumber(v));
  if (number.kind == Value::Kind::number) return number;
  Value object = Value::object();
  object.set("number", std::move(number));
  return object;
}
Value value_of(const std::string& v) {
  if (escaped(v) == v) return Value::string(v);
  Value object = Value::object();
  object.set("base64", Value::string(to_base64(std::as_bytes(std::span(v)))));
  return object;
}
template <class T> Value value_of(const std::vector<T>& list) {
  Value all = Value::list();
  for (const T& v : list) all.items.push_back(value_of(v));
  return all;
}

/// An integer, if the number is written as one and is one of 63 bits.
std::optional<std::int64_t> integer_in(const Value& value) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  if (value.kind != Value::Kind::number || value.text.find_first_of(".eE") != std::string::npos)
    return std::nullopt;
  MLNumber n;
  if (from_value(value, n) || !n.is_integer()) return std::nullopt;
  if (!n.is_negative_integer() && n.as_uint64() > most) return std::nullopt;
  return static_cast<std::int64_t>(n.as_uint64());
}

Bad read(const Value& value, double& out) {
  const Value* word = value.find("number");
  return from_value(word ? *word : value, out);
}
Bad read(const Value& value, std::string& out) {
  const Value* text = value.find("base64");
  if (!text) return from_value(value, out);
  const auto bytes = text->is_text() ? from_base64(text->text) : std::nullopt;
  if (!bytes) return fail("{} is not base64", shown(*text));
  out.assign(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  return std::nullopt;
}
bool is_string(const Value& value) { return value.is_text() || value.find("base64"); }

template <class T> Bad read_list(const Value& value, CustomValue& out) {
  std::vector<T> list;
  for (const Value& item : value.items)
    if (auto bad = read(item, list.emplace_back())) return bad;
  out = CustomValue(std::move(list));
  return std::nullopt;
}

}  // namespace

Value to_value(const CustomValue& value) {
  return std::visit([](const auto& v) { return value_of(v); },
                    static_cast<const CustomValue::variant&>(value));
}

Bad from_value(const Value& value, CustomValue& out) {
  using Kind = Value::Kind;
  if (value.kind == Kind::null) return out = CustomValue(), std::nullopt;
  if (value.kind == Kind::boolean) return out = CustomValue(value.text == "true"), std::nullopt;
  if (const auto n = integer_in(value)) return out = CustomValue(*n), std::nullopt;
  if (value.kind == Kind::list) {
    std::vector<std::int64_t> integers;
    for (const Value& item : value.items)
      if (const auto n = integer_in(item)) integers.push_back(*n);
    if (integers.size() == value.items.size())
      return out = CustomValue(std::move(integers)), std::nullopt;
    return std::ranges::all_of(value.items, is_string) ? read_list<std::string>(value, out)
                                                       : read_list<double>(value, out);
  }
  if (is_string(value)) {
    std::string text;
    auto bad = read(value, text);
    out = CustomValue(std::move(text));
    return bad;
  }
  double number = 0;
  auto bad = read(value, number);
  out = CustomValue(number);
  return bad;
}

Value to_value(const CustomAttributes& attributes) {
  Value all = Value::object();
  for (const auto& [name, value] : attributes) all.set(name, to_value(value));
  return all;
}

Bad from_value(const Value& value, CustomAttributes& out) {
  if (value.kind != Value::Kind::object) return fail("{} is not an object", shown(value));
  out.clear();
  for (std::size_t i = 0; i + 1 < value.items.size(); i += 2) {
    CustomAttribute& a = out.emplace_back(CustomAttribute{value.items[i].text, {}});
    if (auto bad = from_value(value.items[i + 1], a.value))
      return fail("{}: {}", escaped(a.name), bad->message);
  }
  return std::nullopt;
}

Value to_value(const std::shared_ptr<const CustomOperator>& o) {
  Value all = Value::object();
  if (!o) return all;
  all.set("name", Value::string(o->name));
  all.set("version", Value::number(std::uint64_t{o->version}));
  return all;
}

Bad from_value(const Value& value, std::shared_ptr<const CustomOperator>& out) {
  const Value *name = value.find("name"), *version = value.find("version");
  if (!name || !version || !name->is_text())
    return fail("{} does not name an operator", shown(value));
  CustomOperator o;
  o.name = name->text;
  if (auto bad = from_value(*version, o.version)) return bad;
  out = std::make_shared<const CustomOperator>(std::move(o));
  return std::nullopt;
}

}  // namespace webnn::inline v0_1::formats
