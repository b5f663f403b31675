// libFuzzer: any text is imported or refused; what is a graph is formatted, and formatting that
// changes nothing. Small graphs are written, and what is read again is equal.
#include "webnn/text.h"
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

webnn::text::ImportOptions limited() {
  webnn::text::ImportOptions options;
  options.max_bytes = 1 << 16;
  return options;
}

void format(std::string_view file) {
  try {
    const std::string once = webnn::text::format(file);
    if (webnn::text::format(once) != once) __builtin_trap();
  } catch (const DataError&) {}
}

void round_trip(MLContext& context, const MLGraph& graph) {
  const std::string written = webnn::text::export_model(graph);
  MLGraphBuilder builder(context);
  auto options = limited();
  options.max_bytes = 1 << 20;
  const auto model = webnn::text::import_model(builder, written, options, {});
  const MLGraph again = builder.build(model.outputs);
  if (!(again.graph() == graph.graph())) __builtin_trap();
  if (webnn::text::export_model(again) != written) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // One of eight is built, for that takes the longest.
  std::uint8_t sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum = static_cast<std::uint8_t>(sum + data[i]);
  static MLContext context({.threads = 1, .backends = {"reference"}});
  // Exactly as many bytes, so that the sanitizer sees a read beyond them.
  const std::vector<char> bytes(data, data + size);
  const std::string_view file(bytes.data(), bytes.size());
  format(file);
  try {
    MLGraphBuilder builder(context);
    const auto model = webnn::text::import_model(builder, file, limited(), "fuzz");
    if (sum % 8 != 0 || !is_small(builder, model.outputs)) return 0;
    const MLGraph graph = builder.build(model.outputs);
    round_trip(context, graph);
  } catch (const Error&) {}
  return 0;
}
