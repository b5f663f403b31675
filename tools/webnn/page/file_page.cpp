#include "tools/webnn/page/file_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/graph/text.h"
#include "tools/webnn/page/page.h"
#include "tools/webnn/page/view.h"
#include "webnn/error.h"

namespace webnn::inline v0_1::tool {
namespace {

/// The operators so that each comes after those whose results it reads. A file may have them in
/// another order, or in a circle: what is left then keeps the file's order.
std::vector<std::size_t> order_of(const FileGraph& g) {
  std::vector<std::size_t> producer(g.values.size(), View::none), missing(g.operators.size());
  std::vector<std::vector<std::size_t>> readers(g.operators.size());
  for (std::size_t i = 0; i < g.operators.size(); ++i)
    for (const auto& y : g.operators[i].outputs) producer[y.value] = i;
  for (std::size_t i = 0; i < g.operators.size(); ++i)
    for (const auto& x : g.operators[i].inputs)
      if (producer[x.value] != View::none) {
        readers[producer[x.value]].push_back(i);
        ++missing[i];
      }
  std::vector<std::size_t> order, ready;
  std::vector<bool> done(g.operators.size());
  const auto take = [&](std::size_t first) {
    ready.push_back(first);
    while (!ready.empty()) {
      const std::size_t i = ready.back();
      ready.pop_back();
      if (done[i]) continue;
      done[i] = true;
      order.push_back(i);
      for (const std::size_t reader : readers[i])
        if (--missing[reader] == 0) ready.push_back(reader);
    }
  };
  for (std::size_t i = 0; i < g.operators.size(); ++i)
    if (missing[i] == 0) take(i);
  for (std::size_t i = 0; i < g.operators.size(); ++i) take(i);
  return order;
}

Json operand_json(const FileGraph& g, const formats::FileArgument& x, std::size_t place) {
  const FileValue& v = g.values[x.value];
  return {{"name", x.name.empty() ? "input " + std::to_string(place) : escaped(x.name)},
          {"type", value_text(v)}};
}

class FileDrawing {
 public:
  explicit FileDrawing(const FileGraph& g)
      : graph_(g), view_(escaped(g.title)), box_of_(g.values.size(), View::none) {}

  Json run() {
    for (const std::size_t i : graph_.inputs) {
      box_of_[i] = view_.size();
      port("input", i);
    }
    for (const std::size_t i : order_of(graph_)) add(graph_.operators[i]);
    for (const std::size_t i : graph_.outputs) {
      join(i);
      port("output", i);
    }
    Json json = view_.json();
    json["operators"] = graph_.operators.size();
    return json;
  }

 private:
  void join(std::size_t value) {
    if (box_of_[value] != View::none)
      view_.join(box_of_[value], escaped(graph_.values[value].type));
  }
  void port(const char* kind, std::size_t i) {
    const FileValue& v = graph_.values[i];
    const std::string type = escaped(v.type);
    view_.add(kind, escaped(truncated(v.name, 200)), kind, type)["results"] =
        Json::array({Json{{"type", type}}});
  }
  void add(const FileOperator& op) {
    Json operands = Json::array(), results = Json::array(), attributes = Json::array();
    for (const auto& x : op.inputs) {
      join(x.value);
      operands.push_back(operand_json(graph_, x, operands.size()));
    }
    std::string type;
    for (const auto& y : op.outputs) {
      box_of_[y.value] = view_.size();
      results.push_back({{"type", value_text(graph_.values[y.value])}});
      if (type.empty()) type = escaped(graph_.values[y.value].type);
    }
    for (const auto& [name, value] : op.attributes)
      attributes.push_back({escaped(name), escaped(value)});
    const std::string name = escaped(truncated(op.name, 200));
    Json& box = view_.add("file", escaped(op.type), name, type);
    box["label"] = name;
    box["place"] = op.index;
    box["operators"] = Json::array({Json{{"name", escaped(op.type)},
                                         {"label", name},
                                         {"attributes", std::move(attributes)},
                                         {"macs", 0}}});
    box["operands"] = std::move(operands);
    box["results"] = std::move(results);
    if (!op.refusal.empty()) box["refusal"] = escaped(op.refusal);
    if (!op.graphs.empty()) box["graphs"] = op.graphs;
  }

