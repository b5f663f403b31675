// Sums, products and the other operations on numbers, as Python has them.
#include <algorithm>
#include <cmath>

#include "src/graph/text.h"
#include "src/lm/template/interpreter.h"

namespace webnn::inline v0_1::lm::jinja {

Value Interpreter::sum(const Value& a, const Value& b) {
  if (a.text() && b.text()) return Value(*a.text() + *b.text());
  const auto *l = a.list(), *m = b.list();
  if (!l || !m) return arithmetic('+', a, b);
  std::vector<Value> items = *l;
  items.insert(items.end(), m->begin(), m->end());
  return list(std::move(items), (*a.as<List>())->is_tuple);
}

Value Interpreter::product(const Value& a, const Value& b) {
  const Value& repeated = a.text() || a.list() ? a : b;
  const Value& times = &repeated == &a ? b : a;
  if (!repeated.text() && !repeated.list()) return arithmetic('*', a, b);
  const auto count = static_cast<std::uint64_t>(
      std::max<std::int64_t>(integer_of(times, "the number of repetitions"), 0));
  const std::uint64_t size = repeated.text() ? repeated.text()->size() : repeated.list()->size();
  if (size > 0 && count > limits_.bytes / size)
    stop("a value is repeated " + std::to_string(count) + " times");
  work(static_cast<std::size_t>(size * count));
  if (const std::string* text = repeated.text()) {
    std::string out;
    for (std::uint64_t i = 0; i < count && size > 0; ++i) out += *text;
    return Value(std::move(out));
  }
  std::vector<Value> items;
  for (std::uint64_t i = 0; i < count && size > 0; ++i)
    items.insert(items.end(), repeated.list()->begin(), repeated.list()->end());
  return list(std::move(items));
}

Value Interpreter::arithmetic(char sign, const Value& a, const Value& b) {
  const auto x = a.number(), y = b.number();
  if (!x || !y) {
    const std::string name = sign == 'd' ? "//" : sign == 'p' ? "**" : std::string(1, sign);
    if (const auto* u = a.as<Undefined>()) stop(in_quotes(u->name) + " is undefined");
    if (const auto* u = b.as<Undefined>()) stop(in_quotes(u->name) + " is undefined");
    stop("there is no " + in_quotes(name) + " of values of type " + std::string(type_name(a)) +
         " and " + std::string(type_name(b)));
  }
  const auto i = a.integer(), j = b.integer();
  if ((sign == '/' || sign == '%' || sign == 'd') && *y == 0) stop("a number is divided by 0");
  if (!i || !j || sign == '/' || (sign == 'p' && *j < 0)) {
    switch (sign) {
      case '+': return *x + *y;
      case '-': return *x - *y;
      case '*': return *x * *y;
      case '/': return *x / *y;
      case 'd': return std::floor(*x / *y);
      case '%': return *x - std::floor(*x / *y) * *y;
      default: return std::pow(*x, *y);
    }
  }
  std::int64_t result = 0;
  bool overflow = false;
  switch (sign) {
    case '+': overflow = __builtin_add_overflow(*i, *j, &result); break;
    case '-': overflow = __builtin_sub_overflow(*i, *j, &result); break;
    case '*': overflow = __builtin_mul_overflow(*i, *j, &result); break;
    case 'd':
    case '%': {
      if (*j == -1) {  // the quotient of the least number overflows
        overflow = sign == 'd' && *i == INT64_MIN;
        result = overflow || sign == '%' ? 0 : -*i;
        break;
      }
      std::int64_t quotient = *i / *j, rest = *i % *j;
      if (rest != 0 && (rest < 0) != (*j < 0)) {
        --quotient;
        rest += *j;
      }
      result = sign == 'd' ? quotient : rest;
      break;
    }
    default:
      result = 1;
      if (*i == 0 || *i == 1) result = *j == 0 ? 1 : *i;
      else if (*i == -1) result = *j % 2 == 0 ? 1 : -1;
      else
        for (std::int64_t k = 0; k < *j && !overflow; ++k)
          overflow = __builtin_mul_overflow(result, *i, &result);
  }
  if (overflow) stop("an int is beyond 64 bits");
  return result;
}

}  // namespace webnn::inline v0_1::lm::jinja
