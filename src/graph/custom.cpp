#include "src/graph/custom.h"

#include <algorithm>
#include <bit>
#include <new>

#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1 {
namespace {

constexpr std::size_t max_name = 256;

bool is_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == ':';
  };
  return !name.empty() && name.size() <= max_name && std::ranges::all_of(name, allowed);
}

/// Bits of numbers, so that a value is one in every comparison.
bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}
bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b, [](double x, double y) { return same(x, y); });
}
template <class T> bool same(const T& a, const T& b) { return a == b; }

std::string_view type_name(const CustomValue& v) {
  constexpr std::string_view names[] = {
      "nothing",  "a boolean",          "an integer",        "a number",
      "a string", "a list of integers", "a list of numbers", "a list of strings"};
  return names[v.index()];
}

/// A value in the type of another one; nothing if it is not of this type. An empty list has every
/// type of lists.
std::optional<CustomValue> converted(const CustomValue& v, const CustomValue& like) {
  if (!like || v.index() == like.index()) return v;
  const auto* integer = std::get_if<std::int64_t>(&v);
  if (integer && std::holds_alternative<double>(like))
    return CustomValue(static_cast<double>(*integer));
  if (integer && std::holds_alternative<bool>(like) && (*integer == 0 || *integer == 1))
    return CustomValue(*integer == 1);
  const auto* boolean = std::get_if<bool>(&v);
  if (boolean && std::holds_alternative<std::int64_t>(like)) return CustomValue(int{*boolean});
  const auto* integers = std::get_if<std::vector<std::int64_t>>(&v);
  if (integers && std::holds_alternative<std::vector<double>>(like))
    return CustomValue(std::vector<double>(integers->begin(), integers->end()));
  if (integers && integers->empty() && std::holds_alternative<std::vector<std::string>>(like))
    return CustomValue(std::vector<std::string>());
  return std::nullopt;
}

std::string text(std::monostate) { return "none"; }
std::string text(bool v) { return v ? "true" : "false"; }
std::string text(std::int64_t v) { return Arg(v).text; }
std::string text(double v) { return Arg(v).text; }
std::string text(const std::string& v) {
  std::string s = "\"";
  for (const char c : escaped(v)) (s += c == '"' || c == '\\' ? "\\" : "") += c;
  return s + '"';
}
template <class T> std::string text(const std::vector<T>& list) {
  return '[' + joined(list, ", ", [](const T& v) { return text(v); }) + ']';
}

thread_local bool inferring = false;

/// A mark that infer() runs, which may build other graphs.
class Inferring {
 public:
  Inferring() : before_(std::exchange(inferring, true)) {}
  Inferring(const Inferring&) = delete;
  ~Inferring() { inferring = before_; }

 private:
  bool before_;
};

}  // namespace

bool CustomValue::operator==(const CustomValue& other) const {
  if (index() != other.index()) return false;
  return std::visit(
      [&]<class T>(const T& a) { return same(a, std::get<T>(static_cast<const variant&>(other))); },
      static_cast<const variant&>(*this));
}

std::string text_of(const CustomValue& value) {
  return std::visit([](const auto& v) { return text(v); },
                    static_cast<const CustomValue::variant&>(value));
}

std::optional<Failure> check_definition(const CustomOperator& o) {
  if (!is_name(o.name))
    return fail("the name {} is not one of letters, digits, _, -, . and :, {} of them at most",
                in_quotes(o.name), max_name);
  if (std::ranges::find(EveryOp::names, std::string_view(o.name)) != EveryOp::names.end())
    return fail("the name {} is that of an operator of the library", in_quotes(o.name));
  if (o.version == 0) return fail("the version is 0");
  if (!o.infer) return fail("there is no infer()");
  if (!o.compute && !o.lower) return fail("there is neither compute() nor lower()");
  for (std::size_t i = 0; i < o.attributes.size(); ++i) {
    const std::string& name = o.attributes[i].name;
    if (name.empty()) return fail("the name of attribute {} is empty", i);
    if (o.attributes.find(name) != &o.attributes[i].value)
      return fail("attribute {} is there twice", in_quotes(name));
  }
  return std::nullopt;
}