  const FileGraph& graph_;
  View view_;
  std::vector<std::size_t> box_of_;  // by value
};

/// A text between the quotes of Graphviz.
std::string quoted(const std::string& text) {
  std::string s = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') s += '\\';
    s += c;
  }
  return s + '"';
}

Json ports_json(const FileGraph& g, const std::vector<std::size_t>& ports) {
  Json list = Json::array();
  for (const std::size_t i : ports)
    list.push_back({{"name", escaped(g.values[i].name)}, {"type", escaped(g.values[i].type)}});
  return list;
}

}  // namespace

Json views_of_file(const FileView& view) {
  Json views = Json::array(), properties = Json::array(), refusals = Json::array();
  for (const auto& [name, value] : view.properties)
    properties.push_back({escaped(name), escaped(value)});
  for (const std::string& r : refusals_of(view)) refusals.push_back(escaped(r));
  for (const FileGraph& g : view.graphs) {
    Json one = FileDrawing(g).run();
    one["title"] = "the file: " + escaped(g.title);
    views.push_back(std::move(one));
  }
  views[0]["properties"] = std::move(properties);
  views[0]["refusals"] = std::move(refusals);
  return views;
}

std::string html_page_of_file(const FileView& view, const std::string& path,
                              const std::string& why) {
  const FileGraph& main = view.graphs.front();
  return html_page_of(Json{
      {"model", escaped(path)},
      {"description", escaped(why)},
      {"overview",
       {{"inputs", ports_json(main, main.inputs)}, {"outputs", ports_json(main, main.outputs)}}},
      {"views", views_of_file(view)},
      {"constants", Json::array()},
      {"tensors", Json::array()}});
}

std::string file_graphviz(const FileView& view) {
  const FileGraph& g = view.graphs.front();
  std::vector<std::string> producer(g.values.size());
  std::string s = "digraph file {\n  node [shape=box];\n";
  for (std::size_t i = 0; i < g.inputs.size(); ++i) {
    const FileValue& v = g.values[g.inputs[i]];
    producer[g.inputs[i]] = fmt::format("i{}", i);
    s += fmt::format("  i{} [label={}, shape=ellipse];\n", i, quoted(value_text(v)));
  }
  for (std::size_t i = 0; i < g.operators.size(); ++i)
    for (const auto& y : g.operators[i].outputs) producer[y.value] = fmt::format("n{}", i);
  const auto lines = [&](std::size_t value, const std::string& to) {
    if (!producer[value].empty())
      s += fmt::format("  {} -> {} [label={}];\n", producer[value], to,
                       quoted(escaped(g.values[value].type)));
  };
  for (std::size_t i = 0; i < g.operators.size(); ++i) {
    const FileOperator& op = g.operators[i];
    const std::string name = op.name.empty() ? "" : " " + escaped(truncated(op.name, 200));
    s += fmt::format(
        "  n{} [label={}{}];\n", i, quoted(escaped(op.type) + name),
        op.refusal.empty() ? "" : ", color=red, tooltip=" + quoted(escaped(op.refusal)));
    for (const auto& x : op.inputs) lines(x.value, fmt::format("n{}", i));
  }
  for (std::size_t i = 0; i < g.outputs.size(); ++i) {
    s += fmt::format("  o{} [label={}, shape=ellipse];\n", i,
                     quoted(value_text(g.values[g.outputs[i]])));
    lines(g.outputs[i], fmt::format("o{}", i));
  }
  return s + "}\n";
}

}  // namespace webnn::inline v0_1::tool
