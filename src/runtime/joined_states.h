// States of several sequences that a dispatch takes as one.
#pragma once

#include "src/runtime/context_state.h"
#include "src/runtime/tensor.h"
#include "webnn/views.h"

namespace webnn::inline v0_1 {

/// What the tensors of a dispatch join. ContextState::states is held.
struct JoinedStates {
  std::uint32_t sequences = 0;        ///< GrowingForm::sequences
  std::vector<GrowingSizes> sizes{};  ///< Job::joined

  /// Sets the sizes of the joined tensors to those of their longest states. Throws TypeError where
  /// they do not fit each other.
  JoinedStates(ListView<NamedTensor> inputs, ListView<NamedTensor> outputs);

 private:
  void add(const NamedTensor& x);
};

/// Puts the states into the job. Throws TypeError for one that is destroyed or there twice.
void use_parts(Job& job);
/// Makes the states longer, as the next job finds them.
void grow_parts(const Job& job, TensorState& joined, std::uint32_t fresh);

/// Room for the addresses of the states of a joined tensor.
std::size_t table_bytes(const TensorState& joined);
/// The addresses, of memory that is to be changed behind the rows that each state has.
void put_addresses(const TensorState& joined, std::span<const GrowingSizes> sizes,
                   std::byte* table);

}  // namespace webnn::inline v0_1
