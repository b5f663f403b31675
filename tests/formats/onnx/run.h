// Runs a model of a test by importing it.
#pragma once

#include <map>

#include "tests/formats/onnx/writer.h"
#include "tests/support/builder.h"
#include "tests/support/tensor.h"
#include "tests/support/thrown.h"
#include "webnn/onnx.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::onnx::test {

using webnn::test::Tensor;
using Doubles = std::vector<double>;

inline Doubles elements(const Tensor& y) {
  Doubles list;
  for (std::size_t i = 0; i < y.size(); ++i) list.push_back(y[i]);
  return list;
}

/// The outputs of an imported model, on the reference kernels unless a context is given.
std::vector<Tensor> run(std::span<const std::byte> model,
                        const std::map<std::string, Tensor>& inputs,
                        const ImportOptions& options = {},
                        MLContext context = webnn::test::plain_context());
/// The outputs of what was imported with `builder`.
std::vector<Tensor> run(MLGraphBuilder builder, const Model& model,
                        const std::map<std::string, Tensor>& inputs);

/// The outputs of a graph.
std::vector<Tensor> run(MLContext context, const MLGraph& graph,
                        const std::map<std::string, Tensor>& inputs);

/// What the importer says of a file that it refuses.
inline std::string refusal(const std::vector<std::byte>& file, const ImportOptions& o = {}) {
  return webnn::test::thrown([&] {
    MLGraphBuilder b(webnn::test::plain_context());
    import_model(b, file, o);
  });
}
inline std::string refusal(const Writer& w, const ImportOptions& o = {}) {
  return refusal(w.file(), o);
}

}  // namespace webnn::inline v0_1::onnx::test
