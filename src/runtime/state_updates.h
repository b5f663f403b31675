// Inputs of a graph that become outputs in the same tensor.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/builder/builder_state.h"
#include "src/runtime/plan.h"

namespace webnn::inline v0_1 {

/// What a builder has declared, by names.
struct NamedUpdate {
  std::string input, output;
  std::optional<std::uint32_t> axis{};  ///< along which the state grows
  std::optional<Constant> initial{};    ///< the value at first of one that the graph keeps
};
/// The dimension along which a state grows, if there is one. A failure where the result cannot be
/// the state of the next run.
Result<std::optional<std::uint32_t>> growing_axis(const OperandRecord& in,
                                                  const OperandRecord& out);
/// Those of a builder for a graph with these outputs. Throws TypeError if a result is none of them.
std::vector<NamedUpdate> updates_of(const BuilderState& builder, const NamedOperands& outputs);

struct StateUpdate {
  std::size_t input = 0, output = 0;  ///< by their order in the graph
  bool in_place = false;              ///< one memory for both gives the same result
};
/// Those whose input the graph still has.
std::vector<StateUpdate> state_updates(const std::vector<NamedUpdate>& named, const Graph& graph,
                                       const Plan& plan);

}  // namespace webnn::inline v0_1
