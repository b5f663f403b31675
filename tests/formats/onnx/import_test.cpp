// What the importer does with options, inputs that decide shapes, and builders.
#include "tests/formats/onnx/run.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::onnx;
using namespace webnn::onnx::test;
using webnn::test::tensor;
using enum ElementType;

namespace {

/// reshape(x, shape) of two inputs.
Writer reshape() {
  Writer w;
  w.input("x", {"6"}).input("shape", {"2"}, INT64).output("y");
  w.node("Reshape", {"x", "shape"}, {"y"}, {}, {}, "fold");
  return w;
}
Writer open_batch() {
  Writer w;
  w.input("x", {"batch", "3"}).output("y").node("Relu", {"x"}, {"y"});
  return w;
}
ImportOptions::Value ints(const std::vector<std::int64_t>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {{static_cast<std::uint32_t>(values.size())}, {bytes.begin(), bytes.end()}};
}

}  // namespace

TEST_CASE("onnx: inputs and outputs have the names of the file, operators those of the nodes") {
  Writer w;
  w.input("x", {"2"}).output("y").output("x2");
  w.node("Neg", {"x"}, {"x2"}).node("Exp", {"x2"}, {"y"}, {}, {}, "the_exp");
  webnn::test::Builder b;
  const Model m = import_model(b, w.file());
  CHECK(m.inputs.at(0).name == "x");
  CHECK(m.outputs.at(0).name == "y");
  CHECK(m.outputs.at(1).name == "x2");
  const MLGraph graph = b.build(m.outputs);
  CHECK(graph.graph().node(0).label() == "x2");  // the result's where a node has no name
  CHECK(graph.graph().node(1).label() == "the_exp");
}

TEST_CASE("onnx: dimensions with names") {
  const auto file = open_batch().file();
  webnn::test::Builder b;
  CHECK(import_model(b, file, {.dimensions = {{"batch", 4}}}).input("x").shape() == Dims{4, 3});
  webnn::test::Builder c;
  CHECK(import_model(c, file, {.shapes = {{"x", {5, 3}}}}).input("x").shape() == Dims{5, 3});
  webnn::test::Builder d;
  CHECK((import_model(d, file).input("x").dimensions() == MLDimensions{"batch", 3}));
  CHECK(refusal(file, {.dimensions = {{"width", 4}}}) ==
        "TypeError onnx: no input has a dimension named \"width\".");
  CHECK(refusal(file, {.shapes = {{"x", {5, 4}}}}) ==
        "TypeError onnx: input \"x\": dimension 1 of the shape given is 4, but the file says 3.");
}

TEST_CASE("onnx: an input whose value decides a shape") {
  const auto file = reshape().file();
  CHECK(refusal(file) ==
        "NotSupportedError onnx: node 0 \"fold\" (Reshape-17): its input 1 (\"shape\") has to be "
        "known, but follows from the model's input \"shape\" (int64 [2]): give its value to the "
        "import, in the option values.");
  webnn::test::Builder b;
  const Model m = import_model(b, file, {.constants = {{"shape", ints({2, 3})}}});
  CHECK(m.output("y").shape() == Dims{2, 3});
  CHECK(m.inputs.size() == 1);
  webnn::test::Builder c;  // only those of the given values that are needed are used
  const std::vector<float> six(6);
  const auto bytes = std::as_bytes(std::span(six));
  const Model n = import_model(
      c, file, {.values = {{"shape", ints({3, 2})}, {"x", {{6}, {bytes.begin(), bytes.end()}}}}});
  CHECK(n.output("y").shape() == Dims{3, 2});
  CHECK(n.inputs.size() == 1);
  CHECK(n.inputs[0].name == "x");
  CHECK(refusal(file, {.constants = {{"shape", {{2}, std::vector<std::byte>(3)}}}}) ==
        "TypeError onnx: input \"shape\": the values given have 3 bytes, which is not the size of "
        "shape [2] and type int64.");
}

TEST_CASE("onnx: an input without elements has one value") {
  Writer w;
  w.input("x", {"2", "3"}).input("axes", {"0"}, INT64).output("y");
  w.node("ReduceSum", {"x", "axes"}, {"y"}, {attribute("keepdims", 0)});
  webnn::test::Builder b;
  const Model m = import_model(b, w.file());
  CHECK(m.output("y").shape().empty());  // no axes are all of them
  REQUIRE(m.inputs.size() == 1);
  CHECK(m.inputs[0].name == "x");

  Writer open;
  open.input("x", {"batch", "0"}).output("y").node("Relu", {"x"}, {"y"});
  const std::string zero =
      "NotSupportedError onnx: input \"x\": its dimension 1 is 0, which WebNN does not allow.";
  CHECK(refusal(open.file()) == zero);
  CHECK(refusal(open.file(), {.dimensions = {{"batch", 2}}}) == zero);
}

