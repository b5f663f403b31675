// explain(): which kernel runs each operator, why not the others, and what it costs.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "src/graph/counted.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "src/kernels/common/accuracy.h"
#include "src/kernels/common/small_weights.h"
#include "src/runtime/control.h"
#include "src/runtime/graph_state.h"

namespace webnn::inline v0_1 {
namespace {

std::string shape_text(const Dims& shape) {
  return shape.empty() ? "scalar"
                       : joined(shape, "x", [](std::uint32_t d) { return std::to_string(d); });
}

/// Without what makes floats of small weights.
Chain without_weights(Chain chain) {
  while (const std::size_t count = expanding_operators(chain)) chain = chain.subspan(count);
  return chain;
}

/// How many columns the line of a step, its kernel and its shapes may have.
constexpr std::size_t max_columns = 120, max_kernel = 36, max_shapes = 26;

/// Characters, which in UTF-8 may be of several bytes.
std::size_t columns_of(std::string_view s) {
  return static_cast<std::size_t>(
      std::count_if(s.begin(), s.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}
/// The end of a text: names of imported models differ there.
std::string last_of(const std::string& s, std::size_t width) {
  if (columns_of(s) <= width) return s;
  std::size_t at = s.size(), kept = 0;
  while (kept + 2 < width) kept += (s[--at] & 0xc0) != 0x80;
  return ".." + s.substr(at);
}

/// The operators, and in front of them as much of the label as there is room for.
std::string names_in(const Choice& c, std::size_t width) {
  const Chain named = without_weights(c.chain);
  const std::string s = joined(named, "+", operator_name);
  const std::string label = escaped(named.front().label());
  constexpr std::size_t shortest = 8;
  if (label.empty() || s.size() + shortest >= width) return label.empty() ? s : last_of(s, width);
  return last_of(label, width - s.size() - 1) + " " + s;
}

std::string shapes_of(const Choice& c) {
  const auto inputs = without_weights(c.chain).front().inputs();
  const std::string from = inputs.empty() ? "" : shape_text(inputs.front().shape()) + " -> ";
  return from + shape_text(c.chain.back().output().shape());
}

/// The beginning of a text, of shapes or of a kernel's name.
std::string cut(const std::string& s, std::size_t width) {
  if (s.size() <= width) return s;
  return std::string(truncated(s, width - 2)) + "..";
}
std::string padded(const std::string& s, std::size_t width) {
  return s + std::string(width - std::min(width, columns_of(s)), ' ');
}

/// In a unit of which there is at least one.
std::string size_text(std::size_t bytes) {
  const auto b = static_cast<double>(bytes);
  if (bytes < 1000) return fmt::format("{} B", bytes);
  return bytes < 1'000'000 ? fmt::format("{:.1f} kB", b / 1e3) : fmt::format("{:.2f} MB", b / 1e6);
}

/// Parts on lines of at most so many columns.
std::string wrapped(std::string line, std::span<const std::string> parts,
                    std::string_view separator) {
  std::string s;
  const std::string indent(line.size(), ' ');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string next = parts[i] + (i + 1 < parts.size() ? std::string(separator) : "");
    if (line.size() > indent.size() && line.size() + next.size() > max_columns) {
      line.erase(line.find_last_not_of(' ') + 1);
      s += line + '\n';
      line = indent;
    }
    line += next;
  }
  return s + line + '\n';
}

/// "1, 3-5", of numbers in order.
std::string ranges_text(std::span<const std::size_t> numbers) {
  std::string s;
  for (std::size_t i = 0, end = 0; i < numbers.size(); i = end) {
    for (end = i + 1; end < numbers.size() && numbers[end] == numbers[end - 1] + 1;) ++end;
    s += fmt::format("{}{}", s.empty() ? "" : ", ", numbers[i]);
    if (end > i + 1) s += fmt::format("-{}", numbers[end - 1]);
  }
  return s;
}

/// Texts with the numbers of the steps for which they are true.
class StepNotes {
 public:
  void add(const std::string& text, std::size_t step) {
    auto at = std::find_if(notes_.begin(), notes_.end(),
                           [&](const auto& known) { return known.first == text; });
    if (at == notes_.end()) at = notes_.insert(at, {text, {}});
    at->second.push_back(step);
  }
  std::string text(std::string_view head) const {
    std::string s = notes_.empty() ? "" : fmt::format("{}:\n", head);
    for (const auto& [text, steps] : notes_)
      s +=
          fmt::format("  {}  (step{} {})\n", text, steps.size() > 1 ? "s" : "", ranges_text(steps));
    return s;
  }

 private:
  std::vector<std::pair<std::string, std::vector<std::size_t>>> notes_{};
};

/// The reasons of backends that were asked before the one that runs a step (of those that come
/// later there is nothing to say), and what measurements said.
std::string reasons_text(std::span<const Step> steps) {
  static const std::string measured = ": " + std::string(tuned_reason);
  StepNotes earlier, tuned;
  for (std::size_t i = 0; i < steps.size(); ++i)
    for (const std::string& reason : steps[i].choice.others) {
      if (reason.ends_with(": later in the order")) continue;
      const std::size_t at = reason.find(measured);
      if (at == std::string::npos) earlier.add(reason, i + 1);
      else tuned.add(reason.substr(at + measured.size()) + " as " + reason.substr(0, at), i + 1);
    }
  return earlier.text("why not an earlier backend") + tuned.text("chosen by measurement");
}

std::string table(std::span<const Step> steps, std::span<const double> us) {
  const auto kernel_of = [](const Choice& c) { return c.backend + " " + c.kernel->name; };
  std::size_t shape_width = 5, kernel_width = 6, step_width = 4;
  for (const Step& step : steps) {
    shape_width = std::max(shape_width, std::min(shapes_of(step.choice).size(), max_shapes));
    kernel_width = std::max(kernel_width, std::min(kernel_of(step.choice).size(), max_kernel));
  }
  constexpr std::size_t others = 3 + 5 + 8 + 5 * 2;  // number, tiles, time, gaps
  const std::size_t room = max_columns - others - shape_width - kernel_width;
  for (const Step& step : steps)
    step_width = std::max(step_width, columns_of(names_in(step.choice, room)));
  std::string s;
  const auto row = [&](auto number, const std::string& step, const std::string& shape,
                       const std::string& kernel, auto tiles, const std::string& time) {
    std::string line =
        fmt::format("{:>3}  {}  {}  {}  {:>5}  {:>8}", number, padded(step, step_width),
                    padded(shape, shape_width), padded(kernel, kernel_width), tiles, time);
    line.erase(line.find_last_not_of(' ') + 1);
    s += line + '\n';
  };
  row("#", "step", "shape", "kernel", "tiles", us.empty() ? "" : "us");
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Choice& c = steps[i].choice;
    row(i + 1, names_in(c, room), cut(shapes_of(c), shape_width), cut(kernel_of(c), kernel_width),
        c.kernel->tiles, i < us.size() ? fmt::format("{:.1f}", us[i]) : "");
  }
  return s;
}

/// The steps of the subgraphs that an operator holds.
std::string subgraphs_text(std::span<const Step> steps, const std::string& around = {}) {
  std::string s;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!steps[i].control) continue;
    const ControlGraphs& c = *steps[i].control;
    const std::string number = around + std::to_string(i + 1);
    for (std::size_t k = 0; k < c.parts.size(); ++k) {
      const std::span<const Step> inner = c.parts[k].graph->plan.steps;
      s += fmt::format("step {}, {}:\n", number,
                       c.parts.size() == 1 ? "each iteration"
                       : k == 0            ? "where the condition is 1"
                                           : "where the condition is 0");
      s += table(inner, {}) + subgraphs_text(inner, number + '.');
    }
  }
  return s;
}

