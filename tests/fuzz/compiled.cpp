// libFuzzer: any bytes are loaded or refused, as a file, and as the sections of a file whose header
// is right. Small graphs are run.
#include "webnn/compiled.h"
#include "tests/fuzz/compiled_file.h"
#include "tests/fuzz/small_graphs.h"

using namespace webnn;

namespace {

bool is_small(const Graph& graph) {
  constexpr std::uint64_t max_elements = 4096;
  constexpr std::size_t max_operators = 16;
  for (std::size_t i = 0; i < graph.operand_count(); ++i)
    if (element_count(graph.operand(i).shape()) > max_elements) return false;
  return graph.size() <= max_operators;
}

void run(MLContext& context, const MLGraph& graph) {
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

void load(MLContext& context, std::span<const std::byte> from, bool runs) {
  // Exactly as many bytes, so that the sanitizer sees a read beyond them.
  const auto owner = std::make_shared<fuzz::Bytes>(from.begin(), from.end());
  try {
    const MLGraph graph = compiled::load(context, owner, *owner, {}, "file");
    if (runs && is_small(graph.graph())) run(context, graph);
  } catch (const Error&) {}
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static MLContext context = fuzz::compiled_context();
  const auto view = std::as_bytes(std::span(data, size));
  load(context, view, false);
  load(context, fuzz::file_of(view, context), fuzz::is_run(data, size));
  return 0;
}
