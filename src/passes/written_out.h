// Operators that are written out in others: what the passes that recognize them ask.
#pragma once

#include <vector>

#include "src/kernels/common/chain_operands.h"
#include "src/passes/rewriter.h"

namespace webnn::inline v0_1 {

/// The operator T that makes x.
template <class T> const T* made_by(const Graph& graph, const MLOperand& x) {
  return x.record().kind == OperandKind::result ? graph.producer_of(x).as<T>() : nullptr;
}

/// The operators that a search has found to be parts of one that is written out. The first ends it.
class Parts {
 public:
  /// `readers`: the reader_counts() of the graph.
  Parts(const Graph& graph, const std::vector<std::size_t>& readers)
      : graph_(graph), readers_(readers) {}

  /// The operator T that makes y, which becomes a part.
  template <class T> const T* take(const MLOperand& y) {
    const T* op = made_by<T>(graph_, y);
    if (op) places_.push_back(y.record().producer);
    return op;
  }
  /// What the reshapes before y read, which become parts.
  MLOperand take_reshapes(const MLOperand& y);

  std::size_t size() const { return places_.size(); }
  /// Forgets the parts that were taken later.
  void resize(std::size_t n) { places_.resize(n); }
  bool makes(const MLOperand& x) const;
  /// Whether nothing but the parts reads the results of any part except the first.
  bool only_they_read() const;

 private:
  const Graph& graph_;
  const std::vector<std::size_t>& readers_;
  std::vector<std::size_t> places_{};  // an operator that two parts read is there twice
};

inline bool is_constant(const MLOperand& x) {
  return x.record().kind == OperandKind::constant && x.dataType() == float32;
}
/// The elements of a constant of integers with at least 32 bits; empty for other operands.
std::vector<std::int64_t> indices_of(const MLOperand& x);
/// Whether two coefficients are the same but for the rounding of float32.
bool is_about(double a, double b);

/// x of f(x, axis), the reduction T over one axis, which remains as 1.
template <class T>
const MLOperand* reduced_by(const Graph& graph, const MLOperand& y, std::uint32_t axis) {
  const T* op = made_by<T>(graph, y);
  if (!op || !op->options.keepDimensions || !op->options.axes) return nullptr;
  return Dims(*op->options.axes) == Dims{axis} ? &op->input : nullptr;
}

/// A product of numbers and of other operands.
struct Factors {
  double number = 1;
  std::vector<MLOperand> others;
};
/// The factors of y, through products and quotients that only the next one reads.
Factors factors_of(const Graph& graph, const MLOperand& y, const std::vector<std::size_t>& readers);

/// factor * x + term.
struct Affine {
  MLOperand x;
  double factor = 1, term = 0;
};
/// y as an affine function of what is neither a sum nor a product with a number.
std::optional<Affine> affine_of(const Graph& graph, const MLOperand& y,
                                const std::vector<std::size_t>& readers);

}  // namespace webnn::inline v0_1
