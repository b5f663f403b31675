// A build in which the kernels of some operators were left out.
#include "src/kernels/reference/evaluate.h"
#include "tests/support/catch.h"
#include "webnn/custom.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::test {
namespace {

MLContext context({.threads = 1, .backends = {"reference"}});
const std::vector<float> values{1, 2};

TEST_CASE("building a graph with an operator that was left out names it and the option") {
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {1, 2}});
  const MLOperand y = b.softmax(x, 1, {.label = "probabilities"});
  CHECK_THROWS_WITH(b.build({{"y", y}}), ContainsSubstring("softmax") &&
                                             ContainsSubstring("probabilities") &&
                                             ContainsSubstring("left out of this build") &&
                                             ContainsSubstring("WEBNN_OPERATORS"));
}

TEST_CASE("what was left out is described and validated all the same") {
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {1, 2}});
  CHECK(b.softmax(x, 1).shape() == Dims{1, 2});
  CHECK_THROWS_AS(b.softmax(x, 2), TypeError);
}

TEST_CASE("opSupportLimits offers no data types for what was left out") {
  const MLOpSupportLimits limits = context.opSupportLimits();
  CHECK(limits.find("softmax", "input")->dataTypes == DataTypes{});
  CHECK(limits.find("exp", "input")->dataTypes == DataTypes{});
  CHECK(limits.find("mul", "a")->dataTypes.contains(float32));
}

TEST_CASE("constants of an operator that was left out are not folded") {
  MLGraphBuilder b(context);
  const MLOperand c = b.constant({float32, {2}}, values);
  CHECK_THROWS_WITH(b.build({{"y", b.exp(c)}}),
                    ContainsSubstring("exp") && ContainsSubstring("left out"));
}

TEST_CASE("building a graph with a data type that was left out names it and the option") {
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {int32, {2}});
  CHECK_THROWS_WITH(b.build({{"y", b.add(x, x, {.label = "twice"})}}),
                    ContainsSubstring("add") && ContainsSubstring("twice") &&
                        ContainsSubstring("int32 was left out of this build") &&
                        ContainsSubstring("WEBNN_DATA_TYPES"));
  MLGraphBuilder folded(context);
  const MLOperand c = folded.constant({float32, {2}}, values);
  CHECK_THROWS_WITH(folded.build({{"y", folded.cast(folded.cast(c, int32), float32)}}),
                    ContainsSubstring("cast") && ContainsSubstring("int32 was left out"));
  CHECK(!context.opSupportLimits().find("add", "a")->dataTypes.contains(int32));
}

TEST_CASE("the library's own operators that were left out are refused by name") {
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {4}});
  CHECK_THROWS_WITH(b.custom("webnn.TopK", {x}, {.attributes = {{"k", 2}}}),
                    ContainsSubstring("webnn.TopK") &&
                        ContainsSubstring("left out of this build") &&
                        ContainsSubstring("WEBNN_OPERATORS without custom"));
}

TEST_CASE("the other operators run, and are folded") {
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {2}});
  const MLOperand c = b.constant({float32, {2}}, values);
  const MLGraph graph = b.build({{"y", b.add(x, b.mul(c, c))}});
  std::vector<float> y(2);
  context.compute(graph, {{"x", values}}, {{"y", y}});
  CHECK(y[0] == 2);
  CHECK(y[1] == 6);
  CHECK_THAT(graph.explain(), !ContainsSubstring("mul"));
}

}  // namespace
}  // namespace webnn::inline v0_1::test
