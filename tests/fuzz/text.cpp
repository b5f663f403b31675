// libFuzzer: any text is imported or refused, and formatted. Formatting what is formatted changes
// nothing. Small graphs are written, and what is read again is equal.
#include "webnn/text.h"
#include "tests/fuzz/small_graphs.h"

namespace {

using namespace webnn;

webnn::text::ImportOptions limited() {
  webnn::text::ImportOptions options;
  options.max_bytes = 1 << 16;
  return options;
}

/// Formatting what is formatted changes nothing, if it can be imported.
void format(std::string_view file, bool imported) {
  try {
    const std::string once = webnn::text::format(file);
    if (imported && webnn::text::format(once) != once) __builtin_trap();
  } catch (const DataError&) {
    if (imported) __builtin_trap();
  }
}

void round_trip(const MLGraph& graph) {
  const std::string written = webnn::text::export_model(graph);
  MLGraphBuilder builder(fuzz::context());
  auto options = limited();
  options.max_bytes = 1 << 20;
  const auto model = webnn::text::import_model(builder, written, options, {});
  const MLGraph again = builder.build(model.outputs, {.inputs = model.inputs});
  // What is known of open sizes depends on operators that no output needs.
  if (!graph.is_open() && !(again.graph() == graph.graph())) __builtin_trap();
  if (webnn::text::export_model(again) != written) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Exactly as many bytes, so that the sanitizer sees a read beyond them.
  const std::vector<char> bytes(data, data + size);
  const std::string_view file(bytes.data(), bytes.size());
  bool imported = false;
  try {
    MLGraphBuilder builder(fuzz::context());
    const auto model = webnn::text::import_model(builder, file, limited(), "fuzz");
    imported = true;
    format(file, true);
    if (!fuzz::is_run(data, size) || !fuzz::is_small(builder, model.outputs)) return 0;
    const MLGraph graph = builder.build(model.outputs, {.inputs = model.inputs});
    round_trip(graph);
    if (graph.is_open()) fuzz::run(fuzz::context(), graph);
  } catch (const Error&) {}
  if (!imported) format(file, false);
  return 0;
}
