// libFuzzer: any bytes are loaded or refused, as a file, and as the sections of a file whose header
// is right. Small graphs are run.
#include "webnn/compiled.h"
#include "tests/fuzz/compiled_file.h"
#include "tests/fuzz/small_graphs.h"

using namespace webnn;

namespace {

void load(MLContext& context, std::span<const std::byte> from, bool runs) {
  // Exactly as many bytes, so that the sanitizer sees a read beyond them.
  const auto owner = std::make_shared<fuzz::Bytes>(from.begin(), from.end());
  try {
    const MLGraph graph = compiled::load(context, owner, *owner, {}, "file");
    if (runs && fuzz::is_small(graph.graph())) fuzz::run(context, graph);
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
