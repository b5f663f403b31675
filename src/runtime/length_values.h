// What follows from the length of states that grow, such as masks and positions: it is computed for
// each run, beside the graph that serves all lengths.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/builder/sized_graph.h"

namespace webnn::inline v0_1 {

/// The rows of the states before a run, and after it.
struct StateLengths {
  std::uint32_t past = 0, total = 0;
};

/// A size that is one of these, is the same for all lengths, or may be anything.
struct Extent {
  enum class Kind : std::uint8_t { fixed, past, total, any } kind = Kind::fixed;
  std::uint32_t size = 0;  ///< if it is fixed

  std::uint32_t at(const StateLengths& n) const {
    return kind == Kind::past ? n.past : kind == Kind::total ? n.total : size;
  }
};
using Extents = std::vector<Extent>;
/// The sizes, of which none may be anything.
Dims dims_at(const Extents& extents, const StateLengths& lengths);
bool are(const Dims& sizes, const Extents& extents, const StateLengths& lengths);

/// Operands are named by their ids in the open graph, operators by their places.
struct LengthValues {
  /// An operator, or one that makes the same as another one that comes before it.
  struct Step {
    std::uint32_t node = 0;
    std::optional<std::uint32_t> same{};  ///< the place of the other one
  };
  struct Shape {
    std::uint32_t operand = 0;
    Extents sizes{};
  };
  struct Result {
    std::uint32_t operand = 0;
    Extents shape{};     ///< the last one may be the total, the others are fixed
    std::string name{};  ///< of the input that has it

    bool has_total() const { return !shape.empty() && shape.back().kind == Extent::Kind::total; }
  };
  struct Fixed {
    std::uint32_t operand = 0;
    Constant value;
  };

  std::vector<std::uint32_t> inputs{};  ///< operands whose values are needed
  std::vector<Shape> read_shapes{};     ///< operands of which only the shape is read
  std::vector<Step> steps{};            ///< in their order
  std::vector<Result> results{};

  // The graph serves a run only if all this is so:
  std::vector<Shape> lists{};                ///< operands that are lists of these sizes
  std::vector<Shape> shapes{};               ///< operands of these shapes
  std::vector<Fixed> same{};                 ///< operands of these values
  std::vector<std::uint32_t> consecutive{};  ///< operands that are 0, 1, 2 and so on

  bool empty() const { return steps.empty() && read_shapes.empty() && inputs.empty(); }
  const Result* find(const std::string& name) const;
};

/// The values of all results, or nothing where something of the above is not so. `values` are those
/// of the inputs, in their order. `graph` is null at first, and is the memory of the next call for
/// the same open graph.
std::optional<std::vector<Constant>> compute(const LengthValues& all, const GraphData& open,
                                             const DimensionSizes& sizes,
                                             const StateLengths& lengths,
                                             std::span<const Constant> values,
                                             std::unique_ptr<SizedGraph>& graph);

}  // namespace webnn::inline v0_1
