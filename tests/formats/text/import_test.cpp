// Texts as other programs and people write them, and what is said of wrong ones.
#include <cstring>

#include "src/graph/graph_data.h"
#include "tests/support/builder.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/text.h"

using namespace webnn;
using webnn::text::ImportOptions;
namespace file = webnn::text;

namespace {

/// A graph of these operators with inputs x float32 [2, 4], i int32 [3], and outputs.
std::string graph(const std::string& nodes, const std::string& outputs = "y;") {
  return "webnn_graph \"g\" v1 {\n  inputs { x: f32[2, 4]; i: i32[3]; }\n  nodes {\n    " + nodes +
         "\n  }\n  outputs { " + outputs + " }\n}\n";
}
std::string printed(const std::string& written, const ImportOptions& options = {}) {
  MLGraphBuilder b(test::plain_context());
  const auto model = file::import_model(b, written, options, "t");
  return to_text(b.build(model.outputs).graph());
}
std::string message(const std::string& written, const ImportOptions& options = {}) {
  return test::thrown([&] {
    MLGraphBuilder b(test::plain_context());
    file::import_model(b, written, options, "t");
  });
}
bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("import: operands of options are names or strings") {
  const std::string scale = "s = reshape(i, newShape=[3]); c = cast(s, dataType=\"float32\"); ";
  const std::string a = printed(graph(scale + "m = slice(c, starts=[0], sizes=[2]); y = "
                                              "batchNormalization(x, m, m, scale=m, axis=0);"));
  CHECK(a == printed(graph(scale + "m = slice(c, starts=[0], sizes=[2]); y = "
                                   "batchNormalization(\"x\", m, \"m\", scale=\"m\", axis=0);")));
  CHECK(contains(a, "scale="));
  // Operands of options that follow the arguments.
  CHECK(a == printed(graph(scale + "m = slice(c, starts=[0], sizes=[2]); y = "
                                   "batchNormalization(x, m, m, m, axis=0);")));
}

TEST_CASE("import: lists of operands, one by one or as a list") {
  const std::string a = printed(graph("y = concat(x, x, axis=1);"));
  CHECK(a == printed(graph("y = concat([x, x], axis=1);")));
  CHECK(a == printed(graph("y = concat(x, x, 1);")));
  CHECK(a == printed(graph("y = concat(inputs=[x, \"x\"], axis=1);")));
  CHECK(printed(graph("y = softmax(x, 1);")) == printed(graph("y = softmax(x, axis=1);")));
}

TEST_CASE("import: one dimension of reshape may be -1") {
  CHECK(printed(graph("y = reshape(x, newShape=[2, -1, 1]);")) ==
        printed(graph("y = reshape(x, newShape=[2, 4, 1]);")));
  CHECK(printed(graph("y = reshape(x, [-1]);")) == printed(graph("y = reshape(x, newShape=[8]);")));
  CHECK(contains(message(graph("y = reshape(x, newShape=[-1, -1]);")),
                 "reshape: newShape has more than one -1"));
  CHECK(contains(message(graph("y = reshape(x, newShape=[3, -1]);")),
                 "reshape: newShape: 8 elements are not a multiple of 3"));
  CHECK(contains(message(graph("y = reshape(x, newShape=[0, -1]);")),
                 "reshape: newShape: 8 elements are not a multiple of 0"));
  CHECK(contains(message(graph("y = expand(x, newShape=[-1, 4]);")), "expand: newShape"));
}

TEST_CASE("import: axes counted from the end") {
  CHECK(printed(graph("y = softmax(x, axis=-1);")) == printed(graph("y = softmax(x, axis=1);")));
  CHECK(printed(graph("y = softmax(x, -2);")) == printed(graph("y = softmax(x, axis=0);")));
  CHECK(printed(graph("y = concat(x, x, axis=-1);")) ==
        printed(graph("y = concat(x, x, axis=1);")));
  CHECK(printed(graph("y = reduceMean(x, axes=[-1, 0]);")) ==
        printed(graph("y = reduceMean(x, axes=[1, 0]);")));
  CHECK(contains(message(graph("y = softmax(x, axis=-3);")), "softmax: axis: -3"));
}

TEST_CASE("import: squeeze and unsqueeze of other programs") {
  CHECK(printed(graph("y = unsqueeze(x, axes=[0]);")) ==
        printed(graph("y = reshape(x, newShape=[1, 2, 4]);")));
  CHECK(printed(graph("y = unsqueeze(x, axes=[-1, 1]);")) ==
        printed(graph("y = reshape(x, newShape=[2, 1, 4, 1]);")));
  CHECK(printed(graph("y = unsqueeze(x, 2);")) == printed(graph("y = reshape(x, [2, 4, 1]);")));
  CHECK(printed(graph("y = unsqueeze(x, -3);")) == printed(graph("y = reshape(x, [1, 2, 4]);")));
  const std::string before = "a = reshape(x, newShape=[1, 2, 1, 4]); ";
  CHECK(printed(graph(before + "y = squeeze(a, axes=[-2]);")) ==
        printed(graph(before + "y = reshape(a, newShape=[1, 2, 4]);")));
  CHECK(printed(graph(before + "y = squeeze(a, label=\"s\");")) ==
        printed(graph(before + "y = reshape(a, newShape=[2, 4], label=\"s\");")));
  CHECK(contains(message(graph("y = unsqueeze(x);")), "unsqueeze: there is no axes"));
  CHECK(contains(message(graph("y = squeeze();")), "squeeze: there is no input"));
  CHECK(contains(message(graph("y = squeeze(x, axes=[0]);")),
                 "squeeze: dimension 0 of [2, 4] is not 1"));
  CHECK(contains(message(graph("y = unsqueeze(x, axes=[3]);")),
                 "unsqueeze: axis 3 is given twice or not one of 3 dimensions"));
  CHECK(contains(message(graph("y = unsqueeze(x, axes=[0, 0]);")),
                 "unsqueeze: axis 0 is given twice or not one of 4 dimensions"));
  CHECK(contains(message(graph("y = unsqueeze(x, axes=[\"a\"]);")), "unsqueeze: axes: "));
  std::string many = "0";
  for (int i = 1; i < 100000; ++i) many += ", " + std::to_string(i);
  CHECK(contains(message(graph("y = unsqueeze(x, axes=[" + many + "]);")),
                 "unsqueeze: the rank of the result (100002) exceeds 8"));
}

TEST_CASE("import: automatic padding of earlier drafts") {
  const auto of = [](const std::string& call) {
    return "webnn_graph \"g\" v1 { inputs { x: f32[1, 1, 5, 6]; f: f32[1, 1, 3, 2]; } nodes { y "
           "= " +
           call + "; } outputs { y; } }";
  };
  const std::pair<const char*, const char*> same[] = {
      {"conv2d(x, f, strides=[2, 2], autoPad=\"same-upper\")",
       "conv2d(x, f, strides=[2, 2], padding=[1, 1, 0, 0])"},
      {"conv2d(x, f, autoPad=\"same-upper\")", "conv2d(x, f, padding=[1, 1, 0, 1])"},
      {"conv2d(x, f, autoPad=\"same-lower\", dilations=[1, 2])",
       "conv2d(x, f, padding=[1, 1, 1, 1], dilations=[1, 2])"},
      {"conv2d(x, f, autoPad=\"same-lower\")", "conv2d(x, f, padding=[1, 1, 1, 0])"},
      {"conv2d(x, f, autoPad=\"explicit\", padding=[1, 0, 0, 0])",
       "conv2d(x, f, padding=[1, 0, 0, 0])"},
      {"convTranspose2d(x, f, autoPad=\"same-upper\", strides=[2, 2])",
       "convTranspose2d(x, f, padding=[0, 1, 0, 0], strides=[2, 2], outputSizes=[10, 12])"},
      {"maxPool2d(x, autoPad=\"same-upper\", windowDimensions=[2, 3], strides=[2, 1])",
       "maxPool2d(x, windowDimensions=[2, 3], strides=[2, 1], padding=[0, 1, 1, 1])"},
      {"averagePool2d(x, windowDimensions=[2, 3], strides=[2, 1], autoPad=\"same-lower\")",
       "averagePool2d(x, windowDimensions=[2, 3], strides=[2, 1], padding=[1, 0, 1, 1])"}};
  for (const auto& [earlier, now] : same) {
    INFO(earlier);
    CHECK(printed(of(earlier)) == printed(of(now)));
  }
  CHECK(contains(message(of("conv2d(x, f, autoPad=\"same\")")),
                 "conv2d: autoPad: \"same\" is not one of explicit, same-upper, same-lower"));
  CHECK(contains(message(of("conv2d(x, f, autoPad=\"same-upper\", strides=[0, 1])")), "strides"));
  CHECK(contains(message(of("conv2d(x, f, autoPad=\"same-upper\", autoPad=\"explicit\")")),
                 "\"autoPad\" is not one of"));
  CHECK(
      contains(message(graph("y = relu(x, autoPad=\"explicit\");")), "\"autoPad\" is not one of"));
}

TEST_CASE("import: names of other programs") {
  const std::string a = printed(graph("y = cast(x, dataType=\"float16\");"));
  CHECK(a == printed(graph("[y] = cast(x, to=\"Float16\");")));
  CHECK(a == printed(graph("y = cast(x, type=f16, metadata={from: [1, {a: null}], b: true});")));
  CHECK(printed(graph("y = isNaN(x);")) == printed(graph("y = isnan(x);")));
  CHECK(printed(graph("y = clamp(x, minValue=0.0, maxValue=null);")) ==
        printed(graph("y = clamp(x, minValue=0.0);")));
}

TEST_CASE("import: a name that is given again is the later value; another name for a value") {
  const std::string again = printed(graph("y = relu(x); y = tanh(y);"));
  CHECK(again.find("relu(%0)") < again.find("tanh(%1)"));
  const std::string two = printed(graph("a = relu(x); b = a;", "a, b"));
  CHECK(contains(two, "output \"a\""));
  CHECK(contains(two, "output \"b\""));
  // An output that is an input becomes a result.
  CHECK(contains(printed(graph("", "x")), "identity"));
}

TEST_CASE("import: blocks in any order, comments anywhere, names in comments") {
  MLGraphBuilder b(test::plain_context());
  const auto model = file::import_model(b, R"(# first
webnn_graph "a \"b\"" v 2 @quantized { # second
  outputs { y #: "y:0"
  }  // third
  nodes { y = add(x, #: "no name here"
                  c); }
  consts { c: f32[] @scalar(0.5); }
  inputs { x: f32[2]; #: "x:0\n"
  }
})",
                                        {}, "t");
  CHECK(model.name == "a \"b\"");
  CHECK(model.quantized);
  CHECK(model.inputs.at(0).name == "x:0\n");
  CHECK(model.outputs.at(0).name == "y:0");
  CHECK(model.output("y:0").shape() == Dims{2});
  const std::string named = printed(graph("y = relu(x); z = y;", "y #: \"first\"\n; z #: \"2\"\n"));
  CHECK(contains(named, "output \"first\""));
  CHECK(contains(named, "output \"2\""));
}

