// JSON schemas as rules. https://json-schema.org/draft/2020-12
#include <algorithm>
#include <cmath>
#include <map>

#include "src/formats/common/json.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "src/lm/grammar/json_text.h"
#include "src/lm/grammar/json_types.h"
#include "src/lm/tokenizer/unicode.h"

namespace webnn::inline v0_1::lm {
namespace {

using formats::Value;
using json_text::Rule;

constexpr std::size_t max_bytes = 4 << 20, max_name = 256;  // also of items with places
constexpr int max_depth = 64;
constexpr std::uint32_t max_count = 100'000;

/// Keywords that say nothing of what is accepted, or stand elsewhere.
constexpr std::string_view without_effect[] = {
    "$schema",  "$id",         "$anchor",         "$comment",         "$vocabulary",   "$defs",
    "title",    "description", "default",         "examples",         "definitions",   "deprecated",
    "readOnly", "writeOnly",   "contentEncoding", "contentMediaType", "$dynamicAnchor"};
constexpr std::string_view known[] = {
    "type",    "enum",        "const",    "properties", "required",         "additionalProperties",
    "items",   "prefixItems", "minItems", "maxItems",   "minLength",        "maxLength",
    "pattern", "format",      "minimum",  "maximum",    "exclusiveMinimum", "exclusiveMaximum",
    "anyOf",   "oneOf",       "allOf",    "$ref"};

class Schema {
 public:
  explicit Schema(std::string_view text) {
    if (text.size() > max_bytes)
      refuse("", format("the schema has {} bytes, more than {}", {text.size(), max_bytes}));
    auto value = formats::read_json(text, {.max_depth = 256});
    if (!value) refuse("", "the schema is not JSON: " + value.failure().message);
    root_ = std::move(*value);
  }

  GrammarRules run() {
    rules_ = json_text::rules();
    rules_[json_text::root].expression = read(root_, "#", 0);
    // Rules of references are read one after the other, since they may name each other.
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      const Target t = targets_[i];
      Expression e = read(*t.schema, t.place, 0);
      rules_[t.rule].expression = std::move(e);
    }
    return std::move(rules_);
  }

 private:
  struct Target {
    const Value* schema;
    std::string place;
    std::uint32_t rule;
  };

  [[noreturn]] void refuse(const std::string& place, const std::string& message,
                           ErrorName name = ErrorName::TypeError) const {
    raise({place.empty() ? message : place + ": " + message, name}, "grammar");
  }
  [[noreturn]] void not_supported(const std::string& place, const std::string& what) const {
    refuse(place, what + " is not supported", ErrorName::NotSupportedError);
  }
  static Expression rule(Rule r) { return expression::rule(r); }

  Expression read(const Value& schema, const std::string& place, int depth) {
    if (depth > max_depth) refuse(place, format("more than {} schemas are nested", {max_depth}));
    if (schema.kind == Value::Kind::boolean)
      return schema.text == "true" ? rule(json_text::value) : expression::choice({});
    if (schema.kind != Value::Kind::object) refuse(place, "a schema is an object or a boolean");
    for (std::size_t i = 0; i + 1 < schema.items.size(); i += 2) {
      const std::string& key = schema.items[i].text;
      if (std::ranges::find(known, key) == std::end(known) &&
          std::ranges::find(without_effect, key) == std::end(without_effect))
        not_supported(place, "the keyword " + in_quotes(key));
    }
    for (const char* several : {"allOf", "$ref", "anyOf", "oneOf"})
      if (const Value* v = schema.find(several))
        return read_several(schema, several, *v, place, depth);
    if (const Value* v = schema.find("const"))
      return accepts_type(schema, *v) ? expression::text(json_text::text_of(*v))
                                      : expression::choice({});
    if (const Value* v = schema.find("enum")) {
      std::vector<Expression> ways;
      for (const Value& item : items(*v, place + "/enum"))
        if (accepts_type(schema, item)) ways.push_back(expression::text(json_text::text_of(item)));
      return expression::choice(std::move(ways));
    }
    return read_types(schema, place, depth);
  }

  const std::vector<Value>& items(const Value& list, const std::string& place) const {
    if (list.kind != Value::Kind::list) refuse(place, "it is not a list");
    return list.items;
  }

