#include "src/lm/template/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "src/lm/tokenizer/unicode.h"

namespace webnn::inline v0_1::lm::jinja {

std::size_t Arguments::size() const { return values.size() + named.size(); }
const Value* Arguments::find(std::size_t place, std::string_view name) const {
  if (place < values.size()) return &values[place];
  for (const auto& [key, value] : named)
    if (key == name) return &value;
  return nullptr;
}

std::optional<std::int64_t> Value::integer() const {
  if (const auto* i = as<std::int64_t>()) return *i;
  if (const auto* b = as<bool>()) return *b ? 1 : 0;
  return std::nullopt;
}
std::optional<double> Value::number() const {
  if (const auto* d = as<double>()) return *d;
  const auto i = integer();
  return i ? std::optional(static_cast<double>(*i)) : std::nullopt;
}
const std::vector<Value>* Value::list() const {
  return is<List>() ? &(*as<List>())->items : nullptr;
}

const Value* DictData::find_key(const Key& key) const {
  for (const auto& [k, value] : items)
    if (k.same_as(key)) return &value;
  return nullptr;
}
const Value* DictData::find(std::string_view text) const {
  for (const auto& [k, value] : items)
    if (!k.is_integer && std::string_view(k) == text) return &value;
  return nullptr;
}

const Value* DictData::find_value(const Value& key) const {
  return key.is<Text>() || key.is<std::int64_t>() ? find_key(key_of(key)) : nullptr;
}

Key key_of(const Value& value) {
  if (const auto* i = value.as<std::int64_t>()) return Key(*i);
  return to_text(value);
}
Value value_of(const Key& key) {
  if (key.is_integer) return static_cast<std::int64_t>(std::strtoll(key.c_str(), nullptr, 10));
  return static_cast<const std::string&>(key);
}

std::size_t depth_of(const Value& value) {
  if (const List* l = value.as<List>()) return (*l)->depth;
  if (const Dict* d = value.as<Dict>()) return (*d)->depth;
  return 0;
}

std::uint64_t size_of(const Value& value) {
  if (const List* l = value.as<List>()) return (*l)->size;
  if (const Dict* d = value.as<Dict>()) return (*d)->size;
  return value.text() ? value.text()->size() : 1;
}

namespace {

void add_to(std::size_t& depth, std::uint64_t& size, const Value& part, std::uint64_t more) {
  depth = std::max(depth, depth_of(part) + 1);
  constexpr std::uint64_t greatest = UINT64_MAX / 4;  // sums of a few do not overflow
  size = std::min(std::min(size + more, greatest) + std::min(size_of(part), greatest), greatest);
}

}  // namespace

void measure(ListData& data) {
  for (const Value& v : data.items) add_to(data.depth, data.size, v, 2);
}
void measure(DictData& data) {
  for (const auto& [key, v] : data.items) add_to(data.depth, data.size, v, key.size() + 2);
}

bool is_true(const Value& value) {
  return std::visit(
      []<class T>(const T& x) -> bool {
        if constexpr (std::is_same_v<T, Undefined> || std::is_same_v<T, None>) return false;
        else if constexpr (std::is_arithmetic_v<T>) return x != T{};
        else if constexpr (std::is_same_v<T, Text>) return !x->empty();
        else if constexpr (std::is_same_v<T, List> || std::is_same_v<T, Dict>)
          return !x->items.empty();
        else return true;
      },
      value.data);
}

bool equal(const Value& a, const Value& b) {
  if (const auto x = a.number(), y = b.number(); x && y) {
    const auto i = a.integer(), j = b.integer();
    return i && j ? *i == *j : *x == *y;
  }
  if (a.data.index() != b.data.index()) return false;
  if (a.is<None>() || a.is<Undefined>()) return true;
  if (const std::string* s = a.text()) return *s == *b.text();
  if (const auto* l = a.list()) return std::ranges::equal(*l, *b.list(), equal);
  if (const Dict* d = a.as<Dict>()) {
    const DictData &x = **d, &y = **b.as<Dict>();
    return x.items.size() == y.items.size() && std::ranges::all_of(x.items, [&](const auto& item) {
             const Value* other = y.find_key(item.first);
             return other && equal(item.second, *other);
           });
  }
  if (const Namespace* n = a.as<Namespace>()) return *n == *b.as<Namespace>();
  return *a.as<Function>() == *b.as<Function>();
}

std::optional<bool> is_less(const Value& a, const Value& b) {
  if (const auto i = a.integer(), j = b.integer(); i && j) return *i < *j;
  if (const auto x = a.number(), y = b.number(); x && y) return *x < *y;
  if (a.text() && b.text()) return *a.text() < *b.text();
  const auto *l = a.list(), *m = b.list();
  if (!l || !m) return std::nullopt;
  for (std::size_t i = 0; i < std::min(l->size(), m->size()); ++i)
    if (!equal((*l)[i], (*m)[i])) return is_less((*l)[i], (*m)[i]);
  return l->size() < m->size();
}

std::string_view type_name(const Value& value) {
  constexpr std::string_view names[] = {"Undefined", "NoneType", "bool", "int",       "float",
                                        "str",       "list",     "dict", "namespace", "function"};
  return names[value.data.index()];
}

namespace {

/// The shortest decimal that is read as the same number, in Python's form.
std::string number_text(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
  char buffer[64];
  const double size = std::abs(x);
  const bool plain = x == 0 || (size >= 1e-4 && size < 1e16);
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, x,
                                 plain ? std::chars_format::fixed : std::chars_format::scientific)
                       .ptr;
  std::string text(buffer, end);
  return plain && text.find('.') == text.npos ? text + ".0" : text;
}

void append_unicode(std::string& out, char32_t c) {
  constexpr char digits[] = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += digits[c >> shift & 15];
}
void append_json(std::string& out, std::string_view text, bool ascii) {
  out += '"';
  for_each_character(text, [&](char32_t c, std::string_view bytes) {
    switch (c) {
      case '"': out += "\\\""; return;
      case '\\': out += "\\\\"; return;
      case '\n': out += "\\n"; return;
      case '\r': out += "\\r"; return;
      case '\t': out += "\\t"; return;
      case '\b': out += "\\b"; return;
      case '\f': out += "\\f"; return;
      default: break;
    }
    if (c >= 0x20 && (c < 0x7f || !ascii)) {
      out += bytes;
    } else if (c < 0x10000) {
      append_unicode(out, c);
    } else {
      append_unicode(out, 0xd800 + ((c - 0x10000) >> 10));
      append_unicode(out, 0xdc00 + ((c - 0x10000) & 0x3ff));
    }
  });
  out += '"';
}

class JsonWriter {
 public:
  explicit JsonWriter(const JsonStyle& style) : style_(style) {}