/// What the accuracy level of the context is, unless it is the default one.
std::string level_text(const ContextState& context) {
  const AccuracyLevel level = context.options.accuracyLevel;
  if (level == AccuracyLevel::float32) return "";
  std::string reason = "no backend of this context knows it";
  for (const auto& backend : context.backends)
    if (const auto* own = dynamic_cast<const AccuracyBackend*>(backend.get())) {
      reason = own->no_difference(level);
      if (reason.empty()) break;
    }
  const std::string name(name_of(level));
  return reason.empty() ? fmt::format("level   {}\n", name)
                        : fmt::format("level   {} makes no difference: {}\n", name, reason);
}

std::string threads_text(const GraphState& g) {
  const int threads = g.pool->threads();
  if (threads == g.threads_asked) return counted(threads, "thread");
  return fmt::format("{} of {} threads (the system started no more)", threads, g.threads_asked);
}

}  // namespace

namespace {

/// The operators of a chain as MLGraph::optimized() has them.
std::vector<Node> shown(const std::vector<Node>& chain, const Expansion& expansion) {
  std::vector<Node> all;
  for (const Node& node : chain) {
    const std::uint32_t own = node.output().record().producer;
    if (expansion.places.empty()) all.push_back(expansion.graph.node(own));
    else
      for (const std::size_t place : expansion.places[own])
        all.push_back(expansion.graph.node(place));
  }
  return all;
}

}  // namespace

