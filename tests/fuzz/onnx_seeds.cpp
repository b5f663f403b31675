// The models of the tests.
#include "tests/formats/onnx/cases.h"
#include "tests/fuzz/custom_example.h"
#include "tests/fuzz/library_example.h"
#include "tests/fuzz/narrow_example.h"
#include "tests/fuzz/onnx_library.h"
#include "tests/fuzz/seeds.h"
#include "webnn/onnx.h"

namespace webnn::inline v0_1::fuzz {

void write_seeds(const std::filesystem::path& folder) {
  for (const onnx::test::Case& c : onnx::test::all_cases())
    write_seed(folder / c.name, c.writer.file());
  const MLContext context({.threads = 1, .backends = {"reference"}, .keepConstants = true});
  for (const bool open : {false, true}) {
    MLGraphBuilder b(context);
    write_seed(folder / (open ? "custom_open" : "custom"),
               onnx::export_model(b.build(custom_example(b, open, true))));
  }
  MLGraphBuilder b(context);
  write_seed(folder / "narrow", onnx::export_model(b.build(narrow_example(b))));
  each_onnx_library_model([&](const std::string& name, const std::vector<std::byte>& model) {
    write_seed(folder / name, model);
  });
  each_library_operator(context, [&](const std::string& name, const MLGraph& graph) {
    write_seed(folder / (name + "_exported"), onnx::export_model(graph));
  });
}

}  // namespace webnn::inline v0_1::fuzz
