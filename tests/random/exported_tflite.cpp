#include "tests/random/exported.h"
#include "webnn/passes.h"
#include "webnn/tflite.h"

namespace webnn::test {

std::optional<MLGraph> exported_and_imported(const Graph& graph, const MLContext& context) {
  const MLGraph plain = build_graph(context, graph, {});
  std::vector<std::byte> bytes;
  try {
    bytes = tflite::export_model(plain);
  } catch (const NotSupportedError&) { return std::nullopt; }
  MLGraphBuilder b(context);
  return b.build(tflite::import_model(b, bytes).outputs);
}

}  // namespace webnn::test
