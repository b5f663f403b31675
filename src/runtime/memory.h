// What a graph holds, and what it gives back when it is built.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "src/runtime/plan.h"

namespace webnn::inline v0_1 {

struct BuilderState;
struct ContextState;
struct GraphState;

/// Counts what a build needs against MLContextOptions::memoryLimit.
class MemoryBudget {
 public:
  explicit MemoryBudget(ContextState& context);

  /// The weights that a kernel has packed. All throw OperationError beyond the limit.
  void add(const Choice& choice);
  void add(std::string what, std::size_t bytes);

 private:
  struct Part {
    std::string what;
    std::size_t bytes;
  };
  [[noreturn]] void refuse();

  std::size_t limit_, used_ = 0;
  std::vector<Part> parts_{};
  std::vector<const PackedBlock*> blocks_{};
};

/// By operand: whether a kernel or a copy of the plan reads the constant.
std::vector<bool> constants_read(const Plan& plan, std::size_t operands);
/// A constant so large that build() may drop it.
bool is_large(const Constant& c);

/// A graph that nothing else refers to: itself or a copy.
Graph unique(Graph graph);

/// Drops the copies of large constants from the operands of a builder that has built its graph, so
/// that those who still have a builder or an operand do not keep what the graph drops.
void release_constants(BuilderState& builder);
/// Drops the constants that neither kernels nor copies of the plan read, if the library made them.
/// `optimized` is unique. `freed`: bytes of copies that are gone. Returns the bytes of the copies
/// that stay.
std::size_t release_constants(Graph& source, Graph& optimized, const Plan& plan, bool keep,
                              std::size_t freed);
/// A graph that is made is not one of its open graph any more.
void forget_derivation(Graph& graph);

}  // namespace webnn::inline v0_1
