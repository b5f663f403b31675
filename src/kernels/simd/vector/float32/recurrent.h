// The activations of a step of a recurrent network, after its products.
#pragma once

#include <array>
#include <cstddef>

#include "webnn/shape/recurrent.h"

namespace webnn::inline v0_1::simd {

/// A vector of hidden units in some rows of the batch. Sums and states are padded to whole vectors;
/// results are not.
struct Units {
  std::size_t rows = 1;
  int units = 1;  ///< the used lanes, at most lanes()
  std::array<MLRecurrentNetworkActivation, 3> activations{};
  float* gates = nullptr;              ///< sums: z, r, n or i, o, f, g, a vector each
  std::size_t gates_row = 0;           ///< floats between rows
  std::size_t state_row = 0;           ///< likewise, of all that follows but the results
  const float* hidden = nullptr;       ///< the state before the step
  float* next = nullptr;               ///< after it
  float* extra = nullptr;              ///< gru: the product for n, or the hidden state once reset
  float* cell = nullptr;               ///< lstm
  const float* peephole = nullptr;     ///< lstm, of i, o, f, a vector each; null: none
  std::array<float*, 2> hidden_out{};  ///< null when not requested, as cell_out
  float* cell_out = nullptr;
  std::size_t out_row = 0;
};

/// extra = reset gate * hidden, and z is ready in its place.
void gru_reset(const Units&);
/// The next hidden state; with `reset_after` from sums alone, else after gru_reset.
void gru_next(const Units&, bool reset_after);
/// The next hidden and cell state.
void lstm_next(const Units&);

}  // namespace webnn::inline v0_1::simd
