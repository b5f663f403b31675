// Methods of texts and objects, as Python has them; none that changes its object.
#include <algorithm>
#include <charconv>
#include <span>

#include "src/graph/text.h"
#include "src/lm/template/interpreter.h"
#include "src/lm/template/strings.h"
#include "src/lm/tokenizer/unicode.h"

namespace webnn::inline v0_1::lm::jinja {
namespace {

struct Row {
  std::string_view name;
  Builtin method;
};

const std::string& argument(Interpreter& i, const Arguments& a, std::size_t place,
                            std::string_view name) {
  const Value* value = a.find(place, name);
  if (!value) i.stop("the argument " + std::string(name) + " is missing");
  return i.text_of(*value, name);
}
/// Absent or None: white space.
std::optional<std::string> set_of(Interpreter& i, const Arguments& a) {
  const Value* value = a.find(0, "chars");
  if (!value || value->is_none()) return std::nullopt;
  return i.text_of(*value, "chars");
}

template <bool left, bool right>
Value strip(Interpreter& i, const Value& self, const Arguments& a) {
  return Value(stripped(*self.text(), set_of(i, a), left, right));
}

template <bool from_right> Value split(Interpreter& i, const Value& self, const Arguments& a) {
  const Value* separator = a.find(0, "sep");
  const Value* limit = a.find(1, "maxsplit");
  const std::int64_t most = limit ? i.integer_of(*limit, "maxsplit") : -1;
  const bool by_space = !separator || separator->is_none();
  if (!by_space && i.text_of(*separator, "sep").empty()) i.stop("the separator is empty");
  std::vector<Value> parts;
  for (const std::string_view part :
       by_space ? split_by_space(*self.text(), most)
                : split_by(*self.text(), *separator->text(), most, from_right))
    parts.emplace_back(part);
  return i.list(std::move(parts));
}

Value splitlines(Interpreter& i, const Value& self, const Arguments&) {
  std::vector<Value> lines;
  std::string_view rest = *self.text();
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of("\r\n"), rest.size());
    lines.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end);
    if (!rest.empty()) rest.remove_prefix(rest.starts_with("\r\n") ? 2 : 1);
  }
  return i.list(std::move(lines));
}

/// One text, or any of a tuple of them.
template <bool at_begin> Value starts(Interpreter& i, const Value& self, const Arguments& a) {
  const Value* part = a.find(0, "prefix");
  if (!part) i.stop("the argument prefix is missing");
  const auto fits = [&](const Value& p) {
    const std::string& text = i.text_of(p, "prefix");
    return at_begin ? self.text()->starts_with(text) : self.text()->ends_with(text);
  };
  return part->list() ? std::ranges::any_of(*part->list(), fits) : fits(*part);
}

template <std::string (*Change)(std::string_view)>
Value changed(Interpreter& i, const Value& self, const Arguments&) {
  i.work(self.text()->size());
  return Value(Change(*self.text()));
}

Value replace(Interpreter& i, const Value& self, const Arguments& a) {
  const Value* count = a.find(2, "count");
  return Value(replaced(i, *self.text(), argument(i, a, 0, "old"), argument(i, a, 1, "new"),
                        count ? i.integer_of(*count, "count") : -1));
}

Value join(Interpreter& i, const Value& self, const Arguments& a) {
  std::string out;
  bool first = true;
  if (a.values.empty()) i.stop("the argument of join is missing");
  for (const Value& v : i.items_of(a.values[0])) {
    if (!std::exchange(first, false)) out += *self.text();
    out += i.text_of(v, "an item to join");
    i.work(out.size() > 0 ? self.text()->size() + v.text()->size() : 0);
  }
  return Value(std::move(out));
}

template <bool last> Value find_text(Interpreter& i, const Value& self, const Arguments& a) {
  const std::string& part = argument(i, a, 0, "sub");
  const std::size_t at = last ? self.text()->rfind(part) : self.text()->find(part);
  if (at == std::string::npos) return std::int64_t{-1};
  return static_cast<std::int64_t>(count_characters(std::string_view(*self.text()).substr(0, at)));
}

Value count_text(Interpreter& i, const Value& self, const Arguments& a) {
  const std::string& part = argument(i, a, 0, "sub");
  if (part.empty()) return static_cast<std::int64_t>(count_characters(*self.text()) + 1);
  return static_cast<std::int64_t>(split_by(*self.text(), part, -1, false).size() - 1);
}

template <bool at_begin> Value remove(Interpreter& i, const Value& self, const Arguments& a) {
  std::string_view text = *self.text();
  const std::string& part = argument(i, a, 0, at_begin ? "prefix" : "suffix");
  if (at_begin && text.starts_with(part)) text.remove_prefix(part.size());
  if (!at_begin && text.ends_with(part)) text.remove_suffix(part.size());
  return Value(text);
}

template <bool (*Is)(char32_t)> Value all_are(Interpreter&, const Value& self, const Arguments&) {
  bool all = !self.text()->empty();
  for_each_character(*self.text(), [&](char32_t c, std::string_view) { all = all && Is(c); });
  return all;
}
bool is_letter_or_number(char32_t c) { return is_letter(c) || is_number(c); }

template <std::string (*Change)(std::string_view)>
Value is_unchanged(Interpreter&, const Value& self, const Arguments&) {
  bool has_letter = false;
  for_each_character(
      *self.text(), [&](char32_t c, std::string_view) { has_letter = has_letter || is_letter(c); });
  return has_letter && Change(*self.text()) == *self.text();
}

