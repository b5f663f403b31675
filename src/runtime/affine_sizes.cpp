#include "src/runtime/affine_sizes.h"

#include <algorithm>

#include "src/builder/sized_graph.h"
#include "src/graph/resolve.h"
#include "src/graph/traits.h"
#include "src/runtime/length_operators.h"

namespace webnn::inline v0_1 {
namespace {

template <class... T> bool is_any(std::size_t kind, ops::OpList<T...>) {
  return ((kind == kind_of<T>) || ...);
}

/// Operators without sizes among their attributes, whose results have sums of sizes of their
/// operands; besides those that are element-wise.
using Sums = ops::OpList<ops::concat, ops::cast, ops::identity, ops::transpose, ops::matmul,
                         ops::gemm, ops::unsqueeze, ops::where, ops::softmax, ops::gather,
                         ops::layerNormalization, ops::batchNormalization,
                         ops::instanceNormalization, ops::cumulativeSum, ops::triangular>;
/// Their results have the sizes that lists say.
using Listed = ops::OpList<ops::reshapeDynamic, ops::expandDynamic, ops::sliceDynamic>;
/// Of lists of sizes, which are affine functions, they make such lists.
using ListMoves = ops::OpList<ops::concat, ops::identity, ops::reshape, ops::squeeze,
                              ops::unsqueeze, ops::slice, ops::add, ops::sub>;

bool sums_sizes(std::size_t kind) {
  return is_any(kind, Sums{}) || is_any(kind, Listed{}) || traits_of(kind).element_wise ||
         is_any(kind, ops::ReduceSection::Operators{});
}

class Analysis {
 public:
  Analysis(const GraphData& open, const std::vector<bool>& changes)
      : open_(open), shapes_(open.operands.size()), lists_(open.operands.size()) {
    for (const auto& [name, x] : open.inputs) {
      const OperandRecord& r = x.record();
      for (std::size_t d = 0; r.open && d < r.open->dimensions.size(); ++d)
        if (const auto i = place_of(open, r.open->dimensions[d]); i && changes[*i])
          shapes_[r.id] = true;
    }
  }

  bool run() {
    return std::ranges::all_of(open_.nodes, [&](const NodeData& node) { return add(node); });
  }

 private:
  bool in(const std::vector<bool>& set, const MLOperand& x) const { return set[x.record().id]; }
  static bool is_unranked(const MLOperand& x) {
    return x.record().open && !x.record().open->ranked;
  }

  bool add(const NodeData& node) {
    const std::size_t kind = node.op.kind();
    operands_.clear();
    append_operands(kind, node.op.get(), operands_);
    const auto count = [&](const std::vector<bool>& set) {
      return std::ranges::count_if(operands_, [&](const MLOperand* x) { return in(set, *x); });
    };
    const auto shapes = count(shapes_), lists = count(lists_);
    if (shapes + lists == 0) return true;
    if (std::ranges::any_of(node.outputs, &is_unranked)) return false;
    if (reads_shape_alone(kind)) {
      if (is_unranked(*operands_.front())) return false;
      for (const MLOperand& y : node.outputs) lists_[y.record().id] = shapes > 0;
      return true;
    }
    if (lists > 0 && !(is_any(kind, Listed{}) && !in(lists_, *operands_.front()))) {
      if (shapes > 0 || !keeps_lists(node, static_cast<std::size_t>(lists))) return false;
      for (const MLOperand& y : node.outputs) lists_[y.record().id] = true;
      return true;
    }
    if (!sums_sizes(kind)) return false;
    for (const MLOperand& y : node.outputs) shapes_[y.record().id] = y.record().open != nullptr;
    return true;
  }

  bool keeps_lists(const NodeData& node, std::size_t lists) const {
    const std::size_t kind = node.op.kind();
    if (kind == kind_of<ops::cast>) {
      constexpr MLOperandDataType wide[] = {MLOperandDataType::int32, MLOperandDataType::uint32,
                                            MLOperandDataType::int64, MLOperandDataType::uint64};
      return std::ranges::find(wide, node.outputs.front().dataType()) != std::end(wide);
    }
    if (kind == kind_of<ops::mul>) return lists == 1;
    if (kind == kind_of<ops::gather>) return in(lists_, *operands_.front()) && lists == 1;
    return is_any(kind, ListMoves{});
  }

  const GraphData& open_;
  std::vector<bool> shapes_;  // by operand: its sizes depend on the dimensions that change
  std::vector<bool> lists_;   // by operand: its values do
  std::vector<const MLOperand*> operands_{};
};

}  // namespace

bool has_affine_sizes(const Graph& open, const std::vector<bool>& changes) {
  return Analysis(data_of(open), changes).run();
}

}  // namespace webnn::inline v0_1
