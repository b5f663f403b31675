// Recurrent operators as graphs of others, with any activations. Private.
#pragma once

#include "webnn/draft2023.h"

namespace webnn::inline v0_1::draft2023 {

/// The operators have been checked; `activations` has as many elements as they need.
class Unrolled {
 public:
  using List = std::vector<MLActivation>;

  Unrolled(webnn::MLGraphBuilder& b, std::string label) : b_(b), label_(std::move(label)) {}

  std::vector<MLOperand> gru(const ops::gru& op, const List& activations);
  MLOperand gru_cell(const ops::gruCell& op, const List& activations);
  std::vector<MLOperand> lstm(const ops::lstm& op, const List& activations);
  std::vector<MLOperand> lstm_cell(const ops::lstmCell& op, const List& activations);

 private:
  MLOperand add(const MLOperand& x, const MLOperand& y);
  MLOperand mul(const MLOperand& x, const MLOperand& y);
  /// x [N, I] times the transposed weight [H, I], plus bias [H] if there is one.
  MLOperand product(const MLOperand& x, const MLOperand& weight, const MLOperand& bias);
  /// Equal parts along dimension 0; empty operands when there is none.
  std::vector<MLOperand> parts(const MLOperand& x, std::uint32_t count);
  std::vector<MLOperand> parts(const std::optional<MLOperand>& x, std::uint32_t count);
  /// The part at index i of dimension 0, without that dimension.
  MLOperand at(const MLOperand& x, std::uint32_t i);
  std::optional<MLOperand> at(const std::optional<MLOperand>& x, std::uint32_t i);
  /// With two dimensions of size 1 in front, or one.
  MLOperand lifted(const MLOperand& x, int dimensions);
  MLOperand zeros(MLOperandDataType type, Dims shape);

  /// One result of cell(t, state) for each step in its order; state is replaced by it. If the
  /// sequence is returned, the first operand of each state is stored at the index of its step.
  template <class Cell>
  void run(std::uint32_t steps, bool backward, std::vector<MLOperand>& state,
           std::vector<std::vector<MLOperand>>* sequence, Cell&& cell);
  /// [steps, directions, N, H] from the states of each step and direction.
  MLOperand stacked(const std::vector<std::vector<MLOperand>>& sequence);
  void check_steps(std::uint32_t steps, const char* op) const;

  webnn::MLGraphBuilder& b_;
  std::string label_;
};

}  // namespace webnn::inline v0_1::draft2023
