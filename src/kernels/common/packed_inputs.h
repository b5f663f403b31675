// Which constants of a chain a kernel has packed.
#pragma once

#include <algorithm>
#include <initializer_list>

#include "src/kernels/common/shared_array.h"
#include "webnn/backend.h"

namespace webnn {

/// The places in inputs_of(chain) of all constants, except those that the kernel reads when it
/// runs: for Candidate::packed_inputs. Numbers below zero in `read` mean nothing.
inline std::vector<int> packed_constants(Chain chain, std::initializer_list<int> read) {
  std::vector<int> packed;
  const std::vector<MLOperand> inputs = inputs_of(chain);
  for (int i = 0; i < static_cast<int>(inputs.size()); ++i)
    if (inputs[static_cast<std::size_t>(i)].constant() &&
        std::find(read.begin(), read.end(), i) == read.end())
      packed.push_back(i);
  return packed;
}

/// The same for a kernel, if there is one.
inline Lowering with_packed_inputs(Lowering l, Chain chain, std::initializer_list<int> read) {
  if (auto* k = std::get_if<Candidate>(&l)) k->packed_inputs = packed_constants(chain, read);
  return l;
}

}  // namespace webnn
