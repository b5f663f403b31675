// Nodes whose number of results follows from data, and what reads them.
#include "tests/formats/onnx/run.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::onnx;
using namespace webnn::onnx::test;
using enum ElementType;

namespace {

Tensor f32(Dims shape, const Doubles& values) {
  return webnn::test::tensor(float32, std::move(shape), values);
}

const Tensor boxes = f32({1, 6, 4}, {0, 0,  1, 1,  0, 0.1,  1, 1.1,  0, -0.1, 1, 0.9,
                                     0, 10, 1, 11, 0, 10.1, 1, 11.1, 0, 100,  1, 101});
const Tensor scores = f32({1, 1, 6}, {0.9, 0.75, 0.6, 0.95, 0.5, 0.3});

/// NonMaxSuppression of three boxes at most, and what follows it.
Writer suppression(float least, std::string_view n = "6") {
  Writer w;
  w.input("boxes", {"1", std::string(n), "4"}).input("scores", {"1", "1", std::string(n)});
  w.initializer(int64s("most", {1}, {3})).initializer(floats("iou", {1}, {0.5f}));
  w.initializer(floats("least", {1}, {least}));
  w.node("NonMaxSuppression", {"boxes", "scores", "most", "iou", "least"}, {"selected"}, {}, {},
         "nms");
  return w;
}
const std::map<std::string, Tensor> data{{"boxes", boxes}, {"scores", scores}};

/// The boxes of those that are selected, as exporters write it.
void add_gather(Writer& w) {
  w.initializer(int64s("two", {1}, {2})).initializer(int64s("one", {1}, {1}));
  w.initializer(int64s("zero", {1}, {0})).initializer(int64s("three", {1}, {3}));
  w.node("Slice", {"selected", "two", "three", "one"}, {"column"});
  w.node("Squeeze", {"column", "one"}, {"places"});
  w.node("Squeeze", {"boxes", "zero"}, {"all"});
  w.node("Gather", {"all", "places"}, {"kept"}, {attribute("axis", 0)});
}

Writer non_zero() {
  Writer w;
  w.input("x", {"2", "3"}).node("NonZero", {"x"}, {"places"}, {}, {}, "nz");
  return w;
}

}  // namespace

TEST_CASE("onnx: NonMaxSuppression of data has -1 behind what it selects") {
  const auto selected = [](float least) {
    Writer w = suppression(least);
    w.output("selected");
    return run(w.file(), data).at(0);
  };
  CHECK(selected(0).shape == Dims{3, 3});
  CHECK(elements(selected(0)) == Doubles{0, 0, 3, 0, 0, 0, 0, 0, 5});
  CHECK(elements(selected(0.4f)) == Doubles{0, 0, 3, 0, 0, 0, -1, -1, -1});
  CHECK(elements(selected(2)) == Doubles(9, -1));
}

TEST_CASE("onnx: what is gathered behind the boxes that are selected is 0") {
  for (const char* n : {"6", "n"}) {
    Writer w = suppression(0.4f, n);
    add_gather(w);
    w.output("kept").output("larger");
    w.initializer(floats("half", {4}, {0.5f, 0.5f, 0.5f, 0.5f}));
    w.node("Add", {"kept", "half"}, {"larger"});
    const auto y = run(w.file(), data);
    CHECK(elements(y.at(0)) == elements(f32({3, 4}, {0, 10, 1, 11, 0, 0, 1, 1, 0, 0, 0, 0})));
    CHECK(elements(y.at(1))[3] == 11.5);
  }
}

TEST_CASE("onnx: columns, batches and scores of what is selected") {
  Writer w = suppression(0.4f);
  w.initializer(int64s("column", {}, {2})).initializer(int64s("shape", {2}, {-1, 1}));
  w.node("Gather", {"selected", "column"}, {"places"}, {attribute("axis", 1)});
  w.node("GatherND", {"scores", "selected"}, {"score"});
  w.node("Reshape", {"score", "shape"}, {"wide"})
      .node("Cast", {"places"}, {"as"}, {attribute("to", 1)});
  w.node("Reshape", {"as", "shape"}, {"tall"});
  w.node("Concat", {"tall", "wide"}, {"both"}, {attribute("axis", 1)});
  w.node("Transpose", {"both"}, {"turned"}, {attribute("perm", Ints{1, 0})});
  w.node("ReduceMax", {"turned"}, {"top"}, {attribute("axes", Ints{0}), attribute("keepdims", 0)});
  w.output("both").output("turned").output("top");
  const auto y = run(w.file(), data);
  CHECK(y.at(0).shape == Dims{3, 2});
  CHECK(std::abs(y[0].at({0, 1}) - 0.95) < 1e-6);
  CHECK(y[0].at({0, 0}) == 3);
  CHECK(std::abs(y[0].at({1, 1}) - 0.9) < 1e-6);
  CHECK(y[0].at({2, 0}) == -1);
  CHECK(y[0].at({2, 1}) == 0);
  CHECK(y[1].at({0, 1}) == 0);
  CHECK(y[2][0] == 3);
}