TEST_CASE("onnx: outputs cut a head off, inputs join two models") {
  Writer w;
  w.input("x", {"2"}).output("y");
  w.node("Neg", {"x"}, {"middle"}).node("Nonsense", {"middle"}, {"y"});
  webnn::test::Builder b;
  const Model first = import_model(b, w.file(), {.outputs = {"middle"}});
  Writer second;
  second.input("z", {"2"}).output("out").node("Abs", {"z"}, {"out"});
  const Model m = import_model(b, second.file(), {.inputs = {{"z", first.output("middle")}}});
  CHECK(m.input("z").is(first.output("middle")));
  CHECK(refusal(w, {.outputs = {"nothing"}}) == "TypeError onnx: there is no value \"nothing\".");
}

TEST_CASE("onnx: outputs without elements are named, and can be left out") {
  Writer w;
  w.input("x", {"2"}).output("none").output("y").output("nothing");
  w.initializer(floats("none", {0}, {})).initializer(floats("nothing", {2, 0}, {}));
  w.node("Relu", {"x"}, {"y"});
  CHECK(refusal(w) ==
        "NotSupportedError onnx: \"none\", \"nothing\": these outputs have no elements, which "
        "WebNN does not allow; the option outputs can name the other outputs alone.");
  webnn::test::Builder b;
  CHECK(import_model(b, w.file(), {.outputs = {"y"}}).outputs.size() == 1);
}

TEST_CASE("onnx: operands take the place of results") {
  Writer w;
  w.input("x", {"rows", "2"}).output("y").output("z");
  w.node("Nonsense", {"x"}, {"middle", "z"}).node("Add", {"middle", "x"}, {"y"});
  webnn::test::Builder b;
  const MLOperand x = b.input("x", {float32, {"rows", 2}}),
                  middle = b.input("m", {float32, {"rows", 2}});
  const Model m =
      import_model(b, w.file(), {.inputs = {{"x", x}, {"middle", middle}}, .outputs = {"y"}});
  CHECK(m.inputs.size() == 1);
  const MLGraph graph = b.build(m.outputs);
  std::vector<float> y(4);
  b.context().compute(graph,
                      {{"x", {std::vector<float>{1, 2, 3, 4}, {2, 2}}},
                       {"m", {std::vector<float>{10, 20, 30, 40}, {2, 2}}}},
                      {{"y", {y, {2, 2}}}});
  CHECK(y == std::vector<float>{11, 22, 33, 44});
  // Another result of that node is still refused.
  webnn::test::Builder c;
  const MLOperand other = c.input("m", {float32, {"rows", 2}});
  const auto refused = [&](const ImportOptions& options) {
    return webnn::test::thrown([&] { import_model(c, w.file(), options); });
  };
  CHECK(refused({.inputs = {{"middle", other}}}) ==
        "NotSupportedError onnx: node 0 (Nonsense-17): it has no WebNN counterpart.");
  CHECK(refused({.inputs = {{"middle", middle}}, .outputs = {"y"}}) ==
        "TypeError onnx: value \"middle\": the given operand belongs to another builder.");
  CHECK(refused({.inputs = {{"nowhere", other}}}) ==
        "TypeError onnx: there is no input \"nowhere\"; the model has \"x\" (float32 [\"rows\", "
        "2]).");
}

TEST_CASE("onnx: all that is not supported is in one message, and the builder stays as it was") {
  Writer w;
  w.input("x", {"2"}).input("s", {"2"}, STRING).output("y").output("z");
  w.node("Nonsense", {"x"}, {"a"}, {}, {}, "first").node("Abs", {"a"}, {"y"});
  w.node("StringConcat", {"x"}, {"z"}, {}, {}, "second");
  webnn::test::Builder b;
  const std::string message = webnn::test::thrown([&] { import_model(b, w.file()); });
  CHECK(message ==
        "NotSupportedError onnx: input \"s\": WebNN has no type for STRING; node 0 \"first\" "
        "(Nonsense-17): it has no WebNN counterpart; node 2 \"second\" (StringConcat-17): it has "
        "no WebNN "
        "counterpart.");
  const MLOperand x = b.input("x", {float32, {2}});  // the name is free again
  CHECK(b.build({{"y", b.abs(x)}}).graph().size() == 1);
}

TEST_CASE("onnx: operator sets") {
  Writer w = open_batch();
  const ImportOptions o{.dimensions = {{"batch", 1}}};
  w.opset = 27;
  CHECK(refusal(w, o) == "nothing");
  w.opset = 28;
  CHECK(refusal(w, o) ==
        "NotSupportedError onnx: node 0 (Relu-28): the operator set (28) is not one of 1 to 27.");
  Writer gelu;
  gelu.opset = 19;
  gelu.input("x", {"1"}).output("y").node("Gelu", {"x"}, {"y"});
  CHECK(refusal(gelu) ==
        "DataError onnx: node 0 (Gelu-19): the operator is in operator set 20 and later.");
}

