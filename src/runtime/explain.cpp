// explain(): which kernel runs each operator, why not the others, and what it costs.
#include <fmt/format.h>

#include <map>

#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "src/kernels/common/small_weights.h"
#include "src/runtime/graph_state.h"

namespace webnn {
namespace {

std::string shape_text(const Dims& shape) {
  std::string s;
  for (auto d : shape) s += (s.empty() ? "" : "x") + std::to_string(d);
  return s.empty() ? "scalar" : s;
}

/// Without the operands of a quantized operator, and without what makes floats of small weights.
Chain without_operands(Chain chain) {
  while (chain.size() > 1 &&
         (chain.front().as<ops::dequantizeLinear>() || expands_small_weights(chain.front())))
    chain = chain.subspan(1);
  return chain;
}

std::string names_in(const Choice& c) {
  std::string s;
  const Chain named = without_operands(c.chain);
  for (const Node& n : named) s += (s.empty() ? "" : "+") + std::string(n.name());
  const std::string label(named.front().label());
  return label.empty() ? s : escaped(label) + " " + s;
}

std::string shapes_of(const Choice& c) {
  const bool small = expands_small_weights(c.chain.front());
  const auto inputs = (small ? without_operands(c.chain) : Chain(c.chain)).front().inputs();
  const std::string from = inputs.empty() ? "" : shape_text(inputs.front().shape()) + " -> ";
  return from + shape_text(c.chain.back().output().shape());
}

/// Labels may be anything; a text of several bytes a character takes fewer columns than bytes.
std::string cut(const std::string& s, std::size_t width) {
  if (s.size() <= width) return s;
  return std::string(truncated(s, width - 2)) + "..";
}

/// For as long as the report is written.
Use<GraphState> kept(const MLGraph& graph) {
  if (!graph) raise({"the graph is empty", ErrorName::InvalidStateError}, "MLGraph");
  Use<GraphState> use(detail::state_of(graph));
  if (!use) raise({"the graph is destroyed", ErrorName::InvalidStateError}, "MLGraph");
  return use;
}

}  // namespace

GraphReport MLGraph::report() const {
  const Use<GraphState> use = kept(*this);
  const GraphState& g = *use;
  GraphReport r{.passes = g.passes,
                .arena = g.plan.packing.bytes,
                .arena_at_least = g.plan.packing.lower_bound,
                .packed = g.plan.packed,
                .scratch = g.plan.scratch,
                .threads = g.pool->threads(),
                .build_ms = g.build_ms};
  for (const Step& step : g.plan.steps) {
    const Choice& c = step.choice;
    r.steps.push_back(
        {c.chain, c.backend, c.kernel.name, c.kernel.tiles, c.kernel.packed, c.others});
  }
  return r;
}

GraphMemory MLGraph::memory() const { return kept(*this)->memory(); }

std::string MLGraph::explain() const { return explain({}); }

std::string MLGraph::explain(std::span<const double> us) const {
  if (!state_) return "an empty graph\n";
  const Use<GraphState> use = kept(*this);
  const GraphState& g = *use;
  std::string s;
  fmt::format_to(std::back_inserter(s),
                 "graph  {} operators -> {} steps   arena {:.2f} MB (at least {:.2f})   weights "
                 "{:.2f} MB packed   scratch {:.0f} KB a thread   {} threads   build {:.1f} ms\n",
                 g.source.size(), g.plan.steps.size(),
                 static_cast<double>(g.plan.packing.bytes) / 1e6,
                 static_cast<double>(g.plan.packing.lower_bound) / 1e6,
                 static_cast<double>(g.plan.packed) / 1e6,
                 static_cast<double>(g.plan.scratch) / 1e3, g.pool->threads(), g.build_ms);
  const GraphMemory m = g.memory();
  s += fmt::format(
      "memory  {:.2f} MB: weights {:.2f}, of which {:.2f} shared with other graphs   constants "
      "{:.2f}   arena {:.2f}   scratch {:.2f}   for {} at the same time\n",
      static_cast<double>(m.total()) / 1e6, static_cast<double>(m.packed) / 1e6,
      static_cast<double>(m.shared) / 1e6, static_cast<double>(m.constants) / 1e6,
      static_cast<double>(m.arena) / 1e6, static_cast<double>(m.scratch) / 1e6, m.runs);
  std::size_t step_width = 4, shape_width = 5, kernel_width = 6;
  for (const Step& step : g.plan.steps) {
    const Choice& c = step.choice;
    step_width = std::max(step_width, std::min<std::size_t>(names_in(c).size(), 44));
    shape_width = std::max(shape_width, std::min<std::size_t>(shapes_of(c).size(), 36));
    kernel_width = std::max(kernel_width,
                            std::min<std::size_t>(c.backend.size() + 1 + c.kernel.name.size(), 36));
  }
  const auto row = [&](auto number, const std::string& step, const std::string& shape,
                       const std::string& kernel, auto tiles, const std::string& time,
                       const std::string& others) {
    fmt::format_to(std::back_inserter(s), "{:>3}  {:<{}}  {:<{}}  {:<{}}  {:>5}  {:>8}  {}\n",
                   number, cut(step, step_width), step_width, cut(shape, shape_width), shape_width,
                   cut(kernel, kernel_width), kernel_width, tiles, time, others);
  };
  row("#", "step", "shape", "kernel", "tiles", us.empty() ? "" : "us", "why not the others");
  for (std::size_t i = 0; i < g.plan.steps.size(); ++i) {
    const Choice& c = g.plan.steps[i].choice;
    row(i + 1, names_in(c), shapes_of(c), c.backend + " " + c.kernel.name, c.kernel.tiles,
        i < us.size() ? fmt::format("{:.1f}", us[i]) : "", joined(c.others, "; "));
  }
  for (const StateUpdate& u : g.updates)
    s += fmt::format("state: \"{}\" -> \"{}\" {}\n", escaped(g.inputs[u.input].name),
                     escaped(g.outputs[u.output].name), u.in_place ? "in place" : "by a copy");
  std::map<std::string, int> on_floats;
  for (const std::string& operators : g.on_floats) ++on_floats[operators];
  for (const auto& [operators, count] : on_floats)
    s += fmt::format("quantized, on floats: {} x {}\n", count, operators);
  std::vector<std::string> passes;
  for (const PassReport& p : g.passes)
    if (p.before != p.after)
      passes.push_back(fmt::format("{} {} -> {}", p.name, p.before, p.after));
  s += "passes: " + (passes.empty() ? std::string("nothing to change") : joined(passes, "; ")) +
       "\n";
  return s;
}

}  // namespace webnn
