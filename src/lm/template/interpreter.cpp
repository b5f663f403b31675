// Statements.
#include "src/lm/template/interpreter.h"

#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::lm::jinja {
namespace {

constexpr std::size_t max_nesting = 500;  // of statements and expressions in one another

/// What a loop shows of itself.
Value loop_value(const std::vector<Value>& items, std::size_t i) {
  const auto number = [](std::size_t n) { return Value(static_cast<std::int64_t>(n)); };
  auto cycle = std::make_shared<const std::function<Value(Interpreter&, const Arguments&)>>(
      [i](Interpreter&, const Arguments& a) {
        return a.values.empty() ? Value() : a.values[i % a.values.size()];
      });
  auto loop = std::make_shared<DictData>();
  loop->items = {{"index", number(i + 1)},
                 {"index0", number(i)},
                 {"revindex", number(items.size() - i)},
                 {"revindex0", number(items.size() - i - 1)},
                 {"first", i == 0},
                 {"last", i + 1 == items.size()},
                 {"length", number(items.size())},
                 {"previtem", i > 0 ? items[i - 1] : Value()},
                 {"nextitem", i + 1 < items.size() ? items[i + 1] : Value()},
                 {"cycle", Function(std::move(cycle))}};
  measure(*loop);
  loop->depth = max_depth;  // it is not put into other values
  return Dict(std::move(loop));
}

}  // namespace

Interpreter::Depth::Depth(Interpreter& i) : interpreter(i) {
  if (++interpreter.depth_ <= max_nesting) return;
  --interpreter.depth_;
  interpreter.stop("values and macros are nested more than " + std::to_string(max_nesting) +
                   " deep");
}

Interpreter::~Interpreter() {
  // Namespaces may hold each other: each is emptied while the others are still there.
  for (const Namespace& n : namespaces_) n->members.items.clear();
}

void Interpreter::stop(const std::string& message) const {
  raise({"line " + std::to_string(line_) + ": " + message, ErrorName::DataError}, "chat_template",
        label_);
}

void Interpreter::work(std::uint64_t size) {
  const std::uint64_t cost = 1 + size / 8;
  if (cost > limits_.steps)
    raise({"line " + std::to_string(line_) + ": the template takes more steps than the limit",
           ErrorName::OperationError},
          "chat_template", label_);
  limits_.steps -= cost;
}

void Interpreter::print(std::string_view text) {
  work(text.size());
  if (text.size() > limits_.bytes - std::min(limits_.bytes, out_->size()))
    raise({"line " + std::to_string(line_) + ": the text is longer than the limit of " +
               std::to_string(limits_.bytes) + " bytes",
           ErrorName::OperationError},
          "chat_template", label_);
  *out_ += text;
}

void Interpreter::print_value(const Value& value) {
  work(size_of(value));
  print(to_text(value));
}

const Value* Interpreter::find(std::string_view name) const {
  for (const Scope* s = scope_; s; s = s->parent)
    if (const auto at = s->names.find(name); at != s->names.end()) return &at->second;
  return nullptr;
}

std::string Interpreter::run(const Body& body, std::vector<std::pair<std::string, Value>> globals) {
  for (auto& [name, value] : globals) set(name, std::move(value));
  std::string out;
  out_ = &out;
  execute(body);
  return out;
}

std::string Interpreter::captured(const Body& body) {
  std::string text;
  std::string* const before = std::exchange(out_, &text);
  struct Restore {
    Interpreter& i;
    std::string* out;
    ~Restore() { i.out_ = out; }
  } const restore{*this, before};
  execute(body);
  return text;
}

Interpreter::Flow Interpreter::execute(const Body& body) {
  for (const Statement& s : body)
    if (const Flow flow = execute(s); flow != Flow::normal) return flow;
  return Flow::normal;
}

Interpreter::Flow Interpreter::execute(const Statement& s) {
  const Depth depth(*this);
  line_ = s.line;
  work(0);
  using Kind = Statement::Kind;
  switch (s.kind) {
    case Kind::text: print(s.text); break;
    case Kind::print: print_value(evaluate(*s.expressions[0])); break;
    case Kind::condition:
      for (std::size_t i = 0; i < s.bodies.size(); ++i)
        if (i == s.expressions.size() || is_true(evaluate(*s.expressions[i])))
          return execute(s.bodies[i]);
      break;
    case Kind::loop: return execute_loop(s);
    case Kind::assign:
      if (s.text.empty()) assign(s.names, evaluate(*s.expressions[0]));
      else assign_member(s);
      break;
    case Kind::assign_body:
    case Kind::filter_body: {
      Scope scope{.parent = scope_};
      scope.names.emplace(body_name, Value(captured(s.bodies[0])));
      struct Inner {
        Interpreter& i;
        Scope* outer;
        ~Inner() { i.scope_ = outer; }
      } inner{*this, std::exchange(scope_, &scope)};
      const Value value = evaluate(*s.expressions[0]);
      scope_ = inner.outer;
      if (s.kind == Kind::assign_body) set(s.names[0], value);
      else print_value(value);
      break;
    }
    case Kind::macro: set(s.text, macro(s.text, s, 0, &root_, nullptr)); break;
    case Kind::call_body: call_body(s); break;
    case Kind::body: return execute(s.bodies[0]);
    case Kind::stop: return Flow::stop;
    case Kind::next: return Flow::next;
  }
  return Flow::normal;
}

