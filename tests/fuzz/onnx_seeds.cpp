// The models of the tests.
#include "tests/formats/onnx/cases.h"
#include "tests/fuzz/custom_example.h"
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
}

}  // namespace webnn::inline v0_1::fuzz
