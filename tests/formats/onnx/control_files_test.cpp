// Operators that hold subgraphs, in files.
#include "tests/formats/onnx/control_on_data.h"
#include "webnn/compiled.h"
#include "webnn/text.h"

using namespace webnn;
using namespace webnn::onnx;
using namespace webnn::onnx::test;

TEST_CASE("onnx: an If on data in files") {
  const MLContext context = context_of(2, true);
  const MLGraph graph = built(context, with_work());
  const auto bytes = std::make_shared<const std::vector<std::byte>>(compiled::bytes_of(graph));
  const MLGraph loaded = compiled::load(context, bytes, *bytes, {}, "bytes");
  const auto files = text::export_files(graph);
  text::ImportOptions options;
  options.weights = safetensors::File::from_bytes(files.weights);
  MLGraphBuilder b(context);
  const auto m = text::import_model(b, files.text, options, "text");
  const MLGraph read = b.build(m.outputs);
  CHECK(read.graph() == graph.graph());
  for (const Tensor& x : {matrix(1), matrix(4)}) {
    check_work(run(context, loaded, {{"x", x}}), x);
    check_work(run(context, read, {{"x", x}}), x);
  }
  CHECK_THAT(webnn::test::thrown([&] { export_model(graph); }),
             ContainsSubstring("webnn.If [choice]: its subgraphs cannot be written"));
}

TEST_CASE("onnx: a Loop on data in compiled files") {
  for (const int threads : {1, 3}) {
    const MLContext context = context_of(threads);
    const MLGraph graph = built(context, halving(false));
    const auto bytes = std::make_shared<const std::vector<std::byte>>(compiled::bytes_of(graph));
    const MLGraph loaded = compiled::load(context, bytes, *bytes, {}, "bytes");
    CHECK(run(context, loaded, {{"x", number(1024)}, {"bound", number(1)}})[1][0] == 10);
  }
}

TEST_CASE("onnx: subgraphs of a text that are wrong are refused") {
  const MLContext context = context_of(1, true);
  const std::string text = text::export_model(built(context, halving(false)));
  const auto said = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const std::size_t at = changed.find(from);
    REQUIRE(at != std::string::npos);
    changed.replace(at, from.size(), to);
    return webnn::test::thrown([&] {
      MLGraphBuilder b(context);
      text::import_model(b, changed, {}, "text");
    });
  };
  CHECK(said("webnn.Loop", "webnn.Loop") == "nothing");
  CHECK_THAT(said("webnn.Loop", "webnn.If"), ContainsSubstring("it has 1 subgraphs"));
  CHECK_THAT(said("\\\"mul\\\"", "\\\"tan\\\""), ContainsSubstring("DataError"));
  CHECK_THAT(said("\\\"states\\\":2", "\\\"states\\\":1"), ContainsSubstring("DataError"));
  CHECK_THAT(said("\\\"inputs\\\":[",
                  "\\\"inputs\\\":["
                  "[\\\"int64\\\",[]],"),
             ContainsSubstring("DataError"));
  CHECK_THAT(said("\\\"operators\\\"", "\\\"operations\\\""), ContainsSubstring("DataError"));
}
