#include "tools/webnn/model/results.h"

#include "webnn/passes.h"

namespace webnn::inline v0_1::tool {
namespace {

constexpr std::uint64_t group_bytes = std::uint64_t{1} << 28;

}  // namespace

Results results_of(const MLContext& context, const Graph& graph,
                   const std::vector<MLOperand>& results, const Feeds& feeds) {
  NamedOperands outputs;
  for (const MLOperand& y : results) outputs.emplace_back(std::to_string(y.record().id), y);
  return execute(context, build_graph(context, with_outputs(graph, outputs)), feeds);
}

std::size_t end_of_group(std::span<const std::uint64_t> sizes, std::size_t begin) {
  std::uint64_t bytes = 0;
  for (std::size_t end = begin; end < sizes.size(); ++end) {
    bytes += sizes[end];
    if (end > begin && bytes > group_bytes) return end;
  }
  return sizes.size();
}

}  // namespace webnn::inline v0_1::tool
