// A model in the words of its file.
#include <algorithm>
#include <cstring>

#include "src/builder/builder_state.h"
#include "src/formats/onnx/import/call.h"
#include "src/formats/onnx/import/operand_names.h"

namespace webnn::inline v0_1::onnx {
namespace {

using formats::FileGraph;
using formats::FileOperator;
using formats::FileValue;
using formats::FileView;
using formats::view_list;

/// What the file says of a value, completed by what the import found.
std::string type_text(const ValueInfo& info, const formats::ImportLog::Type* found) {
  if (info.kind != "tensor") return std::string(info.kind);
  std::string shape = found ? found->shape : "";
  const auto is_known = [](const Dimension& d) { return d.value || !d.name.empty(); };
  if (info.has_shape && (shape.empty() || std::ranges::all_of(info.shape, is_known)))
    shape = '[' +
            joined(info.shape, ", ",
                   [](const Dimension& d) {
                     return d.value ? std::to_string(*d.value)
                                    : std::string(d.name.empty() ? "?" : truncated(d.name, 80));
                   }) +
            ']';
  return shown_type(info.type) + (shape.empty() ? "" : ' ' + shape);
}

std::string text_of_bytes(std::string_view text) {
  const bool whole = text.size() <= formats::max_view_text;
  return std::string(truncated(text, formats::max_view_text)) + (whole ? "" : "...");
}

class Viewer {
 public:
  Viewer(Import& import, const formats::ImportLog& log) : import_(import), log_(log) {}

  FileView run() {
    const ModelProto& m = import_.model;
    for (const auto& [name, value] : read_properties(import_.file.bytes, import_.limits))
      view_.properties.emplace_back(name, text_of_bytes(value));
    view_.properties.emplace_back("IR version", std::to_string(m.ir_version));
    for (const OpsetImport& o : m.opsets)
      view_.properties.emplace_back("operator set",
                                    (o.domain.empty() ? "ai.onnx" : text_of_bytes(o.domain)) + ' ' +
                                        std::to_string(o.version));
    add_graph("graph", m.graph, 0);
    for (const Function& f : m.functions) {
      opsets_ = f.opsets;
      FileGraph g{.title = "function " + text_of_bytes(f.name)};
      Values values(g);
      for (std::string_view name : f.inputs) g.inputs.push_back(values.place_of(name));
      for (std::string_view name : f.outputs) g.outputs.push_back(values.place_of(name));
      const std::size_t at = view_.graphs.size();
      view_.graphs.emplace_back();
      add_nodes(g, values, f.nodes, at, 1);
      view_.graphs[at] = std::move(g);
    }
    return std::move(view_);
  }

 private:
  /// The values of a graph by their names.
  class Values {
   public:
    explicit Values(FileGraph& graph) : graph_(graph) {}
    std::size_t place_of(std::string_view name) {
      const auto [at, is_new] = places_.emplace(name, graph_.values.size());
      if (is_new) graph_.values.push_back({std::string(name), {}, false});
      return at->second;
    }
    FileValue& at(std::string_view name) { return graph_.values[place_of(name)]; }

   private:
    FileGraph& graph_;
    std::unordered_map<std::string_view, std::size_t> places_;
  };

  void add_graph(const std::string& title, const GraphProto& graph, int depth) {
    if (depth > max_depth)
      refuse(import_.file, fail("subgraphs and functions are deeper than {}", max_depth));
    if (depth == 0) opsets_ = import_.model.opsets;
    FileGraph g{.title = title};
    Values values(g);
    const std::size_t at = view_.graphs.size();
    view_.graphs.emplace_back();
    for (const Tensor& t : graph.initializers) {
      FileValue& v = values.at(t.name);
      v.is_constant = true;
      v.type = shown_type(t.type) + ' ' + formats::view_shape(t.dims);
    }
    for (const ValueInfo& info : read_value_infos(graph, import_.limits))
      describe(values.at(info.name), info, depth);
    for (const ValueInfo& info : graph.inputs) {
      FileValue& v = values.at(info.name);
      if (v.is_constant) continue;
      describe(v, info, depth);
      g.inputs.push_back(values.place_of(info.name));
    }
    for (const ValueInfo& info : graph.outputs) {
      describe(values.at(info.name), info, depth);
      g.outputs.push_back(values.place_of(info.name));
    }
    add_nodes(g, values, graph.nodes, at, depth);
    view_.graphs[at] = std::move(g);
  }

  const formats::ImportLog::Type* found(std::string_view name, int depth) const {
    const auto at = log_.types.find(name);
    return depth == 0 && at != log_.types.end() ? &at->second : nullptr;
  }
  void describe(FileValue& v, const ValueInfo& info, int depth) const {
    if (!v.is_constant) v.type = type_text(info, found(info.name, depth));
  }

  void add_nodes(FileGraph& g, Values& values, std::span<const Node> nodes, std::size_t graph,
                 int depth) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Node& n = nodes[i];
      FileOperator op{.index = i, .name = text_of_bytes(n.name), .type = text_of_bytes(n.op_type)};
      if (!n.domain.empty()) op.type = text_of_bytes(n.domain) + '.' + op.type;
      for (std::size_t k = 0; k < n.inputs.size(); ++k)
        if (!n.inputs[k].empty())
          op.inputs.push_back({operand_name(n.domain, n.op_type, k), values.place_of(n.inputs[k])});
      for (std::string_view name : n.outputs) {
        if (name.empty()) continue;
        op.outputs.push_back({{}, values.place_of(name)});
        if (FileValue& v = values.at(name); v.type.empty())
          if (const auto* type = found(name, depth)) v.type = type->element + ' ' + type->shape;
      }
      for (const Attribute& a : n.attributes) add_attribute(op, a, i, depth);
      op.refusal = refusal(n, i, graph);
      g.operators.push_back(std::move(op));
    }
  }

