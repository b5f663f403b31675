#include "src/formats/common/value.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::formats {
namespace {

constexpr std::string_view not_a_number = "NaN";

Value made(Value::Kind kind, std::string text) {
  Value v;
  v.kind = kind;
  v.text = std::move(text);
  return v;
}

template <class T> std::string digits(T v, int base = 10) {
  char buffer[40];
  char* end = buffer;
  if constexpr (std::is_floating_point_v<T>) end = std::to_chars(buffer, buffer + 40, v).ptr;
  else end = std::to_chars(buffer, buffer + 40, v, base).ptr;
  return {buffer, end};
}

/// The word for a number that has no digits.
std::string special(double v) {
  if (std::isinf(v)) return v < 0 ? "-Infinity" : "Infinity";
  const auto bits = std::bit_cast<std::uint64_t>(v);
  if (bits == std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN()))
    return std::string(not_a_number);
  return std::string(not_a_number) + ":0x" + digits(bits, 16);
}
std::optional<double> special(std::string_view text) {
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  if (text == not_a_number) return std::numeric_limits<double>::quiet_NaN();
  constexpr std::size_t prefix = 6;  // "NaN:0x"
  if (text.substr(0, prefix) != "NaN:0x" || text.size() == prefix) return std::nullopt;
  std::uint64_t bits = 0;
  const char* end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data() + prefix, end, bits, 16);
  const auto v = std::bit_cast<double>(bits);
  if (error != std::errc() || after != end || !std::isnan(v)) return std::nullopt;
  return v;
}

/// Whether all of the text is a number of that type.
template <class T> bool parse(std::string_view text, T& out) {
  const char* end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, out);
  return error == std::errc() && after == end && !text.empty();
}

bool has_fraction(std::string_view text) {
  return text.find_first_of(".eE") != std::string_view::npos;
}

template <class T> Bad read_float(const Value& value, T& out) {
  if (value.is_text())
    if (const auto v = special(value.text)) {
      out = static_cast<T>(*v);
      return std::nullopt;
    }
  if (value.kind != Value::Kind::number) return fail("{} is not a number", shown(value));
  if (!parse(value.text, out)) return fail("{} is not a number in range", shown(value));
  return std::nullopt;
}

template <class T> Bad read_integer(const Value& value, T& out) {
  if (value.kind == Value::Kind::number) {
    if (parse(value.text, out)) return std::nullopt;
    // 2.0, as some programs write integers.
    double v = 0;
    if (has_fraction(value.text) && parse(value.text, v) && v == std::nearbyint(v) &&
        std::abs(v) < 0x1p53 && v >= static_cast<double>(std::numeric_limits<T>::min()) &&
        v <= static_cast<double>(std::numeric_limits<T>::max())) {
      out = static_cast<T>(v);
      return std::nullopt;
    }
  }
  return fail("{} is not an integer from {} to {}", shown(value), std::numeric_limits<T>::min(),
              std::numeric_limits<T>::max());
}

}  // namespace

Value Value::boolean(bool v) { return made(Kind::boolean, v ? "true" : "false"); }
Value Value::number(std::string text) { return made(Kind::number, std::move(text)); }
Value Value::number(std::uint64_t v) { return number(digits(v)); }
Value Value::string(std::string text) { return made(Kind::string, std::move(text)); }
Value Value::list(std::vector<Value> items) {
  Value v = made(Kind::list, {});
  v.items = std::move(items);
  return v;
}
Value Value::object() { return made(Kind::object, {}); }

const Value* Value::find(std::string_view key) const {
  if (kind != Kind::object) return nullptr;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2)
    if (items[i].text == key) return &items[i + 1];
  return nullptr;
}
Value& Value::set(std::string key, Value value) {
  items.push_back(string(std::move(key)));
  items.push_back(std::move(value));
  return *this;
}

std::string shown(const Value& value) {
  switch (value.kind) {
    case Value::Kind::null: return "null";
    case Value::Kind::string:
    case Value::Kind::name: return in_quotes(value.text);
    case Value::Kind::list: return "a list";
    case Value::Kind::object: return "an object";
    default: return escaped(truncated(value.text, 80));
  }
}

Value to_value(bool v) { return Value::boolean(v); }
Value to_value(std::uint32_t v) { return Value::number(digits(v)); }
Value to_value(std::int32_t v) { return Value::number(digits(v)); }
namespace {
/// Readers of JSON take -0 for the integer 0.
std::string signed_zero(std::string text) { return text == "-0" ? "-0.0" : text; }
}  // namespace
Value to_value(float v) {
  return std::isfinite(v) ? Value::number(signed_zero(digits(v)))
                          : Value::string(special(static_cast<double>(v)));
}
Value to_value(double v) {
  return std::isfinite(v) ? Value::number(signed_zero(digits(v))) : Value::string(special(v));
}
Value to_value(const MLNumber& v) {
  if (v.is_negative_integer())
    return Value::number(digits(static_cast<std::int64_t>(v.as_uint64())));
  if (v.is_integer()) return Value::number(digits(v.as_uint64()));
  Value number = to_value(v.as_double());
  if (number.kind == Value::Kind::number && !has_fraction(number.text)) number.text += ".0";
  return number;
}

Bad from_value(const Value& value, bool& out) {
  if (value.kind != Value::Kind::boolean) return fail("{} is not true or false", shown(value));
  out = value.text == "true";
  return std::nullopt;
}
Bad from_value(const Value& value, std::uint32_t& out) { return read_integer(value, out); }
Bad from_value(const Value& value, std::int32_t& out) { return read_integer(value, out); }
Bad from_value(const Value& value, std::uint64_t& out) { return read_integer(value, out); }
Bad from_value(const Value& value, float& out) { return read_float(value, out); }
Bad from_value(const Value& value, double& out) { return read_float(value, out); }
Bad from_value(const Value& value, MLNumber& out) {
  std::uint64_t natural = 0;
  std::int64_t negative = 0;
  if (value.kind == Value::Kind::number && value.text != "-0") {
    if (parse(value.text, natural)) return out = natural, std::nullopt;
    if (parse(value.text, negative)) return out = negative, std::nullopt;
  }
  double v = 0;
  auto bad = read_float(value, v);
  out = v;
  return bad;
}
Bad from_value(const Value& value, std::string& out) {
  if (!value.is_text()) return fail("{} is not a string", shown(value));
  out = value.text;
  return std::nullopt;
}

Result<std::size_t> index_of(const Value& value, std::span<const std::string_view> names) {
  if (value.is_text())
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == value.text) return i;
  return fail("{} is not one of {}", shown(value), joined(names));
}

}  // namespace webnn::inline v0_1::formats