std::shared_ptr<const CustomOperator> custom_operator(CustomOperator definition) {
  if (const auto bad = check_definition(definition))
    raise(*bad, "custom_operator", definition.name);
  return std::make_shared<const CustomOperator>(std::move(definition));
}

Result<CustomAttributes> completed(const CustomOperator& o, CustomAttributes given) {
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string& name = given[i].name;
    if (given.find(name) != &given[i].value)
      return fail("attribute {} is given twice", in_quotes(name));
    if (!o.attributes.find(name))
      return fail("{} is not one of its attributes ({})", in_quotes(name),
                  joined(o.attributes, ", ", &CustomAttribute::name));
  }
  CustomAttributes all;
  for (const auto& [name, usual] : o.attributes) {
    const CustomValue* value = given.find(name);
    if (!value || !*value) {
      if (!usual) return fail("attribute {} is not given", in_quotes(name));
      all.push_back({name, usual});
      continue;
    }
    auto fitting = converted(*value, usual);
    if (!fitting)
      return fail("attribute {} ({}) is {}, not {}", in_quotes(name), text_of(*value),
                  type_name(*value), type_name(usual));
    all.push_back({name, std::move(*fitting)});
  }
  return all;
}

CustomAttributes given_attributes(const ops::custom& op) {
  CustomAttributes all;
  for (const CustomAttribute& a : op.options.attributes) {
    const CustomValue* usual = op.definition ? op.definition->attributes.find(a.name) : nullptr;
    if (!usual || !(*usual == a.value)) all.push_back(a);
  }
  return all;
}

const CustomValue& CustomCall::value(std::string_view name) const {
  const CustomValue* v = attributes.find(name);
  if (!v) raise(fail("the operator has no attribute {}", in_quotes(name)), "attribute");
  return *v;
}
void CustomCall::raise_type(std::string_view name, std::string_view wanted) {
  raise(fail("attribute {} is not {}", in_quotes(name), wanted), "attribute");
}

std::span<const std::byte> CustomCall::constant(std::size_t i) const {
  if (i >= constants.size() || !constants[i] || constants[i]->released()) return {};
  return constants[i]->bytes();
}

void CustomRun::check(std::size_t i, const std::vector<MLOperandDescriptor>& all,
                      std::string_view what, const OutputView& as) {
  if (i >= all.size()) raise(fail("there is no {} {}, but {}", what, i, all.size()), "run");
  if (!as.views(all[i].dataType))
    raise(fail("{} {} is {}, and is read as another type", what, i, all[i].dataType), "run");
}

CustomCall call_of(const ops::custom& op, std::span<const MLOperand> outputs) {
  CustomCall call{.attributes = op.options.attributes, .label = op.options.label};
  for (const MLOperand& x : op.inputs) {
    call.inputs.push_back(x.record().descriptor);
    call.constants.push_back(x.record().constant);
  }
  for (const MLOperand& y : outputs) call.outputs.push_back(y.record().descriptor);
  return call;
}

Result<std::vector<MLOperandDescriptor>> inferred_results(const ops::custom& op) {
  if (!op.definition) return fail("there is no definition");
  return inferred_results(*op.definition, call_of(op));
}

Result<std::vector<MLOperandDescriptor>> inferred_results(const CustomOperator& definition,
                                                          const CustomCall& call) {
  const Inferring mark;
  try {
    return definition.infer(call);
  } catch (const std::bad_alloc&) { throw; } catch (const Error& e) {
    return Failure{e.reason()};
  } catch (const std::exception& e) { return Failure{e.what()}; } catch (...) {
    return fail("its infer() threw an exception that is not a std::exception");
  }
}

bool is_inferring() { return inferring; }

Result<ops::Shapes> ops::infer(const custom& op) {
  const auto results = inferred_results(op);
  if (!results) return results.failure();
  Shapes shapes(std::vector<Sizes>{});
  for (const MLOperandDescriptor& d : *results) shapes.emplace_back(d.shape.begin(), d.shape.end());
  return shapes;
}

bool is_pure(std::size_t kind, const void* op) {
  if (!is_custom(kind)) return true;
  const auto& definition = static_cast<const ops::custom*>(op)->definition;
  return definition && definition->pure;
}

}  // namespace webnn::inline v0_1