TEST_CASE("onnx: an attribute that is not known is an error, not ignored") {
  Writer w;
  w.input("x", {"2"}).output("y").node("Relu", {"x"}, {"y"}, {attribute("slope", 2)});
  CHECK(refusal(w) ==
        "NotSupportedError onnx: node 0 (Relu-17): its attribute \"slope\" is not "
        "one that is known.");
}

TEST_CASE("onnx: constants of DOUBLE become float32, inputs of DOUBLE when asked") {
  Writer w;
  w.input("x", {"2"}).output("y");
  w.initializer(onnx::test::tensor("d", DOUBLE, {2}, std::vector<double>{0.5, -3}));
  w.node("Add", {"x", "d"}, {"y"});
  const auto y = run(w.file(), {{"x", tensor(float32, {2}, {1, 1})}});
  CHECK(y.at(0).bytes == tensor(float32, {2}, {1.5, -2}).bytes);
  Writer wide;
  wide.input("x", {"1"}, DOUBLE).output("y").node("Neg", {"x"}, {"y"});
  CHECK(refusal(wide) ==
        "NotSupportedError onnx: input \"x\": WebNN has no type for DOUBLE "
        "(the option narrow_double of webnn/onnx.h makes it float32).");
  CHECK(refusal(wide, {.narrow_double = true}) == "nothing");
}

TEST_CASE("onnx: scales of any shape make dequantizeLinear and quantizeLinear of constants") {
  for (const Ints& dims : {Ints{}, Ints{1}, Ints{3}}) {
    const std::size_t n = dims == Ints{3} ? 3 : 1;
    Writer w;
    w.input("x", {"2", "3"}).output("y");
    w.initializer(floats("scale", dims, std::vector<float>(n, 0.5f)));
    w.initializer(onnx::test::tensor("zero", INT8, dims, std::vector<std::int8_t>(n, 1)));
    w.node("QuantizeLinear", {"x", "scale", "zero"}, {"q"});
    w.node("DequantizeLinear", {"q", "scale", "zero"}, {"y"});
    webnn::test::Builder b;
    const Model m = import_model(b, w.file());
    const MLGraph graph = b.build(m.outputs);
    REQUIRE(graph.graph().size() == 2);
    const auto q = graph.graph().node(0), d = graph.graph().node(1);
    REQUIRE(q.as<ops::quantizeLinear>());
    REQUIRE(d.as<ops::dequantizeLinear>());
    CHECK(q.as<ops::quantizeLinear>()->scale.constant());
    CHECK(q.as<ops::quantizeLinear>()->zeroPoint.constant());
    CHECK(d.as<ops::dequantizeLinear>()->scale.constant());
  }
}

TEST_CASE("onnx: the weights of a quantized network stay integers, however small they are") {
  Writer w;
  w.input("x", {"1", "3", "4", "4"}, UINT8).output("y");
  w.initializer(floats("scale", {}, {0.5f})).initializer(floats("scales", {2}, {0.25f, 0.125f}));
  w.initializer(onnx::test::tensor("zero", UINT8, {}, std::vector<std::uint8_t>{128}));
  w.initializer(onnx::test::tensor("weights", INT8, {2, 3, 1, 1},
                                   std::vector<std::int8_t>{1, 2, 3, 4, 5, 6}));
  w.initializer(onnx::test::tensor("zeros", INT8, {2}, std::vector<std::int8_t>{0, 0}));
  w.initializer(onnx::test::tensor("bias", INT32, {2}, std::vector<std::int32_t>{7, -8}));
  w.node("DequantizeLinear", {"x", "scale", "zero"}, {"a"});
  w.node("DequantizeLinear", {"weights", "scales", "zeros"}, {"b"}, {attribute("axis", 0)});
  w.node("DequantizeLinear", {"bias", "scales"}, {"c"}, {attribute("axis", 0)});
  w.node("Conv", {"a", "b", "c"}, {"conv"}).node("Relu", {"conv"}, {"relu"});
  w.node("QuantizeLinear", {"relu", "scale", "zero"}, {"y"});
  webnn::test::Builder b;
  const Model m = import_model(b, w.file());
  const MLGraph graph = b.build(m.outputs);
  std::size_t dequantized = 0;
  for (std::size_t i = 0; i < graph.graph().size(); ++i)
    if (const auto* op = graph.graph().node(i).as<ops::dequantizeLinear>())
      dequantized += op->input.constant() ? 1 : 0;
  CHECK(dequantized == 2);
}
