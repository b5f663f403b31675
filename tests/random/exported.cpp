#include "tests/random/exported.h"

#include "webnn/passes.h"
#ifdef WEBNN_TEST_EXECUTORCH
#include "webnn/executorch.h"
#endif
#ifdef WEBNN_TEST_GRAPHINFO
#include "webnn/graphinfo.h"
#endif
#ifdef WEBNN_TEST_NNRT
#include "webnn/nnrt.h"
#endif
#ifdef WEBNN_TEST_ONNX
#include "webnn/onnx.h"
#endif
#ifdef WEBNN_TEST_TEXT
#include "webnn/text.h"
#endif
#ifdef WEBNN_TEST_TFLITE
#include "webnn/tflite.h"
#endif

namespace webnn::test {
namespace {

template <class Write, class Read>
std::optional<MLGraph> through(const Graph& graph, const MLContext& context, Write write,
                               Read read) {
  const MLGraph plain = build_graph(context, graph, {});
  std::optional<decltype(write(plain))> file;
  try {
    file = write(plain);
  } catch (const NotSupportedError&) { return std::nullopt; }
  MLGraphBuilder b(context);
  return b.build(read(b, *file).outputs);
}

#define WEBNN_BYTES(format, rounding)                                                       \
  FileFormat {                                                                              \
#format, rounding, [](const Graph& graph, const MLContext& context) {                     \
      return through(                                                                         \
          graph, context, [](const MLGraph& g) { return format::export_model(g); },           \
          [](MLGraphBuilder& b, const auto& file) { return format::import_model(b, file); }); \
    } \
  }
#define WEBNN_TEXT(format, rounding)                                              \
  FileFormat {                                                                    \
#format, rounding, [](const Graph& graph, const MLContext& context) {           \
      return through(                                                               \
          graph, context, [](const MLGraph& g) { return format::export_model(g); }, \
          [](MLGraphBuilder& b, const auto& file) {                                 \
            return format::import_model(b, file, {}, #format);                      \
          });                                                                       \
    } \
  }

const std::vector<FileFormat> all{
#ifdef WEBNN_TEST_EXECUTORCH
    WEBNN_BYTES(executorch, Rounding::everywhere),
#endif
#ifdef WEBNN_TEST_GRAPHINFO
    WEBNN_TEXT(graphinfo, Rounding::documented),
#endif
#ifdef WEBNN_TEST_NNRT
    WEBNN_BYTES(nnrt, Rounding::everywhere),
#endif
#ifdef WEBNN_TEST_ONNX
    WEBNN_BYTES(onnx, Rounding::everywhere),
#endif
#ifdef WEBNN_TEST_TEXT
    WEBNN_TEXT(text, Rounding::documented),
#endif
#ifdef WEBNN_TEST_TFLITE
    WEBNN_BYTES(tflite, Rounding::documented),
#endif
};

}  // namespace

std::span<const FileFormat> file_formats() { return all; }

}  // namespace webnn::test
