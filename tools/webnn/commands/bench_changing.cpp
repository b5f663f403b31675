#include "tools/webnn/commands/bench_changing.h"

#include <fmt/format.h>

#include "tools/webnn/common/exit.h"
#include "webnn/error.h"

namespace webnn::inline v0_1::tool {
namespace {

Json stats_json(const std::vector<double>& times) {
  if (times.empty()) return nullptr;
  return {
      {"runs", times.size()}, {"min", times.front()},          {"median", percentile(times, 0.5)},
      {"mean", mean(times)},  {"p90", percentile(times, 0.9)}, {"max", times.back()}};
}

Json as_json(const Model& m, const ChangingTimings& t, const ChangingSizes& sizes) {
  Json j{{"model", m.path},
         {"threads", m.context.threads()},
         {"backends", m.context.backends()},
         {"random", sizes.random},
         {"sizes", Json::object()},
         {"interrupted", t.interrupted},
         {"microseconds", stats_json(t.all)},
         {"new_sizes", stats_json(t.fresh)},
         {"known_sizes", stats_json(t.known)},
         {"extra_of_new_sizes", stats_json(t.extra)},
         {"peak_bytes", peak_memory()}};
  for (const auto& [name, size] : sizes.fixed) j["sizes"][name] = size;
  for (const SizeRange& r : sizes.ranges)
    j["sizes"][r.name] = {{"first", r.first}, {"last", r.last}, {"step", r.step}};
  return j;
}

std::string ranges_text(const ChangingSizes& sizes) {
  std::string s;
  for (const SizeRange& r : sizes.ranges) {
    s +=
        (s.empty() ? "" : ", ") + fmt::format("{} from {} to {}", escaped(r.name), r.first, r.last);
    if (r.step > 1) s += fmt::format(" in steps of {}", r.step);
  }
  return s;
}

std::string as_text(const Model& m, const ChangingTimings& t, const ChangingSizes& sizes) {
  std::string s =
      fmt::format("{}  {}, {}, {}{}\n\n", escaped(m.path), counted(m.context.threads(), "thread"),
                  ranges_text(sizes), sizes.random ? "drawn anew for each run" : "in turn",
                  t.interrupted ? ", interrupted" : "");
  Table table({"ms", ">runs", ">median", ">min", ">mean", ">90 %", ">max"});
  const auto row = [&](const char* name, const std::vector<double>& times) {
    if (times.empty()) return;
    const auto ms = [](double us) { return fmt::format(">{:.3f}", us / 1000); };
    table.add({name, fmt::format(">{}", times.size()), ms(percentile(times, 0.5)),
               ms(times.front()), ms(mean(times)), ms(percentile(times, 0.9)), ms(times.back())});
  };
  row("runs as the sizes came", t.all);
  row("first runs of new sizes", t.fresh);
  row("runs of known sizes", t.known);
  row("extra time of new sizes", t.extra);
  return s + table.text() + fmt::format("\nat most {} of memory\n", bytes_text(peak_memory()));
}

}  // namespace

int bench_changing(const ModelOptions& options, const MLContext& context, ChangingSizes sizes,
                   std::uint64_t seed, const MeasureOptions& measure, bool json) {
  ModelOptions open = options;
  open.dimensions.clear();
  open.shapes.clear();
  const Model m = load_open(open, context);
  SizesByName given = options.dimensions_by_name();
  for (const SizeRange& r : sizes.ranges)
    if (!given.emplace(r.name, r.first).second)
      throw Usage("--dim " + escaped(r.name) + ": it is given twice");
  ChosenSizes chosen = choose_sizes(m.graph(), given, options.shapes_by_name());
  say_guesses(chosen);
  sizes.fixed = std::move(chosen.sizes);
  for (const SizeRange& r : sizes.ranges) sizes.fixed.erase(r.name);
  const ChangingTimings t =
      measure_changing(m, sizes.fixed, sizes.ranges, sizes.random, seed, measure);
  if (json) print_json(as_json(m, t, sizes));
  else print(as_text(m, t, sizes));
  return t.interrupted ? Exit::interrupted : Exit::ok;
}

}  // namespace webnn::inline v0_1::tool
