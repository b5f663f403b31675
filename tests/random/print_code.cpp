#include "tests/random/print_code.h"

#include <cmath>
#include <cstdio>

namespace webnn::inline v0_1::test {
namespace {

std::string joined(const std::vector<std::string>& parts) {
  std::string s;
  for (const std::string& p : parts) s += (s.empty() ? "" : ", ") + p;
  return s;
}
std::string string_literal(std::string_view text) {
  std::string s = "\"";
  for (char c : text) {
    char escape[8];
    if (c == '"' || c == '\\') s += '\\';
    if (static_cast<unsigned char>(c) < 32 || static_cast<unsigned char>(c) > 126) {
      // In octal, which ends after three digits whatever follows.
      std::snprintf(escape, sizeof escape, "\\%03o", static_cast<unsigned char>(c));
      s += escape;
    } else {
      s += c;
    }
  }
  return s + '"';
}

// Values of attributes: every type that ops::is_value admits.

std::string number(double v, int digits, const char* suffix) {
  if (std::isnan(v)) return "NAN";
  if (std::isinf(v)) return v < 0 ? "-INFINITY" : "INFINITY";
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, v);
  std::string s = text;
  if (s.find_first_of(".e") == std::string::npos) s += '.';
  return s + suffix;
}
std::string code(bool v) { return v ? "true" : "false"; }
std::string code(double v) { return number(v, 17, ""); }
std::string code(float v) { return number(static_cast<double>(v), 9, "f"); }
std::string code(std::uint32_t v) { return std::to_string(v); }
std::string code(std::int32_t v) { return std::to_string(v); }
std::string code(const MLNumber& v) {
  if (!v.is_integer()) return code(v.as_double());
  if (!v.is_negative_integer()) return std::to_string(v.as_uint64()) + "ull";
  const auto n = static_cast<std::int64_t>(v.as_uint64());
  return "std::int64_t(" + std::to_string(n + 1) + " - 1)";  // the least is no literal
}

std::string_view type_name(MLOperandDataType) { return ""; }  // webnn::float32
std::string_view type_name(MLInputOperandLayout) { return "MLInputOperandLayout::"; }
std::string_view type_name(MLConv2dFilterOperandLayout) { return "MLConv2dFilterOperandLayout::"; }
std::string_view type_name(MLConvTranspose2dFilterOperandLayout) {
  return "MLConvTranspose2dFilterOperandLayout::";
}
std::string_view type_name(MLGruWeightLayout) { return "MLGruWeightLayout::"; }
std::string_view type_name(MLLstmWeightLayout) { return "MLLstmWeightLayout::"; }
std::string_view type_name(MLInterpolationMode) { return "MLInterpolationMode::"; }
std::string_view type_name(MLPaddingMode) { return "MLPaddingMode::"; }
std::string_view type_name(MLRecurrentNetworkActivation) {
  return "MLRecurrentNetworkActivation::";
}
std::string_view type_name(MLRecurrentNetworkDirection) { return "MLRecurrentNetworkDirection::"; }
std::string_view type_name(MLRoundingType) { return "MLRoundingType::"; }

template <NamedEnum E> std::string code(E e) {
  std::string s(type_name(e));
  for (char c : name_of(e)) s += c == '-' ? '_' : c;
  return s;
}
template <class T> std::string code(const std::vector<T>& list) {
  std::vector<std::string> parts;
  for (const T& v : list) parts.push_back(code(v));
  return '{' + joined(parts) + '}';
}
template <class T> std::string code(const std::optional<T>& v) {
  return v ? code(*v) : "std::nullopt";
}
template <class... T> std::string code(const std::variant<T...>& v) {
  return std::visit(
      [](const auto& x) {
        if constexpr (requires { x.size(); }) return "Dims" + code(x);
        else return code(x);
      },
      v);
}

/// Elements as a std::vector of a type whose values read well.
template <class T> std::string elements(const char* type, const Tensor& t, std::size_t count) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (std::same_as<T, float>) parts.push_back(code(t.as<float>()[i]));
    else if constexpr (std::same_as<T, std::uint64_t>)
      parts.push_back(std::to_string(t.as<T>()[i]) + "u");
    else if constexpr (std::same_as<T, std::int64_t>)
      parts.push_back(code(t.as<T>()[i] < 0 ? MLNumber(t.as<T>()[i]) : MLNumber(0)));
    else parts.push_back(std::to_string(t.as<T>()[i]));
    if constexpr (std::same_as<T, std::int64_t>)
      if (t.as<T>()[i] >= 0) parts.back() = std::to_string(t.as<T>()[i]);
  }
  return std::string("std::vector<") + type + ">{" + joined(parts) + '}';
}
std::string elements(const Tensor& t) {
  switch (t.type) {
    case float32: return elements<float>("float", t, t.size());
    case float16:
    case bfloat16: return elements<std::uint16_t>("std::uint16_t", t, t.size());  // bits
    case int32: return elements<std::int32_t>("std::int32_t", t, t.size());
    case uint32: return elements<std::uint32_t>("std::uint32_t", t, t.size());
    case int64: return elements<std::int64_t>("std::int64_t", t, t.size());
    case uint64: return elements<std::uint64_t>("std::uint64_t", t, t.size());
    case int8: return elements<std::int8_t>("std::int8_t", t, t.size());
    default: return elements<std::uint8_t>("std::uint8_t", t, t.bytes.size());
  }
}
std::string descriptor(const MLOperandDescriptor& d) {
  return '{' + code(d.dataType) + ", " + code(d.shape) + '}';
}

