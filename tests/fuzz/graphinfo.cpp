// libFuzzer: any text is imported or refused. Small graphs are written, read again and written, and
// that is a text that is read and written as it is.
#include "webnn/graphinfo.h"
#include "src/builder/builder_state.h"
#include "webnn/webnn.h"

namespace {

using namespace webnn;

constexpr std::uint64_t max_elements = 4096;
constexpr std::size_t max_operators = 16;

bool is_small(const MLGraphBuilder& builder, const NamedOperands& outputs) {
  const Graph graph = graph_of(copy(detail::state_of(builder)->data, outputs));
  if (graph.size() > max_operators) return false;
  for (std::size_t i = 0; i < graph.operand_count(); ++i)
    if (element_count(graph.operand(i).shape()) > max_elements) return false;
  return true;
}

std::string written_again(MLContext& context, const std::string& file) {
  MLGraphBuilder builder(context);
  const auto model = graphinfo::import_model(builder, file, {}, {});
  return graphinfo::export_model(builder.build(model.outputs, {.inputs = model.inputs}));
}

void round_trip(MLContext& context, const MLGraph& graph) {
  std::string written;
  try {
    written = graphinfo::export_model(graph);
  } catch (const TypeError&) { return; }  // names that are not UTF-8
  const std::string once = written_again(context, written);
  if (written_again(context, once) != once) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // One of eight is built, for that takes the longest.
  std::uint8_t sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum = static_cast<std::uint8_t>(sum + data[i]);
  static MLContext context({.threads = 1, .backends = {"reference"}, .keepConstants = true});
  // Exactly as many bytes, so that the sanitizer sees a read beyond them.
  const std::vector<char> bytes(data, data + size);
  graphinfo::ImportOptions options;
  options.max_bytes = 1 << 22;
  try {
    MLGraphBuilder builder(context);
    const auto model = graphinfo::import_model(
        builder, std::string_view(bytes.data(), bytes.size()), options, "fuzz");
    if (sum % 8 != 0 || !is_small(builder, model.outputs)) return 0;
    const MLGraph graph = builder.build(model.outputs, {.inputs = model.inputs});
    round_trip(context, graph);
  } catch (const Error&) {}
  return 0;
}