GraphReport MLGraph::report() const {
  const Use<GraphState> use = usable_sized(*this);
  const GraphState& g = *use;
  GraphReport r{.passes = g.passes,
                .arena = g.plan.packing.bytes,
                .arena_at_least = g.plan.packing.lower_bound,
                .packed = g.plan.packed,
                .scratch = g.plan.scratch,
                .threads = g.pool->threads(),
                .threads_asked = g.threads_asked,
                .build_ms = g.build_ms};
  for (const Step& step : g.plan.steps) {
    const Choice& c = step.choice;
    r.steps.push_back({shown(c.chain, g.shown()), c.backend, c.kernel->name, c.kernel->tiles,
                       packed_bytes(*c.kernel), c.others});
  }
  return r;
}

GraphMemory MLGraph::memory() const { return usable(*this)->memory(); }

std::string MLGraph::explain() const { return explain({}); }

std::string MLGraph::explain(std::span<const double> us) const {
  if (!state_) return "an empty graph\n";
  const Use<GraphState> use = usable_sized(*this);
  const GraphState& g = *use;
  std::string s =
      fmt::format("graph   {} -> {}   {}   build {:.1f} ms\n", counted(g.built_size(), "operator"),
                  counted(g.plan.steps.size(), "step"), threads_text(g), g.build_ms);
  s += fmt::format("a run   arena {} (at least {})   weights {} packed   scratch {} a thread\n",
                   size_text(g.plan.packing.bytes), size_text(g.plan.packing.lower_bound),
                   size_text(g.plan.packed), size_text(g.plan.scratch));
  if (!g.sizes.empty()) s += fmt::format("sizes   {}\n", g.sizes);
  if (const auto context = g.context.lock()) s += level_text(*context);
  const GraphMemory m = g.memory();
  s += fmt::format("memory  {}: weights {} ({} shared with other graphs)   constants {}\n",
                   size_text(m.total()), size_text(m.packed), size_text(m.shared),
                   size_text(m.constants));
  s += fmt::format("        arena {}   scratch {}   for {} at the same time\n", size_text(m.arena),
                   size_text(m.scratch), m.runs);
  s += table(g.plan.steps, us) + reasons_text(g.plan.steps) + subgraphs_text(g.plan.steps);
  for (const StateUpdate& u : g.updates)
    s += fmt::format("state: \"{}\" -> \"{}\" {}\n", escaped(g.inputs[u.input].name),
                     escaped(g.outputs[u.output].name), u.in_place ? "in place" : "by a copy");
  std::map<std::string, int> in_float32;
  for (const std::string& operators : g.in_float32) ++in_float32[operators];
  for (const auto& [operators, count] : in_float32)
    s += fmt::format("quantized, on floats: {} x {}\n", count, operators);
  std::vector<std::string> passes;
  for (const PassReport& p : g.passes)
    if (p.before != p.after)
      passes.push_back(fmt::format("{} {} -> {}", p.name, p.before, p.after));
  if (passes.empty()) passes.push_back("nothing to change");
  s += wrapped("passes: ", passes, "; ");
  return s;
}

}  // namespace webnn::inline v0_1
