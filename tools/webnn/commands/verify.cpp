// webnn verify: the optimizing passes one by one, each checked against the graph as it was built.
#include <fmt/format.h>

#include "tools/webnn/commands/commands.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/files.h"
#include "tools/webnn/data/tolerance.h"
#include "tools/webnn/model/compiled.h"
#include "tools/webnn/model/execute.h"
#include "tools/webnn/model/growth.h"
#include "webnn/passes.h"

namespace webnn::inline v0_1::tool {
namespace {

struct Options {
  ModelOptions model;
  ContextOptions context;
  InputOptions inputs;
  std::optional<double> tolerance;
  bool json = false;
};

struct Outcome {
  std::string pass{};
  std::size_t before = 0, after = 0, steps = 0;
  bool changed = false;
  Verdict worst{};
};

/// The outputs of the graph as it was built.
struct Expected {
  const Model& m;
  const Feeds& feeds;
  std::optional<double> tolerance;
  Results results{};
  std::vector<double> growth{};  ///< of one unit of each quantized operator; empty: not measured

  Verdict judged(std::size_t i, std::span<const std::byte> result) {
    const MLOperandDescriptor& d = m.compiled.outputs()[i].descriptor;
    const Distances apart = distances(d, results[i], result);
    Verdict v = judge(d, apart, tolerance);
    if (v.agrees || tolerance) return v;
    if (growth.empty()) {
      std::vector<MLOperand> outputs;
      for (const auto& [name, y] : m.graph().outputs()) outputs.push_back(y);
      growth = growth_of(m.context, m.graph(), outputs, feeds);
    }
    v.allow(growth[i], apart);
    return v;
  }
};

Outcome check(const Pass& pass, Graph& graph, const Model& m, const Feeds& feeds,
              Expected& expected) {
  Outcome out{.pass = std::string(pass.name), .before = graph.size()};
  const Graph next = pass.run(graph);
  out.changed = !(next == graph);
  graph = next;
  out.after = graph.size();
  const MLGraph compiled = build_graph(m.context, graph, {});
  out.steps = compiled.report().steps.size();
  const Results results = execute(m.context, compiled, feeds);
  for (std::size_t i = 0; i < results.size(); ++i) out.worst.widen(expected.judged(i, results[i]));
  return out;
}

Json as_json(const std::vector<Outcome>& outcomes, const Model& m, bool agrees) {
  Json j{{"model", m.path}, {"agrees", agrees}, {"backends", m.context.backends()}};
  j["passes"] = Json::array();
  for (const Outcome& x : outcomes)
    j["passes"].push_back({{"name", x.pass},
                           {"changed", x.changed},
                           {"before", x.before},
                           {"after", x.after},
                           {"steps", x.steps},
                           {"largest_relative", number_or_null(x.worst.relative)},
                           {"largest_units", number_or_null(x.worst.units)},
                           {"agrees", x.worst.agrees}});
  return j;
}

std::string_view word_of(const Outcome& x) {
  if (!x.worst.agrees) return "DIFFERS";
  if (!x.changed) return "changes nothing";
  return x.worst.relative == 0 && x.worst.units == 0 ? "the same" : "within tolerance";
}

std::string as_text(const std::vector<Outcome>& outcomes) {
  Table t({">#", "pass", ">operators", ">steps", "difference", ""});
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const Outcome& x = outcomes[i];
    t.add({fmt::format(">{}", i + 1), x.pass,
           x.changed ? fmt::format(">{} -> {}", x.before, x.after) : fmt::format(">{}", x.after),
           fmt::format(">{}", x.steps), difference_text(x.worst), std::string(word_of(x))});
  }
  return t.text();
}

/// There are no passes to be checked in a compiled graph, but what is in the file.
int verify_compiled(const Options& o) {
  const MLContext context = o.context.context();
  const std::size_t steps = load_verified(o.model, context).report().steps.size();
  const auto bytes = std::filesystem::file_size(o.model.path);
  if (o.json)
    print_json({{"model", o.model.path},
                {"agrees", true},
                {"bytes", bytes},
                {"steps", steps},
                {"backends", context.backends()}});
  else
    print(fmt::format("{}: {}, {}; all of it has the checksums that it was written with\n",
                      shown(o.model.path), counted(steps, "step"),
                      bytes_text(static_cast<double>(bytes))));
  return Exit::ok;
}

int verify(const Options& o) {
  if (is_compiled(o.model)) return verify_compiled(o);
  const Model m = load(o.model, o.context.context(true), given_by(o.inputs));
  const Feeds feeds = make_feeds(o.inputs, m);
  Graph graph = m.graph();
  Expected expected{m, feeds, o.tolerance,
                    execute(m.context, build_graph(m.context, graph, {}), feeds)};
  std::vector<Outcome> outcomes;
  bool agrees = true;
  for (const Pass& pass : all_passes()) {
    outcomes.push_back(check(pass, graph, m, feeds, expected));
    agrees = agrees && outcomes.back().worst.agrees;
  }
  if (o.json) print_json(as_json(outcomes, m, agrees));
  else
    print(as_text(outcomes) + (agrees ? "All passes keep the results.\n"
                                      : "The first pass that is marked changes the results.\n"));
  return agrees ? Exit::ok : Exit::differs;
}

}  // namespace

Action add_verify(CLI::App& app) {
  const auto o = std::make_shared<Options>();
  o->model.add_to(app);
  o->context.add_to(app);
  o->inputs.add_to(app);
  add_tolerance(app, o->tolerance);
  add_json(app, o->json);
  app.footer(
      "For a compiled graph, all checksums are compared, also those of its weights.\nExamples:\n  "
      "webnn "
      "verify net.tflite\n  webnn verify net.webnnc\n  webnn verify net.tflite --backends "
      "reference "
      "--tolerance 1e-6");
  return [o]() -> int { return verify(*o); };
}

}  // namespace webnn::inline v0_1::tool