Interpreter::Flow Interpreter::execute_loop(const Statement& s) {
  Scope* const outer = scope_;
  struct Restore {
    Interpreter& i;
    Scope* scope;
    ~Restore() { i.scope_ = scope; }
  } const restore{*this, outer};
  std::vector<Value> items = items_of(evaluate(*s.expressions[0]));
  const auto enter = [&](Scope& scope, const Value& item) {
    scope.parent = outer;
    scope_ = &scope;
    assign(s.names, item);
  };
  if (s.expressions[1])
    std::erase_if(items, [&](const Value& item) {
      Scope scope;
      enter(scope, item);
      const bool keep = is_true(evaluate(*s.expressions[1]));
      scope_ = outer;
      return !keep;
    });
  for (std::size_t i = 0; i < items.size(); ++i) {
    Scope scope;
    enter(scope, items[i]);
    set("loop", loop_value(items, i));
    const Flow flow = execute(s.bodies[0]);
    scope_ = outer;
    if (flow == Flow::stop) break;
  }
  return items.empty() && s.bodies.size() > 1 ? execute(s.bodies[1]) : Flow::normal;
}

void Interpreter::assign(const std::vector<std::string>& names, const Value& value) {
  if (names.size() == 1) return set(names[0], value);
  const std::vector<Value> items = items_of(value);
  if (items.size() != names.size())
    stop("there are " + std::to_string(items.size()) + " values for " +
         std::to_string(names.size()) + " names");
  for (std::size_t i = 0; i < names.size(); ++i) set(names[i], items[i]);
}

void Interpreter::assign_member(const Statement& s) {
  const Value* target = find(s.text);
  const Namespace* n = target ? target->as<Namespace>() : nullptr;
  if (!n) stop(in_quotes(s.text) + " is not a namespace");
  const Namespace held = *n;
  Value value = evaluate(*s.expressions[0]);
  work(held->members.items.size());
  for (auto& [name, member] : held->members.items)
    if (name == s.names[0]) {
      member = std::move(value);
      return;
    }
  held->members.items.emplace_back(s.names[0], std::move(value));
}

Value Interpreter::macro(const std::string& name, const Statement& s, std::size_t first_default,
                         Scope* parent, std::shared_ptr<bool> is_alive) {
  auto function = [&s, name, first_default, parent, alive = std::move(is_alive)](
                      Interpreter& self, const Arguments& a) {
    if (alive && !*alive) self.stop("the caller has returned");
    if (a.values.size() > s.names.size())
      self.stop(in_quotes(name) + " has " + std::to_string(s.names.size()) + " parameters, not " +
                std::to_string(a.values.size()));
    Scope scope{.parent = parent};
    struct Restore {
      Interpreter& i;
      Scope* scope;
      ~Restore() { i.scope_ = scope; }
    } const restore{self, std::exchange(self.scope_, &scope)};
    for (const auto& [key, value] : a.named) self.set(key, value);
    for (std::size_t i = 0; i < s.names.size(); ++i) {
      const ExpressionPtr& otherwise = s.expressions[first_default + i];
      if (const Value* given = a.find(i, s.names[i])) self.set(s.names[i], *given);
      else self.set(s.names[i], otherwise ? self.evaluate(*otherwise) : Undefined{s.names[i]});
    }
    return Value(self.captured(s.bodies[0]));
  };
  return Function(std::make_shared<const std::function<Value(Interpreter&, const Arguments&)>>(
      std::move(function)));
}

void Interpreter::call_body(const Statement& s) {
  const Expression& call_expression = *s.expressions[0];
  const Value function = evaluate(*call_expression.parts[0]);
  Arguments arguments = arguments_of(call_expression, 1);
  const auto alive = std::make_shared<bool>(true);
  struct End {
    bool& alive;
    ~End() { alive = false; }
  } const end{*alive};
  arguments.named.emplace_back("caller", macro("caller", s, 1, scope_, alive));
  print(to_text(call(function, arguments)));
}

Value Interpreter::call(const Value& function, const Arguments& arguments) {
  const Depth depth(*this);
  work(arguments.size());
  const Function* f = function.as<Function>();
  if (const auto* u = function.as<Undefined>()) stop(in_quotes(u->name) + " is undefined");
  if (!f) stop("a value of type " + std::string(type_name(function)) + " is not a function");
  const Function held = *f;
  return (*held)(*this, arguments);
}

}  // namespace webnn::inline v0_1::lm::jinja