  std::string refusal(const Node& n, std::size_t index, std::size_t graph) const {
    if (graph == 0)
      if (const auto at = log_.refusals.find(index); at != log_.refusals.end())
        return formats::without_part(
            at->second, name_of_node(n, index, version_of(import_.model.opsets, n.domain)));
    if (function_of(import_.model, n) || handler_of(n.domain, n.op_type)) return {};
    return std::string(no_counterpart);
  }

  void add_attribute(FileOperator& op, const Attribute& a, std::size_t node, int depth) {
    std::string text;
    if (!a.reference.empty()) text = "that of the call: " + text_of_bytes(a.reference);
    else if (a.type == AttributeType::graph) text = add_subgraph(op, a, node, depth);
    else text = value_text(a);
    op.attributes.emplace_back(text_of_bytes(a.name), std::move(text));
  }

  std::string add_subgraph(FileOperator& op, const Attribute& a, std::size_t node, int depth) {
    const GraphProto graph = graph_of(a, import_.limits);
    op.graphs.push_back(view_.graphs.size());
    add_graph(text_of_bytes(a.name) + " of node " + std::to_string(node) +
                  (op.name.empty() ? "" : " (" + op.name + ')'),
              graph, depth + 1);
    return std::to_string(graph.nodes.size()) + " nodes";
  }

  std::string tensor_text(const Tensor& t) const {
    const std::string type = shown_type(t.type) + ' ' + formats::view_shape(t.dims);
    std::uint64_t count = 1;
    for (const std::int64_t d : t.dims)
      count = std::min<std::uint64_t>(
          count * (d < 0 || d > 64 ? 65 : static_cast<std::uint64_t>(d)), 65);
    if (count > formats::max_view_elements || t.external) return type;
    std::vector<double> values;
    const auto add = [&]<class T>(T) {
      for (std::size_t i = 0; i + sizeof(T) <= t.raw.size() && i / sizeof(T) < count;
           i += sizeof(T)) {
        T v;
        std::memcpy(&v, t.raw.data() + i, sizeof v);
        values.push_back(static_cast<double>(v));
      }
    };
    const auto typed = [&]<class T>(T) {
      for (const T v : typed_data<T>(t, count)) values.push_back(static_cast<double>(v));
    };
    switch (t.type) {
      case ElementType::FLOAT: t.has_raw ? add(float{}) : typed(float{}); break;
      case ElementType::DOUBLE: t.has_raw ? add(double{}) : typed(double{}); break;
      case ElementType::INT64: t.has_raw ? add(std::int64_t{}) : typed(std::int64_t{}); break;
      case ElementType::INT32: t.has_raw ? add(std::int32_t{}) : typed(std::int32_t{}); break;
      case ElementType::BOOL: t.has_raw ? add(std::uint8_t{}) : typed(std::int32_t{}); break;
      default: return type;
    }
    return type + ": " + view_list(values, formats::view_number);
  }

  std::string value_text(const Attribute& a) {
    const auto number = [](auto v) { return std::to_string(v); };
    const auto quoted = [](std::string_view s) { return '"' + text_of_bytes(s) + '"'; };
    switch (a.type) {
      case AttributeType::real: return formats::view_number(real_of(a));
      case AttributeType::integer: return number(integer_of(a));
      case AttributeType::text: return text_of_bytes(onnx::text_of(a));
      case AttributeType::tensor: return tensor_text(tensor_of(a, import_.limits));
      case AttributeType::reals: return view_list(reals_of(a), formats::view_number);
      case AttributeType::integers: return view_list(integers_of(a), number);
      case AttributeType::texts: return view_list(texts_of(a), quoted);
      default: return "a value of " + std::to_string(a.message.size()) + " bytes";
    }
  }

  Import& import_;
  const formats::ImportLog& log_;
  std::span<const OpsetImport> opsets_{};
  FileView view_;
};

/// What is refused and is not an operator's: inputs, and what ends the import.
std::vector<std::string> other_refusals(const Import& import, const formats::ImportLog& log,
                                        const std::string& error) {
  std::vector<std::string> all;
  for (const std::string& r : import.refusals)
    if (std::ranges::none_of(log.refusals,
                             [&](const auto& of_node) { return of_node.second == r; }))
      all.push_back(r);
  if (import.refusals.empty() && !error.empty()) all.push_back(error);
  return all;
}

}  // namespace

FileView view_file(const formats::ViewedFile& f, const webnn::ImportOptions& given) {
  ImportOptions options{.dimensions = given.dimensions,
                        .shapes = given.shapes,
                        .outputs = given.outputs,
                        .max_bytes = given.max_bytes};
  for (const auto& [name, v] : given.values) options.values[name] = {v.shape, v.bytes, v.type};
  File file{f.owner, f.bytes, f.label, nullptr};
  if (!f.path.empty()) {
    auto mapped = formats::map_model(f.path);
    if (!mapped) raise(mapped.failure(), "onnx", f.path);
    file = {mapped->contents.owner, mapped->contents.bytes, f.label, mapped->folder};
  }
  const std::uint64_t size = file.bytes.size();
  MLGraphBuilder builder(formats::view_context());
  formats::ImportLog log;
  Import import{builder, std::move(file), options, {}, {}, {options.max_bytes, size}};
  import.log = &log;
  read(import);
  std::string error;
  try {
    import_read(import);
  } catch (const Error& e) { error = e.reason(); }
  try {
    import.limits = {};
    FileView view = Viewer(import, log).run();
    view.refusals = other_refusals(import, log, error);
    return view;
  } catch (const Broken& e) { refuse(import.file, {e.text(import.file.bytes)}); }
}

}  // namespace webnn::inline v0_1::onnx
