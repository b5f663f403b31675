// Chains of a graph, and the backends that run them.
#pragma once

#include <optional>
#include <vector>

#include "src/runtime/packed_block.h"
#include "webnn/backend.h"
#include "webnn/error.h"

namespace webnn::inline v0_1 {

/// What a choice by measurement compared with the kernel that is chosen without.
struct Tuned {
  std::string backend{}, kernel{};        ///< the names of that kernel
  std::uint64_t default_nanoseconds = 0;  ///< the time of that kernel
  std::uint64_t nanoseconds = 0;          ///< the time of the chosen one
};

/// A kernel that several graphs may have.
class SharedKernel {
 public:
  SharedKernel() = default;  ///< none
  SharedKernel(Candidate kernel) : kernel_(std::make_shared<Candidate>(std::move(kernel))) {}

  const Candidate& operator*() const { return *kernel_; }
  const Candidate* operator->() const { return kernel_.get(); }
  /// To change it, while nothing else has it.
  Candidate& own() { return *kernel_; }

 private:
  std::shared_ptr<Candidate> kernel_{};
};

/// What runs a chain, and why the other backends do not.
struct Choice {
  std::vector<Node> chain;
  SharedKernel kernel;
  std::string backend;
  std::vector<std::string> others;  ///< "onednn: only float32"
  std::optional<Tuned> tuned{};
  PackedBlocks blocks{};  ///< the weights that the kernel wants, once they are packed
  /// How many operators follow one another from the first one on, and how many of them decide about
  /// the choice.
  std::size_t followers = 0, offered = 0;
  std::shared_ptr<const std::vector<MLOperand>> known_inputs{};  ///< inputs_of(chain), or null

  /// inputs_of(chain), from now on known.
  const std::vector<MLOperand>& inputs() {
    if (!known_inputs)
      known_inputs = std::make_shared<const std::vector<MLOperand>>(inputs_of(chain));
    return *known_inputs;
  }
};

/// The choices for another graph that has the same operators, but for sizes. They are made again
/// for chains in which an operator or an operand is not the same.
struct KnownChoices {
  std::vector<const Choice*> at{};          ///< by the place of the first operator
  std::span<const std::uint8_t> changed{};  ///< by operator
};

/// What the backend has for the chain, or why not. What would make the executor go wrong is a
/// refusal, and what lower() throws.
Lowering lower_checked(const Backend& backend, Chain chain);
/// The same of the kernel that a custom operator brings.
Lowering lower_custom_checked(const Node& node);

/// Covers the graph with chains and candidates for them, in an order in which they can run;
/// quantized operators first. Views are left out. `refused` gets, behind what it has, the quantized
/// operators that no backend supports, and why: "conv2d (onednn: not an operator for oneDNN)", and
/// when the choices are complete also the readers of small weights: "conv2d with small weights
/// (...)". Throws OperationError that names all operators that no backend supports. `chosen` is
/// called with each choice when it is made, and with the number of operators that have been looked
/// at; what it throws ends the search. Without `small_weights`, a dequantizeLinear or cast that
/// makes floats of constants is a chain by itself. `to_expand` gets the places of fused operators
/// that no backend prefers, or whose composition a custom backend runs that is asked earlier: then
/// the choices are not complete, and the graph is to be covered again with the compositions of
/// these. `known` are choices that need not be made again.
using ChoiceObserver = std::function<void(const Choice&, std::size_t done)>;
std::vector<Choice> choose(const Graph&, std::span<const std::shared_ptr<const Backend>>,
                           std::vector<std::string>* refused = nullptr,
                           const ChoiceObserver& chosen = {}, bool small_weights = true,
                           std::vector<std::size_t>* to_expand = nullptr,
                           const KnownChoices* known = nullptr);

/// What `refused` gets for a quantized operator that no backend supports.
std::string refused_quantized(const Node& node,
                              std::span<const std::shared_ptr<const Backend>> backends);

/// A choice of an earlier compilation of the same graph.
struct RecordedChoice {
  std::vector<std::size_t> places{};  ///< where the graph has the operators of the chain
  std::string backend{};
  std::vector<std::string> others{};
};
/// Covers the graph with the chains that were chosen before, each for its backend only. A failure
/// when they are not chains of this graph, or a backend refuses one.
Result<std::vector<Choice>> choose_again(const Graph&,
                                         std::span<const std::shared_ptr<const Backend>>,
                                         std::span<const RecordedChoice>, bool small_weights);

}  // namespace webnn::inline v0_1
