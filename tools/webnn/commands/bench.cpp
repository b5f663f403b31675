// webnn bench: the time of a model and of its operators.
#include <fmt/format.h>

#include <algorithm>

#include "src/runtime/trace.h"
#include "tools/webnn/commands/bench_changing.h"
#include "tools/webnn/commands/commands.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/terminal.h"
#include "tools/webnn/data/golden.h"
#include "tools/webnn/language/language.h"
#include "tools/webnn/model/growth.h"
#include "tools/webnn/model/limits.h"
#include "tools/webnn/model/measure.h"
#include "tools/webnn/model/outputs.h"
#include "tools/webnn/model/steps.h"
#include "webnn/error.h"

namespace webnn::inline v0_1::tool {
namespace {

struct Options {
  ModelOptions model;
  ContextOptions context;
  InputOptions inputs;
  MeasureOptions measure;
  std::string golden, trace;
  std::optional<double> tolerance;
  std::optional<std::uint32_t> prompt, generate;
  std::uint32_t sequences = 1;
  bool steps = false, quiet = false, csv = false, json = false, random = false;
};

/// A line of the table: one step, or all steps of the same operators.
struct Row {
  std::string operators{}, label{}, kernel{};
  std::size_t count = 0;
  double us = 0, least_us = 0;
  Cost cost{};
};

std::vector<Row> rows_of(const GraphReport& report, std::span<const double> us, const Limits& l,
                         bool each) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < report.steps.size(); ++i) {
    const StepReport& s = report.steps[i];
    const std::string operators = operators_text(s), kernel = s.backend + ' ' + s.kernel;
    auto at = std::find_if(rows.begin(), rows.end(), [&](const Row& r) {
      return !each && r.operators == operators && r.kernel == s.backend;
    });
    if (at == rows.end())
      at = rows.insert(rows.end(),
                       Row{operators, each ? label_of(s) : "", each ? kernel : s.backend});
    const Cost cost = cost_of(s.operators);
    ++at->count;
    at->us += us[i];
    at->cost += cost;
    at->least_us += least_microseconds(cost, is_quantized(s.operators), s.kernel, l);
  }
  if (!each)
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.us > b.us; });
  return rows;
}

struct Measured {
  Timings runs;
  std::vector<double> step_us;
  std::vector<GoldenOutput> golden;
  double peak = 0;  ///< bytes
  GraphReport report;
  Limits limits;
  Cost cost;
  double total_us = 0, least_us = 0;  ///< the times of the steps together

  double median() const { return percentile(runs.times, 0.5); }
  double runs_per_second() const { return static_cast<double>(runs.times.size()) / runs.seconds; }
  /// With several callers it is what they do together.
  double us_of_a_run() const { return runs.seconds * 1e6 / static_cast<double>(runs.times.size()); }
};

/// Some more runs, for the trace slows down what takes a microsecond.
void write_trace(const std::string& path, Runner& runner) {
  constexpr int runs = 10;
  Trace::start(path, "--trace");
  for (int i = 0; i < runs; ++i) runner.run();
  Trace::end();
}

Measured measure_all(const Model& m, const Options& o) {
  const Feeds feeds = make_feeds(o.inputs, m);
  Runner runner(m.context, m.compiled, feeds);
  Measured all;
  all.report = m.compiled.report();
  const auto limits = [&] {
    return measure_limits(m.context.threads(), all.report.arena + std::uint64_t{all.report.packed});
  };
  all.runs = measure(m.context, m.compiled, feeds, runner, o.measure);
  all.peak = peak_memory();
  if (!o.trace.empty()) write_trace(o.trace, runner);
  if (!o.golden.empty())
    all.golden = compare_golden(o.golden, m.compiled.outputs(), runner.results(), o.tolerance, [&] {
      return growth_of_outputs(o.model, o.inputs, feeds, m.context.threads());
    });
  all.limits = limits();
  const int runs =
      all.runs.interrupted
          ? 1
          : static_cast<int>(std::clamp(o.measure.seconds * 5e5 / all.median(), 5.0, 1000.0));
  MLContext context = m.context;
  all.step_us = context.profile(m.compiled, runs);
  if (!all.runs.interrupted) all.limits = best_of(all.limits, limits());
  all.cost = cost_of(m.graph());
  for (const Row& r : rows_of(all.report, all.step_us, all.limits, false)) {
    all.total_us += r.us;
    all.least_us += r.least_us;
  }
  return all;
}

