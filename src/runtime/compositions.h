// Backends that do not know fused operators, and the compositions that they may run instead.
#pragma once

#include <optional>
#include <vector>

#include "src/graph/fused/expand.h"
#include "webnn/backend.h"

namespace webnn::inline v0_1 {

/// Whether it is a backend of the library that may have kernels for fused operators.
bool knows_fused(const Backend& backend);

/// The compositions of the fused operators of a graph.
class Compositions {
 public:
  explicit Compositions(const Graph& graph) : graph_(graph) {}

  /// Whether the composition of an operator is a chain, and the backend has a preferred kernel for
  /// the whole of it.
  bool runs(const Backend& backend, const Node& fused);

 private:
  bool is_chain(Chain nodes);

  const Graph& graph_;
  std::optional<Expansion> expansion_{};  // when it is first asked for
  std::vector<std::size_t> readers_{};    // by its operands
};

}  // namespace webnn::inline v0_1
