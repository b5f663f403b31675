// A new graph under construction, beside the one that it is made from.
#pragma once

#include <cstring>

#include "src/graph/derived_constants.h"
#include "src/graph/known.h"
#include "src/graph/recipe.h"
#include "webnn/bfloat16.h"
#include "webnn/float16.h"
#include "webnn/float8e4m3.h"

namespace webnn::inline v0_1 {

class Rewriter {
 public:
  /// The new graph has the inputs of the old one, in their order. Nothing is copied until it
  /// differs from the old one.
  explicit Rewriter(const Graph& from) : from_(from) {}

  const Graph& from() const { return from_; }
  /// The operand of the new graph for one of the old graph; constants are copied at first use.
  MLOperand operator()(const MLOperand& old);
  void replace(const MLOperand& old, const MLOperand& now) {
    start();
    now_[old.record().id] = now;
  }

  /// A new operator with one result. Its operands belong to the new graph.
  template <class T> MLOperand add(T op, MLOperandDescriptor result) {
    start();
    return data_->add(Op::of(std::move(op)), {std::move(result)}).front();
  }
  template <class T>
  std::vector<MLOperand> add_list(T op, const std::vector<MLOperandDescriptor>& results) {
    start();
    return data_->add(Op::of(std::move(op)), results);
  }
  std::vector<MLOperand> add_op(Op op, const std::vector<MLOperandDescriptor>& results) {
    start();
    return data_->add(std::move(op), results);
  }
  MLOperand constant(MLOperandDescriptor descriptor, Constant bytes);
  /// The constant that `make` makes of others: derived().
  MLOperand derived(MLOperandDescriptor descriptor, const Recipe& how,
                    std::span<const Constant> sources, const MakeConstant& make) {
    return constant(std::move(descriptor),
                    webnn::derived(data_of(from_), how.text(), sources, make));
  }
  MLOperand derived(MLOperandDescriptor descriptor, const Recipe& how, const Constant& source,
                    const MakeConstant& make) {
    return derived(std::move(descriptor), how, std::span(&source, 1), make);
  }
  /// A constant of these numbers: the same for the same ones.
  MLOperand derived(MLOperandDescriptor descriptor, std::span<const double> values);
  /// The old operator, with the operands of the new graph.
  void keep(std::size_t node);

  void set_folding_budget(std::uint64_t bytes) {
    start();
    data_->folding_budget = bytes;
  }

  /// The new graph, with the outputs of the old one, without operators that no output needs; the
  /// old one if all of its operators were kept in their order and nothing else was made.
  Graph finish();

 private:
  void start() {
    if (!data_) copy_kept();
  }
  void copy_kept();
  void copy_node(std::size_t node);

  const Graph& from_;
  std::size_t kept_ = 0;               // the first operators, until something differs
  std::shared_ptr<GraphData> data_{};  // from then on
  std::vector<MLOperand> now_{};       // by operand of the old graph
  std::vector<const MLOperand*> operands_{};
};

/// The graph with what `replacement` makes of nodes with one result: replacement(node, rewriter) is
/// the operand in place of the result, or nothing, and the node is kept.
template <class F> Graph with_replaced(const Graph& graph, F replacement) {
  Rewriter to(graph);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Node node = graph.node(i);
    std::optional<MLOperand> now;
    if (node.outputs().size() == 1) now = replacement(node, to);
    if (now) to.replace(node.output(), *now);
    else to.keep(i);
  }
  return to.finish();
}

/// Whether the graph has one of the operators: a pass that has nothing to do copies nothing, and
/// one for operators that the build does not know is not linked.
template <class... T> bool has_any(const Graph& graph, ops::OpList<T...> = {}) {
  if constexpr ((is_known<T> || ...))
    for (const NodeData& node : data_of(graph).nodes)
      if (((node.op.kind() == kind_of<T>) || ...)) return true;
  return false;
}

/// How many operators read each operand, outputs of the graph counted as readers.
std::vector<std::size_t> reader_counts(const Graph& graph);

/// Elements of a constant operand of floats.
std::vector<double> doubles_of(const MLOperand& constant);
/// The elements of a constant as floats, read one by one.
class FloatElements {
 public:
  explicit FloatElements(const MLOperand& constant)
      : FloatElements(*constant.constant(), constant.dataType()) {}
  FloatElements(const Constant& constant, MLOperandDataType type)
      : bytes_(constant.bytes()), type_(type) {}

  double operator[](std::size_t i) const {
    switch (type_) {
      case float16: return at<Float16>(i);
      case bfloat16: return at<BFloat16>(i);
      case float8e4m3: return at<Float8E4M3>(i);
      default: return at<float>(i);
    }
  }

 private:
  template <class T> double at(std::size_t i) const {
    T v;
    std::memcpy(&v, bytes_.data() + sizeof v * i, sizeof v);
    return v;
  }

  std::span<const std::byte> bytes_;
  MLOperandDataType type_;
};
/// Bytes of floats of that type, rounded to nearest.
Constant constant_from(std::span<const double> values, MLOperandDataType type);

}  // namespace webnn::inline v0_1