TEST_CASE("onnx: what would count the rows behind those that are selected is refused") {
  const auto refused = [](std::string_view op, const Names& inputs,
                          const std::vector<Message>& attributes = {}) {
    Writer w = suppression(0.4f);
    add_gather(w);
    w.initializer(floats("sums", {6}, {0, 0, 0, 0, 0, 0}))
        .initializer(floats("ones", {3}, {1, 1, 1}));
    w.initializer(floats("square", {4, 4}, std::vector<float>(16)));
    w.initializer(int64s("minus", {1}, {-1})).initializer(int64s("far", {1}, {-10}));
    w.initializer(floats("rows", {3, 4}, std::vector<float>(12)));
    w.node(op, inputs, {"y"}, attributes, {}, "last").output("y");
    return refusal(w);
  };
  const auto counts = ContainsSubstring(
      "it reads rows of \"selected\", of which only some are selected; their number follows from "
      "data");
  CHECK_THAT(refused("ReduceMax", {"kept"}), counts);
  CHECK_THAT(refused("ReduceMax", {"kept"}, {attribute("axes", Ints{0})}), counts);
  CHECK_THAT(refused("ReduceMax", {"kept"}, {attribute("axes", Ints{0})}),
             ContainsSubstring("\"last\" (ReduceMax-17)"));
  CHECK(refused("ReduceMax", {"kept"}, {attribute("axes", Ints{1})}) == "nothing");
  CHECK_THAT(refused("ArgMax", {"kept"}), counts);
  CHECK_THAT(refused("Softmax", {"kept"}, {attribute("axis", 0)}), counts);
  CHECK(refused("Softmax", {"kept"}) == "nothing");
  CHECK_THAT(refused("Shape", {"kept"}), counts);
  CHECK_THAT(refused("Size", {"kept"}), counts);
  CHECK_THAT(refused("Concat", {"kept", "kept"}, {attribute("axis", 0)}), counts);
  CHECK(refused("Concat", {"kept", "kept"}, {attribute("axis", 1)}) == "nothing");
  CHECK_THAT(refused("Concat", {"kept", "rows"}, {attribute("axis", 1)}), counts);
  CHECK_THAT(refused("ScatterElements", {"sums", "places", "ones"}), counts);
  CHECK_THAT(refused("Gather", {"kept", "zero"}), counts);
  CHECK(refused("Gather", {"kept", "zero"}, {attribute("axis", 1)}) == "nothing");
  CHECK_THAT(refused("Slice", {"kept", "minus", "far", "zero", "minus"}), counts);
  CHECK_THAT(refused("Slice", {"kept", "zero", "two", "zero"}), counts);
  CHECK_THAT(refused("Add", {"kept", "rows"}), counts);
  CHECK_THAT(refused("NonZero", {"kept"}), counts);
  CHECK_THAT(refused("MatMul", {"kept", "square"}), counts);
  CHECK_THAT(refused("CumSum", {"kept", "zero"}), counts);
}

TEST_CASE("onnx: rows of two selections are not mixed") {
  Writer w;
  w.input("a", {"4"}).input("b", {"4"}).output("y");
  w.node("NonZero", {"a"}, {"p"}).node("NonZero", {"b"}, {"q"}).node("Add", {"p", "q"}, {"y"});
  CHECK_THAT(refusal(w), ContainsSubstring("it reads rows of \"p\""));
}

