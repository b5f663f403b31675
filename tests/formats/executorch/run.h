// Imports a file of a test and runs it, on the reference kernels.
#pragma once

#include "tests/formats/executorch/writer.h"
#include "tests/support/builder.h"
#include "tests/support/tensor.h"
#include "tests/support/thrown.h"
#include "webnn/executorch.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::executorch::test {

using webnn::test::Tensor;

/// The outputs; inputs are in the file's order.
std::vector<Tensor> run(std::span<const std::byte> file, std::span<const Tensor> inputs,
                        const ImportOptions& options = {},
                        MLContext context = webnn::test::plain_context());
/// The outputs of a graph that was built; inputs are found by name.
std::vector<Tensor> compute(MLContext context, const MLGraph& graph, const Model& model,
                            std::span<const Tensor> inputs);

/// What the importer says of a file that it refuses.
inline std::string refusal(const Bytes& file, const ImportOptions& o = {}) {
  return webnn::test::thrown([&] {
    MLGraphBuilder b(webnn::test::plain_context());
    import_model(b, file, o);
  });
}

}  // namespace webnn::inline v0_1::executorch::test