/// What str.format() puts in the place of a field: an argument by its place or name, or the next
/// one.
Value field(Interpreter& i, const Arguments& a, std::string_view name, std::size_t& next) {
  std::int64_t place = 0;
  const auto end = name.data() + name.size();
  if (name.empty()) place = static_cast<std::int64_t>(next++);
  else if (const auto r = std::from_chars(name.data(), end, place);
           r.ptr != end || r.ec != std::errc()) {
    for (const auto& [own, value] : a.named)
      if (own == name) return value;
    i.stop("str.format has no argument " + in_quotes(name));
  }
  if (place < 0 || static_cast<std::size_t>(place) >= a.values.size())
    i.stop("str.format has no argument " + std::to_string(place));
  return a.values[static_cast<std::size_t>(place)];
}
Value format_text(Interpreter& i, const Value& self, const Arguments& a) {
  std::string out;
  std::size_t next = 0;
  const std::string_view text = *self.text();
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c != '{' && c != '}') {
      out += c;
    } else if (at + 1 < text.size() && text[at + 1] == c) {
      out += c;
      ++at;
    } else {
      const std::size_t end = c == '{' ? text.find('}', at) : text.npos;
      if (end == text.npos) i.stop("str.format: a brace is not one of a pair");
      const std::string_view name = text.substr(at + 1, end - at - 1);
      if (name.find_first_of("{:!.[") != name.npos)
        i.stop("str.format: the field " + in_quotes(name) + " is not supported");
      const std::string part = to_text(field(i, a, name, next));
      i.work(part.size());
      out += part;
      at = end;
    }
  }
  return Value(std::move(out));
}

constexpr Row text_rows[] = {{"strip", &strip<true, true>},
                             {"lstrip", &strip<true, false>},
                             {"rstrip", &strip<false, true>},
                             {"split", &split<false>},
                             {"rsplit", &split<true>},
                             {"splitlines", &splitlines},
                             {"startswith", &starts<true>},
                             {"endswith", &starts<false>},
                             {"upper", &changed<&upper>},
                             {"lower", &changed<&lower>},
                             {"title", &changed<&title>},
                             {"capitalize", &changed<&capitalized>},
                             {"replace", &replace},
                             {"join", &join},
                             {"format", &format_text},
                             {"find", &find_text<false>},
                             {"rfind", &find_text<true>},
                             {"count", &count_text},
                             {"removeprefix", &remove<true>},
                             {"removesuffix", &remove<false>},
                             {"isdigit", &all_are<&is_number>},
                             {"isnumeric", &all_are<&is_number>},
                             {"isalpha", &all_are<&is_letter>},
                             {"isalnum", &all_are<&is_letter_or_number>},
                             {"isspace", &all_are<&is_white_space>},
                             {"isupper", &is_unchanged<&upper>},
                             {"islower", &is_unchanged<&lower>}};

Value items(Interpreter& i, const Value& self, const Arguments&) {
  std::vector<Value> pairs;
  for (const auto& [key, value] : (*self.as<Dict>())->items)
    pairs.push_back(i.list({value_of(key), value}, true));
  return i.list(std::move(pairs));
}
Value keys(Interpreter& i, const Value& self, const Arguments&) { return i.list(i.items_of(self)); }
Value values(Interpreter& i, const Value& self, const Arguments&) {
  std::vector<Value> all;
  for (const auto& [key, value] : (*self.as<Dict>())->items) all.push_back(value);
  return i.list(std::move(all));
}
Value get(Interpreter& i, const Value& self, const Arguments& a) {
  if (a.values.empty()) i.stop("the argument of get is missing");
  i.work((*self.as<Dict>())->items.size());
  if (const Value* found = (*self.as<Dict>())->find_value(a.values[0])) return *found;
  const Value* otherwise = a.find(1, "default");
  return otherwise ? *otherwise : Value(None{});
}

constexpr Row dict_rows[] = {
    {"items", &items}, {"keys", &keys}, {"values", &values}, {"get", &get}};

Value index_of(Interpreter& i, const Value& self, const Arguments& a) {
  if (a.values.empty()) i.stop("the argument of index is missing");
  const auto& all = *self.list();
  i.work(all.size());
  for (std::size_t k = 0; k < all.size(); ++k)
    if (equal(all[k], a.values[0])) return static_cast<std::int64_t>(k);
  i.stop("the value is not in the list");
}
Value count_items(Interpreter& i, const Value& self, const Arguments& a) {
  if (a.values.empty()) i.stop("the argument of count is missing");
  i.work(self.list()->size());
  return static_cast<std::int64_t>(
      std::ranges::count_if(*self.list(), [&](const Value& v) { return equal(v, a.values[0]); }));
}
constexpr Row list_rows[] = {{"index", &index_of}, {"count", &count_items}};

Builtin find_in(std::span<const Row> rows, std::string_view name) {
  const auto at = std::ranges::find(rows, name, &Row::name);
  return at == rows.end() ? nullptr : at->method;
}

}  // namespace

Builtin find_method(const Value& value, std::string_view name) {
  if (value.text()) return find_in(text_rows, name);
  if (value.is<Dict>()) return find_in(dict_rows, name);
  return value.list() ? find_in(list_rows, name) : nullptr;
}

}  // namespace webnn::inline v0_1::lm::jinja