  /// A reference, or alternatives, together with the other keywords of their schema.
  Expression read_several(const Value& schema, const std::string& key, const Value& v,
                          const std::string& place, int depth) {
    const std::string at = place + '/' + key;
    Value beside = Value::object();
    bool is_alone = true;
    for (std::size_t i = 0; i + 1 < schema.items.size(); i += 2) {
      const std::string& k = schema.items[i].text;
      if (k == key || std::ranges::find(without_effect, k) != std::end(without_effect)) continue;
      beside.set(k, schema.items[i + 1]);
      is_alone = false;
    }
    if (key == "$ref") {
      if (v.kind != Value::Kind::string) refuse(at, "it is not a text");
      const Value& target = find(v.text, at);
      if (is_alone) return expression::rule(rule_of(v.text, target));
      return read_merged(merged(beside, target, at), at, depth);
    }
    if (key == "allOf") {
      for (const Value& part : items(v, at)) beside = merged(beside, part, at);
      return read_merged(std::move(beside), at, depth);
    }
    std::vector<Expression> ways;
    for (std::size_t i = 0; i < items(v, at).size(); ++i) {
      const std::string each = at + '/' + std::to_string(i);
      ways.push_back(is_alone ? read(v.items[i], each, depth + 1)
                              : read_merged(merged(beside, v.items[i], each), each, depth));
    }
    return expression::choice(std::move(ways));
  }
  Expression read_merged(Value schema, const std::string& place, int depth) {
    if (++merged_count_ > 10'000) refuse(place, "too many schemas are combined");
    return read(schema, place, depth + 1);
  }
  /// A schema that accepts what both do.
  Value merged(const Value& a, const Value& b, const std::string& place) const {
    if (b.kind == Value::Kind::boolean && b.text == "true") return a;
    if (a.kind != Value::Kind::object || b.kind != Value::Kind::object)
      not_supported(place, "the schema beside it");
    Value all = a;
    for (std::size_t i = 0; i + 1 < b.items.size(); i += 2) {
      const std::string& key = b.items[i].text;
      const Value& value = b.items[i + 1];
      if (std::ranges::find(without_effect, key) != std::end(without_effect)) continue;
      const Value* own = all.find(key);
      if (!own) {
        all.set(key, value);
        continue;
      }
      if (json_text::text_of(*own) == json_text::text_of(value)) continue;
      Value both = *own;
      if (key == "required") {
        for (const Value& name : items(value, place)) both.items.push_back(name);
      } else if (key == "properties" && value.kind == Value::Kind::object) {
        for (std::size_t k = 0; k + 1 < value.items.size(); k += 2) {
          const std::string& name = value.items[k].text;
          const Value* property = own->find(name);
          if (property && json_text::text_of(*property) != json_text::text_of(value.items[k + 1]))
            not_supported(place, "another schema for the property " + in_quotes(name));
          if (!property) both.set(name, value.items[k + 1]);
        }
      } else {
        not_supported(place, "another " + key + " beside it");
      }
      set(all, key, std::move(both));
    }
    return all;
  }
  static void set(Value& object, const std::string& key, Value value) {
    for (std::size_t i = 0; i + 1 < object.items.size(); i += 2)
      if (object.items[i].text == key) object.items[i + 1] = std::move(value);
  }

  const Value& find(const std::string& reference, const std::string& place) const {
    if (reference != "#" && !reference.starts_with("#/"))
      not_supported(place, "the reference " + in_quotes(reference) +
                               ", which does not name a place in the schema,");
    const Value* at = &root_;
    for (std::size_t begin = 1; begin < reference.size();) {
      const std::size_t end = std::min(reference.find('/', begin + 1), reference.size());
      std::string name = unescaped(reference.substr(begin + 1, end - begin - 1));
      begin = end;
      const Value* next = nullptr;
      if (at->kind == Value::Kind::object) next = at->find(name);
      if (at->kind == Value::Kind::list && !name.empty() && name.size() < 8 &&
          std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; }))
        if (const std::size_t i = std::stoul(name); i < at->items.size()) next = &at->items[i];
      if (!next) refuse(place, "there is no " + in_quotes(reference));
      at = next;
    }
    return *at;
  }
  static std::string unescaped(const std::string& pointer) {
    std::string s;
    for (std::size_t i = 0; i < pointer.size(); ++i)
      if (pointer[i] == '~' && i + 1 < pointer.size()) s += pointer[++i] == '1' ? '/' : '~';
      else s += pointer[i];
    return s;
  }
  std::uint32_t rule_of(const std::string& reference, const Value& target) {
    const auto [found, is_new] =
        by_reference_.emplace(reference, static_cast<std::uint32_t>(rules_.size()));
    if (is_new) {
      rules_.push_back({reference});
      targets_.push_back({&target, reference, found->second});
    }
    return found->second;
  }

  Expression new_rule(Expression e) {
    rules_.push_back({"rule " + std::to_string(rules_.size()), std::move(e)});
    return expression::rule(static_cast<std::uint32_t>(rules_.size() - 1));
  }

  // Types.