TEST_CASE("import: open dimensions") {
  const std::string written = R"(webnn_graph "g" v2 {
  inputs { a: f32[dyn("batch", 8), 4]; b: f32[dyn("batch", 8), 2]; }
  nodes { c = concat(a, b, axis=1);
          y = reshape(c, newShape=[6, dyn("batch", 8)]);
          z = reshape(c, newShape=[{name: "batch", maxSize: 8}, 2, 3]); }
  outputs { y; z; }
})";
  const auto shape = [&](const ImportOptions& options) {
    MLGraphBuilder b(test::plain_context());
    const auto model = file::import_model(b, written, options, "t");
    return std::pair(model.output("y").shape(), model.output("z").shape());
  };
  ImportOptions o;
  o.unknown_dimension = 1;
  CHECK(shape(o).first == Dims{6, 1});
  o.unknown_dimension = 3;
  CHECK(shape(o).second == Dims{3, 2, 3});
  o.dimensions["batch"] = 5;
  CHECK(shape(o).first == Dims{6, 5});
  o.dimensions = {{"length", 5}};
  CHECK(message(written, o) == "TypeError text [t]: there is no open dimension \"length\".");
  o = {};
  o.shapes["b"] = {7, 2};  // a is before b, and has the same dimension
  CHECK(shape(o).first == Dims{6, 7});
  o.shapes["a"] = {6, 4};
  CHECK(contains(message(written, o),
                 "TypeError text [t]: input \"b\": dimension 0 (\"batch\") is "
                 "given as 7 and as 6."));
  o = {};
  o.shapes["a"] = {9, 4};
  CHECK(message(written, o) ==
        "TypeError text [t]: dimension \"batch\" is 9, and the file allows 1 to 8.");
  o.shapes = {{"a", {1, 5}}};
  CHECK(contains(message(written, o), "dimension 1 of the shape given is 5, but the file says 4"));
  o.shapes = {{"q", {1}}};
  CHECK(contains(message(written, o), "there is no input \"q\""));
}

