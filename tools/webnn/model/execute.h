// One run of a compiled graph.
#pragma once

#include "tools/webnn/data/inputs.h"

namespace webnn::inline v0_1::tool {

/// The bytes of each output, in the order of the graph's outputs.
using Results = std::vector<std::vector<std::byte>>;

/// A graph, its inputs and room for its outputs, to be run again and again.
class Runner {
 public:
  /// The feeds are those of all inputs of the graph, and more; they have to outlive this.
  Runner(MLContext context, MLGraph graph, const Feeds& feeds);

  void run();
  double timed_run();  ///< microseconds
  const Results& results() const { return results_; }

 private:
  MLContext context_;
  MLGraph graph_;
  Results results_;
  std::vector<NamedInput> in_;
  std::vector<NamedOutput> out_;
};

Results execute(const MLContext& context, const MLGraph& graph, const Feeds& feeds);

}  // namespace webnn::inline v0_1::tool
