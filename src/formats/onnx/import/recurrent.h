// What LSTM, GRU and RNN share. Private.
#pragma once

#include <functional>

#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {

/// A recurrent network. X is [steps, N, I].
struct Recurrent {
  MLOperand x, weight, recurrent;
  std::optional<MLOperand> bias, recurrent_bias;
  Size steps, batch;
  std::uint32_t directions, hidden;
  MLRecurrentNetworkDirection direction;
  bool batch_first;
  std::optional<MLOperand> lengths{};  // int32 [N], where sequences may have fewer steps

  /// For gru and lstm: 0 where each run has its own.
  std::uint32_t step_count() const {
    return steps.is_known() ? static_cast<std::uint32_t>(steps.number()) : 0;
  }
};

/// Whether direction d goes from the last step to the first.
inline bool is_backward(const Recurrent& r, std::uint32_t d) {
  using enum MLRecurrentNetworkDirection;
  return r.direction == backward || (r.direction == both && d == 1);
}

/// Y [steps, D, N, H]; Y_h and Y_c [D, N, H]. With layout 1 the batch is first.
void put_sequence(Call&, const Recurrent&, const MLOperand& y);
void put_state(Call&, const Recurrent&, const MLOperand& y, std::size_t i);

/// Sets the lengths to input 4, sequence_lens. They are absent where all sequences have all steps;
/// where the input follows from open sizes, runs in which they have not are refused.
void set_lengths(Call&, Recurrent&);

/// The sequences in the order in which a direction reads them, each from step 0 on.
struct PaddedInput {
  MLOperand x;     // 0 behind the end of each sequence
  MLOperand rest;  // [steps, N, 1], 1 behind the end of each sequence, else 0
};
/// What one direction computes of them.
struct Direction {
  MLOperand sequence;                // [steps, 1, N, H], of which any states are behind the end
  std::optional<MLOperand> cells{};  // [1, N, H], those at the end of each sequence
};
/// Sets Y, Y_h and, where there are cells, Y_c of sequences of different lengths. `run` computes
/// direction d.
void put_by_lengths(Call&, const Recurrent&,
                    const std::function<Direction(const PaddedInput&, std::uint32_t d)>& run);

}  // namespace webnn::inline v0_1::onnx
