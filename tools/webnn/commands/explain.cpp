// webnn explain: which kernel runs each operator, and why not the others.
#include <fmt/format.h>

#include "tools/webnn/commands/commands.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/model/model.h"
#include "tools/webnn/model/steps.h"

namespace webnn::inline v0_1::tool {
namespace {

struct Options {
  ModelOptions model;
  ContextOptions context;
  int runs = 20;
  bool no_time = false, why = false, json = false;
};

Json as_json(const Model& m, std::span<const double> us) {
  const GraphReport r = m.compiled.report();
  Json j{{"model", m.path},
         {"operators", m.graph().size()},
         {"threads", r.threads},
         {"threads_asked", r.threads_asked},
         {"build_ms", r.build_ms},
         {"memory",
          {{"arena", r.arena},
           {"arena_at_least", r.arena_at_least},
           {"packed_weights", r.packed},
           {"scratch_per_thread", r.scratch}}}};
  j["steps"] = Json::array();
  for (std::size_t i = 0; i < r.steps.size(); ++i)
    j["steps"].push_back(json_of(r.steps[i], i < us.size() ? std::optional(us[i]) : std::nullopt));
  j["passes"] = Json::array();
  for (const PassReport& p : r.passes)
    j["passes"].push_back({{"name", p.name}, {"before", p.before}, {"after", p.after}});
  return j;
}

/// Why not the other backends, of every step.
std::string why_text(const GraphReport& r) {
  std::string s = "\nwhy not the others:\n";
  for (std::size_t i = 0; i < r.steps.size(); ++i) {
    s += fmt::format("{:>3}  {} ({} {})\n", i + 1, operators_text(r.steps[i]), r.steps[i].backend,
                     r.steps[i].kernel);
    for (const std::string& reason : r.steps[i].others) s += "       " + reason + '\n';
  }
  return s;
}

}  // namespace

Action add_explain(CLI::App& app) {
  const auto o = std::make_shared<Options>();
  o->model.add_to(app);
  o->context.add_to(app);
  app.add_option("--runs", o->runs, "How many times each step is measured")
      ->type_name("N")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app.add_flag("--no-time", o->no_time, "Do not run the model");
  app.add_flag("--why", o->why, "Say for every step why none of the other backends runs it");
  add_json(app, o->json);
  app.footer(
      "Examples:\n  webnn explain mobilenet.tflite\n  webnn explain net.tflite --backends "
      "xnnpack,reference --threads 1\n  webnn explain net.onnx --why");
  return [o]() -> int {
    Model m = load(o->model, o->context.context());
    std::vector<double> us;
    if (!o->no_time) us = m.context.profile(m.compiled, o->runs);
    if (o->json) print_json(as_json(m, us));
    else print(m.compiled.explain(us) + (o->why ? why_text(m.compiled.report()) : ""));
    return Exit::ok;
  };
}

}  // namespace webnn::inline v0_1::tool