Json json_of(const Row& r, double total) {
  return {{"operators", r.operators},
          {"label", r.label},
          {"kernel", r.kernel},
          {"count", r.count},
          {"microseconds", r.us},
          {"share", total > 0 ? r.us / total : 0},
          {"macs", r.cost.macs},
          {"gflops", r.us > 0 ? 2e-3 * r.cost.macs / r.us : 0},
          {"of_limit", r.us > 0 ? r.least_us / r.us : 0}};
}

Json memory_json(const Limits& l) {
  Json list = Json::array();
  for (const MemoryRate& m : l.memory)
    list.push_back(
        {{"bytes", m.size}, {"read_gb_per_s", m.read / 1e3}, {"write_gb_per_s", m.write / 1e3}});
  return list;
}

Json as_json(const Model& m, const Measured& all, const Options& o) {
  const std::vector<double>& times = all.runs.times;
  Json j{{"model", m.path},
         {"threads", m.context.threads()},
         {"threads_asked", all.report.threads_asked},
         {"backends", m.context.backends()},
         {"callers", o.measure.callers},
         {"runs", times.size()},
         {"interrupted", all.runs.interrupted},
         {"read_ms", m.read_ms},
         {"build_ms", all.report.build_ms},
         {"first_microseconds", all.runs.first},
         {"microseconds",
          {{"min", times.front()},
           {"median", all.median()},
           {"mean", mean(times)},
           {"p90", percentile(times, 0.9)},
           {"p99", percentile(times, 0.99)},
           {"max", times.back()}}},
         {"runs_per_second", all.runs_per_second()},
         {"peak_bytes", all.peak},
         {"macs", all.cost.macs},
         {"gflops", 2e-3 * all.cost.macs / all.us_of_a_run()},
         {"of_limit", all.least_us / all.us_of_a_run()},
         {"limit",
          {{"float32_gflops", all.limits.float_operations / 1e3},
           {"int8_gops", all.limits.int8_operations / 1e3},
           {"memory", memory_json(all.limits)}}}};
  if (!o.golden.empty()) j["golden"] = golden_json(all.golden);
  j["operators"] = Json::array();
  for (const Row& r : rows_of(all.report, all.step_us, all.limits, o.steps))
    j["operators"].push_back(json_of(r, all.total_us));
  return j;
}

/// A field of a .csv file: RFC 4180.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string s = "\"";
  for (char c : text) s += c == '"' ? std::string("\"\"") : std::string(1, c);
  return s + '"';
}

/// The first row is the whole graph, with the median of its runs.
std::string as_csv(const Measured& all, const Options& o) {
  std::string s = "operators,label,kernel,count,microseconds,share,macs,gflops,of_limit\n";
  const auto row = [&](const Row& r) {
    s += fmt::format("{},{},{},{},{:.3f},{:.4f},{:.0f},{:.3f},{:.4f}\n", csv_field(r.operators),
                     csv_field(r.label), csv_field(r.kernel), r.count, r.us, r.us / all.total_us,
                     r.cost.macs, 2e-3 * r.cost.macs / r.us, r.least_us / r.us);
  };
  row({"graph", "", "", all.report.steps.size(), all.median(), all.least_us, all.cost});
  for (const Row& r : rows_of(all.report, all.step_us, all.limits, o.steps)) row(r);
  return s;
}

std::string limits_text(const Limits& l) {
  std::string s = fmt::format("limit: {:.0f} GFLOP/s float32", l.float_operations / 1e3);
  if (l.int8_operations > 0) s += fmt::format(", {:.0f} GOP/s int8", l.int8_operations / 1e3);
  for (const MemoryRate& m : l.memory)
    s += fmt::format("{} {:.0f} / {:.0f} GB/s of {}",
                     &m == &l.memory.front() ? "; reads / writes" : ",", m.read / 1e3,
                     m.write / 1e3, bytes_text(m.size));
  return s + '\n';
}

