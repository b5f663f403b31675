// From choices to steps with fixed memory.
#pragma once

#include "src/runtime/arena.h"
#include "src/runtime/chains.h"

namespace webnn::inline v0_1 {

/// Where an operand lives while the graph runs.
struct Location {
  enum class Kind { nowhere, arena, constant, input, output } kind = Kind::nowhere;
  std::size_t index = 0;   // which input or output of the graph, or operand of a constant
  std::size_t offset = 0;  // bytes
};

struct Step {
  Choice choice;
  std::vector<Location> inputs, outputs;  // those of Buffers
  std::size_t pitch = 0;                  // that of Buffers
};

/// Copies an operand into an output of the graph that no step writes: constants, inputs, and
/// results that have two names.
struct CopyOut {
  Location from;
  std::size_t output, bytes;
};

struct Plan {
  std::vector<Step> steps;
  std::vector<Choice> in_place;  // concats that never run: their operands lie in the result
  std::vector<CopyOut> copies;
  Packing packing;           // where the arena has each buffer
  std::size_t scratch = 0;   // bytes for each worker
  std::size_t shared = 0;    // bytes for all of them, in one step
  std::size_t packed = 0;    // bytes of weights held by kernels
  bool reads_sizes = false;  // a GrowingSizes is an input behind those of the graph
};

/// Everything in the arena begins at a multiple of this.
inline constexpr std::size_t arena_alignment = 256;

Plan make_plan(const Graph& graph, std::vector<Choice> choices);

}  // namespace webnn::inline v0_1
