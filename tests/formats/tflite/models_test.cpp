// Whole models and the outputs of the reference runtime: a folder in WEBNN_MODELS_DIR has
// NAME.tflite and, for each, ref/NAME/in_0.bin and out_0.bin.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "src/kernels/backends.h"
#include "tests/formats/tflite/run.h"
#include "tests/support/catch.h"

using namespace webnn;
using webnn::test::Tensor;

namespace {

std::vector<std::byte> read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

std::size_t largest(const Tensor& t) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < t.size(); ++i)
    if (t[i] > t[best]) best = i;
  return best;
}

/// The descriptor of the output for one image, whatever the file leaves open.
MLOperandDescriptor output_of(const MLGraph& graph, const tflite::Model& m) {
  Dims shape;
  for (const MLDimension& d : *m.inputs.at(0).operand.dimensions())
    shape.push_back(d.is_open() ? 1 : d.size());
  return graph.computeShapes({{m.inputs[0].name, shape}}).at(0).descriptor;
}

/// `units`: how far quantized results may be from the golden outputs.
void check_model(const std::filesystem::path& path, const std::filesystem::path& golden,
                 MLContextOptions options, int units) {
  MLContext context(options);
  MLGraphBuilder b(context);
  const auto m = tflite::import_model(b, path);
  const MLGraph graph = b.build(m.outputs);
  const MLOperandDescriptor y = output_of(graph, m);
  const auto x = read(golden / "in_0.bin");
  const Tensor expected{y.dataType, y.shape, read(golden / "out_0.bin")};
  REQUIRE(expected.bytes.size() == byte_length(y));
  Tensor result = expected;
  std::fill(result.bytes.begin(), result.bytes.end(), std::byte{0});
  context.compute(graph, {{m.inputs.at(0).name, x}}, {{m.outputs[0].name, result.bytes}});
  CHECK(largest(result) == largest(expected));
  const bool floats = webnn::is_float(y.dataType);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    INFO("output " << i << ": " << result[i] << ", expected " << expected[i]);
    CHECK(std::abs(result[i] - expected[i]) <= (floats ? 1e-5 * std::abs(expected[i]) : units));
  }
}

}  // namespace

TEST_CASE("tflite: models give the outputs of the reference runtime", "[.][models]") {
  const char* folder = std::getenv("WEBNN_MODELS_DIR");
  if (!folder) {
    WARN("WEBNN_MODELS_DIR is not set");
    return;
  }
  std::size_t models = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto golden = entry.path().parent_path() / "ref" / entry.path().stem();
    if (entry.path().extension() != ".tflite" || !std::filesystem::exists(golden)) continue;
    ++models;
    INFO(entry.path().filename());
    check_model(entry.path(), golden, {}, simd_backend() ? 0 : 1);
    check_model(entry.path(), golden, {.backends = {"reference"}}, 1);
  }
  CHECK(models > 0);
}
