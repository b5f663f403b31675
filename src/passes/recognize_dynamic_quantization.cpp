// Replaces the quantization of a tensor by its own range (dynamic_quantization.h) by the fused
// operator dynamicQuantizeLinear.
#include <unordered_map>
#include <unordered_set>

#include "src/passes/dynamic_quantization.h"
#include "src/passes/passes.h"
#include "src/passes/rewriter.h"

namespace webnn::inline v0_1 {
namespace {

void add(Rewriter& to, const DynamicQuantization& q) {
  fused::dynamicQuantizeLinear op = q.op;
  op.input = to(op.input);
  const auto made =
      to.add_list(std::move(op), {{uint8, q.op.input.shape()}, {float32, {}}, {uint8, {}}});
  to.replace(q.y, made[0]);
  const auto replace = [&](const std::vector<MLOperand>& forms, const MLOperand& now) {
    for (const MLOperand& old : forms)
      to.replace(old,
                 old.rank() == 0 ? now : to.add(ops::reshape{now, old.shape()}, old.descriptor()));
  };
  replace(q.scales, made[1]);
  replace(q.zeros, made[2]);
}

}  // namespace

Graph recognize_dynamic_quantization(const Graph& graph) {
  const std::vector<DynamicQuantization> all = dynamic_quantizations(graph);
  if (all.empty()) return graph;
  std::unordered_map<std::size_t, const DynamicQuantization*> at;  // by the first place
  std::unordered_set<std::size_t> inside;
  for (const DynamicQuantization& q : all) {
    at.emplace(q.places.front(), &q);
    inside.insert(q.places.begin(), q.places.end());
  }
  Rewriter to(graph);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (const auto found = at.find(i); found != at.end()) add(to, *found->second);
    if (!inside.contains(i)) to.keep(i);
  }
  return to.finish();
}

}  // namespace webnn::inline v0_1
