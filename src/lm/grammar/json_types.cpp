#include "src/lm/grammar/json_types.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace webnn::inline v0_1::lm {

using formats::Value;

bool is_integer(const Value& v) {
  const double x = std::strtod(v.text.c_str(), nullptr);
  return std::isfinite(x) && std::floor(x) == x;
}

bool has_type(const Value& v, std::string_view type) {
  switch (v.kind) {
    case Value::Kind::null: return type == "null";
    case Value::Kind::boolean: return type == "boolean";
    case Value::Kind::number: return type == "number" || (type == "integer" && is_integer(v));
    case Value::Kind::string:
    case Value::Kind::name: return type == "string";
    case Value::Kind::list: return type == "array";
    case Value::Kind::object: return type == "object";
  }
  return false;
}

bool accepts_type(const Value& schema, const Value& v) {
  const Value* type = schema.find("type");
  if (!type) return true;
  if (type->kind == Value::Kind::list)
    return std::ranges::any_of(type->items, [&](const Value& t) { return has_type(v, t.text); });
  return has_type(v, type->text);
}

}  // namespace webnn::inline v0_1::lm
