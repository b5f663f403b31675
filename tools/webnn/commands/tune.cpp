// webnn tune: which kernels are the fastest on this machine, in a file.
#include <fmt/format.h>

#include <algorithm>

#include "src/graph/access.h"
#include "src/runtime/graph_state.h"
#include "tools/webnn/commands/commands.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/files.h"
#include "tools/webnn/model/model.h"
#include "tools/webnn/model/outputs.h"
#include "tools/webnn/model/steps.h"

namespace webnn::inline v0_1::tool {
namespace {

struct Options {
  ModelOptions model;
  ContextOptions context;
  std::string output;
  bool again = false, json = false;
};

/// All steps of one chain.
struct Row {
  std::string key{}, operators{}, shape{};
  Tuned usual{};
  std::string backend{}, kernel{};
  std::size_t count = 0;

  double gain() const {
    return static_cast<double>(usual.default_nanoseconds) / static_cast<double>(usual.nanoseconds);
  }
  double saved_us() const {
    return static_cast<double>(count) * 1e-3 *
           (static_cast<double>(usual.default_nanoseconds) -
            static_cast<double>(usual.nanoseconds));
  }
};

/// What was measured, what gains most first.
std::vector<Row> rows_of(const MLGraph& graph) {
  const GraphReport report = graph.report();
  const std::vector<Step>& steps = detail::state_of(graph)->plan.steps;
  std::vector<Row> rows;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Choice& c = steps[i].choice;
    if (!c.tuned) continue;
    const std::string key = tuning_key(c.chain);
    auto at = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.key == key; });
    if (at == rows.end())
      at = rows.insert(at, {key, operators_text(report.steps[i]),
                            type_text(c.chain.back().output().descriptor()), *c.tuned, c.backend,
                            c.kernel->name});
    ++at->count;
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.saved_us() > b.saved_us(); });
  return rows;
}

struct Totals {
  double usual_us = 0, us = 0;
  std::size_t steps = 0, others = 0;  ///< with another kernel than the usual one
};
Totals totals_of(const std::vector<Row>& rows) {
  Totals t;
  for (const Row& r : rows) {
    t.usual_us += 1e-3 * static_cast<double>(r.count * r.usual.default_nanoseconds);
    t.us += 1e-3 * static_cast<double>(r.count * r.usual.nanoseconds);
    t.steps += r.count;
    if (r.backend != r.usual.backend) t.others += r.count;
  }
  return t;
}

std::string as_text(const Model& m, const std::vector<Row>& rows, const Options& o) {
  Table table(
      {">steps", "operators", "result", "usual kernel", ">us", "fastest kernel", ">us", ">gain"});
  const auto us = [](std::uint64_t ns) {
    return fmt::format(">{:.1f}", 1e-3 * static_cast<double>(ns));
  };
  for (const Row& r : rows) {
    const bool same = r.backend == r.usual.backend;
    table.add({fmt::format(">{}", r.count), shortened(r.operators), r.shape,
               escaped(r.usual.backend + ' ' + r.usual.kernel), us(r.usual.default_nanoseconds),
               same ? "the same" : escaped(r.backend + ' ' + r.kernel), us(r.usual.nanoseconds),
               same ? "" : fmt::format(">{:.2f}", r.gain())});
  }
  const Totals t = totals_of(rows);
  std::string s = rows.empty() ? "" : table.text();
  s += fmt::format("several backends have a kernel: {} of {}; another one is chosen: {}", t.steps,
                   counted(m.compiled.report().steps.size(), "step"), t.others);
  if (t.others)
    s += fmt::format(": {:.1f} us instead of {:.1f} us, {:.2f} times as fast", t.us, t.usual_us,
                     t.usual_us / t.us);
  return s + fmt::format("\nwritten to {}, for {}\n", shown(o.output),
                         counted(m.context.threads(), "thread"));
}

Json as_json(const Model& m, const std::vector<Row>& rows, const Options& o) {
  const Totals t = totals_of(rows);
  Json j{{"model", m.path},
         {"output", o.output},
         {"threads", m.context.threads()},
         {"steps", m.compiled.report().steps.size()},
         {"measured", t.steps},
         {"usual_microseconds", t.usual_us},
         {"microseconds", t.us}};
  j["chains"] = Json::array();
  for (const Row& r : rows)
    j["chains"].push_back(
        {{"operators", r.operators},
         {"chain", r.key},
         {"count", r.count},
         {"usual",
          {{"backend", r.usual.backend},
           {"kernel", r.usual.kernel},
           {"microseconds", 1e-3 * static_cast<double>(r.usual.default_nanoseconds)}}},
         {"fastest",
          {{"backend", r.backend},
           {"kernel", r.kernel},
           {"microseconds", 1e-3 * static_cast<double>(r.usual.nanoseconds)}}},
         {"gain", r.gain()}});
  return j;
}

int run(const Options& o) {
  if (o.output == "-") throw Usage("--output -: measurements are added to a file");
  keep_model(o.model, o.output);
  MLContextOptions options = o.context.options();
  options.tuning = Tuning::once;
  options.tuningFile = o.output;
  const MLContext context = context_of(o.context.backends, std::move(options));
  TuningState& state = detail::state_of(context)->tuning;
  TuningTable table = *TuningTable::parse(state.text());
  if (o.again) state.clear();
  const Model m = load(o.model, context);
  if (m.is_compiled)
    throw CommandError(shown(m.path) + ": the kernels of a compiled graph are chosen already");
  table.add(*TuningTable::parse(state.text()));
  write_file(o.output, table.text());
  const std::vector<Row> rows = rows_of(m.compiled);
  if (o.json) print_json(as_json(m, rows, o));
  else print(as_text(m, rows, o));
  return Exit::ok;
}

}  // namespace

Action add_tune(CLI::App& app) {
  const auto o = std::make_shared<Options>();
  o->model.add_to(app);
  o->context.add_without_tuning_to(app);
  app.add_option("-o,--output", o->output,
                 "The file to write; measurements that it already has are kept, and not repeated")
      ->type_name("FILE")
      ->required();
  app.add_flag("--again", o->again, "Measure the whole model again");
  add_json(app, o->json);
  app.footer(
      "One file can serve all models. A context uses only times that were measured on the same "
      "processor, with as many threads and the same versions.\nExamples:\n  webnn tune net.tflite "
      "-o tuning.txt\n  webnn bench net.tflite --tuning tuning.txt\n  webnn tune net.tflite -o "
      "tuning.txt --threads 1\n  WEBNN_TUNING=tuning.txt ./program");
  return [o]() -> int { return run(*o); };
}

}  // namespace webnn::inline v0_1::tool