TEST_CASE("onnx: selections of known values have what is selected alone") {
  Writer w = suppression(0.4f);
  w.output("selected").output("top");
  w.node("ReduceMax", {"selected"}, {"top"}, {attribute("keepdims", 0)});
  const ImportOptions known{
      .values = {{"boxes", {boxes.shape, boxes.bytes}}, {"scores", {scores.shape, scores.bytes}}}};
  const auto y = run(w.file(), {}, known);
  CHECK(y.at(0).shape == Dims{2, 3});
  CHECK(elements(y[0]) == Doubles{0, 0, 3, 0, 0, 0});
  CHECK(y.at(1)[0] == 3);
  Writer none = suppression(2);
  none.output("size").node("Size", {"selected"}, {"size"});
  CHECK(run(none.file(), {}, known).at(0)[0] == 0);
}

TEST_CASE("onnx: the most boxes of a NonMaxSuppression may follow from data, or be 0") {
  Writer w;
  w.input("boxes", {"1", "6", "4"}).input("scores", {"1", "1", "6"}).input("most", {"1"}, INT64);
  w.input("iou", {"1"}).input("least", {"1"}).output("selected");
  w.node("NonMaxSuppression", {"boxes", "scores", "most", "iou", "least"}, {"selected"});
  std::map<std::string, Tensor> inputs = data;
  inputs["most"] = webnn::test::tensor(int64, {1}, {2});
  inputs["iou"] = f32({1}, {0.5}), inputs["least"] = f32({1}, {0});
  const Tensor y = run(w.file(), inputs).at(0);
  CHECK(y.shape == Dims{6, 3});
  CHECK(y.at({1, 2}) == 0);
  CHECK(y.at({2, 2}) == -1);
  Writer zero = suppression(0);
  zero.graph = Writer().graph;
  zero.input("boxes", {"1", "6", "4"}).input("scores", {"1", "1", "6"}).output("n");
  zero.node("NonMaxSuppression", {"boxes", "scores"}, {"selected"})
      .node("Size", {"selected"}, {"n"});
  CHECK(run(zero.file(), data).at(0)[0] == 0);
}

TEST_CASE("onnx: NonZero of data, and what it names") {
  Writer w = non_zero();
  w.output("places").output("values");
  w.node("Transpose", {"places"}, {"rows"}).node("GatherND", {"x", "rows"}, {"values"});
  const auto y = run(w.file(), {{"x", f32({2, 3}, {0, 7, 0, 8, 0, 9})}});
  CHECK(elements(y.at(0)) == Doubles{0, 1, 1, -1, -1, -1, 1, 0, 2, -1, -1, -1});
  CHECK(elements(y.at(1)) == Doubles{7, 8, 9, 0, 0, 0});
}

TEST_CASE("onnx: Unique of data") {
  Writer w;
  w.input("x", {"6"}).output("y").output("first").output("inverse").output("counts");
  w.node("Unique", {"x"}, {"y", "first", "inverse", "counts"}, {attribute("sorted", 0)});
  const auto y = run(w.file(), {{"x", f32({6}, {2, 1, 1, 3, 4, 3})}});
  CHECK(elements(y.at(0)) == Doubles{2, 1, 3, 4, 0, 0});
  CHECK(elements(y.at(1)) == Doubles{0, 1, 3, 4, -1, -1});
  CHECK(elements(y.at(2)) == Doubles{0, 1, 1, 2, 3, 2});
  CHECK(elements(y.at(3)) == Doubles{1, 2, 2, 1, 0, 0});
  Writer mean = w;
  mean.output("mean").node("ReduceMean", {"y"}, {"mean"});
  CHECK_THAT(refusal(mean), ContainsSubstring("it reads rows of \"y\""));
  Writer places = w;
  places.output("kept").node("Gather", {"y", "inverse"}, {"kept"});
  CHECK_THAT(refusal(places), ContainsSubstring("it reads rows of \"y\""));
}

TEST_CASE("onnx: what follows from data inside of a branch is refused") {
  Writer w;
  w.input("x", {"4"}).output("y");
  w.initializer(webnn::onnx::test::tensor("c", BOOL, {1}, std::vector<std::uint8_t>{1}));
  const auto branch = [](const char* op) {
    return graph_of(
        {node_of(op, {"x"}, {"r"}), node_of("Cast", {"r"}, {"z"}, {attribute("to", 1)})}, {},
        {"z"});
  };
  w.node("If", {"c"}, {"y"},
         {graph_attribute("then_branch", branch("NonZero")),
          graph_attribute("else_branch", branch("NonZero"))});
  CHECK_THAT(refusal(w), ContainsSubstring("inside of a branch or a loop"));
}
