// webnn info: inputs, outputs, operators and work of a model; built, also its memory and backends.
#include <fmt/format.h>

#include <algorithm>

#include "src/graph/cost.h"
#include "tools/webnn/commands/commands.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/language/language.h"
#include "tools/webnn/model/compiled.h"
#include "tools/webnn/model/file_view.h"
#include "tools/webnn/model/formats.h"
#include "tools/webnn/model/model.h"
#include "tools/webnn/model/sizes.h"
#include "tools/webnn/model/weights.h"
#include "webnn/error.h"
#include "webnn/passes.h"

namespace webnn::inline v0_1::tool {
namespace {

struct Options {
  ModelOptions model;
  ContextOptions context;
  bool build = false, file = false, json = false;
};

struct Kind {
  std::string name;
  std::size_t count = 0;
  Cost cost{};
  std::vector<std::size_t> supported{};  ///< of a model that was built: by each of its backends
};

/// Whether sizes are missing, from which the work follows.
bool is_open(const Graph& graph) {
  return std::ranges::any_of(graph.inputs(),
                             [](const NamedOperand& x) { return x.operand.is_open(); });
}

/// Operators by name, most work first.
std::vector<Kind> kinds_of(const Graph& graph) {
  std::vector<Kind> all;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Node node = graph.node(i);
    auto at =
        std::find_if(all.begin(), all.end(), [&](const Kind& k) { return k.name == node.name(); });
    if (at == all.end()) at = all.insert(all.end(), Kind{std::string(node.name())});
    ++at->count;
    if (!is_open(graph)) at->cost += cost_of(node);
  }
  std::stable_sort(all.begin(), all.end(), [](const Kind& a, const Kind& b) {
    return std::pair(a.cost.operations, a.count) > std::pair(b.cost.operations, b.count);
  });
  return all;
}

/// How many of each kind the steps run on that backend.
void count_steps(std::vector<Kind>& kinds, const GraphReport& report, const std::string& backend) {
  for (Kind& k : kinds) {
    std::size_t& count = k.supported.emplace_back(0);
    for (const StepReport& s : report.steps)
      for (const Node& node : s.operators) count += s.backend == backend && k.name == node.name();
  }
}

/// What each backend supports, in the order {backend, reference}; of a compiled graph, whose
/// constants may be gone, what each of them runs.
void count_supported(std::vector<Kind>& kinds, const Model& m) {
  for (const std::string& name : m.context.backends()) {
    if (m.is_compiled) {
      count_steps(kinds, m.compiled.report(), name);
      continue;
    }
    const MLContext context =
        context_of(name == "reference" ? name : name + ",reference", m.context.threads());
    count_steps(kinds, build_graph(context, m.compiled.optimized(), {}).report(), name);
  }
}

Json ports(const NamedOperands& all, const std::vector<std::optional<Quantization>>& q) {
  Json list = Json::array();
  for (std::size_t i = 0; i < all.size(); ++i) {
    Json port{{"name", all[i].name}};
    port.update(json_of(all[i].operand));
    add_quantization(port, q[i]);
    list.push_back(std::move(port));
  }
  return list;
}

Contents contents_of(const ModelOptions& o) {
  const std::filesystem::path path = o.path;
  const Format& f = readable(path, o.from);
  return f.contents && std::filesystem::exists(path) ? f.contents(path) : Contents{};
}
std::string what_of(const Part& part) {
  if (!part.bytes) return part.what;
  return part.what + ", " + bytes_text(static_cast<double>(*part.bytes));
}
std::string contents_text(const Contents& parts) {
  Table t({"part of the file", "what it is"});
  for (const Part& p : parts) t.add({p.where, what_of(p)});
  return t.text();
}
Json contents_json(const Contents& parts) {
  Json list = Json::array();
  for (const Part& p : parts) list.push_back({{"part", p.where}, {"what", what_of(p)}});
  return list;
}

Json json_of(const SourceModel& m) {
  const Weights w = weights_of(m.graph);
  Json dimensions = Json::array();
  for (const OpenDimension& d : open_dimensions(m.graph))
    dimensions.push_back({{"name", d.name}, {"min", d.min}, {"max", d.max}});
  return {{"model", m.path},
          {"format", m.format},
          {"file_bytes", m.file_bytes},
          {"description", m.description},
          {"inputs", ports(m.inputs, m.input_quantization)},
          {"outputs", ports(m.outputs, m.output_quantization)},
          {"dimensions", std::move(dimensions)},
          {"operators", m.graph.size()},
          {"constants", w.count},
          {"parameters", w.parameters},
          {"weight_bytes", w.bytes},
          {"macs", is_open(m.graph) ? Json() : Json(cost_of(m.graph).macs)}};
}
Json json_of_build(const Model& m) {
  const GraphReport r = m.compiled.report();
  return {{"operators_optimized", m.compiled.optimized().size()},
          {"steps", r.steps.size()},
          {"memory",
           {{"arena", r.arena},
            {"arena_at_least", r.arena_at_least},
            {"packed_weights", r.packed},
            {"scratch_per_thread", r.scratch},
            {"threads", r.threads},
            {"threads_asked", r.threads_asked}}},
          {"build_ms", r.build_ms},
          {"backends", m.context.backends()}};
}
Json json_of(const std::vector<Kind>& kinds, const std::vector<std::string>& backends) {
  Json all = Json::array();
  for (const Kind& k : kinds) {
    Json kind{{"operator", k.name}, {"count", k.count}, {"macs", k.cost.macs}};
    for (std::size_t b = 0; b < k.supported.size(); ++b)
      kind["supported_by"][backends[b]] = k.supported[b];
    all.push_back(std::move(kind));
  }
  return all;
}

std::string port_table(const char* title, const NamedOperands& all,
                       const std::vector<std::optional<Quantization>>& q) {
  Table t({title, "type and shape", ""});
  for (std::size_t i = 0; i < all.size(); ++i)
    t.add({escaped(all[i].name), type_text(all[i].operand), quantization_text(q[i])});
  return t.text();
}

std::string ports_text(const SourceModel& m) {
  return fmt::format("{}  {}, {}{}\n\n", escaped(m.path), m.format,
                     bytes_text(static_cast<double>(m.file_bytes)),
                     m.description.empty() ? "" : ", " + escaped(m.description)) +
         port_table("input", m.inputs, m.input_quantization) + '\n' +
         port_table("output", m.outputs, m.output_quantization) + '\n';
}
/// The bounds of open dimensions, where they are not all sizes that there are.
std::string sizes_text(const SourceModel& m) {
  const OpenDimension any;
  std::string s;
  for (const OpenDimension& d : open_dimensions(m.graph)) {
    if (d.min == any.min && d.max == any.max) continue;
    s += (s.empty() ? "sizes       " : ", ") + escaped(d.name);
    s += d.max == any.max ? fmt::format(" from {}", d.min) : fmt::format(" {} to {}", d.min, d.max);
  }
  return s.empty() ? s : s + '\n';
}
std::string weights_text(const SourceModel& m) {
  const Weights w = weights_of(m.graph);
  return fmt::format("parameters  {} in {}, {}\n", count_text(w.parameters),
                     counted(w.count, "constant"), bytes_text(w.bytes)) +
         sizes_text(m) +
         (is_open(m.graph)
              ? "work        follows from the sizes of open dimensions: --dim NAME=SIZE\n"
              : fmt::format("work        {} multiply-accumulates\n",
                            count_text(cost_of(m.graph).macs)));
}
std::string memory_text(const GraphReport& r) {
  const auto bytes = [](std::size_t n) { return bytes_text(static_cast<double>(n)); };
  return fmt::format("memory      {} for intermediate results, {} of packed weights, {} for {}\n",
                     bytes(r.arena), bytes(r.packed), bytes(r.scratch),
                     r.threads == 1 ? "the thread" : fmt::format("each of {} threads", r.threads));
}
std::string table_text(const char* head, const std::vector<Kind>& kinds,
                       const std::vector<std::string>& backends) {
  std::vector<std::string> heads = {head, ">count", ">MACs"};
  for (const std::string& b : backends) heads.push_back(">" + b);
  Table t(heads);
  for (const Kind& k : kinds) {
    std::vector<std::string> row = {k.name, fmt::format(">{}", k.count),
                                    ">" + (k.cost.macs > 0 ? count_text(k.cost.macs) : "")};
    for (std::size_t supported : k.supported) row.push_back(fmt::format(">{}", supported));
    t.add(row);
  }
  return t.text();
}

std::string file_text(const std::optional<FileView>& view) {
  return view ? '\n' + tool::text_of(*view, true) : "";
}

/// What the file says.
void show(const SourceModel& m, const Contents& contents, const std::optional<FileView>& view,
          bool json) {
  const std::vector<Kind> kinds = kinds_of(m.graph);
  if (!json) {
    print(ports_text(m) + fmt::format("operators   {}\n", m.graph.size()) + weights_text(m) + '\n' +
          table_text("operator", kinds, {}) + file_text(view));
    return;
  }
  Json j = json_of(m);
  j["kinds"] = json_of(kinds, {});
  if (!contents.empty()) j["contents"] = contents_json(contents);
  if (view) j["file"] = tool::json_of(*view);
  print_json(j);
}

/// The same, and what became of it.
void show_built(const Model& m, const Contents& contents, const std::optional<FileView>& view,
                bool json) {
  const SourceModel source = source_of(m);
  const GraphReport r = m.compiled.report();
  const std::vector<std::string> backends = m.context.backends();
  std::vector<Kind> kinds = kinds_of(m.compiled.optimized());
  count_supported(kinds, m);
  if (!json) {
    print(ports_text(source) +
          fmt::format("operators   {}, optimized {}, in {}\n", m.graph().size(),
                      m.compiled.optimized().size(), counted(r.steps.size(), "step")) +
          weights_text(source) + memory_text(r) + '\n' +
          table_text("optimized operator", kinds, backends) +
          (m.is_compiled ? "The last columns: how many each backend runs.\n"
                         : "The last columns: how many each backend supports.\n") +
          file_text(view));
    return;
  }
  Json j = json_of(source);
  j.update(json_of_build(m));
  j["kinds"] = json_of(kinds, backends);
  if (!contents.empty()) j["contents"] = contents_json(contents);
  if (view) j["file"] = tool::json_of(*view);
  print_json(j);
}

/// A file that no graph is made of.
int describe(const Options& o, const Format& format) {
  const Contents contents = format.contents(o.model.path);
  const auto bytes = std::filesystem::file_size(o.model.path);
  if (o.json)
    print_json({{"model", o.model.path},
                {"format", format.name},
                {"file_bytes", bytes},
                {"contents", contents_json(contents)}});
  else
    print(fmt::format("{}  {}, {}\n\n", escaped(o.model.path), format.name,
                      bytes_text(static_cast<double>(bytes))) +
          contents_text(contents));
  return Exit::ok;
}

/// A model that cannot be imported, in the words of its file.
/// `has_flags`: the error says which flags may help.
void show_file(const Options& o, const FileView& view, const std::string& error, bool has_flags) {
  const Format& format = readable(o.model.path, o.model.from);
  const auto bytes = std::filesystem::file_size(o.model.path);
  if (o.json) {
    print_json({{"model", o.model.path},
                {"format", format.name},
                {"file_bytes", bytes},
                {"contents", contents_json(contents_of(o.model))},
                {"not_supported", error},
                {"file", tool::json_of(view)}});
    return;
  }
  std::size_t operators = 0;
  for (const FileGraph& g : view.graphs) operators += g.operators.size();
  std::string s = fmt::format("{}  {}, {}\n\n", escaped(o.model.path), format.name,
                              bytes_text(static_cast<double>(bytes)));
  const std::size_t refused = refused_operators(view);
  s += refused == 0 ? "It cannot be imported:\n"
                    : fmt::format("It cannot be imported: {} of {} are not supported.\n", refused,
                                  counted(operators, "operator"));
  if (refused > 0)
    for (const std::string& r : refusals_of(view)) s += "  " + escaped(r) + '\n';
  if (refused == 0 || has_flags) s += "  " + escaped(error) + '\n';
  s += '\n' + tool::text_of(view, o.file);
  if (!o.file) s += "--file lists each operator.\n";
  print(s);
}

int info(const Options& o) {
  std::error_code error;
  if (std::filesystem::is_directory(o.model.path, error) && is_language_model(o.model.path))
    return describe_language(o.model.path, o.json, o.context.context());
  if (const Format* format = described(o.model.path, o.model.from)) return describe(o, *format);
  const Contents contents = contents_of(o.model);
  if (!contents.empty() && !o.json) print(contents_text(contents) + '\n');
  const auto not_imported = [&](const std::string& error, bool has_flags = false) {
    const std::optional<FileView> view = file_view_if_readable(o.model);
    if (view) show_file(o, *view, error, has_flags);
    return view.has_value();
  };
  try {
    std::optional<FileView> view;
    if (o.file && !(view = file_view(o.model)))
      throw Usage("--file: the operators of this format are those of WebNN");
    if (o.build || is_compiled(o.model))
      show_built(load(o.model, o.context.context(o.build)), contents, view, o.json);
    else show(read_source(o.model, o.context.context()), contents, view, o.json);
  } catch (const NotSupportedError& e) {
    if (!not_imported(e.what())) throw;
  } catch (const DataError& e) {
    if (!not_imported(e.what())) throw;
  } catch (const CommandError& e) {
    if (!not_imported(e.what(), true)) throw;
  }
  return Exit::ok;
}

}  // namespace

Action add_info(CLI::App& app) {
  const auto o = std::make_shared<Options>();
  o->model.add_to(app);
  o->context.add_to(app);
  app.add_flag(
      "--build", o->build,
      "Also build the model, once for all backends and once for each, and show how many operators "
      "and steps remain, the memory, and how many operators each backend supports");
  app.add_flag(
      "--file", o->file,
      "Also list each operator as the file has it, with its attributes, operands and shapes. If a "
      "model cannot be imported, its operators are always shown, with the reasons");
  add_json(app, o->json);
  app.footer(
      "Examples:\n  webnn info mobilenet.tflite\n  webnn info net.tflite --shape x=1x64x64x3 "
      "--json\n  webnn info net.tflite --build --backends simd,reference");
  return [o]() -> int { return info(*o); };
}

}  // namespace webnn::inline v0_1::tool
