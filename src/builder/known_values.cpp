#include "src/builder/known_values.h"

#include "src/builder/rules.h"
#include "src/builder/validate.h"
#include "src/graph/custom.h"
#include "src/graph/failure.h"
#include "src/graph/fused/operators.h"
#include "src/graph/resolve.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1 {
namespace {

constexpr std::uint64_t max_elements = 1 << 20;  // of one value

}  // namespace

const MLOperand* KnownValues::find(const MLOperand& x) const {
  if (x.constant()) return &x;
  const auto found = known_.find(x.record().id);
  return found == known_.end() ? nullptr : &found->second;
}

void KnownValues::forget(std::size_t first_id) {
  std::erase_if(known_, [&](const auto& entry) { return entry.first >= first_id; });
}

shape::Check KnownValues::work_out(const NodeData& node) {
  for (const MLOperand& y : node.outputs)
    if (element_count(y.record().descriptor.shape) > max_elements)
      return fail(
          "{} has more than {} elements, which are too many for a value that determines a shape",
          name_and_label(name_of_op(node.op.kind(), node.op.get()),
                         label_of_kind(node.op.kind(), node.op.get())),
          max_elements);
  if (!is_pure(node.op))
    return fail("{} does not always give the same results, so that no shape follows from them",
                name_and_label(name_of_op(node.op.kind(), node.op.get()),
                               label_of_kind(node.op.kind(), node.op.get())));
  Op op = node.op.clone();
  for (MLOperand* x : op.operands()) *x = *find(*x);
  std::vector<Constant> results;
  try {
    results = evaluate_(Node(op.kind(), op.get(), node.outputs));
  } catch (const OperationError& e) {  // of a custom operator
    return Failure{e.what(), e.name()};
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const OperandRecord& y = node.outputs[i].record();
    OwnedRecord& record = records_.emplace_back();
    record.descriptor = y.descriptor;
    record.kind = OperandKind::constant;
    record.constant = results[i];
    record.owner = owner_of(node.outputs[i]);
    known_.emplace(y.id, borrowed(record));
  }
  return {};
}

Result<MLOperand> KnownValues::constant(const MLOperand& x, std::string_view row) {
  std::vector<std::uint32_t> open;  // producers that wait for their operands
  const auto enter = [&](const MLOperand& y) -> shape::Check {
    if (y.record().kind == OperandKind::input)
      return fail("{} follows from the values of input {}, not from shapes and constants alone",
                  row, in_quotes(y.record().name));
    const std::size_t kind = graph_.nodes[y.record().producer].op.kind();
    if (is_fused(kind))
      return fail("{} follows from a {}, whose iterations are not known", row, name_of_kind(kind));
    open.push_back(y.record().producer);
    return {};
  };
  if (!find(x))
    if (auto bad = enter(x)) return *bad;
  while (!open.empty()) {
    const NodeData& node = graph_.nodes[open.back()];
    if (find(node.outputs.front())) {
      open.pop_back();
      continue;
    }
    bool ready = true;
    for (const MLOperand* y : operands_of(node.op.kind(), node.op.get())) {
      if (find(*y)) continue;
      ready = false;
      if (auto bad = enter(*y)) return *bad;
    }
    if (!ready) continue;
    if (auto bad = work_out(node)) return *bad;
    open.pop_back();
  }
  return *find(x);
}

Result<std::vector<MLOperand>> add_operator(GraphData& to, KnownValues& values, Op op,
                                            Rules rules) {
  const bool resolves = is_shape_op(op.kind());
  if (resolves)
    for (const auto& [row, x] : shape_operands(op)) {
      if (!*x || owner_of(*x) != &to) continue;  // validate() says so
      auto known = values.constant(*x, row);
      if (!known) return known.failure();
      *x = *known;
    }
  auto results = validate(op.kind(), op.get(), &to, rules);
  if (!results) return results.failure();
  if (resolves) return resolve(to, op);
  for (MLOperand* x : op.operands()) *x = borrowed(x->record());
  if (rules != Rules::specification) add_dimensions(op, to);
  std::vector<MLOperand> made = to.append(std::move(op), std::move(*results));
  to.nodes.back().valid = rules == Rules::specification;
  return made;
}

}  // namespace webnn::inline v0_1
