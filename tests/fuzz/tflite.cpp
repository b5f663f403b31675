// libFuzzer: any bytes are imported or refused. Small graphs are built and run on the reference
// kernels too.
#include "webnn/tflite.h"
#include "src/builder/builder_state.h"
#include "webnn/webnn.h"

namespace {

using namespace webnn;

constexpr std::uint64_t max_elements = 4096;
constexpr std::size_t max_operators = 16;

/// Every value of a small graph is small.
bool is_small(const MLGraphBuilder& builder, const tflite::Model& model) {
  const Graph graph = graph_of(copy(detail::state_of(builder)->data, model.outputs));
  if (graph.size() > max_operators) return false;
  for (std::size_t i = 0; i < graph.operand_count(); ++i)
    if (element_count(graph.operand(i).shape()) > max_elements) return false;
  return true;
}

void compute(MLContext& context, const MLGraph& graph) {
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // One of eight is run, for that takes the longest.
  std::uint8_t sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum = static_cast<std::uint8_t>(sum + data[i]);
  static MLContext context({.threads = 1, .backends = {"reference"}});
  // Exactly as many bytes, so that the sanitizer sees a read beyond them.
  const std::vector<std::uint8_t> bytes(data, data + size);
  try {
    MLGraphBuilder builder(context);
    const auto model =
        tflite::import_model(builder, std::as_bytes(std::span(bytes)), {.max_bytes = 1 << 16});
    if (sum % 8 == 0 && is_small(builder, model)) compute(context, builder.build(model.outputs));
  } catch (const Error&) {}
  return 0;
}
