// webnn info: inputs, outputs, operators, work and backends of a model.
#include <fmt/format.h>

#include <algorithm>

#include "src/graph/cost.h"
#include "tools/webnn/commands/commands.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/model/formats.h"
#include "tools/webnn/model/model.h"
#include "tools/webnn/model/weights.h"
#include "webnn/error.h"
#include "webnn/passes.h"

namespace webnn::inline v0_1::tool {
namespace {

struct Options {
  ModelOptions model;
  ContextOptions context;
  bool json = false;
};

struct Kind {
  std::string name;
  std::size_t count = 0;
  Cost cost{};
  std::vector<std::size_t> supported{};  ///< by each backend in the order {backend, reference}
};

/// Operators of the optimized graph, by name, most work first.
std::vector<Kind> kinds_of(const Graph& graph) {
  std::vector<Kind> all;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Node node = graph.node(i);
    auto at =
        std::find_if(all.begin(), all.end(), [&](const Kind& k) { return k.name == node.name(); });
    if (at == all.end()) at = all.insert(all.end(), Kind{std::string(node.name())});
    ++at->count;
    at->cost += cost_of(node);
  }
  std::stable_sort(all.begin(), all.end(), [](const Kind& a, const Kind& b) {
    return std::pair(a.cost.operations, a.count) > std::pair(b.cost.operations, b.count);
  });
  return all;
}

/// What each backend runs of a compiled graph, whose constants may be gone.
void count_run(std::vector<Kind>& kinds, const Model& m) {
  const GraphReport report = m.compiled.report();
  for (const std::string& name : m.context.backends())
    for (Kind& k : kinds) {
      std::size_t& count = k.supported.emplace_back(0);
      for (const StepReport& s : report.steps)
        for (const Node& node : s.operators) count += s.backend == name && k.name == node.name();
    }
}

void count_supported(std::vector<Kind>& kinds, const Model& m) {
  for (Kind& k : kinds) k.supported.clear();
  if (m.is_compiled) return count_run(kinds, m);
  for (const std::string& name : m.context.backends()) {
    const MLContext context =
        context_of(name == "reference" ? name : name + ",reference", m.context.threads());
    const MLGraph alone = build_graph(context, m.compiled.optimized(), {});
    for (Kind& k : kinds) k.supported.push_back(0);
    for (const StepReport& s : alone.report().steps)
      for (const Node& node : s.operators)
        for (Kind& k : kinds) k.supported.back() += s.backend == name && k.name == node.name();
  }
}

Json ports(const NamedDescriptors& all, const std::vector<std::optional<Quantization>>& q) {
  Json list = Json::array();
  for (std::size_t i = 0; i < all.size(); ++i) {
    Json port{{"name", all[i].name}};
    port.update(json_of(all[i].descriptor));
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
std::string contents_text(const Contents& parts) {
  Table t({"part of the file", "what it is"});
  for (const Part& p : parts) t.add({p.where, p.what});
  return t.text();
}
Json contents_json(const Contents& parts) {
  Json list = Json::array();
  for (const Part& p : parts) list.push_back({{"part", p.where}, {"what", p.what}});
  return list;
}

Json as_json(const Model& m, const std::vector<Kind>& kinds) {
  const GraphReport r = m.compiled.report();
  const Weights w = weights_of(m.graph());
  Json j{{"model", m.path},
         {"format", m.format},
         {"file_bytes", m.file_bytes},
         {"description", m.description},
         {"inputs", ports(m.compiled.inputs(), m.input_quantization)},
         {"outputs", ports(m.compiled.outputs(), m.output_quantization)},
         {"operators", m.graph().size()},
         {"operators_optimized", m.compiled.optimized().size()},
         {"steps", r.steps.size()},
         {"constants", w.count},
         {"parameters", w.parameters},
         {"weight_bytes", w.bytes},
         {"macs", cost_of(m.graph()).macs},
         {"memory",
          {{"arena", r.arena},
           {"arena_at_least", r.arena_at_least},
           {"packed_weights", r.packed},
           {"scratch_per_thread", r.scratch},
           {"threads", r.threads},
           {"threads_asked", r.threads_asked}}},
         {"build_ms", r.build_ms},
         {"backends", m.context.backends()}};
  for (const Kind& k : kinds) {
    Json supported = Json::object();
    for (std::size_t b = 0; b < k.supported.size(); ++b)
      supported[m.context.backends()[b]] = k.supported[b];
    j["kinds"].push_back({{"operator", k.name},
                          {"count", k.count},
                          {"macs", k.cost.macs},
                          {"supported_by", std::move(supported)}});
  }
  return j;
}

std::string port_table(const char* title, const NamedDescriptors& all,
                       const std::vector<std::optional<Quantization>>& q) {
  Table t({title, "type and shape", ""});
  for (std::size_t i = 0; i < all.size(); ++i)
    t.add({escaped(all[i].name), type_text(all[i].descriptor), quantization_text(q[i])});
  return t.text();
}

std::string as_text(const Model& m, const std::vector<Kind>& kinds) {
  const GraphReport r = m.compiled.report();
  const Weights w = weights_of(m.graph());
  std::string s = fmt::format("{}  {}, {}{}\n\n", escaped(m.path), m.format,
                              bytes_text(static_cast<double>(m.file_bytes)),
                              m.description.empty() ? "" : ", " + escaped(m.description));
  s += port_table("input", m.compiled.inputs(), m.input_quantization) + '\n';
  s += port_table("output", m.compiled.outputs(), m.output_quantization) + '\n';
  s += fmt::format("operators   {}, optimized {}, in {} steps\n", m.graph().size(),
                   m.compiled.optimized().size(), r.steps.size());
  s += fmt::format("parameters  {} in {} constants, {}\n", count_text(w.parameters), w.count,
                   bytes_text(w.bytes));
  s += fmt::format("work        {} multiply-accumulates\n", count_text(cost_of(m.graph()).macs));
  s += fmt::format(
      "memory      {} for intermediate results, {} of packed weights, {} for each of "
      "{} threads\n\n",
      bytes_text(static_cast<double>(r.arena)), bytes_text(static_cast<double>(r.packed)),
      bytes_text(static_cast<double>(r.scratch)), r.threads);
  std::vector<std::string> heads = {"optimized operator", ">count", ">MACs"};
  for (const std::string& b : m.context.backends()) heads.push_back(">" + b);
  Table t(heads);
  for (const Kind& k : kinds) {
    std::vector<std::string> row = {k.name, fmt::format(">{}", k.count),
                                    ">" + (k.cost.macs > 0 ? count_text(k.cost.macs) : "")};
    for (std::size_t supported : k.supported) row.push_back(fmt::format(">{}", supported));
    t.add(row);
  }
  return s + t.text() + "The last columns: how many each backend supports.\n";
}

}  // namespace

Action add_info(CLI::App& app) {
  const auto o = std::make_shared<Options>();
  o->model.add_to(app);
  o->context.add_to(app);
  add_json(app, o->json);
  app.footer(
      "Examples:\n  webnn info mobilenet.tflite\n  webnn info net.tflite --shape x=1x64x64x3 "
      "--json");
  return [o]() -> int {
    const Contents contents = contents_of(o->model);
    if (!contents.empty() && !o->json) print(contents_text(contents) + '\n');
    std::optional<Model> m;
    try {
      m = load(o->model, o->context.context());
    } catch (const NotSupportedError& e) {
      // A file whose parts are known is described also where WebNN cannot run it.
      if (contents.empty()) throw;
      if (o->json)
        print_json({{"model", o->model.path},
                    {"contents", contents_json(contents)},
                    {"not_supported", e.what()}});
      else print(fmt::format("It cannot be imported: {}\n", escaped(e.what())));
      return Exit::ok;
    }
    std::vector<Kind> kinds = kinds_of(m->compiled.optimized());
    count_supported(kinds, *m);
    if (!o->json) {
      print(as_text(*m, kinds));
      return Exit::ok;
    }
    Json j = as_json(*m, kinds);
    if (!contents.empty()) j["contents"] = contents_json(contents);
    print_json(j);
    return Exit::ok;
  };
}

}  // namespace webnn::inline v0_1::tool
