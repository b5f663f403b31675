// Text: `%5 = conv2d(%0, %1, bias=%2) {strides=[2, 2], label="stem"}  float32 [1, 8, 4, 4]`.
// Attributes that have their default are left out.
#include "src/graph/graph_data.h"

#include "src/graph/custom.h"
#include "src/graph/failure.h"
#include "src/graph/known.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1 {
namespace {

std::string name_of(const MLOperand& x) { return '%' + std::to_string(x.record().id); }
std::string dimension_text(const MLDimension& d) {
  return d.is_open() ? in_quotes(d.dynamic().name) : std::to_string(d.size());
}
std::string type_of(const MLOperand& x) {
  const auto dimensions = x.dimensions();
  return std::string(webnn::name_of(x.dataType())) + ' ' +
         (dimensions ? '[' + joined(*dimensions, ", ", dimension_text) + ']' : "of any rank");
}
/// A text as a string in to_text() and in Graphviz.
std::string literal(std::string_view text) {
  std::string s = "\"";
  for (char c : escaped(text)) (s += c == '"' || c == '\\' ? "\\" : "") += c;
  return s + '"';
}

// The value of an attribute: every type that ops::is_value admits.
std::string text(bool v) { return v ? "true" : "false"; }
std::string text(const MLNumber& v) { return Arg(v).text; }
template <NamedEnum E> std::string text(E e) { return std::string(webnn::name_of(e)); }
template <class T>
requires std::is_arithmetic_v<T> std::string text(T v) { return Arg(v).text; }
std::string text(const fused::OperatorForm& form);
std::string text(const control::LoopBody& body) { return body.text(); }
template <class T> std::string text(const std::optional<T>& v);
template <class T> std::string text(const std::vector<T>& list) {
  std::vector<std::string> parts;
  for (const T& v : list) parts.push_back(text(v));
  return '[' + joined(parts) + ']';
}
template <class T> std::string text(const std::optional<T>& v) { return v ? text(*v) : "none"; }
template <class... T> std::string text(const std::variant<T...>& v) {
  return std::visit([](const auto& x) { return text(x); }, v);
}

using Attributes = std::vector<NamedAttribute>;

template <class T> Attributes attributes_of(const T& op) {
  Attributes all;
  static const T defaults{};
  ops::for_each_attribute(
      op, [&]<auto M>(const ops::Attribute<M>& row, const auto& value) {
        if (!ops::is_required<T>(M) && value == ops::get(defaults, M)) return;
        all.push_back({std::string(row.name), text(value)});
      });
  return all;
}
/// The version, where it is not the first one, and the attributes of the operator itself.
Attributes attributes_of(const ops::custom& op) {
  Attributes all;
  if (op.definition && op.definition->version != 1)
    all.push_back({"version", std::to_string(op.definition->version)});
  for (const auto& [name, value] : given_attributes(op)) all.push_back({name, text_of(value)});
  return all;
}
std::string text(const fused::OperatorForm& form) {
  std::string s(form.name());
  if (!form) return s;
  const Attributes all = visit_known<ops::AllOps>([](const auto& o) { return attributes_of(o); },
                                                  form.kind(), form.get());
  for (const auto& [name, value] : all) s += ' ' + name + '=' + value;
  return s;
}
/// Names of operands that are arguments are empty.
template <class T> NamedOperands operands_of(const T& op, bool name_arguments) {
  NamedOperands all;
  ops::for_each_operand(
      op, [&]<auto M>(const ops::Operand<M>& row, const auto& value) {
        const bool named = name_arguments || !ops::is_required<T>(M);
        ops::each(value, [&](const MLOperand& x) {
          all.push_back({named ? std::string(row.name) : std::string(), x});
        });
      });
  return all;
}

std::string text_of(const Op& op) {
  std::vector<std::string> operands, attributes;
  const NamedOperands inputs = visit_known([](const auto& o) { return operands_of(o, false); }, op);
  for (const auto& [name, x] : inputs)
    operands.push_back((name.empty() ? "" : name + '=') + name_of(x));
  const Attributes values = visit_known([](const auto& o) { return attributes_of(o); }, op);
  for (const auto& [name, value] : values) attributes.push_back(name + '=' + value);
  const std::string_view label = label_of_kind(op.kind(), op.get());
  if (!label.empty()) attributes.push_back("label=" + literal(label));
  std::string s(name_of_op(op.kind(), op.get()));
  s += '(' + joined(operands) + ')';
  return attributes.empty() ? s : s + " {" + joined(attributes) + '}';
}

}  // namespace

NamedOperands Node::named_inputs() const {
  NamedOperands all = visit_known([](const auto& o) { return operands_of(o, true); }, kind_, op_);
  for (auto& [name, x] : all) x = owned(x);
  return all;
}
std::vector<NamedAttribute> Node::attributes() const {
  return visit_known([](const auto& o) { return attributes_of(o); }, kind_, op_);
}

std::string to_text(const Graph& graph) {
  std::string s = "graph {\n";
  for (std::size_t i = 0; i < graph.operand_count(); ++i) {
    const MLOperand x = graph.operand(i);
    if (x.record().kind == OperandKind::input)
      s += "  " + name_of(x) + " = input " + literal(x.record().name) + "  " + type_of(x) + '\n';
    else if (x.record().kind == OperandKind::constant)
      s += "  " + name_of(x) + " = constant  " + type_of(x) + '\n';
  }
  for (const NodeData& node : data_of(graph).nodes) {
    std::vector<std::string> results, types;
    for (const MLOperand& x : node.outputs) {
      results.push_back(name_of(x));
      types.push_back(type_of(x));
    }
    s += "  " + joined(results) + " = " + text_of(node.op) + "  " + joined(types) + '\n';
  }
  for (const auto& [name, x] : graph.outputs())
    s += "  output " + literal(name) + " = " + name_of(x) + '\n';
  return s + "}\n";
}

std::string to_graphviz(const Graph& graph) {
  std::string s = "digraph webnn {\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n";
  const auto source = [](const MLOperand& x) {
    const OperandRecord& r = x.record();
    const bool result = r.kind == OperandKind::result;
    return (result ? 'n' : 'x') + std::to_string(result ? r.producer : r.id);
  };
  const auto vertex = [&](const std::string& id, const std::string& label, const char* style) {
    s += "  " + id + " [label=" + literal(label) + style + "];\n";
  };
  for (const auto& [name, x] : graph.inputs())
    vertex(source(x), name + "  " + type_of(x), ", shape=oval");
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const NodeData& node = data_of(graph).nodes[i];
    const std::string id = "n" + std::to_string(i), label(graph.node(i).label());
    vertex(id,
           std::string(name_of_op(node.op.kind(), node.op.get())) +
               (label.empty() ? "" : "  " + label),
           "");
    std::vector<std::string> constants;
    for (const MLOperand& x : graph.node(i).inputs()) {
      if (x.record().kind == OperandKind::constant) constants.push_back(type_of(x));
      else s += "  " + source(x) + " -> " + id + " [label=" + literal(type_of(x)) + "];\n";
    }
    for (std::size_t k = 0; k < constants.size(); ++k) {
      const std::string c = id + "c" + std::to_string(k);
      vertex(c, constants[k], ", shape=note, fontsize=9");
      s += "  " + c + " -> " + id + ";\n";
    }
  }
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
    const auto& [name, x] = graph.outputs()[i];
    vertex("y" + std::to_string(i), name, ", shape=oval");
    s += "  " + source(x) + " -> y" + std::to_string(i) + " [label=" + literal(type_of(x)) + "];\n";
  }
  return s + "}\n";
}

}  // namespace webnn::inline v0_1
