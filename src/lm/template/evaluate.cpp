// Expressions.
#include <algorithm>

#include "src/graph/text.h"
#include "src/lm/template/interpreter.h"

namespace webnn::inline v0_1::lm::jinja {
namespace {

Value text_items(const std::vector<std::string_view>& parts) {
  std::string out;
  for (const std::string_view p : parts) out += p;
  return Value(std::move(out));
}

/// The places that a slice of n items has, as in Python.
std::vector<std::size_t> slice_places(std::int64_t n, std::optional<std::int64_t> first,
                                      std::optional<std::int64_t> last, std::int64_t step) {
  const auto clamped = [&](std::int64_t i, std::int64_t low, std::int64_t high) {
    if (i < 0) i = i < -n ? -1 : i + n;
    return std::clamp(i, low, high);
  };
  std::vector<std::size_t> places;
  if (step > 0) {
    const std::int64_t begin = first ? clamped(*first, 0, n) : 0;
    const std::int64_t end = last ? clamped(*last, 0, n) : n;
    for (std::int64_t i = begin; i<end; i = step> end - i ? end : i + step)
      places.push_back(static_cast<std::size_t>(i));
  } else {
    const std::int64_t begin = first ? clamped(*first, -1, n - 1) : n - 1;
    const std::int64_t end = last ? clamped(*last, -1, n - 1) : -1;
    for (std::int64_t i = begin; i > end; i = -step > i - end ? end : i + step)
      places.push_back(static_cast<std::size_t>(i));
  }
  return places;
}

}  // namespace

Value Interpreter::list(std::vector<Value> items, bool is_tuple) {
  work(items.size() * 32);
  auto data = std::make_shared<ListData>(ListData{std::move(items), is_tuple});
  measure(*data);
  if (data->depth > max_depth)
    stop("lists and objects are more than " + std::to_string(max_depth) + " deep");
  return List(std::move(data));
}

Value Interpreter::dict(DictData data) {
  work(data.items.size() * 64);
  measure(data);
  if (data.depth > max_depth)
    stop("lists and objects are more than " + std::to_string(max_depth) + " deep");
  return Dict(std::make_shared<const DictData>(std::move(data)));
}

Value Interpreter::new_namespace(DictData members) {
  work(100 + members.items.size());
  namespaces_.push_back(std::make_shared<NamespaceData>(NamespaceData{std::move(members)}));
  return namespaces_.back();
}

const std::string& Interpreter::text_of(const Value& value, std::string_view what) {
  if (const std::string* text = value.text()) return *text;
  stop(std::string(what) + " is a " + std::string(type_name(value)) + ", not a str");
}
std::int64_t Interpreter::integer_of(const Value& value, std::string_view what) {
  if (const auto i = value.integer()) return *i;
  stop(std::string(what) + " is a " + std::string(type_name(value)) + ", not an int");
}

std::vector<Value> Interpreter::items_of(const Value& value) {
  if (const auto* l = value.list()) {
    work(l->size());
    return *l;
  }
  std::vector<Value> items;
  if (const Dict* d = value.as<Dict>()) {
    work((*d)->items.size());
    for (const auto& [key, v] : (*d)->items) items.push_back(value_of(key));
  } else if (const std::string* text = value.text()) {
    work(text->size() * 8);
    for (const std::string_view c : characters_of(*text)) items.emplace_back(c);
  } else if (!value.is_undefined()) {
    stop("a value of type " + std::string(type_name(value)) + " has no items");
  }
  return items;
}

Value Interpreter::attribute(const Value& value, std::string_view name) {
  work(0);
  if (const auto* u = value.as<Undefined>())
    stop(in_quotes(u->name) + " is undefined, and has no " + in_quotes(name));
  if (const Builtin method = find_method(value, name))
    return Function(std::make_shared<const std::function<Value(Interpreter&, const Arguments&)>>(
        [method, value](Interpreter& i, const Arguments& a) {
          i.work_on(value, a);
          return method(i, value, a);
        }));
  const DictData* members = nullptr;
  if (const Dict* d = value.as<Dict>()) members = d->get();
  if (const Namespace* n = value.as<Namespace>()) members = &(*n)->members;
  if (members) {
    work(members->items.size());
    if (const Value* found = members->find(name)) return *found;
  }
  return Undefined{std::string(name)};
}

Value Interpreter::item(const Value& value, const Value& key) {
  if (const std::string* name = key.text()) {
    if (const Dict* d = value.as<Dict>()) {
      work((*d)->items.size());
      if (const Value* found = (*d)->find(*name)) return *found;
    }
    return attribute(value, *name);
  }
  if (const auto* u = value.as<Undefined>()) stop(in_quotes(u->name) + " is undefined");
  const auto index = key.integer();
  if (!index) return Undefined{to_text(key)};
  const auto place = [&](std::size_t size) -> std::optional<std::size_t> {
    const auto n = static_cast<std::int64_t>(size);
    const std::int64_t i = *index < 0 ? *index + n : *index;
    return i >= 0 && i < n ? std::optional(static_cast<std::size_t>(i)) : std::nullopt;
  };
  if (const auto* l = value.list()) {
    if (const auto i = place(l->size())) return (*l)[*i];
  } else if (const std::string* text = value.text()) {
    work(text->size());
    const auto characters = characters_of(*text);
    if (const auto i = place(characters.size())) return Value(characters[*i]);
  } else if (const Dict* d = value.as<Dict>()) {
    work((*d)->items.size());
    if (const Value* found = (*d)->find_key(key_of(key))) return *found;
  }
  return Undefined{to_text(key)};
}

void Interpreter::work_on(const Value& value, const Arguments& a) {
  work(size_of(value));
  for (const Value& v : a.values) work(size_of(v));
  for (const auto& [name, v] : a.named) work(size_of(v));
}

Value Interpreter::filtered(std::string_view name, const Value& value, const Arguments& a) {
  const Builtin filter = find_filter(name);
  if (!filter) stop("there is no filter " + in_quotes(name));
  work_on(value, a);
  return filter(*this, value, a);
}
bool Interpreter::tested(std::string_view name, const Value& value, const Arguments& a) {
  const Test test = find_test(name);
  if (!test) stop("there is no test " + in_quotes(name));
  work_on(value, a);
  return test(*this, value, a);
}

Arguments Interpreter::arguments_of(const Expression& e, std::size_t first) {
  Arguments a;
  for (std::size_t i = first; i < e.parts.size(); ++i) a.values.push_back(evaluate(*e.parts[i]));
  for (const auto& [name, value] : e.named) a.named.emplace_back(name, evaluate(*value));
  return a;
}

Value Interpreter::evaluate(const Expression& e) {
  const Depth depth(*this);
  line_ = e.line;
  work(0);
  using Kind = Expression::Kind;
  switch (e.kind) {
    case Kind::literal: return e.value;
    case Kind::name: {
      const Value* found = find(e.text);
      return found ? *found : Value(Undefined{e.text});
    }
    case Kind::attribute: return attribute(evaluate(*e.parts[0]), e.text);
    case Kind::subscript: {
      const Value value = evaluate(*e.parts[0]);
      return item(value, evaluate(*e.parts[1]));
    }
    case Kind::slice: return evaluate_slice(e);
    case Kind::call: return evaluate_call(e);
    case Kind::filter: {
      const Value value = evaluate(*e.parts[0]);
      return filtered(e.text, value, arguments_of(e, 1));
    }
    case Kind::test: {
      const Value value = evaluate(*e.parts[0]);
      return tested(e.text, value, arguments_of(e, 1));
    }
    case Kind::operation: return evaluate_operation(e);
    case Kind::conjunction: {
      Value left = evaluate(*e.parts[0]);
      return is_true(left) ? evaluate(*e.parts[1]) : left;
    }
    case Kind::disjunction: {
      Value left = evaluate(*e.parts[0]);
      return is_true(left) ? left : evaluate(*e.parts[1]);
    }
    case Kind::condition:
      if (is_true(evaluate(*e.parts[1]))) return evaluate(*e.parts[0]);
      return e.parts[2] ? evaluate(*e.parts[2]) : Value(Undefined{"the other case"});
    case Kind::list:
    case Kind::tuple: {
      std::vector<Value> items;
      for (const ExpressionPtr& p : e.parts) items.push_back(evaluate(*p));
      return list(std::move(items), e.kind == Kind::tuple);
    }
    case Kind::dict: return evaluate_dict(e);
  }
  return {};
}

Value Interpreter::evaluate_call(const Expression& e) {
  const Expression& callee = *e.parts[0];
  if (callee.kind != Expression::Kind::attribute) {
    const Value function = evaluate(callee);
    return call(function, arguments_of(e, 1));
  }
  const Value self = evaluate(*callee.parts[0]);
  const Builtin method = find_method(self, callee.text);
  const Value function = method ? Value() : attribute(self, callee.text);
  const Arguments arguments = arguments_of(e, 1);
  line_ = e.line;
  if (!method) return call(function, arguments);
  work_on(self, arguments);
  return method(*this, self, arguments);
}

Value Interpreter::evaluate_dict(const Expression& e) {
  DictData data;
  for (std::size_t i = 0; i + 1 < e.parts.size(); i += 2) {
    const Value name = evaluate(*e.parts[i]);
    work(size_of(name));
    const Key key = key_of(name);
    Value value = evaluate(*e.parts[i + 1]);
    work(data.items.size());
    const auto same =
        std::ranges::find_if(data.items, [&](const auto& x) { return x.first.same_as(key); });
    if (same != data.items.end()) same->second = std::move(value);
    else data.items.emplace_back(key, std::move(value));
  }
  return dict(std::move(data));
}

Value Interpreter::evaluate_slice(const Expression& e) {
  const Value value = evaluate(*e.parts[0]);
  std::optional<std::int64_t> bounds[3];
  for (std::size_t i = 0; i < 3; ++i) {
    if (!e.parts[i + 1]) continue;
    const Value bound = evaluate(*e.parts[i + 1]);
    if (!bound.is_none()) bounds[i] = integer_of(bound, "a bound");
  }
  const std::int64_t step = bounds[2].value_or(1);
  if (step == 0 || step == INT64_MIN) stop("the step of a slice is " + std::to_string(step));
  if (const auto* l = value.list()) {
    std::vector<Value> items;
    for (const std::size_t i :
         slice_places(static_cast<std::int64_t>(l->size()), bounds[0], bounds[1], step))
      items.push_back((*l)[i]);
    return list(std::move(items), (*value.as<List>())->is_tuple);
  }
  const std::string& text = text_of(value, "the sliced value");
  work(text.size());
  const auto characters = characters_of(text);
  std::vector<std::string_view> kept;
  for (const std::size_t i :
       slice_places(static_cast<std::int64_t>(characters.size()), bounds[0], bounds[1], step))
    kept.push_back(characters[i]);
  return text_items(kept);
}

bool Interpreter::contains(const Value& all, const Value& one) {
  if (const std::string* text = all.text()) {
    const std::string& part = text_of(one, "the value to find in a str");
    work(text->size());
    return text->find(part) != text->npos;
  }
  if (const Dict* d = all.as<Dict>()) {
    work((*d)->items.size());
    return (*d)->find_value(one) != nullptr;
  }
  if (const Namespace* n = all.as<Namespace>())
    return one.text() && (*n)->members.find(*one.text());
  for (const Value& v : items_of(all)) {
    work(size_of(v));
    if (equal(v, one)) return true;
  }
  return false;
}

Value Interpreter::evaluate_operation(const Expression& e) {
  const Value a = evaluate(*e.parts[0]);
  const std::string& sign = e.text;
  if (sign == "not") return !is_true(a);
  if (e.parts.size() == 1) {
    if (const auto i = a.integer()) {
      if (*i == INT64_MIN) stop("an int is beyond 64 bits");
      return sign == "-" ? -*i : *i;
    }
    if (const auto x = a.number()) return sign == "-" ? -*x : *x;
    stop("a value of type " + std::string(type_name(a)) + " has no " + in_quotes(sign));
  }
  const Value b = evaluate(*e.parts[1]);
  line_ = e.line;
  work(size_of(a) + size_of(b));
  if (sign == "==") return equal(a, b);
  if (sign == "!=") return !equal(a, b);
  if (sign == "in") return contains(b, a);
  if (sign == "not in") return !contains(b, a);
  if (sign == "~") return Value(to_text(a) + to_text(b));
  if (sign == "<" || sign == ">" || sign == "<=" || sign == ">=") {
    const bool swapped = sign[0] == '>';
    const bool inverse = sign.size() == 2;  // a <= b is not b < a
    const auto less = swapped != inverse ? is_less(b, a) : is_less(a, b);
    if (!less)
      stop("a value of type " + std::string(type_name(a)) + " and one of type " +
           std::string(type_name(b)) + " cannot be compared");
    return *less != inverse;
  }
  if (sign == "+") return sum(a, b);
  if (sign == "*") return product(a, b);
  return arithmetic(sign == "//" ? 'd' : sign == "**" ? 'p' : sign[0], a, b);
}

}  // namespace webnn::inline v0_1::lm::jinja
