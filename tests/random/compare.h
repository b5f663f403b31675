// Runs a graph in every way there is, and compares with the oracle.
#pragma once

#include <map>
#include <optional>

#include "tests/random/oracle.h"
#include "webnn/passes.h"

namespace webnn::inline v0_1::test {

/// A graph without its builder, and values for its inputs.
struct Case {
  Graph graph;
  Inputs inputs{};
  std::uint64_t seed = 0;
};

/// The case of what a builder has made, which can go on. Without `listed`, the list of inputs of a
/// graph follows from the seed.
Case case_of(const NamedOperands& outputs, const NamedOperands& listed, Inputs inputs,
             std::uint64_t seed);
Case case_of(const NamedOperands& outputs, Inputs inputs, std::uint64_t seed);

/// The outputs of a graph, in its order.
std::vector<Tensor> computed(MLContext context, const MLGraph& graph, const Inputs& inputs);

struct Mismatch {
  std::string variant{};  ///< how it was run: "onednn first", "without layouts"
  std::string text{};
};

/// In which ways graphs are run, and what they are like.
enum class Ways {
  all,    // but at accuracy levels
  levels  // at accuracy levels alone, whose kernels need wide operands
};

class Level;  // levels.h

/// With contexts that are used again from graph to graph. Memory is filled with a pattern before
/// kernels write to it.
class Comparison {
 public:
  explicit Comparison(Ways ways = Ways::all);
  ~Comparison();

  /// The case of a seed, and what happened on the way to it.
  std::optional<Case> generate(std::uint64_t seed, std::optional<Mismatch>& mismatch);
  /// One more context to run every graph in.
  void add(const std::string& variant, const MLContext& context);

  /// A context for builders.
  MLContext context() const;

  /// The first mismatch; of all variants, or of one.
  std::optional<Mismatch> check(const Case& c, const std::string& only = {});
  /// All of them.
  std::vector<Mismatch> check_all(const Case& c);

  struct Statistics {
    std::uint64_t graphs = 0, operators = 0, runs = 0;
    std::map<std::string_view, std::uint64_t> by_format{};  ///< graphs that it could hold
    Oracle::Counts elements{};
    std::vector<std::uint64_t> by_kind = std::vector<std::uint64_t>(ops::AllOps::size);
  };
  const Statistics& statistics() const { return statistics_; }
  /// With their own statistics; none for Ways::all.
  const std::vector<Level>& levels() const;

 private:
  struct Contexts;
  class Run;
  std::unique_ptr<Contexts> contexts_;
  const bool filled_;  // whether it was before
  Statistics statistics_{};
};

}  // namespace webnn::inline v0_1::test
