#include "src/passes/rewriter.h"

namespace webnn::inline v0_1 {

void Rewriter::copy_kept() {
  data_ = std::make_shared<GraphData>();
  now_.resize(from_.operand_count());
  data_->folding_budget = data_of(from_).folding_budget;
  data_->derivation = data_of(from_).derivation;
  data_->requantization = data_of(from_).requantization;
  data_->dimensions = data_of(from_).dimensions;
  data_->typical = data_of(from_).typical;
  data_->relies_on_known_sizes = data_of(from_).relies_on_known_sizes;
  for (const auto& [name, x] : from_.inputs()) replace(x, data_->add(x.record()));
  for (std::size_t i = 0; i < kept_; ++i) copy_node(i);
}

MLOperand Rewriter::operator()(const MLOperand& old) {
  start();
  MLOperand& now = now_[old.record().id];
  if (!now) now = data_->add(old.record());  // only constants can be missing
  return now;
}

MLOperand Rewriter::constant(MLOperandDescriptor descriptor, Constant bytes) {
  start();
  return data_->add({.descriptor = std::move(descriptor),
                     .kind = OperandKind::constant,
                     .constant = std::move(bytes)});
}

MLOperand Rewriter::derived(MLOperandDescriptor descriptor, std::span<const double> values) {
  Recipe how("numbers");
  how << descriptor.dataType << std::vector(values.begin(), values.end());
  const auto make = [type = descriptor.dataType, all = std::vector(values.begin(), values.end())](
                        std::span<const Constant>) { return constant_from(all, type); };
  return derived(std::move(descriptor), how, std::span<const Constant>(), make);
}

void Rewriter::keep(std::size_t i) {
  if (!data_ && i == kept_) {
    ++kept_;
    return;
  }
  start();
  copy_node(i);
}

void Rewriter::copy_node(std::size_t i) {
  const NodeData& node = data_of(from_).nodes[i];
  Op op = node.op.clone();
  bool valid = node.valid;
  operands_.clear();
  append_operands(op.kind(), op.get(), operands_);
  for (const MLOperand* x : operands_) {
    const MLOperand now = (*this)(*x);
    valid = valid && are_alike(*x, now);
    *const_cast<MLOperand*>(x) = borrowed(now.record());  // a member of `op`
  }
  std::vector<MLOperandDescriptor> results;
  results.reserve(node.outputs.size());
  for (const MLOperand& y : node.outputs) results.push_back(y.record().descriptor);
  const auto& made = data_->append(std::move(op), std::move(results));
  data_->nodes.back().valid = valid;
  for (std::size_t k = 0; k < made.size(); ++k) {
    data_->operands[made[k].record().id].open = node.outputs[k].record().open;
    replace(node.outputs[k], made[k]);
  }
}

Graph Rewriter::finish() {
  if (!data_ && kept_ == from_.size()) return from_;
  start();
  NamedOperands outputs;
  for (const auto& [name, x] : from_.outputs()) outputs.push_back({name, (*this)(x)});
  return graph_of(finished(std::move(data_), outputs));
}

std::vector<std::size_t> reader_counts(const Graph& graph) {
  std::vector<std::size_t> counts(graph.operand_count());
  std::vector<const MLOperand*> operands;
  for (const NodeData& node : data_of(graph).nodes) {
    operands.clear();
    append_operands(node.op.kind(), node.op.get(), operands);
    for (const MLOperand* x : operands) ++counts[x->record().id];
  }
  for (const auto& [name, x] : graph.outputs()) ++counts[x.record().id];
  return counts;
}

std::vector<double> doubles_of(const MLOperand& constant) {
  const FloatElements elements(constant);
  std::vector<double> values(element_count(constant.shape()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = elements[i];
  return values;
}

Constant constant_from(std::span<const double> values, MLOperandDataType type) {
  const auto as = [&]<class T>(T) {
    std::vector<T> elements;
    for (double v : values) elements.push_back(T(static_cast<float>(v)));
    return Constant::copy_of(std::as_bytes(std::span(elements)));
  };
  switch (type) {
    case float16: return as(Float16());
    case bfloat16: return as(BFloat16());
    case float8e4m3: return as(Float8E4M3());
    default: return as(float());
  }
}

}  // namespace webnn::inline v0_1
