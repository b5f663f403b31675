// A small library (WEBNN_SMALL), which does not know the operators that were left out of it.
#include "src/graph/equality.h"
#include "src/graph/known.h"
#include "tests/support/catch.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::test {
namespace {

MLContext context({.threads = 1, .backends = {"reference"}});
const std::vector<float> values{1, 2};

TEST_CASE("a method of an operator that was left out throws, with its name, label and the option") {
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {1, 2}});
  CHECK_THROWS_AS(b.softmax(x, 1), NotSupportedError);
  CHECK_THROWS_WITH(b.softmax(x, 1, {.label = "probabilities"}),
                    ContainsSubstring("softmax") && ContainsSubstring("probabilities") &&
                        ContainsSubstring("left out of this build") &&
                        ContainsSubstring("WEBNN_OPERATORS"));
}

TEST_CASE("a builder that refused an operator goes on") {
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {2}});
  CHECK_THROWS_AS(b.exp(x), NotSupportedError);
  const MLGraph graph = b.build({{"y", b.add(x, x)}});
  std::vector<float> y(2);
  context.compute(graph, {{"x", values}}, {{"y", y}});
  CHECK(y == std::vector<float>{2, 4});
}

TEST_CASE("operators that were left out are known to the lists that messages and limits use") {
  CHECK(name_of_kind(kind_of<ops::softmax>) == "softmax");
  CHECK(context.opSupportLimits().find("softmax", "input")->dataTypes == DataTypes{});
}

TEST_CASE("what a small library knows of fused operators follows from their compositions") {
  CHECK(!is_known<ops::softmax>);
  CHECK(!is_known<ops::exp>);
  CHECK(!is_known<fused::attention>);
  CHECK(is_known<ops::relu>);
  CHECK(is_known<fused::rotaryEmbedding>);
  CHECK(is_known<ops::custom>);
}

TEST_CASE("code for the other operators is there: they are printed, compared and copied") {
  const auto built = [](float number) {
    MLGraphBuilder b(context);
    const MLOperand x = b.input("x", {float32, {2}});
    return b.build({{"y", b.clamp(b.add(x, b.constant(float32, number)), {.minValue = 0.0})}});
  };
  const MLGraph one = built(1), same = built(1), other = built(2);
  CHECK_THAT(to_text(one.graph()), ContainsSubstring("clamp(") && ContainsSubstring("minValue=0"));
  CHECK(one.graph() == same.graph());
  CHECK(!(one.graph() == other.graph()));
  CHECK(hash_of(one.graph()) == hash_of(same.graph()));
}

TEST_CASE("what a pass would make of an operator that was left out is refused") {
  const Op exp = Op::of(ops::exp{});
  CHECK_THROWS_AS(exp.clone(), NotSupportedError);
  CHECK_THROWS_WITH(operands_of(exp.kind(), exp.get()),
                    ContainsSubstring("exp") && ContainsSubstring("WEBNN_OPERATORS"));
}

TEST_CASE("products of bfloat16 that were left out with the data type are named") {
  const std::vector<std::string> backends = MLContext({.threads = 1}).backends();
  if (std::ranges::find(backends, "simd") == backends.end()) return;  // no vector kernels
  MLContext level(
      {.threads = 1, .backends = {"simd", "reference"}, .accuracyLevel = AccuracyLevel::bfloat16});
  MLGraphBuilder b(level);
  const MLOperand x = b.input("x", {float32, {64, 64}});
  const std::vector<float> weights(64 * 64, 0.1F);
  const MLGraph graph = b.build({{"y", b.gemm(x, b.constant({float32, {64, 64}}, weights))}});
  CHECK_THAT(graph.explain(), ContainsSubstring("products of bfloat16 were left out of this build "
                                                "(WEBNN_DATA_TYPES)"));
}

TEST_CASE("a context that asks for kernels by measurement is refused where these were left out") {
  CHECK_THROWS_AS(MLContext({.tuning = Tuning::once}), NotSupportedError);
  CHECK_THROWS_WITH(MLContext({.tuningFile = "table"}), ContainsSubstring("WEBNN_KERNEL_TUNING"));
  CHECK_THAT(context.tuning_table(), ContainsSubstring("webnn tuning"));
}

TEST_CASE("an input with an open dimension is refused by name where these were left out") {
  MLGraphBuilder b(context);
  CHECK_THROWS_AS(b.input("tokens", {float32, {1, "n"}}), NotSupportedError);
  CHECK_THROWS_WITH(b.input("tokens", {float32, {1, "n"}}),
                    ContainsSubstring("tokens") && ContainsSubstring("left out of this build") &&
                        ContainsSubstring("WEBNN_OPEN_DIMENSIONS"));
  CHECK_NOTHROW(b.input("tokens", {float32, {1, 3}}));
}

}  // namespace
}  // namespace webnn::inline v0_1::test
