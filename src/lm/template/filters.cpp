#include <algorithm>
#include <charconv>
#include <cmath>

#include "src/graph/text.h"
#include "src/lm/template/interpreter.h"
#include "src/lm/template/strings.h"

namespace webnn::inline v0_1::lm::jinja {
namespace {

bool flag(const Arguments& a, std::size_t place, std::string_view name, bool otherwise = false) {
  const Value* v = a.find(place, name);
  return v ? is_true(*v) : otherwise;
}
/// "a.b" of a value; an index where it is a number.
Value member(Interpreter& i, Value value, const Value& path) {
  const std::string* text = path.text();
  if (!text) return i.item(value, path);
  for (const std::string_view name : split_by(*text, ".", -1, false)) {
    if (value.is_undefined()) return value;
    std::int64_t index = 0;
    const auto end = name.data() + name.size();
    const bool is_index = !name.empty() && std::from_chars(name.data(), end, index).ptr == end;
    value = is_index ? i.item(value, index) : i.item(value, Value(name));
  }
  return value;
}
Arguments rest_of(const Arguments& a, std::size_t first) {
  Arguments rest;
  for (std::size_t k = first; k < a.values.size(); ++k) rest.values.push_back(a.values[k]);
  return rest;
}

template <std::string (*Change)(std::string_view)>
Value changed(Interpreter& i, const Value& v, const Arguments&) {
  std::string text = to_text(v);
  i.work(text.size());
  return Value(Change(text));
}

Value trim(Interpreter& i, const Value& v, const Arguments& a) {
  const Value* set = a.find(0, "chars");
  std::optional<std::string> chars;
  if (set && !set->is_none()) chars = i.text_of(*set, "chars");
  return Value(stripped(to_text(v), chars, true, true));
}

Value length(Interpreter& i, const Value& v, const Arguments&) {
  if (const std::string* text = v.text()) return static_cast<std::int64_t>(count_characters(*text));
  if (const auto* l = v.list()) return static_cast<std::int64_t>(l->size());
  if (const Dict* d = v.as<Dict>()) return static_cast<std::int64_t>((*d)->items.size());
  if (v.is_undefined()) return std::int64_t{0};
  i.stop("a value of type " + std::string(type_name(v)) + " has no length");
}

Value first(Interpreter& i, const Value& v, const Arguments&) {
  const auto items = i.items_of(v);
  return items.empty() ? Value(Undefined{"the first item"}) : items.front();
}
Value last(Interpreter& i, const Value& v, const Arguments&) {
  const auto items = i.items_of(v);
  return items.empty() ? Value(Undefined{"the last item"}) : items.back();
}

Value otherwise(Interpreter&, const Value& v, const Arguments& a) {
  const bool replace = v.is_undefined() || (flag(a, 1, "boolean") && !is_true(v));
  if (!replace) return v;
  const Value* d = a.find(0, "default_value");
  return d ? *d : Value("");
}

Value join(Interpreter& i, const Value& v, const Arguments& a) {
  const Value* d = a.find(0, "d");
  const Value* path = a.find(1, "attribute");
  const std::string separator = d ? to_text(*d) : std::string();
  std::string out;
  bool is_first = true;
  for (const Value& item : i.items_of(v)) {
    if (!std::exchange(is_first, false)) out += separator;
    const std::string text = to_text(path ? member(i, item, *path) : item);
    i.work(size_of(item) + text.size() + separator.size());
    out += text;
  }
  return Value(std::move(out));
}

Value tojson(Interpreter& i, const Value& v, const Arguments& a) {
  JsonStyle style;
  if (const Value* indent = a.find(0, "indent"); indent && !indent->is_none()) {
    const std::int64_t width = i.integer_of(*indent, "indent");
    style.indent = static_cast<std::size_t>(std::clamp<std::int64_t>(width, 0, 64));
  }
  style.ascii = flag(a, 1, "ensure_ascii");
  if (const Value* pair = a.find(2, "separators");
      pair && pair->list() && pair->list()->size() == 2) {
    style.item_separator = i.text_of((*pair->list())[0], "a separator");
    style.key_separator = i.text_of((*pair->list())[1], "a separator");
    if (style.item_separator.size() + style.key_separator.size() > 64)
      i.stop("the separators are longer than 64 bytes");
  }
  style.sorted = flag(a, 3, "sort_keys");
  auto text = to_json(v, style);
  if (!text)
    i.stop("a value of type " + std::string(type_name(v)) + " has a part that JSON does not have");
  i.work(text->size());
  return Value(std::move(*text));
}

Value to_list(Interpreter& i, const Value& v, const Arguments&) { return i.list(i.items_of(v)); }
Value to_string(Interpreter& i, const Value& v, const Arguments&) {
  Value text(to_text(v));
  i.work(text.text()->size());
  return text;
}
Value to_int(Interpreter& i, const Value& v, const Arguments& a) {
  const Value* otherwise = a.find(0, "default");
  const Value failed = otherwise ? *otherwise : Value(std::int64_t{0});
  if (const auto n = v.integer()) return *n;
  double x = 0;
  if (const std::string* text = v.text()) {
    const std::string digits = stripped(*text, std::nullopt, true, true);
    std::int64_t n = 0;
    const auto end = digits.data() + digits.size();
    if (const auto r = std::from_chars(digits.data(), end, n); r.ptr == end && r.ec == std::errc())
      return n;
    if (const auto r = std::from_chars(digits.data(), end, x); r.ptr != end || r.ec != std::errc())
      return failed;
  } else if (const auto number = v.number()) {
    x = *number;
  } else {
    return failed;
  }
  if (!(std::abs(x) < 0x1p63)) i.stop("an int is beyond 64 bits");
  return static_cast<std::int64_t>(x);
}
Value to_float(Interpreter&, const Value& v, const Arguments& a) {
  if (const auto n = v.number()) return *n;
  if (const std::string* text = v.text()) {
    const std::string digits = stripped(*text, std::nullopt, true, true);
    double x = 0;
    const auto end = digits.data() + digits.size();
    if (const auto r = std::from_chars(digits.data(), end, x); r.ptr == end && r.ec == std::errc())
      return x;
  }
  const Value* otherwise = a.find(0, "default");
  return otherwise ? *otherwise : Value(0.0);
}
Value absolute(Interpreter& i, const Value& v, const Arguments&) {
  if (const auto n = v.integer()) {
    if (*n == INT64_MIN) i.stop("an int is beyond 64 bits");
    return *n < 0 ? -*n : *n;
  }
  if (const auto x = v.number()) return std::abs(*x);
  i.stop("a value of type " + std::string(type_name(v)) + " has no absolute value");
}
Value round_number(Interpreter& i, const Value& v, const Arguments& a) {
  const Value* precision = a.find(0, "precision");
  const Value* method = a.find(1, "method");
  const auto x = v.number();
  if (!x) i.stop("a value of type " + std::string(type_name(v)) + " cannot be rounded");
  const double scale =
      std::pow(10.0, static_cast<double>(precision ? i.integer_of(*precision, "precision") : 0));
  const std::string name = method ? i.text_of(*method, "method") : "common";
  const double scaled = *x * scale;
  return (name == "ceil"    ? std::ceil(scaled)
          : name == "floor" ? std::floor(scaled)
                            : std::nearbyint(scaled)) /
         scale;
}

Value replace(Interpreter& i, const Value& v, const Arguments& a) {
  const Value *from = a.find(0, "old"), *to = a.find(1, "new"), *count = a.find(2, "count");
  if (!from || !to) i.stop("an argument of replace is missing");
  return Value(replaced(i, to_text(v), to_text(*from), to_text(*to),
                        count ? i.integer_of(*count, "count") : -1));
}

Value indent(Interpreter& i, const Value& v, const Arguments& a) {
  const Value* width = a.find(0, "width");
  std::string space(4, ' ');
  if (width && width->text()) space = *width->text();
  else if (width)
    space.assign(
        static_cast<std::size_t>(std::clamp<std::int64_t>(i.integer_of(*width, "width"), 0, 1000)),
        ' ');
  const bool at_first = flag(a, 1, "first"), at_blank = flag(a, 2, "blank");
  std::string out;
  bool is_first = true;
  const std::string text = to_text(v);
  for (const std::string_view line : split_by(text, "\n", -1, false)) {
    i.work(space.size() + line.size());
    if (!is_first) out += '\n';
    if (is_first ? at_first : at_blank || !line.empty()) out += space;
    out += line;
    is_first = false;
  }
  return Value(std::move(out));
}

Value items(Interpreter& i, const Value& v, const Arguments&) {
  if (v.is_undefined()) return i.list({});
  const Builtin method = v.is<Dict>() ? find_method(v, "items") : nullptr;
  if (!method) i.stop("a value of type " + std::string(type_name(v)) + " has no items");
  return method(i, v, {});
}

/// Sorts by key(item); texts without their case, unless they are asked for.
template <class Key>
void sort_by(Interpreter& i, std::vector<Value>& all, const Arguments& a, bool cased, bool reverse,
             Key key) {
  (void)a;
  std::vector<std::pair<Value, Value>> pairs;
  for (Value& v : all) {
    Value k = key(v);
    if (!cased && k.text()) k = Value(lower(*k.text()));
    pairs.emplace_back(std::move(k), std::move(v));
  }
  for (std::size_t k = 1; k < pairs.size(); ++k)
    if (!is_less(pairs[0].first, pairs[k].first))
      i.stop("a value of type " + std::string(type_name(pairs[0].first)) + " and one of type " +
             std::string(type_name(pairs[k].first)) + " cannot be compared");
  for (const auto& [k, v] : pairs) i.work(24 * (8 + size_of(k)));  // a logarithm of comparisons
  std::ranges::stable_sort(pairs, [&](const auto& x, const auto& y) {
    return reverse ? is_less(y.first, x.first).value_or(false)
                   : is_less(x.first, y.first).value_or(false);
  });
  for (std::size_t k = 0; k < pairs.size(); ++k) all[k] = std::move(pairs[k].second);
}
Value sort(Interpreter& i, const Value& v, const Arguments& a) {
  std::vector<Value> all = i.items_of(v);
  const Value* path = a.find(2, "attribute");
  sort_by(i, all, a, flag(a, 1, "case_sensitive"), flag(a, 0, "reverse"),
          [&](const Value& item) { return path ? member(i, item, *path) : item; });
  return i.list(std::move(all));
}
Value dictsort(Interpreter& i, const Value& v, const Arguments& a) {
  const Value pairs = items(i, v, {});
  std::vector<Value> all = *pairs.list();
  const Value* by = a.find(1, "by");
  const std::size_t place = by && by->text() && *by->text() == "value" ? 1 : 0;
  sort_by(i, all, a, flag(a, 0, "case_sensitive"), flag(a, 2, "reverse"),
          [&](const Value& item) { return (*item.list())[place]; });
  return i.list(std::move(all));
}

Value unique(Interpreter& i, const Value& v, const Arguments& a) {
  const Value* path = a.find(1, "attribute");
  std::vector<Value> kept, seen;
  for (const Value& item : i.items_of(v)) {
    Value key = path ? member(i, item, *path) : item;
    if (!flag(a, 0, "case_sensitive") && key.text()) key = Value(lower(*key.text()));
    i.work(seen.size() * (8 + size_of(key)));
    if (std::ranges::any_of(seen, [&](const Value& s) { return equal(s, key); })) continue;
    seen.push_back(std::move(key));
    kept.push_back(item);
  }
  return i.list(std::move(kept));
}

Value reverse(Interpreter& i, const Value& v, const Arguments&) {
  std::vector<Value> all = i.items_of(v);
  std::ranges::reverse(all);
  if (!v.text()) return i.list(std::move(all));
  std::string out;
  for (const Value& c : all) out += *c.text();
  return Value(std::move(out));
}

/// The items for which a test of them, or of an attribute, is `wanted`.
template <bool of_attribute, bool wanted>
Value select(Interpreter& i, const Value& v, const Arguments& a) {
  const std::size_t place = of_attribute ? 1 : 0;
  if (a.values.size() < place) i.stop("the name of the attribute is missing");
  const std::string name =
      a.values.size() > place ? i.text_of(a.values[place], "the name of the test") : "";
  const Arguments rest = rest_of(a, place + 1);
  std::vector<Value> kept;
  if (!is_true(v)) return i.list({});  // also of None, as in Jinja
  for (const Value& item : i.items_of(v)) {
    const Value tested = of_attribute ? member(i, item, a.values[0]) : item;
    const bool result = name.empty() ? is_true(tested) : i.tested(name, tested, rest);
    if (result == wanted) kept.push_back(item);
  }
  return i.list(std::move(kept));
}

Value map(Interpreter& i, const Value& v, const Arguments& a) {
  std::vector<Value> all;
  const Value* path = nullptr;
  const Value* missing = nullptr;
  for (const auto& [name, value] : a.named) {
    if (name == "attribute") path = &value;
    if (name == "default") missing = &value;
  }
  if (!path && a.values.empty()) i.stop("the filter of map is missing");
  const Arguments rest = rest_of(a, 1);
  if (!is_true(v)) return i.list({});
  for (const Value& item : i.items_of(v)) {
    Value result = path ? member(i, item, *path)
                        : i.filtered(i.text_of(a.values[0], "the filter"), item, rest);
    if (path && missing && result.is_undefined()) result = *missing;
    all.push_back(std::move(result));
  }
  return i.list(std::move(all));
}

template <bool greatest> Value extreme(Interpreter& i, const Value& v, const Arguments& a) {
  std::vector<Value> all = i.items_of(v);
  const Value* path = a.find(1, "attribute");
  if (all.empty()) return Undefined{"an item of an empty list"};
  sort_by(i, all, a, flag(a, 0, "case_sensitive"), greatest,
          [&](const Value& item) { return path ? member(i, item, *path) : item; });
  return all.front();
}
Value sum(Interpreter& i, const Value& v, const Arguments& a) {
  const Value *path = a.find(0, "attribute"), *start = a.find(1, "start");
  std::int64_t whole = 0;
  double all = 0;
  bool is_whole = true;
  std::vector<Value> values = i.items_of(v);
  if (start) values.push_back(*start);
  for (const Value& item : values) {
    const Value value = path ? member(i, item, *path) : item;
    const auto x = value.number();
    if (!x) i.stop("a value of type " + std::string(type_name(value)) + " cannot be summed");
    all += *x;
    is_whole =
        is_whole && value.integer() && !__builtin_add_overflow(whole, *value.integer(), &whole);
  }
  return is_whole ? Value(whole) : Value(all);
}

Value escape(Interpreter& i, const Value& v, const Arguments&) {
  std::string out;
  for (const char c : to_text(v)) {
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '"') out += "&#34;";
    else if (c == '\'') out += "&#39;";
    else out += c;
  }
  i.work(out.size());
  return Value(std::move(out));
}
Value same(Interpreter&, const Value& v, const Arguments&) { return v; }

struct Row {
  std::string_view name;
  Builtin filter;
};
constexpr Row rows[] = {{"abs", &absolute},
                        {"capitalize", &changed<&capitalized>},
                        {"count", &length},
                        {"d", &otherwise},
                        {"default", &otherwise},
                        {"dictsort", &dictsort},
                        {"e", &escape},
                        {"escape", &escape},
                        {"first", &first},
                        {"float", &to_float},
                        {"forceescape", &escape},
                        {"indent", &indent},
                        {"int", &to_int},
                        {"items", &items},
                        {"join", &join},
                        {"last", &last},
                        {"length", &length},
                        {"list", &to_list},
                        {"lower", &changed<&lower>},
                        {"map", &map},
                        {"max", &extreme<true>},
                        {"min", &extreme<false>},
                        {"reject", &select<false, false>},
                        {"rejectattr", &select<true, false>},
                        {"replace", &replace},
                        {"reverse", &reverse},
                        {"round", &round_number},
                        {"safe", &same},
                        {"select", &select<false, true>},
                        {"selectattr", &select<true, true>},
                        {"sort", &sort},
                        {"string", &to_string},
                        {"sum", &sum},
                        {"title", &changed<&title>},
                        {"tojson", &tojson},
                        {"trim", &trim},
                        {"unique", &unique},
                        {"upper", &changed<&upper>}};

}  // namespace

Builtin find_filter(std::string_view name) {
  const auto* at = std::ranges::find(rows, name, &Row::name);
  return at == std::end(rows) ? nullptr : at->filter;
}

}  // namespace webnn::inline v0_1::lm::jinja
