// Exported graphs with open dimensions, run by ONNX Runtime at several sizes: it computes what the
// graphs compute, and refuses the sizes that they refuse. With WEBNN_ONNXRUNTIME_NODE=DIR.
#include "tests/formats/onnx/exported.h"
#include "tests/formats/onnx/onnxruntime.h"
#include "tests/formats/onnx/open_exports.h"

using namespace webnn;
using namespace webnn::onnx::test;

namespace {

struct Run {
  std::string name;
  std::vector<Tensor> expected;  // none where the graph refuses
};

std::string json_of(const Dims& shape) {
  std::string s;
  for (const std::uint32_t d : shape) s += (s.empty() ? "" : ",") + std::to_string(d);
  return "[" + s + "]";
}

}  // namespace

TEST_CASE("onnxruntime computes the same at open sizes", "[.][onnxruntime]") {
  if (!std::getenv("WEBNN_ONNXRUNTIME_NODE")) {
    WARN("WEBNN_ONNXRUNTIME_NODE is not set");
    return;
  }
  const Folder folder;
  const MLContext context = webnn::test::plain_context();
  std::vector<Run> runs;
  for (const OpenExport& c : open_exports()) {
    MLGraphBuilder b(context);
    const MLGraph graph = b.build(c.build(b));
    const auto bytes = onnx::export_model(graph);
    const auto add = [&](const OpenInputs& inputs, std::vector<Tensor> expected) {
      write(file_of(folder, runs.size(), "onnx"), bytes);
      std::size_t i = 0;
      for (const auto& [name, d] : graph.inputs()) {
        const Tensor& x = inputs.at(name);
        const std::string file = "in" + std::to_string(i++);
        write(file_of(folder, runs.size(), file), x.bytes);
        write(file_of(folder, runs.size(), file + ".shape"), bytes_of(json_of(x.shape)));
      }
      runs.push_back({c.name, std::move(expected)});
    };
    for (const OpenInputs& inputs : c.taken) add(inputs, run(context, graph, inputs));
    for (const OpenInputs& inputs : c.refused) add(inputs, {});
  }
  run_all(folder, runs.size());
  for (std::size_t n = 0; n < runs.size(); ++n) {
    const auto& [name, expected] = runs[n];
    CAPTURE(n, name);
    const std::string error = text_of(file_of(folder, n, "error"));
    if (expected.empty()) {
      CHECK(error != "");
      continue;
    }
    CHECK(error == "");
    for (std::size_t i = 0; error.empty() && i < expected.size(); ++i) {
      const std::string bytes = text_of(file_of(folder, n, "out" + std::to_string(i)));
      const auto view = std::as_bytes(std::span(bytes));
      REQUIRE(bytes.size() == expected[i].bytes.size());
      const Tensor y{expected[i].type, expected[i].shape, {view.begin(), view.end()}};
      CHECK((y.bytes == expected[i].bytes || is_near(y, expected[i])));
    }
  }
}