TEST_CASE("import: dimensions stay open") {
  const auto built = [](const std::string& nodes) {
    MLGraphBuilder b(test::plain_context());
    const auto model = file::import_model(b, R"(webnn_graph "g" v2 {
  inputs { a: f32[dyn("batch", 8), 4]; b: f32[dyn("batch", 6, 2), 2]; c: f32["rows", 6]; }
  nodes { )" + nodes + " } outputs { y; } }",
                                          {}, "t");
    return b.build(model.outputs, {.inputs = model.inputs});
  };
  const auto shape = [](const MLGraph& g, std::uint32_t batch, std::uint32_t rows = 1) {
    return g.computeShapes({{"a", {batch, 4}}, {"b", {batch, 2}}, {"c", {rows, 6}}})
        .at(0)
        .descriptor.shape;
  };
  const MLGraph joined = built("y = concat(a, b, axis=1);");
  CHECK(joined.is_open());
  CHECK(shape(joined, 5) == Dims{5, 6});
  // The bounds are those of all inputs.
  CHECK_THROWS_AS(shape(joined, 7), TypeError);
  CHECK_THROWS_AS(shape(joined, 1), TypeError);
  const std::string both = "c2 = concat(a, b, axis=1); ";
  CHECK(shape(built(both + "y = reshape(c2, newShape=[6, dyn(\"batch\", 8)]);"), 5) == Dims{6, 5});
  CHECK(shape(built(both + "y = reshape(c2, [{name: \"batch\", maxSize: 8}, 2, 3]);"), 5) ==
        Dims{5, 2, 3});
  CHECK(shape(built(both + "y = reshape(c2, newShape=[2, -1]);"), 5) == Dims{2, 15});
  CHECK(shape(built(both + "y = reshape(c2, newShape=[dyn(\"batch\", 8), 2, -1]);"), 3) ==
        Dims{3, 2, 3});
  CHECK(shape(built("s = slice(a, [0, 0], [dyn(\"batch\", 8), 1]); "
                    "y = expand(s, newShape=[dyn(\"batch\", 8), 7]);"),
              4) == Dims{4, 7});
  CHECK(shape(built("y = unsqueeze(a, axes=[-1]);"), 4) == Dims{4, 4, 1});
  CHECK(shape(built("u = unsqueeze(a, 1); y = squeeze(u, axes=-2);"), 4) == Dims{4, 4});
  CHECK(shape(built("y = softmax(c, axis=-1);"), 2, 9) == Dims{9, 6});
}

