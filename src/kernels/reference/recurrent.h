// The loops of gru, gruCell, lstm and lstmCell.
#pragma once

#include "src/kernels/common/recurrent.h"
#include "src/kernels/reference/kernels.h"

namespace webnn::inline v0_1::reference {

/// The gates are z, r, n. One result: the hidden state.
Candidate gru_kernel(const Recurrent&);
/// The gates are i, o, f, g. Two results: the hidden and the cell state.
Candidate lstm_kernel(const Recurrent&);

}  // namespace webnn::inline v0_1::reference
