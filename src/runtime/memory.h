// What a graph holds, and what it gives back when it is built.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "src/kernels/common/shared_array.h"
#include "src/runtime/plan.h"

namespace webnn::inline v0_1 {

struct BuilderState;
struct ContextState;
struct GraphState;

/// The blocks of packed weights that a graph holds, each once.
class HeldBlocks {
 public:
  HeldBlocks() = default;
  explicit HeldBlocks(const Plan& plan);
  HeldBlocks(HeldBlocks&& other) noexcept { *this = std::move(other); }
  HeldBlocks& operator=(HeldBlocks&& other) noexcept;
  ~HeldBlocks() { clear(); }

  void clear();
  /// Bytes of all weights of the plan, but for those that are mapped files.
  std::size_t packed() const { return packed_; }
  std::size_t shared() const;  ///< those of them that other graphs hold too

 private:
  std::vector<std::shared_ptr<const WeightBlock>> blocks_{};
  std::size_t packed_ = 0;
};

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
  std::vector<const WeightBlock*> blocks_{};
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
/// `optimized` is unique. Returns the bytes of the copies that stay.
std::size_t release_constants(Graph& source, Graph& optimized, const Plan& plan, bool keep);

}  // namespace webnn::inline v0_1
