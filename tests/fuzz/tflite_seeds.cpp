// The models of the tests, and what the exporter makes of them.
#include "tests/formats/tflite/cases.h"
#include "tests/fuzz/custom_example.h"
#include "tests/fuzz/library_example.h"
#include "tests/fuzz/seeds.h"
#include "tests/fuzz/tflite_library.h"
#include "webnn/tflite.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::fuzz {
namespace {

/// Nothing where TFLite cannot express the model.
std::vector<std::byte> exported(MLContext& context, std::span<const std::byte> model) {
  try {
    MLGraphBuilder builder(context);
    const tflite::Model m = tflite::import_model(builder, model);
    return tflite::export_model(builder.build(m.outputs));
  } catch (const Error&) { return {}; }
}

/// The model with all dimensions of its inputs open.
std::vector<std::byte> opened(tflite::test::Case& c) {
  auto& w = c.writer;
  for (const int i : w.graph().inputs)
    w.tensor(i).shape_signature.assign(w.tensor(i).shape.size(), -1);
  return w.file();
}

}  // namespace

void write_seeds(const std::filesystem::path& folder) {
  MLContext context({.threads = 1, .backends = {"reference"}});
  for (tflite::test::Case& c : tflite::test::all_cases()) {
    const auto model = c.writer.file();
    write_seed(folder / c.name, model);
    if (const auto again = exported(context, model); !again.empty())
      write_seed(folder / (c.name + "_exported"), again);
    write_seed(folder / (c.name + "_opened"), opened(c));
  }
  MLContext kept({.threads = 1, .backends = {"reference"}, .keepConstants = true});
  for (const bool open : {false, true}) {
    MLGraphBuilder b(kept);
    write_seed(folder / (open ? "custom_open" : "custom"),
               tflite::export_model(b.build(custom_example(b, open))));
  }
  each_tflite_library_model([&](const std::string& name, const std::vector<std::byte>& model) {
    write_seed(folder / name, model);
  });
  each_library_operator(kept, [&](const std::string& name, const MLGraph& graph) {
    write_seed(folder / name, tflite::export_model(graph));
  });
}

}  // namespace webnn::inline v0_1::fuzz
