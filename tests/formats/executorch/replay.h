// The second witness: a graph of the delegate, node by node, through XNNPACK's own subgraph API.
#pragma once

#include "tests/formats/executorch/run.h"

namespace webnn::inline v0_1::executorch::test {

struct Replay {
  std::vector<Tensor> outputs{};
  std::string reason{};  ///< why there are none: this XNNPACK lacks a call, or refuses it
};
Replay replay(std::span<const std::byte> blob, std::span<const Tensor> inputs);

}  // namespace webnn::inline v0_1::executorch::test