/// The members of an operator in the order in which they are declared, as arguments need it.
struct Member {
  const void* address;
  std::string name, value;
  bool required, differs;
};

class Printer {
 public:
  explicit Printer(const Case& c) : case_(c) {}

  std::string run() {
    const Graph& graph = case_.graph;
    for (std::uint32_t id = 0; id < graph.operand_count(); ++id) {
      const MLOperand x = graph.operand(id);
      const std::string start = "const MLOperand x" + std::to_string(id) + " = b.";
      if (x.record().kind == OperandKind::input)
        text_ += start + "input(" + string_literal(x.record().name) + ", " +
                 descriptor(x.descriptor()) + ");\n";
      else if (x.constant())
        text_ += start + "constant(" + descriptor(x.descriptor()) + ", " + elements(values_of(x)) +
                 ");\n";
    }
    for (std::size_t i = 0; i < graph.size(); ++i) {
      const Node node = graph.node(i);
      const std::string call =
          visit<ops::AllOps>([&](const auto& op) { return call_of(op); }, node.kind(), node.op());
      text_ += "const auto x" + std::to_string(node.output().record().id) + " = b." + call + ";\n";
    }
    std::vector<std::string> outputs, inputs;
    for (const auto& [name, y] : graph.outputs())
      outputs.push_back('{' + string_literal(name) + ", " + this->name(y) + '}');
    for (const auto& [name, x] : graph.inputs())
      inputs.push_back("\n    {" + string_literal(name) + ", tensor_of(" + code(x.dataType()) +
                       ", " + code(x.shape()) + ", " + elements(case_.inputs.at(name)) + ")}");
    text_ += "const NamedOperands outputs{" + joined(outputs) + "};\n";
    text_ += "const Inputs inputs{" + joined(inputs) + "};\n";
    return std::move(text_);
  }

 private:
  Tensor values_of(const MLOperand& x) const {
    const auto bytes = x.constant()->bytes();
    return {x.dataType(), x.shape(), {bytes.begin(), bytes.end()}};
  }
  /// Results of one operator are named after the first.
  std::string name(const MLOperand& x) const {
    const OperandRecord& r = x.record();
    if (r.kind != OperandKind::result) return 'x' + std::to_string(r.id);
    const Node node = case_.graph.producer_of(x);
    const bool list = visit<ops::AllOps>([]<class T>(const T&) { return ops::returns_list<T>(); },
                                         node.kind(), node.op());
    const std::string first = 'x' + std::to_string(node.output().record().id);
    return list ? first + '[' + std::to_string(r.output) + ']' : first;
  }

  template <class T> std::string call_of(const T& op) {
    std::vector<Member> members;
    static const T defaults{};
    ops::for_each_operand(
        op, [&]<auto M>(const ops::Operand<M>& row, const auto& value) {
          std::vector<std::string> names;
          ops::each(value, [&](const MLOperand& x) { names.push_back(name(x)); });
          constexpr bool list = requires { value.size(); };
          members.push_back({&value, std::string(row.name),
                             list ? '{' + joined(names) + '}' : joined(names),
                             ops::is_required<T>(M), !names.empty()});
        });
    ops::for_each_attribute(
        op, [&]<auto M>(const ops::Attribute<M>& row, const auto& value) {
          members.push_back({&value, std::string(row.name), code(value), ops::is_required<T>(M),
                             !(value == ops::get(defaults, M))});
        });
    std::sort(members.begin(), members.end(), [](const Member& a, const Member& b) {
      return std::less<const void*>()(a.address, b.address);
    });
    std::vector<std::string> arguments, options;
    for (const Member& m : members)
      if (m.required) arguments.push_back(m.value);
      else if (m.differs) options.push_back('.' + m.name + " = " + m.value);
    if (!op.options.label.empty())
      options.push_back(".label = " + string_literal(op.options.label));
    if (!options.empty()) arguments.push_back('{' + joined(options) + '}');
    return std::string(T::declaration.name) + '(' + joined(arguments) + ')';
  }

  const Case& case_;
  std::string text_{};
};

}  // namespace

std::string code_of(const Case& c) { return Printer(c).run(); }

}  // namespace webnn::inline v0_1::test
