#include "tools/webnn/model/file_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "src/graph/text.h"
#include "tools/webnn/model/formats.h"
#include "tools/webnn/model/known_values.h"
#include "webnn/error.h"

namespace webnn::inline v0_1::tool {
namespace {

std::string in_line(const std::string& text) { return escaped(truncated(text, 200)); }

std::string port_rows(const char* title, const FileGraph& g,
                      const std::vector<std::size_t>& ports) {
  Table t({title, "type and shape"});
  for (const std::size_t i : ports) t.add({in_line(g.values[i].name), in_line(g.values[i].type)});
  return t.text();
}

/// "node 3", "nodes 3, 5, 8, ...".
std::string places_text(const std::vector<std::size_t>& places) {
  constexpr std::size_t shown = 20;
  std::string s = places.size() == 1 ? "operator " : "operators ";
  for (std::size_t i = 0; i < places.size() && i < shown; ++i)
    s += (i ? ", " : "") + std::to_string(places[i]);
  if (places.size() > shown) s += fmt::format(" and {} more", places.size() - shown);
  return s;
}

/// Kinds of operators of all graphs, the most frequent first.
std::string kinds_text(const FileView& view) {
  struct Kind {
    std::string type;
    std::size_t count = 0, refused = 0;
  };
  std::map<std::string, Kind> kinds;
  for (const FileGraph& g : view.graphs)
    for (const FileOperator& op : g.operators) {
      Kind& k = kinds[op.type];
      k.type = op.type;
      ++k.count;
      k.refused += !op.refusal.empty();
    }
  std::vector<Kind> sorted;
  for (auto& [name, kind] : kinds) sorted.push_back(std::move(kind));
  std::ranges::stable_sort(sorted, [](const Kind& a, const Kind& b) { return a.count > b.count; });
  Table t({"operator of the file", ">count", ">not supported"});
  for (const Kind& k : sorted)
    t.add({in_line(k.type), fmt::format(">{}", k.count),
           k.refused ? fmt::format(">{}", k.refused) : ">"});
  return t.text();
}

std::string argument_lines(const FileGraph& g, const std::vector<formats::FileArgument>& all,
                           std::string_view arrow) {
  std::string s;
  for (const auto& [role, value] : all)
    s += fmt::format("       {} {}{}\n", arrow, role.empty() ? "" : role + " = ",
                     value_text(g.values[value]));
  return s;
}

std::string operators_text(const FileGraph& g) {
  std::string s = in_line(g.title) + ":\n";
  for (const FileOperator& op : g.operators) {
    s += fmt::format("{:>5}  {}{}\n", op.index, in_line(op.type),
                     op.name.empty() ? "" : "  " + in_quotes(op.name));
    if (!op.refusal.empty()) s += "       not supported: " + escaped(op.refusal) + '\n';
    for (const auto& [name, value] : op.attributes)
      s += fmt::format("       {} = {}\n", in_line(name), escaped(value));
    s += argument_lines(g, op.inputs, "<-") + argument_lines(g, op.outputs, "->");
  }
  return s;
}

Json values_json(const FileGraph& g, const std::vector<std::size_t>& places) {
  Json list = Json::array();
  for (const std::size_t i : places)
    list.push_back({{"name", g.values[i].name}, {"type", g.values[i].type}});
  return list;
}
Json arguments_json(const FileGraph& g, const std::vector<formats::FileArgument>& all) {
  Json list = Json::array();
  for (const auto& [role, value] : all) {
    const FileValue& v = g.values[value];
    Json one{{"name", v.name}, {"type", v.type}};
    if (!role.empty()) one["role"] = role;
    if (v.is_constant) one["constant"] = true;
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace

std::string value_text(const FileValue& v) {
  return in_line(v.name) + (v.type.empty() ? "" : ": " + in_line(v.type)) +
         (v.is_constant ? ", constant" : "");
}

namespace {

std::optional<FileView> view_with(const ModelOptions& o, const KnownValues& values) {
  const Format& format = readable(o.path, o.from);
  if (!format.view) return std::nullopt;
  ImportOptions options = import_options(o, format);
  options.values = values;
  return format.view({.path = Path(o.path), .label = o.path}, options);
}

}  // namespace

std::optional<FileView> file_view(const ModelOptions& o) { return view_with(o, known_values(o)); }

std::optional<FileView> file_view_if_readable(const ModelOptions& o) {
  try {
    return file_view(o);
  } catch (const Error&) { return std::nullopt; }
}

std::optional<FileView> file_view_without_values(const ModelOptions& o) {
  try {
    return view_with(o, {});
  } catch (const Error&) { return std::nullopt; }
}

std::size_t refused_operators(const FileView& view) {
  std::size_t count = 0;
  for (const FileGraph& g : view.graphs)
    count += static_cast<std::size_t>(
        std::ranges::count_if(g.operators, [](const auto& op) { return !op.refusal.empty(); }));
  return count;
}

std::vector<std::string> refusals_of(const FileView& view) {
  std::vector<std::string> lines;
  for (const std::string& r : view.refusals) lines.push_back(r);
  for (std::size_t i = 0; i < view.graphs.size(); ++i) {
    // Operators of one type with one reason are one line, where the first of them is.
    std::vector<std::pair<std::string, std::string>> order;
    std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> places;
    for (const FileOperator& op : view.graphs[i].operators) {
      if (op.refusal.empty()) continue;
      const std::pair key(op.type, op.refusal);
      if (places[key].empty()) order.push_back(key);
      places[key].push_back(op.index);
    }
    for (const auto& key : order)
      lines.push_back(fmt::format("{} ({}{}): {}", key.first, places_text(places[key]),
                                  i == 0 ? "" : " of " + view.graphs[i].title, key.second));
  }
  return lines;
}

std::string text_of(const FileView& view, bool all) {
  const FileGraph& main = view.graphs.front();
  std::string s =
      port_rows("input", main, main.inputs) + '\n' + port_rows("output", main, main.outputs) + '\n';
  if (!view.properties.empty()) {
    Table t({"the file says", ""});
    for (const auto& [name, value] : view.properties) t.add({in_line(name), in_line(value)});
    s += t.text() + '\n';
  }
  s += kinds_text(view);
  if (all)
    for (const FileGraph& g : view.graphs) s += '\n' + operators_text(g);
  return s;
}

Json json_of(const FileView& view) {
  Json properties = Json::array(), graphs = Json::array();
  for (const auto& [name, value] : view.properties)
    properties.push_back({{"name", name}, {"value", value}});
  for (const FileGraph& g : view.graphs) {
    Json operators = Json::array();
    for (const FileOperator& op : g.operators) {
      Json attributes = Json::object();
      for (const auto& [name, value] : op.attributes) attributes[name] = value;
      Json one{{"index", op.index},
               {"type", op.type},
               {"name", op.name},
               {"attributes", std::move(attributes)},
               {"inputs", arguments_json(g, op.inputs)},
               {"outputs", arguments_json(g, op.outputs)}};
      if (!op.refusal.empty()) one["not_supported"] = op.refusal;
      if (!op.graphs.empty()) one["graphs"] = op.graphs;
      operators.push_back(std::move(one));
    }
    graphs.push_back({{"title", g.title},
                      {"inputs", values_json(g, g.inputs)},
                      {"outputs", values_json(g, g.outputs)},
                      {"operators", std::move(operators)}});
  }
  return {{"properties", std::move(properties)},
          {"graphs", std::move(graphs)},
          {"not_supported", refusals_of(view)}};
}

}  // namespace webnn::inline v0_1::tool
