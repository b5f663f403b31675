// Custom operators in .webnn texts.
#include "tests/support/catch.h"
#include "tests/support/custom_operators.h"
#include "tests/support/thrown.h"
#include "webnn/text.h"

using namespace webnn;
using namespace webnn::test;
namespace file = webnn::text;

namespace {

const MLContext& context() {
  static const MLContext one(
      {.threads = 1, .keepConstants = true, .operators = {top_k(), scaled_sum()}});
  return one;
}
MLGraph imported(const MLContext& context, const std::string& text) {
  MLGraphBuilder b(context);
  const file::Model model = file::import_model(b, text, {}, "written");
  return b.build(model.outputs, {.inputs = model.inputs});
}
/// A text with these operators.
std::string with(const std::string& nodes) {
  return "webnn_graph \"g\" v1 {\ninputs {\nx: f32[2, 5];\n}\nnodes {\n" + nodes +
         "\n}\noutputs {\ny;\n}\n}\n";
}

}  // namespace

TEST_CASE("text: custom operators are written and read as equal graphs") {
  for (const bool open : {false, true}) {
    MLGraphBuilder b(context());
    const MLOperand x = b.input("x", {float32, {open ? MLDimension("rows") : MLDimension(2), 5}});
    const MLOperand z = b.custom(scaled_sum(), {x},
                                 {.attributes = {{"scale", 2},
                                                 {"offsets", {0.25, 3.0}},
                                                 {"mode", "a \"b\"\n\xff"},
                                                 {"names", {"n", ""}},
                                                 {"flag", true}},
                                  .label = "sum"})[0];
    const auto y = b.custom(top_k(), {z}, {.attributes = {{"k", 2}}, .label = "best"});
    const MLGraph graph = b.build({{"values", y[0]}, {"places", y[1]}});
    const std::string written = file::export_model(graph);
    CAPTURE(written);
    CHECK_THAT(written,
               ContainsSubstring("= custom(\"test.ScaledSum\", x, version=3, attributes={"));
    CHECK_THAT(written, ContainsSubstring("version=1, attributes={\"k\": 2}, label=\"best\")"));
    const MLGraph again = imported(context(), written);
    CHECK(again.graph() == graph.graph());
    CHECK(file::export_model(again) == written);
    CHECK(file::format(written) == written);
    CHECK_THAT(thrown([&] { imported(MLContext({.threads = 1}), written); }),
               ContainsSubstring("the option operators has no \"test.ScaledSum\" of version 3"));
  }
}

TEST_CASE("text: numbers that have no digits, in attributes") {
  for (const double v : {std::numeric_limits<double>::infinity(),
                         std::numeric_limits<double>::quiet_NaN(), -0.0, 1e300, 3.0}) {
    MLGraphBuilder b(context());
    const MLOperand x = b.input("x", {float32, {4}});
    const CustomAttributes attributes{{"scale", v}, {"offsets", {v, 1.0}}};
    const MLGraph graph =
        b.build({{"y", b.custom(scaled_sum(), {x}, {.attributes = attributes})[0]}});
    CHECK(imported(context(), file::export_model(graph)).graph() == graph.graph());
  }
}

TEST_CASE("text: calls of custom operators that are wrong") {
  const auto refused = [](const std::string& nodes) {
    return thrown([&] { imported(context(), with(nodes)); });
  };
  CHECK_NOTHROW(imported(context(), with("[y, z] = custom(\"test.TopK\", x);")));
  CHECK_THAT(refused("[y, z] = custom(x);"), ContainsSubstring("\"x\" is not a name in quotes"));
  CHECK_THAT(refused("[y, z] = custom();"), ContainsSubstring("there is no name"));
  CHECK_THAT(refused("[y, z] = custom(\"test.TopK\", x, k=1);"),
             ContainsSubstring("\"k\" is not one of version, attributes, label"));
  CHECK_THAT(refused("[y, z] = custom(\"test.TopK\", x, version=2);"),
             ContainsSubstring("has no \"test.TopK\" of version 2"));
  CHECK_THAT(refused("[y, z] = custom(\"test.TopK\", x, attributes={\"k\": 9});"),
             ContainsSubstring("k (9) is not from 1 to 5"));
  CHECK_THAT(refused("[y, z] = custom(\"test.TopK\", 5);"), ContainsSubstring("is not an operand"));
  CHECK_THAT(refused("y = custom(\"test.TopK\", x);"), ContainsSubstring("2 results"));
  CHECK_THAT(refused("[y, z] = custom(\"test.TopK\", x, attributes={\"k\": {\"base64\": 5}});"),
             ContainsSubstring("base64"));
}
