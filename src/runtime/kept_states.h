// States that a graph keeps between its runs: keepState() in webnn/state.h.
#pragma once

#include <string_view>
#include <vector>

#include "src/runtime/state_updates.h"
#include "src/runtime/tensor.h"
#include "webnn/state.h"
#include "webnn/views.h"

namespace webnn::inline v0_1 {

/// A state that a run on memory of the caller uses.
struct KeptUse {
  Use<TensorState> tensor{};
  std::size_t input = 0, output = 0;  ///< by their order in the graph
  bool in_place = false;              ///< one memory for both gives the same result
};

class KeptStates {
 public:
  struct State {
    KeptState state;
    MLTensor tensor{};
  };

  /// Throws as MLContext::createTensor() does. Null where `updates` has none that are kept.
  static std::shared_ptr<const KeptStates> of(MLContext context,
                                              const std::vector<NamedUpdate>& updates,
                                              const NamedOperands& inputs);

  const std::vector<State>& states() const { return states_; }
  /// Sets all to their initial values, on the timeline.
  void reset(MLContext context) const;
  /// Adds the tensors of the states of which a run is given neither the input nor the output, to
  /// lists that stay as long as `inputs` and `outputs` are read.
  void complete(ListView<NamedTensor>& inputs, ListView<NamedTensor>& outputs,
                std::vector<NamedTensor>& all_inputs, std::vector<NamedTensor>& all_outputs) const;
  /// Those states of a run on memory of the caller.
  template <class Inputs, class Outputs>
  std::vector<const State*> unnamed(const Inputs& inputs, const Outputs& outputs) const {
    std::vector<const State*> some;
    for (const State& s : states_)
      if (!has(inputs, s.state.input) && !has(outputs, s.state.output)) some.push_back(&s);
    return some;
  }

 private:
  template <class List> static bool has(const List& list, std::string_view name) {
    for (std::size_t i = 0; i < list.size(); ++i)
      if (list[i].name == name) return true;
    return false;
  }

  std::vector<State> states_{};
};

/// The memory of states in a run on the timeline, which `finish` ends.
class KeptRun {
 public:
  /// Throws why a state has no value.
  KeptRun(const std::vector<KeptUse>& uses, std::span<const std::byte*> in,
          std::span<std::byte*> out);
  /// Copies what was written beside the states.
  void finish();
  /// What was being written has no value.
  void fail(const std::exception_ptr& failure);

 private:
  const std::vector<KeptUse>& uses_;
  std::vector<AlignedBytes> beside_{};
};

}  // namespace webnn::inline v0_1
