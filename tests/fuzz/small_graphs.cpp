#include "tests/fuzz/small_graphs.h"

#include "src/builder/builder_state.h"
#include "tests/fuzz/custom_example.h"

namespace webnn::inline v0_1::fuzz {
namespace {

constexpr std::uint64_t max_elements = 4096;
constexpr std::size_t max_operators = 16;

/// The elements with open dimensions of 1.
std::uint64_t least_elements(const MLOperand& x) {
  std::uint64_t n = 1;
  for (const MLDimension& d : x.dimensions().value_or(MLDimensions()))
    if (!d.is_open()) n *= d.size();
  return n;
}

/// The graph at the least sizes, which it may refuse.
MLGraph at_least_sizes(const MLGraph& graph) {
  const Graph open = graph.graph();
  std::vector<std::pair<std::string, Dims>> shapes;
  for (const auto& [name, x] : open.inputs()) {
    Dims& shape = shapes.emplace_back(name, Dims()).second;
    for (const MLDimension& d : *x.dimensions())
      shape.push_back(d.is_open() ? std::max(d.dynamic().minSize, 1u) : d.size());
  }
  std::vector<NamedShape> named;
  for (const auto& [name, shape] : shapes) named.push_back({name, shape});
  return graph.prepare(named);
}

}  // namespace

void run(MLContext& context, const MLGraph& graph) {
  if (graph.is_open()) return run(context, at_least_sizes(graph));
  std::vector<std::vector<std::byte>> memory;
  std::vector<NamedInput> inputs;
  std::vector<NamedOutput> outputs;
  for (const auto& [name, d] : graph.inputs()) {
    memory.emplace_back(byte_length(d), std::byte{1});
    inputs.push_back({name, memory.back()});
  }
  for (const auto& [name, d] : graph.outputs()) {
    memory.emplace_back(byte_length(d));
    outputs.push_back({name, memory.back()});
  }
  context.compute(graph, std::span<const NamedInput>(inputs),
                  std::span<const NamedOutput>(outputs));
}

MLContext& context() {
  static MLContext context({.threads = 1,
                            .backends = {"reference"},
                            .memoryLimit = std::size_t{1} << 26,
                            .keepConstants = true,
                            .operators = custom_operators()});
  return context;
}

bool is_small(const Graph& graph) {
  if (graph.size() > max_operators) return false;
  for (std::size_t i = 0; i < graph.operand_count(); ++i)
    if (least_elements(graph.operand(i)) > max_elements) return false;
  return true;
}
bool is_small(const MLGraphBuilder& builder, const NamedOperands& outputs) {
  return is_small(graph_of(copy(detail::state_of(builder)->data, outputs)));
}

bool is_run(const std::uint8_t* data, std::size_t size) {
  std::uint8_t sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum = static_cast<std::uint8_t>(sum + data[i]);
  return sum % 8 == 0;
}

std::optional<MLGraph> run_if_small(MLGraphBuilder& builder, const NamedOperands& outputs,
                                    const NamedOperands& inputs) {
  if (!is_small(builder, outputs)) return std::nullopt;
  const MLGraph graph = builder.build(outputs, {.inputs = inputs});
  run(context(), graph);
  return graph;
}

}  // namespace webnn::inline v0_1::fuzz
