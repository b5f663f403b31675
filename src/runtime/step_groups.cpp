#include "src/runtime/step_groups.h"

#include <algorithm>

#include "src/graph/op.h"
#include "src/kernels/common/sizes.h"
#include "src/runtime/packed_weights.h"

namespace webnn::inline v0_1 {
namespace {

constexpr std::size_t max_steps = 8;             // of a group
constexpr std::size_t max_shared = 256 << 10;    // bytes of a group
constexpr std::uint64_t max_result = 256 << 10;  // bytes of a product that is moved
constexpr std::size_t shared_alignment = 64;

/// Memory that a step reads or writes.
struct Part {
  Location::Kind kind;
  std::size_t begin, end;  // in the arena
  bool written;
};

bool collide(const Part& a, const Part& b) {
  if (!a.written && !b.written) return false;
  const auto is_callers = [](const Part& p) {
    return p.kind == Location::Kind::input || p.kind == Location::Kind::output;
  };
  if (is_callers(a) && is_callers(b)) return true;  // an input may be an output too
  return a.kind == Location::Kind::arena && b.kind == Location::Kind::arena && a.begin < b.end &&
         b.begin < a.end;
}

std::vector<Part> parts_of(const Step& step) {
  const Candidate& kernel = *step.choice.kernel;
  const std::vector<MLOperand> operands = inputs_of(step.choice.chain);
  const std::vector<bool> read = inputs_read(kernel, step.inputs.size());
  std::vector<Part> parts;
  const auto add = [&](const Location& at, std::size_t bytes, bool written) {
    parts.push_back({at.kind, at.offset, at.offset + bytes, written});
  };
  for (std::size_t i = 0; i < step.inputs.size(); ++i)
    if (read[i])
      add(step.inputs[i], i < operands.size() ? byte_length(operands[i].descriptor()) : 0, false);
  const std::span<const MLOperand> results = step.choice.chain.back().outputs();
  for (std::size_t i = 0; i < step.outputs.size(); ++i) {
    std::size_t bytes = byte_length(results[i].descriptor());
    if (step.pitch > 0 && i == 0)  // rows that lie apart
      bytes = divide_up(bytes, std::max<std::size_t>(kernel.row, 1)) * step.pitch;
    add(step.outputs[i], bytes, true);
  }
  return parts;
}

/// The operand of a product that is not known when the graph is built.
const MLOperand* operand_of_product(Choice& c) {
  const bool is_product = std::ranges::any_of(
      c.chain, [](const Node& n) { return n.as<ops::gemm>() || n.as<ops::matmul>(); });
  if (!is_product || c.kernel->tiles < 2 || c.kernel->exclusive) return nullptr;
  for (const MLOperand& x : c.inputs())
    if (x.record().kind != OperandKind::constant) return &x;
  return nullptr;
}

}  // namespace

std::vector<Choice> with_products_together(const Graph& graph, std::vector<Choice> choices) {
  // Where an operand is there: behind so many choices in their old order.
  std::vector<std::size_t> made(graph.operand_count());
  std::vector<std::size_t> place(choices.size());
  const auto know = [&](const Node& node, std::size_t at) {
    for (const MLOperand& y : node.outputs()) made[y.record().id] = at;
  };
  for (std::size_t i = 0; i < choices.size(); ++i)
    for (const Node& node : choices[i].chain) know(node, i + 1);
  for (std::size_t i = 0; i < graph.size(); ++i) {  // those that are views of others
    const Node node = graph.node(i);
    for (const MLOperand& y : node.outputs())
      for (const MLOperand& x : node.inputs())
        made[y.record().id] = std::max(made[y.record().id], made[x.record().id]);
  }
  std::vector<const MLOperand*> operands;
  bool moved = false;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    place[i] = i;
    operands.push_back(operand_of_product(choices[i]));
    const MLOperandDescriptor& result = choices[i].chain.back().output().descriptor();
    if (!operands[i] || byte_length(result) > max_result) continue;
    constexpr std::size_t near = 16;  // choices between them
    for (std::size_t j = i; j-- > 0 && i - j <= near;) {
      if (!operands[j] || !operands[j]->is(*operands[i])) continue;
      const bool ready = std::ranges::all_of(
          choices[i].inputs(), [&](const MLOperand& x) { return made[x.record().id] <= place[j]; });
      if (ready) place[i] = place[j];
      moved = moved || (ready && place[i] + 1 < i);
      break;
    }
  }
  if (!moved) return choices;
  std::vector<std::size_t> order(choices.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return place[i]; });
  std::vector<Choice> sorted;
  sorted.reserve(choices.size());
  for (const std::size_t i : order) sorted.push_back(std::move(choices[i]));
  return sorted;
}

void set_groups(Plan& plan) {
  std::vector<Part> group;
  std::size_t steps = 0, shared = 0;
  plan.shared = 0;
  for (Step& step : plan.steps) {
    const Candidate& kernel = *step.choice.kernel;
    const std::vector<Part> own = parts_of(step);
    const bool apart = std::ranges::none_of(own, [&](const Part& p) {
      return std::ranges::any_of(group, [&](const Part& q) { return collide(p, q); });
    });
    const std::size_t at = round_up(shared, shared_alignment);
    step.joins = steps > 0 && steps < max_steps && apart && !kernel.exclusive &&
                 (kernel.shared == 0 || shared == 0 || at + kernel.shared <= max_shared);
    if (!step.joins) group.clear(), steps = 0, shared = 0;
    step.shared_at = shared == 0 ? 0 : at;
    if (kernel.shared > 0) shared = step.shared_at + kernel.shared;
    plan.shared = std::max(plan.shared, shared);
    group.insert(group.end(), own.begin(), own.end());
    // None joins a kernel that serves one run at a time.
    steps = kernel.exclusive ? max_steps : steps + 1;
  }
}

}  // namespace webnn::inline v0_1