TEST_CASE("import: messages about open dimensions") {
  const auto with = [](const std::string& inputs, const std::string& nodes = "y = relu(x);") {
    return message("webnn_graph \"g\" v2 {\n inputs { " + inputs + " }\n nodes { " + nodes +
                   " }\n outputs { y } }");
  };
  CHECK(contains(with("x: f32[\"\"];"), "the name of the dimension is empty"));
  CHECK(contains(with("x: f32[dyn(\"n\", 0)];"), "the dimension (0) is not from 1 to 2147483647"));
  CHECK(contains(with("x: f32[dyn(\"n\", 4294967295)];"), "is not from 1 to 2147483647"));
  CHECK(contains(with("x: f32[dyn(\"n\", 2, 3)];"),
                 "the minimum (3) of dimension \"n\" is greater than its maximum (2)"));
  CHECK(contains(with("x: f32[dyn(\"n\", 2)]; z: f32[dyn(\"n\", 9, 3)];"),
                 "dimension \"n\" has no size: 3 at least and 2 at most"));
  CHECK(contains(with("x: f32[\"n\"];", "y = reshape(x, newShape=[dyn(\"m\", 2)]);"),
                 "no input has the dimension \"m\""));
  CHECK(contains(with("x: f32[\"n\"];", "y = reshape(x, newShape=[-1, -1]);"),
                 "newShape has more than one -1"));
  CHECK(contains(with("x: f32[1, 1, \"n\", 9]; f: f32[1, 1, 3, 3];",
                      "y = conv2d(x, f, autoPad=\"same-upper\", strides=[2, 2]);"),
                 "autoPad: the dimensions of input are open"));
  CHECK(contains(with("x: f32[\"n\", 4]; z: f32[3, 2];", "y = matmul(x, z);"), "text [t:3:"));
}

