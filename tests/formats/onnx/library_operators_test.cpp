// Nodes that become operators of the library which WebNN does not have.
#include "src/formats/onnx/model.h"
#include "tests/formats/onnx/run.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::onnx;
using namespace webnn::onnx::test;
using enum ElementType;

namespace {

using TestTensor = webnn::test::Tensor;

TestTensor f32(Dims shape, const Doubles& values) {
  return webnn::test::tensor(float32, std::move(shape), values);
}

/// TopK of x, [2, 4], with outputs `values` and `places`.
Writer top_k(std::int64_t opset, const std::vector<Message>& attributes, bool has_k = true) {
  Writer w;
  w.opset = opset;
  w.input("x", {"2", "4"}).output("values").output("places");
  w.initializer(int64s("k", {1}, {2}));
  w.node("TopK", has_k ? Names{"x", "k"} : Names{"x"}, {"values", "places"}, attributes, {}, "top");
  return w;
}
const TestTensor x = f32({2, 4}, {1, 4, 2, 3, 7, -1, 7, 0});

/// What a model computes, imported, and imported again after it was written.
std::vector<TestTensor> both(const Writer& w, const std::map<std::string, TestTensor>& inputs) {
  const auto results = run(w.file(), inputs);
  MLContext context({.threads = 1, .backends = {"reference"}, .keepConstants = true});
  MLGraphBuilder b(context);
  const Model m = import_model(b, w.file());
  const auto written = export_model(b.build(m.outputs));
  // As operators of ONNX.
  Limits limits;
  for (const OpsetImport& o : read_model(written, limits).opsets) CHECK(o.domain.empty());
  const auto again = run(written, inputs);
  REQUIRE(again.size() == results.size());
  for (std::size_t i = 0; i < results.size(); ++i) CHECK(again[i].bytes == results[i].bytes);
  return results;
}

}  // namespace

TEST_CASE("onnx: TopK in every operator set") {
  for (const std::int64_t opset : {9, 10, 11, 24}) {
    const auto y = opset < 10 ? both(top_k(opset, {attribute("k", 2)}, false), {{"x", x}})
                              : both(top_k(opset, {}), {{"x", x}});
    CHECK(elements(y.at(0)) == Doubles{4, 3, 7, 7});
    CHECK(elements(y.at(1)) == Doubles{1, 3, 0, 2});
    CHECK(y[1].type == int64);
  }
  const auto smallest =
      both(top_k(11, {attribute("largest", 0), attribute("axis", 0), attribute("sorted", 0)}),
           {{"x", x}});
  CHECK(elements(smallest.at(0)) == Doubles{1, -1, 2, 0, 7, 4, 7, 3});
  CHECK(elements(smallest.at(1)) == Doubles{0, 1, 0, 1, 1, 0, 1, 0});
}

TEST_CASE("onnx: TopK of which one output is read, and of open dimensions") {
  Writer w;
  w.input("x", {"rows", "columns"}).output("places");
  w.initializer(int64s("k", {1}, {1}));
  w.node("TopK", {"x", "k"}, {"", "places"});
  CHECK(elements(run(w.file(), {{"x", x}}).at(0)) == Doubles{1, 0});
}

TEST_CASE("onnx: TopK that is wrong") {
  Writer w = top_k(11, {attribute("axis", 2)});
  CHECK_THAT(refusal(w), ContainsSubstring("node 0 \"top\" (TopK-11)"));
  Writer more;
  more.input("x", {"4"}).output("y").initializer(int64s("k", {1}, {5}));
  more.node("TopK", {"x", "k"}, {"y", "places"}, {}, {}, "top");
  CHECK_THAT(refusal(more), ContainsSubstring("k (5) is not from 1 to the size (4) of axis 0"));
  Writer unknown;
  unknown.input("x", {"4"}).input("k", {"1"}, INT64).output("y");
  unknown.node("TopK", {"x", "k"}, {"y", "places"});
  CHECK_THAT(refusal(unknown), ContainsSubstring("\"k\""));
}

TEST_CASE("onnx: scatter with reductions") {
  for (const auto& [reduction, expected] :
       std::vector<std::pair<const char*, Doubles>>{{"add", {1, 9, 3, 4}},
                                                    {"mul", {1, 24, 3, 4}},
                                                    {"min", {1, 2, 3, 4}},
                                                    {"max", {1, 4, 3, 4}}}) {
    const std::vector<Message> attributes = {attribute("reduction", reduction)};
    Writer w;
    w.opset = 18;
    w.input("x", {"4"}).output("elements").output("nd");
    w.initializer(int64s("i", {2}, {1, -3})).initializer(int64s("n", {2, 1}, {1, -3}));
    w.initializer(floats("u", {2}, {3, 4}));
    w.node("ScatterElements", {"x", "i", "u"}, {"elements"}, attributes);
    w.node("ScatterND", {"x", "n", "u"}, {"nd"}, attributes);
    const auto y = both(w, {{"x", f32({4}, {1, 2, 3, 4})}});
    CHECK(elements(y.at(0)) == expected);
    CHECK(elements(y.at(1)) == expected);
  }
}

TEST_CASE("onnx: bits of integers") {
  Writer w;
  w.opset = 18;
  w.input("x", {"2"}, INT32).output("and").output("or").output("xor").output("not");
  w.initializer(webnn::onnx::test::tensor("k", INT32, {1}, std::vector<std::int32_t>{6}));
  w.node("BitwiseAnd", {"x", "k"}, {"and"}).node("BitwiseOr", {"k", "x"}, {"or"});
  w.node("BitwiseXor", {"x", "k"}, {"xor"}).node("BitwiseNot", {"x"}, {"not"});
  const auto y = both(w, {{"x", webnn::test::tensor(int32, {2}, {3, -1})}});
  CHECK(elements(y.at(0)) == Doubles{2, 6});
  CHECK(elements(y.at(1)) == Doubles{7, -1});
  CHECK(elements(y.at(2)) == Doubles{5, -7});
  CHECK(elements(y.at(3)) == Doubles{-4, 0});
}

TEST_CASE("onnx: GridSample in both operator sets") {
  for (const std::int64_t opset : {16, 22}) {
    Writer w;
    w.opset = opset;
    w.input("x", {"1", "1", "2", "2"}).output("linear").output("nearest");
    w.initializer(floats("g", {1, 1, 2, 2}, {0, 0, 0.5f, -0.5f}));
    w.node("GridSample", {"x", "g"}, {"linear"},
           {attribute("mode", opset < 20 ? "bilinear" : "linear"), attribute("align_corners", 1)});
    w.node("GridSample", {"x", "g"}, {"nearest"},
           {attribute("mode", "nearest"), attribute("padding_mode", "border")});
    const auto y = both(w, {{"x", f32({1, 1, 2, 2}, {1, 2, 3, 4})}});
    CHECK(elements(y.at(0)) == Doubles{2.5, 2.25});
    CHECK(elements(y.at(1)) == Doubles{1, 2});
  }
}
