// webnn bench: the time of a model and of its operators.
#include <fmt/format.h>

#include <algorithm>

#include "tools/webnn/commands/commands.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/progress.h"
#include "tools/webnn/model/execute.h"
#include "tools/webnn/model/limits.h"
#include "tools/webnn/model/steps.h"
#include "webnn/error.h"

namespace webnn::tool {
namespace {

struct Options {
  ModelOptions model;
  ContextOptions context;
  InputOptions inputs;
  double seconds = 1, warmup = 0.2;
  int runs = 0;
  bool steps = false, quiet = false, json = false;
};

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Sorted microseconds.
std::vector<double> measure(Runner& runner, const Options& o) {
  Progress progress("measuring", !o.quiet && !o.json);
  auto start = Clock::now();
  do runner.run();
  while (seconds_since(start) < o.warmup);
  std::vector<double> times;
  start = Clock::now();
  constexpr std::size_t least = 5, most = 10'000'000;
  while (times.size() < most) {
    const double spent = seconds_since(start);
    if (o.runs ? times.size() >= static_cast<std::size_t>(o.runs)
               : spent >= o.seconds && times.size() >= least)
      break;
    progress.at(o.runs ? static_cast<double>(times.size()) / o.runs : spent / o.seconds);
    times.push_back(runner.timed_run());
  }
  std::sort(times.begin(), times.end());
  return times;
}

double percentile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (at - static_cast<double>(below));
}
double mean(const std::vector<double>& all) {
  double sum = 0;
  for (double v : all) sum += v;
  return sum / static_cast<double>(all.size());
}

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
    at->least_us += least_microseconds(cost, is_quantized(s.operators), l);
  }
  if (!each)
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.us > b.us; });
  return rows;
}

struct Measured {
  std::vector<double> times, step_us;
  GraphReport report;
  Limits limits;
  Cost cost;
  double total_us = 0, least_us = 0;  ///< of the steps together
};

Measured measure_all(const Model& m, const Options& o) {
  const Feeds feeds = make_feeds(o.inputs, m);
  Runner runner(m.context, m.compiled, feeds);
  Measured all;
  all.report = m.compiled.report();
  all.limits =
      measure_limits(m.context.threads(), all.report.arena + std::uint64_t{all.report.packed});
  all.times = measure(runner, o);
  const double once = percentile(all.times, 0.5);
  const auto runs = static_cast<int>(std::clamp(o.seconds * 5e5 / once, 5.0, 1000.0));
  MLContext context = m.context;
  all.step_us = context.profile(m.compiled, runs);
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

Json as_json(const Model& m, const Measured& all, const Options& o) {
  const double median = percentile(all.times, 0.5);
  Json j{{"model", m.path},
         {"threads", m.context.threads()},
         {"backends", m.context.backends()},
         {"runs", all.times.size()},
         {"microseconds",
          {{"min", all.times.front()},
           {"median", median},
           {"mean", mean(all.times)},
           {"p90", percentile(all.times, 0.9)},
           {"p99", percentile(all.times, 0.99)},
           {"max", all.times.back()}}},
         {"macs", all.cost.macs},
         {"gflops", 2e-3 * all.cost.macs / median},
         {"of_limit", all.least_us / median},
         {"limit",
          {{"float32_gflops", all.limits.float_operations / 1e3},
           {"int8_gops", all.limits.int8_operations / 1e3},
           {"gigabytes_per_second", all.limits.bytes / 1e3}}}};
  j["operators"] = Json::array();
  for (const Row& r : rows_of(all.report, all.step_us, all.limits, o.steps))
    j["operators"].push_back(json_of(r, all.total_us));
  return j;
}

std::string as_text(const Model& m, const Measured& all, const Options& o) {
  const double median = percentile(all.times, 0.5);
  const auto ms = [](double us) { return fmt::format("{:.3f}", us / 1000); };
  std::string s = fmt::format(
      "{}  {} threads, {} runs\n\nmedian {} ms   min {}   mean {}   90 % {}   99 % {}   max {}\n",
      escaped(m.path), m.context.threads(), all.times.size(), ms(median), ms(all.times.front()),
      ms(mean(all.times)), ms(percentile(all.times, 0.9)), ms(percentile(all.times, 0.99)),
      ms(all.times.back()));
  s += fmt::format("{:.1f} GFLOP/s, {:.0f} % of the limit\n", 2e-3 * all.cost.macs / median,
                   100 * all.least_us / median);
  s += fmt::format("limit: {:.0f} GFLOP/s float32{}, {:.0f} GB/s\n\n",
                   all.limits.float_operations / 1e3,
                   all.limits.int8_operations > 0
                       ? fmt::format(", {:.0f} GOP/s int8", all.limits.int8_operations / 1e3)
                       : "",
                   all.limits.bytes / 1e3);
  Table t(o.steps ? std::vector<std::string>{">#", "step", "", "kernel", ">us", ">%", ">GFLOP/s",
                                             ">of limit"}
                  : std::vector<std::string>{">steps", "operators", "", "backend", ">us", ">%",
                                             ">GFLOP/s", ">of limit"});
  std::size_t number = 0;
  for (const Row& r : rows_of(all.report, all.step_us, all.limits, o.steps)) {
    const std::string label = escaped(r.label);
    t.add({fmt::format(">{}", o.steps ? ++number : r.count), r.operators, shortened(label, 32),
           r.kernel, fmt::format(">{:.1f}", r.us),
           fmt::format(">{:.1f}", 100 * r.us / all.total_us),
           r.cost.macs > 0 && r.us > 0 ? fmt::format(">{:.1f}", 2e-3 * r.cost.macs / r.us) : "",
           r.us > 0 ? fmt::format(">{:.0f} %", 100 * r.least_us / r.us) : ""});
  }
  return s + t.text();
}

}  // namespace

Action add_bench(CLI::App& app) {
  const auto o = std::make_shared<Options>();
  o->model.add_to(app);
  o->context.add_to(app);
  o->inputs.add_to(app);
  app.add_option("--seconds", o->seconds, "How long to measure")
      ->type_name("S")
      ->check(CLI::Range(0.001, 86400.0))
      ->capture_default_str();
  app.add_option("--runs", o->runs, "Measure so many runs instead")
      ->type_name("N")
      ->check(CLI::Range(1, 10000000));
  app.add_option("--warmup", o->warmup, "Seconds before that; at least one run")
      ->type_name("S")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  app.add_flag("--steps", o->steps, "A line for each step, not for each kind of operator");
  app.add_flag("--quiet", o->quiet, "No progress bar");
  add_json(app, o->json);
  app.footer(
      "Examples:\n  webnn bench net.tflite\n  webnn bench net.tflite --threads 1 --steps\n  "
      "webnn bench net.tflite --backends xnnpack,reference --runs 200 --json");
  return [o]() -> int {
    const Model m = load(o->model, o->context.context(), known_values(o->inputs));
    const Measured all = measure_all(m, *o);
    if (o->json) print_json(as_json(m, all, *o));
    else print(as_text(m, all, *o));
    return Exit::ok;
  };
}

}  // namespace webnn::tool
