#include "src/runtime/control.h"

#include <algorithm>

#include "src/graph/graph_data.h"
#include "src/kernels/common/sizes.h"
#include "src/runtime/compile.h"

namespace webnn::inline v0_1 {
namespace {

using operators::ControlForm;

constexpr std::size_t line = 64, page = 4096;

/// A subgraph with the constants that its operator has.
struct Bound {
  Graph graph;
  std::vector<std::size_t> inputs{};
};

Bound bind(const control::LoopBody& body, const ControlForm& form, const Node& node) {
  const GraphData& from = body.graph();
  const std::vector<MLOperand> operands = node.inputs();
  const std::size_t before = form.first_operand() - 1;
  GraphData to;
  std::vector<MLOperand> copies(from.operands.size());
  Bound bound{detail::make<Graph>(std::shared_ptr<const GraphData>()), {}};
  for (std::size_t i = 0; i < from.inputs.size(); ++i) {
    const OperandRecord& input = from.inputs[i].operand.record();
    const Constant* constant = i > form.states() ? operands[before + i].constant() : nullptr;
    OperandRecord r{.descriptor = input.descriptor,
                    .kind = constant ? OperandKind::constant : OperandKind::input};
    if (constant) {
      r.constant = *constant;
    } else {
      r.name = "input " + std::to_string(i);
      bound.inputs.push_back(i);
    }
    copies[input.id] = to.add(std::move(r));
  }
  for (const NodeData& n : from.nodes) {
    Op op = n.op.clone();
    for (MLOperand* x : op.operands()) *x = copies[x->record().id];
    std::vector<MLOperandDescriptor> results;
    for (const MLOperand& y : n.outputs) results.push_back(y.record().descriptor);
    const std::vector<MLOperand> made = to.add(std::move(op), results);
    for (std::size_t k = 0; k < made.size(); ++k) copies[n.outputs[k].record().id] = made[k];
  }
  NamedOperands outputs;
  for (const auto& [name, y] : from.outputs)
    outputs.push_back({"output " + std::to_string(outputs.size()), copies[y.record().id]});
  bound.graph = graph_of(copy(to, outputs, {}, to.inputs));
  return bound;
}

/// Where a run has what it needs.
void place(ControlGraphs& c) {
  const GraphData& body = c.form->subgraphs.front().graph();
  std::size_t at = 2 * line;
  for (std::size_t k = 0; k < c.form->states(); ++k)
    c.state_bytes.push_back(byte_length(body.outputs[k].operand.record().descriptor));
  for (auto& of_iteration : c.states)
    for (const std::size_t bytes : c.state_bytes) {
      of_iteration.push_back(at);
      at += round_up(bytes, line);
    }
  c.memory = round_up(at, page);
  c.bytes = c.memory;
  for (const ControlGraphs::Part& part : c.parts)
    c.bytes = std::max(c.bytes, c.memory + part.graph->executor->run_bytes().total());
}

std::size_t compile_step(Step& step, const MLContext& context, std::span<const Pass> passes,
                         const BuildOptions& options) {
  const Node& node = step.choice.chain.front();
  const ControlForm* form = operators::control_form(node);
  if (!form) return 0;
  auto made = std::make_shared<ControlGraphs>();
  made->form = form;
  made->definition = as<ops::custom>(node)->definition;
  std::size_t bytes = 0;
  for (const control::LoopBody& body : form->subgraphs) {
    Bound bound = bind(body, *form, node);
    BuildOptions quiet;
    quiet.stop = options.stop;
    ControlGraphs::Part part{
        compile(std::move(bound.graph), context, passes, quiet, {}, {.is_subgraph = true}),
        std::move(bound.inputs)};
    bytes += part.graph->weights.bytes() + part.graph->constants;
    made->parts.push_back(std::move(part));
  }
  place(*made);
  step.control = std::move(made);
  return bytes;
}

}  // namespace

ControlRun::ControlRun(const ControlGraphs& g) : graphs(g), states(g.state_bytes.size()) {
  for (const ControlGraphs::Part& part : g.parts) {
    runs.push_back(std::make_unique<Run>(*part.graph->executor, /*own_memory=*/false));
    in.emplace_back(part.inputs.size());
    out.emplace_back(part.graph->outputs.size());
  }
}

std::size_t compile_subgraphs(GraphState& g, const MLContext& context, std::span<const Pass> passes,
                              const BuildOptions& options) {
  std::size_t bytes = 0;
  for (Step& step : g.plan.steps) {
    bytes += compile_step(step, context, passes, options);
    if (step.control) g.plan.shared = std::max(g.plan.shared, step.control->bytes);
  }
  return bytes;
}

GraphMemory memory_of_subgraphs(const Plan& plan) {
  GraphMemory all;
  for (const Step& step : plan.steps) {
    if (!step.control) continue;
    for (const ControlGraphs::Part& part : step.control->parts) {
      const GraphMemory inside = memory_of_subgraphs(part.graph->plan);
      all.packed += part.graph->weights.bytes() + inside.packed;
      all.shared += part.graph->weights.shared() + inside.shared;
      all.constants += part.graph->constants + inside.constants;
    }
  }
  return all;
}

}  // namespace webnn::inline v0_1
