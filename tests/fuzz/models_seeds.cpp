// A few graphs in every format that reads and writes, some with open dimensions.
#include "tests/fuzz/seeds.h"
#include "webnn/models.h"

namespace webnn::inline v0_1::fuzz {
namespace {

MLGraph open_graph(const MLContext& context, bool on_shapes) {
  MLGraphBuilder b(context);
  const MLOperand x =
      b.input("x", {float32, {"batch", 3, MLDynamicDimension{.name = "n", .maxSize = 9}}});
  MLOperand y = b.softmax(b.concat({x, x}, 1), 2);
  if (on_shapes) y = b.expandDynamic(b.reduceSum(x, {.keepDimensions = true}), b.shape(y));
  return b.build({{"y", y}});
}

}  // namespace

void write_seeds(const std::filesystem::path& folder) {
  const MLContext context({.threads = 1, .backends = {"reference"}, .keepConstants = true});
  for (const ModelFormat& format : model_formats()) {
    if (!format.imports || !format.exports) continue;
    MLGraphBuilder b(context);
    const MLOperand x = b.input("x", {float32, {1, 3}}), z = b.input("z", {float32, {1, 3}});
    const MLOperand w = b.constant({float32, {3, 2}}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f});
    const MLGraph graph =
        b.build({{"y", b.relu(b.matmul(x, w))}}, {.inputs = {{"z", z}, {"x", x}}});
    write_seed(folder / std::string(format.name), exported_bytes(graph, format.name));
    for (const bool on_shapes : {false, true}) try {
        const MLGraph open = open_graph(context, on_shapes);
        write_seed(folder / (std::string(format.name) + (on_shapes ? "_shapes" : "_open")),
                   exported_bytes(open, format.name));
      } catch (const NotSupportedError&) {}  // of a format that has only sizes
  }
}

}  // namespace webnn::inline v0_1::fuzz
