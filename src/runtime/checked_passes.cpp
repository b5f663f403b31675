#include "src/runtime/checked_passes.h"

#include "src/builder/validate.h"
#include "src/graph/failure.h"
#include "src/runtime/compile.h"

namespace webnn::inline v0_1 {
namespace {

std::string internal_error(std::string_view pass, const Failure& bad) {
  const std::string name(pass);
  return "internal error: the pass " + name + " makes " + bad.message + "; WEBNN_PASSES=-" + name +
         " builds without it";
}

}  // namespace

Graph optimize_checked(Graph graph, std::span<const Pass> passes, std::vector<PassReport>& report,
                       const ProgressReporter& progress) {
  for (std::size_t i = 0; i < passes.size(); ++i) {
    Graph after = optimize(graph, passes.subspan(i, 1), report);
    if (const auto bad = check_replacement(graph, after))
      raise({internal_error(passes[i].name, *bad), ErrorName::OperationError}, "build");
    graph = std::move(after);
    progress.report("passes", i + 1, passes.size());
  }
  return graph;
}

OptimizedGraph optimized_graph(Graph source, std::span<const Pass> passes) {
  OptimizedGraph made{source, source};
  for (const Pass& pass : passes) {
    Graph after = optimize(made.graph, std::span(&pass, 1), made.passes);
    if (const auto bad = check_replacement(made.graph, after))
      raise({internal_error(pass.name, *bad), ErrorName::OperationError}, "build");
    made.graph = std::move(after);
  }
  return made;
}

}  // namespace webnn::inline v0_1