std::string table(const Measured& all, const Options& o) {
  Table t(o.steps ? std::vector<std::string>{">#", "step", "", "kernel", ">us", ">%", ">GFLOP/s",
                                             ">of limit"}
                  : std::vector<std::string>{">steps", "operators", "", "backend", ">us", ">%",
                                             ">GFLOP/s", ">of limit"});
  std::size_t number = 0;
  for (const Row& r : rows_of(all.report, all.step_us, all.limits, o.steps)) {
    const std::string label = escaped(r.label);
    const double of_limit = r.us > 0 ? r.least_us / r.us : 0;
    // A step at the limit is done; one that is far from it, and takes time, is worth a look.
    const std::optional<Style> style = of_limit >= 0.8 ? std::optional(Style::good)
                                       : of_limit < 0.2 && r.us > 0.05 * all.total_us
                                           ? std::optional(Style::bad)
                                           : std::nullopt;
    const std::string percent = r.us > 0 ? fmt::format("{:.0f} %", 100 * of_limit) : "";
    t.add({fmt::format(">{}", o.steps ? ++number : r.count), r.operators, shortened(label, 32),
           r.kernel, fmt::format(">{:.1f}", r.us),
           fmt::format(">{:.1f}", 100 * r.us / all.total_us),
           r.cost.macs > 0 && r.us > 0 ? fmt::format(">{:.1f}", 2e-3 * r.cost.macs / r.us) : "",
           percent.empty() ? "" : '>' + (style ? styled(percent, *style) : percent)});
  }
  return t.text();
}

std::string as_text(const Model& m, const Measured& all, const Options& o) {
  const std::vector<double>& times = all.runs.times;
  const auto ms = [](double us) { return fmt::format("{:.3f}", us / 1000); };
  const int threads = m.context.threads(), asked = all.report.threads_asked;
  std::string s = fmt::format("{}  {}, {}", escaped(m.path),
                              threads < asked ? fmt::format("{} of {} threads", threads, asked)
                                              : counted(threads, "thread"),
                              counted(times.size(), "run"));
  if (o.measure.callers > 1) s += fmt::format(" of {} callers", o.measure.callers);
  s += all.runs.interrupted ? ", interrupted\n\n" : "\n\n";
  s += fmt::format("{}   min {}   mean {}   90 % {}   99 % {}   max {}\n",
                   styled(fmt::format("median {} ms", ms(all.median())), Style::strong),
                   ms(times.front()), ms(mean(times)), ms(percentile(times, 0.9)),
                   ms(percentile(times, 0.99)), ms(times.back()));
  s +=
      fmt::format("{:.1f} runs/s, {:.1f} GFLOP/s, {:.0f} % of the limit\n", all.runs_per_second(),
                  2e-3 * all.cost.macs / all.us_of_a_run(), 100 * all.least_us / all.us_of_a_run());
  s += fmt::format("read in {:.1f} ms, built in {:.1f} ms, first run {} ms, at most {} of memory\n",
                   m.read_ms, all.report.build_ms, ms(all.runs.first), bytes_text(all.peak));
  return s + limits_text(all.limits) + golden_text(all.golden) + '\n' + table(all, o);
}

/// What needs one size.
void refuse_with_ranges(const Options& o) {
  const auto refuse = [](const char* option) {
    throw Usage(std::string(option) + " needs one size of each dimension, not a range");
  };
  if (o.csv) refuse("--csv");
  if (o.steps) refuse("--steps");
  if (o.measure.callers > 1) refuse("--callers");
  if (!o.trace.empty()) refuse("--trace");
  if (!o.golden.empty()) refuse("--golden");
  if (!o.inputs.inputs.empty()) refuse("--input");
  if (!o.inputs.image.empty()) refuse("--image");
}

