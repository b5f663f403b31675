// Runs a template. Private.
#pragma once

#include <map>

#include "src/lm/template/ast.h"

namespace webnn::inline v0_1::lm::jinja {

struct Limits {
  std::uint64_t steps = 0;
  std::size_t bytes = 0;
};

struct Scope {
  std::map<std::string, Value, std::less<>> names{};
  Scope* parent = nullptr;
};

class Interpreter {
 public:
  Interpreter(const Limits& limits, std::string_view label) : limits_(limits), label_(label) {}
  Interpreter(const Interpreter&) = delete;
  ~Interpreter();

  std::string run(const Body& body, std::vector<std::pair<std::string, Value>> globals);

  // For filters, tests, methods and functions.

  /// Throws OperationError when all steps are done. `size`: bytes or items that are touched.
  void work(std::uint64_t size);
  /// What a filter or a method may do with all of its operands.
  void work_on(const Value& value, const Arguments& arguments);
  /// Throws DataError with the line.
  [[noreturn]] void stop(const std::string& message) const;
  Value call(const Value& function, const Arguments& arguments);
  Value list(std::vector<Value> items, bool is_tuple = false);
  Value dict(DictData data);
  Value new_namespace(DictData members);
  /// What a loop over the value visits.
  std::vector<Value> items_of(const Value& value);
  Value attribute(const Value& value, std::string_view name);
  Value item(const Value& value, const Value& key);
  Value filtered(std::string_view name, const Value& value, const Arguments& arguments);
  bool tested(std::string_view name, const Value& value, const Arguments& arguments);
  const std::string& text_of(const Value& value, std::string_view what);
  std::int64_t integer_of(const Value& value, std::string_view what);

 private:
  enum class Flow { normal, stop, next };
  /// Counts how deep statements and expressions are in one another.
  struct Depth {
    explicit Depth(Interpreter& i);
    ~Depth() { --interpreter.depth_; }
    Interpreter& interpreter;
  };

  Flow execute(const Body& body);
  Flow execute(const Statement& statement);
  Flow execute_loop(const Statement& statement);
  void assign(const std::vector<std::string>& names, const Value& value);
  void assign_member(const Statement& statement);
  Value macro(const std::string& name, const Statement& statement, std::size_t first_default,
              Scope* scope, std::shared_ptr<bool> is_alive);
  void call_body(const Statement& statement);
  std::string captured(const Body& body);
  void print(std::string_view text);
  void print_value(const Value& value);

  Value evaluate(const Expression& e);
  Value evaluate_call(const Expression& e);
  Value evaluate_slice(const Expression& e);
  Value evaluate_dict(const Expression& e);
  Value evaluate_operation(const Expression& e);
  Value sum(const Value& a, const Value& b);
  Value product(const Value& a, const Value& b);
  Value arithmetic(char sign, const Value& a, const Value& b);
  bool contains(const Value& all, const Value& one);
  Arguments arguments_of(const Expression& e, std::size_t first);
  const Value* find(std::string_view name) const;
  void set(const std::string& name, Value value) { scope_->names[name] = std::move(value); }

  Limits limits_;
  std::string_view label_;
  std::size_t depth_ = 0, line_ = 0;
  Scope root_{};
  Scope* scope_ = &root_;
  std::string* out_ = nullptr;
  std::vector<Namespace> namespaces_{};
};

using Builtin = Value (*)(Interpreter&, const Value& self, const Arguments&);
/// The method of a text, a list or an object; null where it has none of that name.
Builtin find_method(const Value& value, std::string_view name);
Builtin find_filter(std::string_view name);
using Test = bool (*)(Interpreter&, const Value&, const Arguments&);
Test find_test(std::string_view name);
/// The functions that every template sees.
std::vector<std::pair<std::string, Value>> global_functions(std::int64_t time);

}  // namespace webnn::inline v0_1::lm::jinja
