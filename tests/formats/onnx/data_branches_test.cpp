// Branches whose conditions follow from the data of inputs.
#include "tests/formats/onnx/open.h"

using namespace webnn;
using namespace webnn::onnx::test;
using enum webnn::onnx::ElementType;

namespace {

/// y = sum(x) > 0 ? one branch : the other, where x has three elements.
Writer with_branches(const std::vector<Message>& then_nodes, const std::vector<Message>& else_nodes,
                     bool is_matrix = false) {
  Writer w;
  w.input("x", {"3"}).output("y").initializer(tensor("zero", FLOAT, {}, std::vector<float>{0}));
  w.initializer(list("rows", {3, 1}));
  w.node("ReduceSum", {"x"}, {"sum"}, {attribute("keepdims", std::int64_t{0})});
  w.node("Greater", {"sum", "zero"}, {"positive"});
  w.initializer(list("one by one", {1, 1}));
  if (is_matrix) w.node("Reshape", {"positive", "one by one"}, {"matrix"});
  w.node("If", {is_matrix ? "matrix" : "positive"}, {"y"},
         {graph_attribute("then_branch", graph_of(then_nodes, {}, {"result"})),
          graph_attribute("else_branch", graph_of(else_nodes, {}, {"result"}))},
         {}, "choice");
  return w;
}

const Message doubled = node_of("Add", {"x", "x"}, {"result"});
const Message logarithm = node_of("Log", {"x"}, {"result"});

}  // namespace

TEST_CASE("onnx: an If on data chooses between the results of both branches") {
  // The branch that is not taken has results that are not numbers.
  Imported graph(with_branches({doubled}, {logarithm}));
  const auto run = [&](std::vector<double> v) {
    return graph.run({{"x", webnn::test::tensor(float32, {3}, std::move(v))}})[0];
  };
  Tensor y = run({3, -1, 0});
  CHECK(y[0] == 6);
  CHECK(y[1] == -2);
  CHECK(y[2] == 0);
  y = run({1, -7, 1});
  CHECK(y[0] == 0);
  CHECK(std::isnan(y[1]));
  CHECK(y[2] == 0);
}

TEST_CASE("onnx: the condition of an If on data may have any rank") {
  Imported graph(with_branches({doubled}, {logarithm}, true));
  CHECK(graph.run({{"x", webnn::test::tensor(float32, {3}, {3, -1, 0})}})[0][1] == -2);
}

TEST_CASE("onnx: an If on data whose branches have different shapes asks for the value") {
  const std::string text =
      refusal(with_branches({doubled}, {node_of("Reshape", {"x", "rows"}, {"result"})}));
  CHECK(text.find("has to be known, but follows from the model's input \"x\"") != text.npos);
}
