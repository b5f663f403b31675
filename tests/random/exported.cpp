#include "tests/random/exported.h"

#include "webnn_test_formats.h"  // generated

namespace webnn::inline v0_1::test {
namespace {

template <class Write, class Read>
std::optional<MLGraph> through(const MLGraph& graph, const MLContext& context, Write write,
                               Read read) {
  std::optional<decltype(write(graph))> file;
  try {
    file = write(graph);
  } catch (const NotSupportedError&) { return std::nullopt; }
  MLGraphBuilder b(context);
  const auto model = read(b, *file);
  return b.build(model.outputs, {.inputs = model.inputs});
}

#define WEBNN_FORMAT(format)                                                                 \
  FileFormat{#format, [](const MLGraph& graph, const MLContext& context) {                   \
               return through(                                                               \
                   graph, context, [](const MLGraph& g) { return format::export_model(g); }, \
                   [](MLGraphBuilder& b, const auto& file) {                                 \
                     if constexpr (std::is_same_v<decltype(file), const std::string&>)       \
                       return format::import_model(b, file, {}, "text");                     \
                     else return format::import_model(b, file);                              \
                   });                                                                       \
             }},

const std::vector<FileFormat> all{WEBNN_TEST_FORMATS(WEBNN_FORMAT)};

}  // namespace

std::span<const FileFormat> file_formats() { return all; }

}  // namespace webnn::inline v0_1::test