  Expression read_types(const Value& schema, const std::string& place, int depth) {
    const Value* type = schema.find("type");
    if (type && type->kind == Value::Kind::list) {
      std::vector<Expression> ways;
      for (const Value& t : type->items) ways.push_back(read_type(schema, t.text, place, depth));
      return expression::choice(std::move(ways));
    }
    if (type) return read_type(schema, type->text, place, depth);
    const auto has_any = [&](std::initializer_list<const char*> keys) {
      return std::ranges::any_of(keys, [&](const char* k) { return schema.find(k); });
    };
    if (has_any({"properties", "required", "additionalProperties"}))
      return read_object(schema, place, depth);
    if (has_any({"items", "prefixItems", "minItems", "maxItems"}))
      return read_array(schema, place, depth);
    if (has_any({"pattern", "minLength", "maxLength", "format"})) return read_string(schema, place);
    if (has_any({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}))
      return read_number(schema, place);
    return rule(json_text::value);
  }

  Expression read_type(const Value& schema, const std::string& type, const std::string& place,
                       int depth) {
    if (type == "object") return read_object(schema, place, depth);
    if (type == "array") return read_array(schema, place, depth);
    if (type == "string") return read_string(schema, place);
    if (type == "integer")
      return has_bounds(schema)
                 ? json_text::integers(bound(schema, true, place), bound(schema, false, place))
                 : rule(json_text::integer);
    if (type == "number") return read_number(schema, place);
    if (type == "null") return expression::text("null");
    if (type == "boolean")
      return expression::choice({expression::text("true"), expression::text("false")});
    refuse(place, "the type " + in_quotes(type) + " is not a type of JSON");
  }
  static bool has_bounds(const Value& schema) {
    for (const char* k : {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})
      if (schema.find(k)) return true;
    return false;
  }
  Expression read_number(const Value& schema, const std::string& place) {
    if (has_bounds(schema)) not_supported(place, "a bound of numbers that are not integers");
    return rule(json_text::number);
  }
  /// The least or the greatest integer.
  std::optional<std::int64_t> bound(const Value& schema, bool least,
                                    const std::string& place) const {
    std::optional<std::int64_t> all;
    for (const bool exclusive : {false, true}) {
      const char* key = least       ? exclusive ? "exclusiveMinimum" : "minimum"
                        : exclusive ? "exclusiveMaximum"
                                    : "maximum";
      const Value* v = schema.find(key);
      if (!v) continue;
      if (v->kind != Value::Kind::number) refuse(place + '/' + key, "it is not a number");
      const double x = std::clamp(std::strtod(v->text.c_str(), nullptr), -1e17, 1e17);
      double n = least ? std::ceil(x) : std::floor(x);
      if (exclusive && n == x) n += least ? 1 : -1;
      const auto i = static_cast<std::int64_t>(n);
      all = !all ? i : least ? std::max(*all, i) : std::min(*all, i);
    }
    return all;
  }
  std::optional<std::uint32_t> count(const Value& schema, const char* key,
                                     const std::string& place) const {
    const Value* v = schema.find(key);
    if (!v) return std::nullopt;
    const double x = v->kind == Value::Kind::number ? std::strtod(v->text.c_str(), nullptr) : -1;
    if (!(x >= 0) || std::floor(x) != x) refuse(place + '/' + key, "it is not a count");
    if (x > max_count)
      refuse(place + '/' + key, format("{} is more than {}", {v->text, max_count}));
    return static_cast<std::uint32_t>(x);
  }

  Expression read_string(const Value& schema, const std::string& place) {
    const auto least = count(schema, "minLength", place), most = count(schema, "maxLength", place);
    const Value *regex = schema.find("pattern"), *format = schema.find("format");
    if (regex) {
      if (least || most || format)
        not_supported(place, "a pattern together with a format or bounds of the length");
      if (regex->kind != Value::Kind::string) refuse(place + "/pattern", "it is not a text");
      return json_text::pattern(regex->text);
    }
    if (format && format->kind == Value::Kind::string)
      if (auto e = json_text::formatted(format->text)) {
        if (least || most) not_supported(place, "a format together with bounds of the length");
        return std::move(*e);
      }
    if (!least && !most) return rule(json_text::string);
    if (most && least.value_or(0) > *most) return expression::choice({});
    return json_text::quoted(expression::repeat(rule(json_text::character), least.value_or(0),
                                                most.value_or(Expression::endless)));
  }