int bench(Options& o) {
  if (o.csv && o.json) throw Usage("--csv and --json exclude each other");
  if (o.prompt || o.generate || is_language_model(o.model.path))
    return bench_language({.model = o.model.path,
                           .prompt = o.prompt.value_or(128),
                           .generate = o.generate.value_or(128),
                           .sequences = o.sequences,
                           .runs = o.measure.runs,
                           .json = o.json},
                          o.context.context());
  o.measure.progress = !o.quiet && !o.json && !o.csv;
  if (ChangingSizes sizes{take_ranges(o.model), o.random}; !sizes.ranges.empty()) {
    refuse_with_ranges(o);
    return bench_changing(o.model, o.context.context(), std::move(sizes), o.inputs.seed, o.measure,
                          o.json);
  }
  if (o.random) throw Usage("--random: no --dim has a range of sizes, as in sequence=1..512");
  if (!o.trace.empty()) keep_model(o.model, o.trace);
  const Model m = load(o.model, o.context.context(), given_by(o.inputs));
  const Measured all = measure_all(m, o);
  if (o.json) print_json(as_json(m, all, o));
  else print(o.csv ? as_csv(all, o) : as_text(m, all, o));
  if (all.runs.interrupted) return Exit::interrupted;
  return agrees(all.golden) ? Exit::ok : Exit::differs;
}

}  // namespace

Action add_bench(CLI::App& app) {
  const auto o = std::make_shared<Options>();
  o->model.add_to(app);
  o->context.add_to(app);
  o->inputs.add_to(app);
  app.get_option("--dim")->description(
      "The size of a dimension that has a name in the file, as in batch=1; sequence=1..512 and "
      "height=160..640:32 change the size from run to run");
  app.add_flag("--random", o->random,
               "Draw the sizes of ranges anew for each run; without this, they come in turn");
  app.add_option("--seconds", o->measure.seconds, "How long to measure")
      ->type_name("S")
      ->check(CLI::Range(0.001, 86400.0))
      ->capture_default_str();
  app.add_option("--runs", o->measure.runs,
                 "Measure this many runs of each caller, in place of a time")
      ->type_name("N")
      ->check(CLI::Range(1, 10000000));
  app.add_option("--warmup", o->measure.warmup,
                 "How many seconds to run before the measurement; there is at least one run")
      ->type_name("S")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  app.add_flag("--steps", o->steps, "Print a line for each step, not for each kind of operator");
  app.add_option("--callers", o->measure.callers,
                 "The number of threads that run the graph at the same time; the times are those "
                 "of single runs")
      ->type_name("N")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--prompt", o->prompt,
                 "The number of tokens in the prompt of a language model; 128 by default")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  app.add_option("--generate", o->generate,
                 "The number of tokens that a language model then generates; 128 by default")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  app.add_option("--sequences", o->sequences,
                 "Also measure a language model with this many sequences at once")
      ->type_name("N")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  add_golden(app, o->golden);
  add_tolerance(app, o->tolerance);
  app.add_option("--trace", o->trace,
                 "Write what each thread does in 10 more runs, for ui.perfetto.dev")
      ->type_name("FILE");
  app.add_flag("--csv", o->csv, "Print the table as comma-separated values");
  app.add_flag("--quiet", o->quiet, "Do not show a progress bar");
  add_json(app, o->json);
  app.footer(
      "Examples:\n  webnn bench net.tflite\n  webnn bench net.tflite --threads 1 --steps\n  "
      "webnn bench net.tflite --backends xnnpack,reference --runs 200 --json\n  webnn "
      "bench net.tflite --threads 8 --callers 4\n  webnn run net.tflite --output-dir golden && "
      "webnn bench net.tflite --golden golden --csv >steps.csv\n  webnn bench net.tflite --trace "
      "trace.json\n  webnn bench net.webnn --dim sequence=1..512 --random\n  webnn bench "
      "model.gguf --prompt 128 --generate 128 --sequences 8");
  return [o]() -> int { return bench(*o); };
}

}  // namespace webnn::inline v0_1::tool
