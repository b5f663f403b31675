// The models of the tests.
#include "tests/formats/onnx/cases.h"
#include "tests/fuzz/seeds.h"

namespace webnn::inline v0_1::fuzz {

void write_seeds(const std::filesystem::path& folder) {
  for (const onnx::test::Case& c : onnx::test::all_cases())
    write_seed(folder / c.name, c.writer.file());
}

}  // namespace webnn::inline v0_1::fuzz
