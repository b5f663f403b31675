// Tests, and the functions that every template sees.
#include <algorithm>
#include <ctime>

#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "src/lm/template/interpreter.h"
#include "src/lm/template/strings.h"

namespace webnn::inline v0_1::lm::jinja {
namespace {

const Value& operand(Interpreter& i, const Arguments& a) {
  if (a.values.empty()) i.stop("the operand of a test is missing");
  return a.values[0];
}
template <bool swapped, bool inverse>
bool compare(Interpreter& i, const Value& v, const Arguments& a) {
  const Value& other = operand(i, a);
  const auto less = swapped ? is_less(other, v) : is_less(v, other);
  if (!less)
    i.stop("a value of type " + std::string(type_name(v)) + " and one of type " +
           std::string(type_name(other)) + " cannot be compared");
  return *less != inverse;
}
bool is_equal(Interpreter& i, const Value& v, const Arguments& a) {
  return equal(v, operand(i, a));
}
bool is_not_equal(Interpreter& i, const Value& v, const Arguments& a) {
  return !equal(v, operand(i, a));
}
bool is_in(Interpreter& i, const Value& v, const Arguments& a) {
  const Value& all = operand(i, a);
  if (const std::string* text = all.text())
    return text->find(i.text_of(v, "the value to find in a str")) != text->npos;
  if (const Dict* d = all.as<Dict>()) return (*d)->find_value(v) != nullptr;
  return std::ranges::any_of(i.items_of(all), [&](const Value& x) { return equal(x, v); });
}
template <std::int64_t rest> bool is_even(Interpreter& i, const Value& v, const Arguments&) {
  return (i.integer_of(v, "the number") & 1) == rest;
}
bool is_divisible(Interpreter& i, const Value& v, const Arguments& a) {
  const std::int64_t by = i.integer_of(operand(i, a), "the divisor");
  if (by == 0) i.stop("a number is divided by 0");
  return by == -1 || i.integer_of(v, "the number") % by == 0;
}
template <std::string (*Change)(std::string_view)>
bool is_unchanged(Interpreter&, const Value& v, const Arguments&) {
  return v.text() && Change(*v.text()) == *v.text();
}
template <class... T> bool is_a(Interpreter&, const Value& v, const Arguments&) {
  return (v.is<T>() || ...);
}
template <class... T> bool is_not_a(Interpreter&, const Value& v, const Arguments&) {
  return !(v.is<T>() || ...);
}
template <bool wanted> bool is_bool(Interpreter&, const Value& v, const Arguments&) {
  const bool* b = v.as<bool>();
  return b && *b == wanted;
}

struct Row {
  std::string_view name;
  Test test;
};
constexpr Row rows[] = {
    {"boolean", &is_a<bool>},
    {"callable", &is_a<Function>},
    {"defined", &is_not_a<Undefined>},
    {"divisibleby", &is_divisible},
    {"eq", &is_equal},
    {"equalto", &is_equal},
    {"==", &is_equal},
    {"even", &is_even<0>},
    {"false", &is_bool<false>},
    {"float", &is_a<double>},
    {"ge", &compare<false, true>},
    {"greaterthan", &compare<true, false>},
    {"gt", &compare<true, false>},
    {"in", &is_in},
    {"integer", &is_a<std::int64_t>},
    {"iterable", &is_a<Text, List, Dict, Undefined>},
    {"le", &compare<true, true>},
    {"lessthan", &compare<false, false>},
    {"lower", &is_unchanged<&lower>},
    {"lt", &compare<false, false>},
    {"mapping", &is_a<Dict>},
    {"ne", &is_not_equal},
    {"none", &is_a<None>},
    {"number", &is_a<std::int64_t, double, bool>},
    {"odd", &is_even<1>},
    {"sameas", &is_equal},
    {"sequence", &is_a<Text, List, Dict>},
    {"string", &is_a<Text>},
    {"true", &is_bool<true>},
    {"undefined", &is_a<Undefined>},
    {"upper", &is_unchanged<&upper>},
};

Value range(Interpreter& i, const Arguments& a) {
  if (a.values.empty() || a.values.size() > 3) i.stop("range has one to three arguments");
  std::int64_t bounds[3] = {0, 0, 1};
  for (std::size_t k = 0; k < a.values.size(); ++k)
    bounds[k] = i.integer_of(a.values[k], "an argument of range");
  if (a.values.size() == 1) std::swap(bounds[0], bounds[1]);
  const auto [first, last, step] = bounds;
  if (step == 0) i.stop("the step of range is 0");
  std::vector<Value> all;
  for (std::int64_t n = first; step > 0 ? n < last : n > last;) {
    i.work(64);
    all.emplace_back(n);
    if (__builtin_add_overflow(n, step, &n)) break;
  }
  return i.list(std::move(all));
}

DictData members_of(Interpreter& i, const Arguments& a) {
  DictData members;
  for (const Value& v : a.values) {
    const Dict* d = v.as<Dict>();
    if (!d) i.stop("a value of type " + std::string(type_name(v)) + " is not a dict");
    for (const auto& item : (*d)->items) members.items.push_back(item);
  }
  for (const auto& item : a.named) {
    i.work(members.items.size());
    const auto same = std::ranges::find_if(
        members.items, [&](const auto& m) { return m.first.same_as(item.first); });
    if (same == members.items.end()) members.items.emplace_back(item.first, item.second);
    else same->second = item.second;
  }
  return members;
}
Value new_namespace(Interpreter& i, const Arguments& a) {
  return i.new_namespace(members_of(i, a));
}
Value new_dict(Interpreter& i, const Arguments& a) { return i.dict(members_of(i, a)); }

Value raise_exception(Interpreter& i, const Arguments& a) {
  i.work_on({}, a);
  raise({a.values.empty() ? "the template refuses the messages" : to_text(a.values[0]),
         ErrorName::TypeError},
        "chat_template");
}

Value strftime_now(Interpreter& i, const Arguments& a, std::int64_t time) {
  if (a.values.empty()) i.stop("the argument of strftime_now is missing");
  const std::string& format = i.text_of(a.values[0], "the format");
  if (format.empty() || format.size() > 256) i.stop("the format of a date has 1 to 256 bytes");
  const auto seconds = static_cast<std::time_t>(time);
  std::tm parts{};
  if (!localtime_r(&seconds, &parts)) i.stop("the date is out of range");
  char text[4096];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const std::size_t size = std::strftime(text, sizeof text, format.c_str(), &parts);
#pragma GCC diagnostic pop
  return Value(std::string_view(text, size));
}

template <class F> Value function(F f) {
  return Function(
      std::make_shared<const std::function<Value(Interpreter&, const Arguments&)>>(std::move(f)));
}

}  // namespace

Test find_test(std::string_view name) {
  const auto* at = std::ranges::find(rows, name, &Row::name);
  return at == std::end(rows) ? nullptr : at->test;
}

std::vector<std::pair<std::string, Value>> global_functions(std::int64_t time) {
  return {{"range", function(&range)},
          {"namespace", function(&new_namespace)},
          {"dict", function(&new_dict)},
          {"raise_exception", function(&raise_exception)},
          {"strftime_now", function([time](Interpreter& i, const Arguments& a) {
             return strftime_now(i, a, time);
           })}};
}

}  // namespace webnn::inline v0_1::lm::jinja
