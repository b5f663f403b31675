// libFuzzer: any text is imported or refused. Small graphs are written, read again and written, and
// that is a text that is read and written as it is.
#include "webnn/graphinfo.h"
#include "tests/fuzz/small_graphs.h"

namespace {

using namespace webnn;

MLGraph imported(const std::string& file) {
  MLGraphBuilder builder(fuzz::context());
  const auto model = graphinfo::import_model(builder, file, {}, {});
  return builder.build(model.outputs, {.inputs = model.inputs});
}

void round_trip(const MLGraph& graph) {
  std::string written;
  try {
    written = graphinfo::export_model(graph);
  } catch (const TypeError&) { return; }  // names that are not UTF-8
  const std::string once = graphinfo::export_model(imported(written));
  const std::string again = graphinfo::export_model(imported(once));
  // The names of open results follow from the order of the operators.
  if (!graph.is_open() && again != once) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Exactly as many bytes, so that the sanitizer sees a read beyond them.
  const std::vector<char> bytes(data, data + size);
  graphinfo::ImportOptions options;
  options.max_bytes = 1 << 22;
  try {
    MLGraphBuilder builder(fuzz::context());
    const auto model = graphinfo::import_model(
        builder, std::string_view(bytes.data(), bytes.size()), options, "fuzz");
    // One of eight is built, for that takes the longest.
    if (!fuzz::is_run(data, size) || !fuzz::is_small(builder, model.outputs)) return 0;
    const MLGraph graph = builder.build(model.outputs, {.inputs = model.inputs});
    round_trip(graph);
    if (graph.is_open()) fuzz::run(fuzz::context(), graph);
  } catch (const Error&) {}
  return 0;
}