TEST_CASE("import: inputs of the builder, and other outputs") {
  MLGraphBuilder b(test::plain_context());
  ImportOptions o;
  o.inputs = {{"x", b.relu(b.input("before", {float32, {2, 4}}))}};
  o.outputs = {"h"};
  const auto model = file::import_model(b, graph("h = tanh(x); y = abs(h);"), o, "t");
  CHECK(model.outputs.size() == 1);
  const MLGraph g = b.build(model.outputs);
  CHECK(g.graph().size() == 2);
  MLGraphBuilder other(test::plain_context());
  o.inputs = {{"x", other.input("x", {float32, {2, 4}})}};
  CHECK(contains(message(graph("y = tanh(x);"), o), "TypeError text [t]: input \"x\""));
}

TEST_CASE("import: constants in the text") {
  MLGraphBuilder b(test::plain_context());
  const auto model = file::import_model(b, R"(webnn_graph "g" v1 {
  consts { f: f32[2] @scalar(0.1); h: f16[2] @scalar(-1); u: u64[1] @scalar(18446744073709551615);
           i: i4[3] @scalar(-3); z: f32[3] @scalar(0); m: u8[2] @bytes([1, 255]); s: i8[] @scalar(-7.0); }
  nodes { d = dequantizeLinear(i, z, i); }
  outputs { f; h; u; d; m; s }
})",
                                        {}, "t");
  const auto bytes = [&](const char* name) {
    const MLOperand y = model.output(name);
    const auto all = graph_of(copy(*owner_of(y), {{"y", y}})).operand(0).constant()->bytes();
    std::string s;
    for (const std::byte v : all) s += std::to_string(std::to_integer<int>(v)) + ' ';
    return s;
  };
  CHECK(bytes("f") == "205 204 204 61 205 204 204 61 ");
  CHECK(bytes("h") == "0 188 0 188 ");
  CHECK(bytes("u") == "255 255 255 255 255 255 255 255 ");
  CHECK(bytes("d") == "221 221 ");
  CHECK(bytes("m") == "1 255 ");
  CHECK(bytes("s") == "249 ");
}

TEST_CASE("import: messages have the place") {
  CHECK(message(graph("h = relu(x);\n    y = softmax(hiden, axis=1);")) ==
        "DataError text [t:5:17]: there is no operand \"hiden\".\n"
        "  y = softmax(hiden, axis=1);\n"
        "              ^");
  CHECK(message(graph("y = rleu(x);")) ==
        "DataError text [t:4:9]: there is no operator \"rleu\".\n  y = rleu(x);\n      ^");
  CHECK(contains(message(graph("y = softmax(x, axis=7, label=\"s\");")),
                 "text [t:4:9]: softmax [s]: axis (7) is not less than the rank (2) of input.\n"));
  CHECK(
      contains(message(graph("y = softmax(x, axis=\"one\");")),
               "text [t:4:25]: softmax: axis: \"one\" is not an integer from 0 to 4294967295.\n"));
  CHECK(contains(message(graph("y = softmax(x, axes=1);")),
                 "softmax: \"axes\" is not one of input, axis, label."));
  CHECK(contains(message(graph("y = softmax(x);")), "softmax: there is no axis."));
  CHECK(contains(message(graph("y = softmax(x, 1, axis=1);")), "softmax: axis is given twice."));
  CHECK(contains(message(graph("y = relu(x, i);")), "relu: there are too many arguments."));
  CHECK(contains(message(graph("y = resample2d(x, mode=\"cubic\");")),
                 "mode: \"cubic\" is not one of nearest-neighbor, linear."));
  CHECK(
      contains(message(graph("[a, b] = relu(x);")), "relu has 1 results, but 2 names are given."));
  CHECK(contains(message(graph("y = split(x, splits=2, axis=1);")), "split has 2 results"));
  CHECK(contains(message(graph("y = relu(x)")), "there is \"}\" where \";\" is expected."));
  CHECK(contains(message(graph("y = relu(x;")), "there is \";\" where \",\" is expected."));
  CHECK(contains(message(graph("y = relu(x);", "")), "the graph has no outputs."));
  CHECK(contains(message(graph("y = relu(x);", "y, y")), "output \"y\" is given twice."));
  CHECK(contains(message(graph("y = relu(\xc3\xa9);")), "[t:4:14]: \"\xc3\xa9\" has no meaning"));
  CHECK(contains(message(graph("y = clamp(x, minValue=1.);")), "this is not a number."));
  CHECK(
      contains(message(graph("y = clamp(x, minValue=1e999);")), "1e999 is not a number in range"));
  CHECK(contains(message("webnn_graph \"g\" v3 {}"), "[t:1:17]: version \"v3\" is not one"));
  CHECK(contains(message("webnn_graph \"g"), "the string does not end."));
  CHECK(contains(message(""), "text [t:1:1]: the text ends where \"webnn_graph\" is expected."));
  CHECK(contains(message("webnn_graph \"g\" v1 {} more"), "where the end of the text is expected"));
}

