// Graphs of an open graph at sizes between two combinations of them, made without passes.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "src/builder/sized_graph.h"
#include "webnn/passes.h"

namespace webnn::inline v0_1 {

/// A graph of known sizes, and what passes have made of it.
struct OptimizedGraph {
  Graph source, graph;
  std::vector<PassReport> passes{};
};

class Interpolation;

/// What passes make of a graph at one of the sizes of an interpolation.
struct InterpolatedGraph {
  Graph graph;
  std::shared_ptr<const Interpolation> of;
  std::int64_t place = 0;

  /// The graph before the passes, which is made now.
  Graph source() const;
};

/// Combinations of sizes at the same distance from one another: the first one, and the difference
/// from each to the next.
struct SizeSteps {
  DimensionSizes first{};
  std::vector<std::int64_t> step{};  ///< by dimension
  std::int64_t count = 0;            ///< steps to the last one

  DimensionSizes at(std::int64_t i) const;
  /// How many steps it is from the first one; nothing where it is not between the first and the
  /// last one.
  std::optional<std::int64_t> place_of(const DimensionSizes& sizes) const;
};

/// The graphs at the first and the last of some sizes, from which those between them follow.
///
/// All sizes are affine functions of the place between the two, as has_affine_sizes() says of the
/// open graph. Passes compare sizes, and products of those of neighboring dimensions, with one
/// another and with numbers. An affine function that is positive at both ends is so between them:
/// an inequality that holds at both ends holds between them, also one between a number and a
/// product of sizes that grow together. Sizes that are equal at one place alone, and products whose
/// order is that of neither end, are found and refused. So where passes have made the same of both
/// ends, they make the same of what is between them.
class Interpolation : public std::enable_shared_from_this<Interpolation> {
 public:
  using Make = std::function<OptimizedGraph(const DimensionSizes&)>;

  /// For sizes that are affine functions of those that change. Null where the graphs at both ends
  /// are not the same but for sizes. Throws what `make` throws.
  static std::shared_ptr<const Interpolation> between(const SizeSteps& sizes, const Make& make);

  /// Whether two graphs have the same operators, operands and constants, with the same ids.
  static bool are_same(const Graph& a, const Graph& b);

  const SizeSteps& sizes() const { return sizes_; }
  /// The graph at sizes between the ends; nothing where the passes might do something else, or an
  /// operator refuses these sizes. Derivation: that of the graph.
  std::optional<InterpolatedGraph> at(const DimensionSizes& sizes,
                                      const Derivation& derivation) const;
  Graph source_at(std::int64_t place) const;
  /// A graph before the passes: all of them have its operators.
  const Graph& some_source() const { return source_.first; }
  /// By operator of the graphs after the passes: whether it, or an operand, depends on the sizes.
  std::span<const std::uint8_t> changed() const { return optimized_.changed; }
  const std::vector<PassReport>& passes() const { return passes_; }

 private:
  /// A number that is `first` at the first sizes, and grows by so much from each to the next.
  struct Affine {
    std::uint64_t first = 0;
    std::int64_t step = 0;

    std::uint64_t at(std::int64_t i) const {
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(first) + i * step);
    }
    auto operator<=>(const Affine&) const = default;
  };
  struct Dimension {
    std::size_t operand, axis;
    Affine size;
  };
  /// The same for a product: a number times sizes without common factors, in order.
  struct Product {
    std::uint64_t times = 1;
    std::vector<Affine> sizes{};

    void multiply(Affine size);
    std::uint64_t at(std::int64_t i) const;
    auto operator<=>(const Product&) const = default;
  };
  struct Ends {
    Graph first, last;
    std::vector<Dimension> dimensions{};  ///< those that change, by operand
    std::vector<std::uint8_t> changed{};  ///< by operator: it has other attributes or operands
  };
  Interpolation(SizeSteps sizes, const OptimizedGraph& first, const OptimizedGraph& last)
      : sizes_(std::move(sizes)),
        passes_(first.passes),
        source_{first.source, last.source},
        optimized_{first.graph, last.graph} {}
  std::optional<Affine> affine(std::uint64_t first, std::uint64_t last) const;
  bool compare(Ends& ends) const;
  bool compare_operands(Ends& ends) const;
  bool compare_nodes(Ends& ends) const;
  bool compare_reshapes(const Ends& ends) const;
  template <class F> static void for_products(const Ends& ends, F f);
  void note_products(const Ends& ends);
  bool coincide(std::int64_t place) const;
  Graph at(const Ends& ends, std::int64_t place, const Derivation& derivation) const;

  const SizeSteps sizes_;
  const std::vector<PassReport> passes_;
  Ends source_, optimized_;
  std::vector<std::uint64_t> fixed_{};  // sizes, and products of neighboring ones, in order
  std::vector<Product> changing_{};     // the same, each once
};

}  // namespace webnn::inline v0_1