  Expression read_array(const Value& schema, const std::string& place, int depth) {
    const std::uint32_t least = count(schema, "minItems", place).value_or(0);
    std::uint32_t most = count(schema, "maxItems", place).value_or(Expression::endless);
    const Value *prefix = schema.find("prefixItems"), *rest = schema.find("items");
    if (!prefix) {
      if (least > most) return expression::choice({});
      Expression item =
          rest ? new_rule(read(*rest, place + "/items", depth + 1)) : rule(json_text::value);
      return json_text::list(std::move(item), least, most);
    }
    // From the last place to the first: what may follow.
    const auto first = static_cast<std::uint32_t>(items(*prefix, place + "/prefixItems").size());
    if (first > max_name) refuse(place, format("prefixItems has more than {} items", {max_name}));
    if (!rest) most = std::min(most, first);  // others only where the schema says what they are
    if (least > most) return expression::choice({});
    const auto after_comma = [&](Expression item) {
      return expression::sequence({expression::text(","), rule(json_text::space), std::move(item)});
    };
    Expression next = expression::sequence({});
    if (most > first)
      next = expression::repeat(after_comma(read(*rest, place + "/items", depth + 1)),
                                least > first ? least - first : 0,
                                most == Expression::endless ? most : most - first);
    for (std::uint32_t i = std::min(first, most); i-- > 0;) {
      Expression item =
          read(prefix->items[i], place + "/prefixItems/" + std::to_string(i), depth + 1);
      next = expression::sequence(
          {i == 0 ? std::move(item) : after_comma(std::move(item)), std::move(next)});
      if (i >= least) next = expression::optional(std::move(next));
    }
    return expression::sequence({expression::text("["), rule(json_text::space), std::move(next),
                                 rule(json_text::space), expression::text("]")});
  }

  struct Member {
    Expression text;  ///< "name": value
    bool required = false;
  };
  Expression read_object(const Value& schema, const std::string& place, int depth) {
    const Value *properties = schema.find("properties"),
                *more = schema.find("additionalProperties"), *required = schema.find("required");
    if (properties && properties->kind != Value::Kind::object)
      refuse(place + "/properties", "it is not an object");
    std::vector<std::string> names, needed;
    if (required)
      for (const Value& name : items(*required, place + "/required")) needed.push_back(name.text);
    std::vector<Member> members;
    const auto add = [&](const std::string& name, Expression value) {
      if (name.size() > max_name)
        refuse(place, format("the name of a property has more than {} bytes", {max_name}));
      names.push_back(name);
      members.push_back({member(expression::text(json_text::text_of(name)), std::move(value)),
                         std::ranges::find(needed, name) != needed.end()});
    };
    for (std::size_t i = 0; properties && i + 1 < properties->items.size(); i += 2) {
      const std::string& name = properties->items[i].text;
      add(name, read(properties->items[i + 1], place + "/properties/" + name, depth + 1));
    }
    const bool is_false = more && more->kind == Value::Kind::boolean && more->text == "false";
    const auto other = [&]() -> Expression {
      return more ? read(*more, place + "/additionalProperties", depth + 1)
                  : rule(json_text::value);
    };
    for (const std::string& name : needed)
      if (std::ranges::find(names, name) == names.end())
        add(name, is_false ? expression::choice({}) : other());
    if (!properties && !more && names.empty()) return rule(json_text::object);
    Expression others = expression::choice({});
    const bool has_others = more ? !is_false : names.empty();
    if (has_others) others = member(json_text::other_names(names), other());
    return braces(std::move(members), has_others, std::move(others));
  }
  static Expression member(Expression name, Expression value) {
    return expression::sequence(
        {std::move(name), expression::text(":"), rule(json_text::space), std::move(value)});
  }
  /// Members in their order, each required or not, and then others. Rules, each with what may come
  /// from a member on: without a member before it, or behind a comma.
  Expression braces(std::vector<Member> members, bool has_others, Expression others) {
    const auto comma = [] {
      return expression::sequence({expression::text(","), rule(json_text::space)});
    };
    Expression behind = expression::sequence({}), first = expression::sequence({});
    if (has_others) {
      const Expression one = new_rule(std::move(others));
      behind = new_rule(expression::repeat(expression::sequence({comma(), one}), 0));
      first = expression::optional(expression::sequence({one, behind}));
    }
    for (std::size_t i = members.size(); i-- > 0;) {
      const Expression one = new_rule(std::move(members[i].text));
      Expression with = expression::sequence({one, behind}),
                 next = expression::sequence({comma(), one, behind});
      if (!members[i].required) {
        with = expression::choice({std::move(with), first});
        next = expression::choice({std::move(next), behind});
      }
      first = new_rule(std::move(with));
      behind = new_rule(std::move(next));
    }
    return expression::sequence({expression::text("{"), rule(json_text::space), first,
                                 rule(json_text::space), expression::text("}")});
  }

  Value root_{};
  GrammarRules rules_{};
  std::map<std::string, std::uint32_t> by_reference_{};
  std::vector<Target> targets_{};
  int merged_count_ = 0;
};

}  // namespace

GrammarRules rules_of_schema(std::string_view schema) { return Schema(schema).run(); }

}  // namespace webnn::inline v0_1::lm