TEST_CASE("import: messages about declarations") {
  const auto with = [](const std::string& block) {
    return message("webnn_graph \"g\" v1 {\n" + block + "\n outputs { y } }");
  };
  CHECK(contains(with("inputs { x: f64[2]; }"), "where a data type: f32, f16, i32,"));
  CHECK(contains(with("inputs { x: f32[0]; }"), "the dimension (0) is not from 1 to 2147483647"));
  CHECK(contains(with("inputs { x: f32[4294967296]; }"), "is not an integer from 0 to 4294967295"));
  CHECK(contains(with("inputs { x: f32[1,1,1,1,1,1,1,1,1]; }"), "more than 8 dimensions"));
  CHECK(contains(with("inputs { x: f32[1]; x: f32[2]; }"), "[t:2:21]: input \"x\": "));
  CHECK(contains(with("inputs { x: f32[1]; } consts { x: f32[] @scalar(1); }"), "declared twice"));
  CHECK(contains(with("consts { x: f32[dyn(\"n\", 2)] @scalar(1); }"), "are numbers"));
  CHECK(contains(with("consts { x: f32[2] @bytes([1, 2]); }"), "there are 2 bytes, but shape [2]"));
  CHECK(contains(with("consts { x: u8[1] @bytes([256]); }"), "256 is not a byte, from 0 to 255"));
  CHECK(contains(with("consts { x: u8[1] @value(1); }"), "\"@value\" is not one of @weights"));
  CHECK(contains(with("consts { x: u8[1] @scalar(\"1\"); }"), "is not a number"));
  CHECK(contains(message("webnn_graph \"g\" v1 { consts { c: i4[2] @scalar(1); } outputs { c } }"),
                 "output \"c\": the data type (int4) of input is not one of"));
  CHECK(contains(with("consts { x: u8[1]; }"), "weights are needed, and no file with them is"));
}

TEST_CASE("import: hostile texts need little memory and time") {
  std::string deep = "y = relu(x, metadata=";
  for (int i = 0; i < 100000; ++i) deep += '[';
  CHECK(contains(message(graph(deep)), "values are nested more than 16 deep"));
  ImportOptions o;
  o.max_bytes = 1 << 20;
  const std::string large =
      "webnn_graph \"g\" v1 { consts { c: f32[400000000] @scalar(0); } outputs { c } }";
  CHECK(contains(message(large, o),
                 "memory for constants would exceed the limit of memory (1048576) by "));
  std::string values = "y = relu(x, metadata=[0";
  for (int i = 0; i < (1 << 20) + 8; ++i) values += ",0";
  CHECK(contains(message(graph(values + "]);")), "the operator has more than 1048576 values"));
  // The beginning of every text is refused, and none of them crashes.
  const std::string whole = graph("[a, b] = split(x, splits=[2, 2], axis=1); y = concat(a, b, 1);");
  for (std::size_t n = 0; n + 2 < whole.size(); ++n)
    CHECK(contains(message(whole.substr(0, n)), "DataError text [t:"));
}

TEST_CASE("import: a failed import leaves the builder as it was") {
  MLGraphBuilder b(test::plain_context());
  const MLOperand before = b.input("before", {float32, {1}});
  CHECK_THROWS_AS(file::import_model(b, graph("y = relu(x); z = rleu(x);"), {}, "t"), DataError);
  const auto model = file::import_model(b, graph("y = relu(x);"), {}, "t");
  CHECK(model.inputs.size() == 2);
  CHECK(b.build({{"y", model.output("y")}, {"b", b.relu(before)}}).graph().size() == 2);
}
