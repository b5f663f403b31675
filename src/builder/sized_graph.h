// A graph with open dimensions at sizes that are given: the one place where sizes are checked, when
// an operator is added and when a graph runs.
#pragma once

#include "src/builder/known_values.h"

namespace webnn::inline v0_1 {

/// A size for each of GraphData::dimensions, in their order.
using DimensionSizes = std::vector<std::uint32_t>;

/// "sequence = 63 and batch = 2"; empty without names. With an operator whose operands have no
/// other open dimensions than those of inputs, only the names that these have.
std::string text_of(const GraphData& open, const DimensionSizes& sizes, const Op* op = nullptr);

/// The index of an open dimension among GraphData::dimensions; nothing for a size, and for a name
/// that no input has.
std::optional<std::size_t> place_of(const GraphData& open, const MLDimension& dimension);

class SizedGraph {
 public:
  /// An empty graph.
  SizedGraph(const GraphData& open, DimensionSizes sizes, Evaluate evaluate)
      : open_(open), sizes_(std::move(sizes)), values_(*data_, evaluate) {
    data_->requantization = open.requantization;
    data_->relies_on_known_sizes = open.relies_on_known_sizes;
  }
  SizedGraph(const SizedGraph&) = delete;
  void set_derivation(Derivation derivation) { data_->derivation = std::move(derivation); }
  /// Results of loops have their shapes alone, where no more is needed, and fewer operators are
  /// unrolled: for trials.
  void set_shapes_alone() { shapes_alone_ = true; }
  static constexpr std::size_t max_tried_unrolled = 16'384;

  /// An empty graph again, for other sizes, in the memory that it has.
  void restart(DimensionSizes sizes);

  const DimensionSizes& sizes() const { return sizes_; }
  void add_size(std::uint32_t size) { sizes_.push_back(size); }

  /// Adds an input of the open graph.
  shape::Check add_input(const MLOperand& x);
  /// Adds an operator whose operands are of the open graph. Returns its results.
  Result<std::vector<MLOperand>> add(const Op& op);
  /// The same for an operator of the open graph, whose results stand for its own.
  shape::Check add(const NodeData& node);
  void set(const MLOperand& x, const MLOperand& sized);
  /// An operand of that shape, whose values nothing reads, stands for x.
  void set_shape(const MLOperand& x, const Dims& shape);
  /// A constant stands for x.
  void set_value(const MLOperand& x, MLOperandDescriptor descriptor, Constant value);
  /// An input of that name takes the place of what stands for x.
  void set_input(const MLOperand& x, std::string name);
  /// All inputs and operators of the open graph, in their order. The failure names the operator and
  /// the sizes.
  shape::Check add_all();

  /// What stands for an operand of the open graph.
  MLOperand at(const MLOperand& x);
  /// The values of a list of few integers, if they follow from shapes and constants.
  std::optional<Dims> values_of(const MLOperand& x);
  /// What stands for x, as a constant. Refuses what follows from the values of an input.
  Result<MLOperand> value_of(const MLOperand& x) { return values_.constant(at(x), "a value"); }
  /// The graph of what the outputs of the open graph need, at the end. Inputs without elements are
  /// not among its own; an output without elements is refused.
  Result<Graph> finish();

 private:
  using Results = std::vector<MLOperand>;
  using NamedSizes = std::unordered_map<std::string_view, std::uint32_t>;
  /// What stands for the operands of the body of a loop, by their ids; null: those of `open_`.
  using Local = const std::vector<MLOperand>*;

  MLOperand at(const MLOperand& x, Local local) { return local ? (*local)[x.record().id] : at(x); }
  shape::Check check_known(const MLOperand& x, const MLOperand& sized, NamedSizes& derived) const;
  MLOperand& place_of_sized(std::uint32_t id);
  MLOperand add_empty(MLOperandDescriptor descriptor);
  MLOperand add_unknown(MLOperandDescriptor descriptor);
  Result<Results> add(const Op& op, Local local);
  Result<Results> add_sized(Op op);
  Result<Results> add_without_empty(Op op);
  Result<Results> add_placeholder(const control::placeholder& op, Local local);
  Result<Results> add_loop(const control::loop& op, Local local);
  Result<Results> add_iteration(const control::loop& op, std::int64_t iteration,
                                const std::vector<MLOperand>& states,
                                const std::vector<MLOperand>& shared);
  Result<std::int64_t> integer_of(const MLOperand& sized, std::string_view row);

  const GraphData& open_;
  DimensionSizes sizes_;
  std::shared_ptr<GraphData> data_ = std::make_shared<GraphData>();  // until finish()
  KnownValues values_;
  std::vector<MLOperand> sized_{};    // by id of the open graph
  std::vector<std::uint32_t> set_{};  // the ids of these
  NamedSizes derived_{};              // sizes of derived names
  std::vector<const MLOperand*> operands_{};
  std::deque<OwnedRecord> empty_{};  // operands without elements, which the graph does not have
  bool shapes_alone_ = false;
  std::size_t unrolled_ = 0;  // operators of iterations
};

/// The static graph of an open one at these sizes. A failure names the operator that refuses them,
/// and the sizes.
Result<Graph> graph_at(const Graph& open, const DimensionSizes& sizes, Evaluate evaluate,
                       Derivation derivation = {});

}  // namespace webnn::inline v0_1
