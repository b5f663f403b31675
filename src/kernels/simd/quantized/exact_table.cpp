#include "src/kernels/simd/quantized/exact_table.h"

#include <algorithm>

#include "src/graph/graph_data.h"
#include "src/kernels/reference/evaluate.h"

namespace webnn::inline v0_1::simd {
namespace {

bool is_table_node(const Node& node) {
  static constexpr auto listed = []<class... T>(ops::OpList<T...>) {
    return std::array{is_table_op<T>...};
  }(EveryOp{});
  return listed[node.kind()];
}

/// Evaluates a chain: each operand is a vector of 256 elements, or of one.
class ChainOfBytes {
 public:
  explicit ChainOfBytes(const MLOperand& x) {
    std::vector<std::byte> all(256);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::byte>(i);
    set(x, {x.dataType(), {256}}, Constant::copy_of(all));
  }

  bool add(const Node& node) {
    if (!is_table_node(node) || !can_evaluate(node) || node.outputs().size() != 1) return false;
    if (node.as<ops::reshape>()) {
      const auto from = value(node.input(0));
      if (from) values_.emplace_back(node.output(), *from);
      return from.has_value();
    }
    // Not owned: the operator is only cloned.
    Op op = Op(node.kind(), {std::shared_ptr<void>(), const_cast<void*>(node.op())}).clone();
    Dims shape{1};
    for (MLOperand* x : op.operands()) {
      const auto now = value(*x);
      if (!now) return false;
      *x = *now;
      shape = std::max(shape, now->shape());
    }
    const auto made = data_.add(std::move(op), {{node.output().dataType(), shape}});
    const NodeData& last = data_.nodes.back();
    const Node here(last.op.kind(), last.op.get(), last.outputs);
    set(node.output(), made.front().descriptor(), evaluate(here).front());
    return true;
  }

  std::optional<std::vector<std::uint8_t>> result(const MLOperand& y) {
    const auto all = value(y);
    if (!all || element_count(all->shape()) != 256 || bits_of(all->dataType()) != 8)
      return std::nullopt;
    const auto bytes = all->constant()->bytes();
    std::vector<std::uint8_t> table(256);
    std::transform(bytes.begin(), bytes.end(), table.begin(),
                   [](std::byte b) { return static_cast<std::uint8_t>(b); });
    return table;
  }

 private:
  void set(const MLOperand& x, MLOperandDescriptor descriptor, Constant values) {
    values_.emplace_back(x, data_.add({.descriptor = std::move(descriptor),
                                       .kind = OperandKind::constant,
                                       .constant = std::move(values)}));
  }
  std::optional<MLOperand> value(const MLOperand& x) {
    for (const auto& [old, now] : values_)
      if (old.is(x)) return now;
    if (!x.constant() || element_count(x.shape()) != 1) return std::nullopt;
    set(x, {x.dataType(), {1}}, *x.constant());
    return values_.back().second;
  }

  GraphData data_;
  std::vector<std::pair<MLOperand, MLOperand>> values_;
};

}  // namespace

std::optional<std::vector<std::uint8_t>> exact_table(Chain chain, const MLOperand& x) {
  if (bits_of(x.dataType()) != 8) return std::nullopt;
  ChainOfBytes table(x);
  for (const Node& node : chain)
    if (!table.add(node)) return std::nullopt;
  return table.result(chain.back().output());
}

}  // namespace webnn::inline v0_1::simd
