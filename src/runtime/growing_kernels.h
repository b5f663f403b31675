// Kernels and a plan that serve all sizes of the states of a graph: new rows are written behind
// those that are there, and attention reads these rows alone.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "src/graph/fused/attention.h"
#include "src/kernels/common/growing.h"
#include "src/runtime/growing_form.h"

namespace webnn::inline v0_1 {

struct LibraryBackend;

class GrowingKernels {
 public:
  /// For the optimized graph with the sizes of the form. All arguments live longer.
  GrowingKernels(const Graph& graph, const std::vector<NamedUpdate>& updates,
                 const GrowingForm& form, std::span<const std::shared_ptr<const Backend>> backends)
      : graph_(graph), updates_(updates), form_(form), backends_(backends) {}

  /// Puts kernels in place of those that read or write states. Returns false, and the choices are
  /// of no use, where something else reads a state or what has its size, or a backend has no
  /// kernel.
  bool replace(std::vector<Choice>& choices);
  /// The steps read the states where they are, and the sizes of the run: a GrowingSizes as an input
  /// behind those of the graph.
  void finish(Plan& plan) const;

 private:
  struct State {
    std::uint32_t axis;
    std::uint32_t concat;                   // the operator that makes it
    StoredAs stored = StoredAs::float32;    // what stands for it is float32, made of that
    std::optional<std::uint32_t> scales{};  // of int8: the operator that makes them
    bool is_spread = false;  // scales, of which there is one for each element instead of each block
  };
  bool find_states();
  bool find_state(const NamedUpdate& update);
  bool is_read_by_attention(const MLOperand& state, const State& s);
  bool spreads_scales(const MLOperand& scales, const ops::gather& op) const;
  std::optional<State> scaled(const MLOperand& x, const State& s, const ops::mul& by) const;
  bool check_attention(std::uint32_t node);
  bool check_masks() const;
  const State* state_of(const MLOperand& x) const;
  /// Whether it has the size of the states after the run: an input of the program, or computed for
  /// each run.
  bool is_mask(const MLOperand& x) const { return is_given_mask(x) || is_computed_mask(x); }
  bool is_given_mask(const MLOperand& x) const;
  bool is_computed_mask(const MLOperand& x) const;
  bool has_spread_masks(const fused::attention& op) const;
  bool replace(Choice& choice) const;
  std::optional<Candidate> attention_kernel(const LibraryBackend& backend, const Node& node,
                                            const GrowingRows& rows) const;
  Candidate append_kernel(const Node& concat) const;

  const Graph& graph_;
  const std::vector<NamedUpdate>& updates_;
  const GrowingForm& form_;
  std::span<const std::shared_ptr<const Backend>> backends_;
  std::vector<std::vector<std::uint32_t>> readers_{};  // by operand: operators
  std::unordered_map<std::uint32_t, State> states_{};  // by operand: after the run, and as float32
  std::unordered_set<std::uint32_t> before_{};         // operands: states before the run
  // Operators. A kernel reads what those of `replaced_` read.
  std::unordered_set<std::uint32_t> concats_{}, replaced_{}, attentions_{};
  std::vector<std::uint32_t> products_{};  // that read scales
};

}  // namespace webnn::inline v0_1