  bool write(const Value& value, std::size_t level) {
    if (value.is_none()) out += "null";
    else if (const bool* b = value.as<bool>()) out += *b ? "true" : "false";
    else if (const auto* i = value.as<std::int64_t>()) out += std::to_string(*i);
    else if (const double* d = value.as<double>())
      out += std::isnan(*d)   ? "NaN"
             : std::isinf(*d) ? (*d < 0 ? "-Infinity" : "Infinity")
                              : number_text(*d);
    else if (const std::string* s = value.text()) append_json(out, *s, style_.ascii);
    else if (const auto* l = value.list()) return write_list(*l, level);
    else if (const Dict* d = value.as<Dict>()) return write_dict(**d, level);
    else return false;
    return true;
  }
  std::string out{};

 private:
  void line(std::size_t level) {
    if (style_.indent) out += '\n' + std::string(*style_.indent * level, ' ');
  }
  void separator(bool first, std::size_t level) {
    if (!first) out += style_.indent && style_.item_separator == ", " ? "," : style_.item_separator;
    line(level);
  }
  bool write_list(const std::vector<Value>& items, std::size_t level) {
    if (items.empty()) return static_cast<bool>(out += "[]", true);
    out += '[';
    for (std::size_t i = 0; i < items.size(); ++i) {
      separator(i == 0, level + 1);
      if (!write(items[i], level + 1)) return false;
    }
    line(level);
    out += ']';
    return true;
  }
  bool write_dict(const DictData& dict, std::size_t level) {
    if (dict.items.empty()) return static_cast<bool>(out += "{}", true);
    std::vector<const std::pair<Key, Value>*> items;
    for (const auto& item : dict.items) items.push_back(&item);
    if (style_.sorted)
      std::ranges::stable_sort(items, {},
                               [](const auto* p) -> const std::string& { return p->first; });
    out += '{';
    for (std::size_t i = 0; i < items.size(); ++i) {
      separator(i == 0, level + 1);
      append_json(out, items[i]->first, style_.ascii);
      out += style_.key_separator;
      if (!write(items[i]->second, level + 1)) return false;
    }
    line(level);
    out += '}';
    return true;
  }

  const JsonStyle& style_;
};

std::string quoted(std::string_view text) {
  const bool has_single = text.find('\'') != text.npos;
  const char quote = has_single && text.find('"') == text.npos ? '"' : '\'';
  std::string out(1, quote);
  for (const char c : text) {
    if (c == '\n') out += "\\n";
    else if (c == '\r') out += "\\r";
    else if (c == '\t') out += "\\t";
    else if (c == '\\' || c == quote) (out += '\\') += c;
    else out += c;
  }
  return out + quote;
}

std::string list_text(const ListData& list) {
  std::string out(1, list.is_tuple ? '(' : '[');
  for (std::size_t i = 0; i < list.items.size(); ++i)
    out += (i > 0 ? ", " : "") + to_repr(list.items[i]);
  if (!list.is_tuple) return out + ']';
  return out + (list.items.size() == 1 ? ",)" : ")");
}

}  // namespace

std::string to_text(const Value& value) {
  if (value.is_undefined()) return {};
  if (value.is_none()) return "None";
  if (const bool* b = value.as<bool>()) return *b ? "True" : "False";
  if (const auto* i = value.as<std::int64_t>()) return std::to_string(*i);
  if (const double* d = value.as<double>()) return number_text(*d);
  if (const std::string* s = value.text()) return *s;
  if (const List* l = value.as<List>()) return list_text(**l);
  if (const Dict* d = value.as<Dict>()) {
    std::string out = "{";
    for (std::size_t i = 0; i < (*d)->items.size(); ++i) {
      const auto& [key, item] = (*d)->items[i];
      out += (i > 0 ? ", " : "") + to_repr(value_of(key)) + ": " + to_repr(item);
    }
    return out + '}';
  }
  return value.is<Namespace>() ? "<Namespace>" : "<function>";
}

std::string to_repr(const Value& value) {
  const std::string* s = value.text();
  return s ? quoted(*s) : value.is_undefined() ? "Undefined" : to_text(value);
}

std::optional<std::string> to_json(const Value& value, const JsonStyle& style) {
  JsonWriter writer(style);
  if (!writer.write(value, 0)) return std::nullopt;
  return std::move(writer.out);
}

std::vector<std::string_view> characters_of(std::string_view text) {
  std::vector<std::string_view> all;
  for_each_character(text, [&](char32_t, std::string_view bytes) { all.push_back(bytes); });
  return all;
}
std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace webnn::inline v0_1::lm::jinja
