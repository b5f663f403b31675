// Custom operators while a graph is built: what is accepted, refused, printed and compared.
#include "webnn/custom.h"

#include <limits>
#include <stdexcept>

#include "tests/support/catch.h"
#include "tests/support/custom_operators.h"
#include "tests/support/thrown.h"

using namespace webnn;
using namespace webnn::test;

namespace {

const MLContext& context() {
  static const MLContext one({.threads = 1, .operators = {top_k(), scaled_sum(), counted()}});
  return one;
}
struct Built {
  MLGraphBuilder b{context()};
  MLOperand x = b.input("x", {float32, {2, 5}});
};

std::vector<MLOperandDescriptor> same_as_first(const CustomCall& c) { return {c.inputs.at(0)}; }
void nothing(const CustomRun&) {}

/// A custom operator with that infer().
CustomPointer with_infer(std::function<std::vector<MLOperandDescriptor>(const CustomCall&)> infer) {
  return custom_operator({.name = "test.Other", .infer = std::move(infer), .compute = &nothing});
}

}  // namespace

TEST_CASE("custom: results have the types and shapes of infer()") {
  Built t;
  const auto y = t.b.custom(top_k(), {t.x}, {.attributes = {{"k", 3}}});
  REQUIRE(y.size() == 2);
  CHECK(y[0].descriptor() == MLOperandDescriptor{float32, {2, 3}});
  CHECK(y[1].descriptor() == MLOperandDescriptor{int32, {2, 3}});
  CHECK(t.b.custom("test.TopK", {t.x})[1].descriptor() == MLOperandDescriptor{int32, {2, 1}});
}

TEST_CASE("custom: refusals name the operator and the label") {
  Built t;
  const auto refused = [&](CustomOptions options, std::vector<MLOperand> inputs) {
    return thrown([&] { t.b.custom(top_k(), inputs, options); });
  };
  CHECK(refused({.attributes = {{"k", 6}}, .label = "best"}, {t.x}) ==
        "TypeError test.TopK [best]: k (6) is not from 1 to 5.");
  CHECK(refused({}, {}) == "TypeError test.TopK: it takes one tensor with rows.");
  CHECK(refused({.attributes = {{"n", 6}}}, {t.x}) ==
        "TypeError test.TopK: \"n\" is not one of its attributes (k).");
  CHECK(refused({.attributes = {{"k", 1}, {"k", 2}}}, {t.x}) ==
        "TypeError test.TopK: attribute \"k\" is given twice.");
  CHECK(refused({.attributes = {{"k", "2"}}}, {t.x}) ==
        "TypeError test.TopK: attribute \"k\" (\"2\") is a string, not an integer.");
  CHECK(refused({.attributes = {{"k", 1.5}}}, {t.x}) ==
        "TypeError test.TopK: attribute \"k\" (1.5) is a number, not an integer.");
  CHECK(refused({.attributes = {{"k", -1}}}, {t.x}) ==
        "TypeError test.TopK: attribute \"k\" is not an integer that its reader takes.");
  CHECK(thrown([&] { t.b.custom(CustomPointer(), {t.x}); }) ==
        "TypeError custom: the definition is null.");
  CHECK(thrown([&] { t.b.custom("test.None", {t.x}, {.label = "l"}); }) ==
        "TypeError custom [l]: there is no operator \"test.None\" among those of the context.");
  MLGraphBuilder other(context());
  CHECK_THAT(thrown([&] { other.custom(top_k(), {t.x}); }),
             ContainsSubstring("test.TopK: inputs[0]"));
  // The builder is as it was.
  CHECK(t.b.build({{"y", t.b.custom(top_k(), {t.x})[0]}}).graph().size() == 1);
}

TEST_CASE("custom: definitions that are none") {
  const auto refused = [](CustomOperator o) { return thrown([&] { custom_operator(o); }); };
  const CustomOperator good{.name = "a.B", .infer = &same_as_first, .compute = &nothing};
  const auto with = [&](auto change) {
    CustomOperator o = good;
    change(o);
    return refused(o);
  };
  CHECK_NOTHROW(custom_operator(good));
  CHECK_THAT(with([](auto& o) { o.name = ""; }), ContainsSubstring("the name \"\" is not one of"));
  CHECK_THAT(with([](auto& o) { o.name = "a b"; }), ContainsSubstring("the name \"a b\""));
  CHECK_THAT(with([](auto& o) { o.name = std::string(257, 'a'); }), ContainsSubstring("256"));
  CHECK_NOTHROW([&] {
    CustomOperator o = good;
    o.name = std::string(256, 'a');
    custom_operator(o);
  }());
  CHECK_THAT(with([](auto& o) { o.name = "relu"; }),
             ContainsSubstring("\"relu\" is that of an operator of the library"));
  CHECK_THAT(with([](auto& o) { o.version = 0; }), ContainsSubstring("the version is 0"));
  CHECK_THAT(with([](auto& o) { o.infer = {}; }), ContainsSubstring("there is no infer()"));
  CHECK_THAT(with([](auto& o) { o.compute = {}; }),
             ContainsSubstring("there is neither compute() nor lower()"));
  CHECK_THAT(with([](auto& o) {
               o.attributes = {{"", 1}};
             }),
             ContainsSubstring("the name of attribute 0 is empty"));
  CHECK_THAT(with([](auto& o) {
               o.attributes = {{"a", 1}, {"a", 2}};
             }),
             ContainsSubstring("attribute \"a\" is there twice"));
  CHECK(thrown([] {
          MLContext({.operators = {top_k(), nullptr}});
        }) == "TypeError MLContext: operators[1] is null.");
  CHECK(thrown([] {
          MLContext({.operators = {top_k(), counted(), top_k()}});
        }) ==
        "TypeError MLContext: operators[0] and operators[2] are both \"test.TopK\" of version 1.");
}

TEST_CASE("custom: an attribute without a default has to be given") {
  Built t;
  const CustomPointer o = custom_operator({.name = "test.Needs",
                                           .attributes = {{"path", {}}},
                                           .infer = &same_as_first,
                                           .compute = &nothing});
  CHECK(thrown([&] { t.b.custom(o, {t.x}); }) ==
        "TypeError test.Needs: attribute \"path\" is not given.");
  CHECK_NOTHROW(t.b.custom(o, {t.x}, {.attributes = {{"path", "/"}}}));
}

TEST_CASE("custom: results of infer() that cannot be") {
  Built t;
  const auto refused = [&](std::vector<MLOperandDescriptor> results) {
    const CustomPointer o = with_infer([=](const CustomCall&) { return results; });
    return thrown([&] { t.b.custom(o, {t.x}); });
  };
  CHECK_THAT(refused({}), ContainsSubstring("its infer() returns 0 results, not 1 to 1024"));
  CHECK_THAT(refused({{float32, {2, 0}}}), ContainsSubstring("outputs[0]"));
  CHECK_THAT(refused({{float32, {2}}, {float32, Dims(9, 1)}}), ContainsSubstring("outputs[1]"));
  CHECK_THAT(refused({{float32, {1u << 20, 1u << 20}}}), ContainsSubstring("outputs[0]"));
  CHECK_THAT(refused({{static_cast<MLOperandDataType>(99), {2}}}), ContainsSubstring("outputs[0]"));
  const CustomPointer odd =
      with_infer([](const CustomCall&) -> std::vector<MLOperandDescriptor> { throw 5; });
  CHECK(thrown([&] { t.b.custom(odd, {t.x}); }) ==
        "TypeError test.Other: its infer() threw an exception that is not a std::exception.");
  MLGraphBuilder* builder = &t.b;
  const CustomPointer nested = with_infer([=](const CustomCall& c) {
    builder->constant(float32, 1);
    return std::vector{c.inputs.at(0)};
  });
  CHECK(thrown([&] { t.b.custom(nested, {t.x}); }) ==
        "TypeError test.Other: infer() of a custom operator calls it.");
}

TEST_CASE("custom: printed with its name and the attributes that are not the default") {
  Built t;
  const auto y = t.b.custom(
      scaled_sum(), {t.x},
      {.attributes = {{"offsets", {1, 2}}, {"names", {"a", "b\n"}}, {"scale", 2}}, .label = "s"});
  const MLGraph graph = t.b.build({{"y", t.b.custom(top_k(), y, {.attributes = {{"k", 1}}})[1]}});
  const std::string text = to_text(graph.graph());
  CHECK_THAT(text,
             ContainsSubstring("%1 = test.ScaledSum(%0) {version=3, scale=2, "
                               "offsets=[1, 2], names=[\"a\", \"b\\\\u000a\"], label=\"s\"}"));
  CHECK_THAT(text, ContainsSubstring("%2, %3 = test.TopK(%1)  float32 [2, 1], int32 [2, 1]"));
  CHECK_THAT(to_graphviz(graph.graph()), ContainsSubstring("test.ScaledSum  s"));
  const Node node = graph.graph().node(0);
  CHECK(node.name() == "test.ScaledSum");
  CHECK(node.attributes().front() == NamedAttribute{"version", "3"});
  REQUIRE(node.as<ops::custom>());
  CHECK(node.as<ops::custom>()->definition == scaled_sum());
  CHECK(node.named_inputs().front().name == "inputs");
}

TEST_CASE("custom: graphs are equal when operators and attributes are") {
  const auto graph = [&](const CustomPointer& o, CustomAttributes attributes) {
    Built t;
    return t.b.build({{"y", t.b.custom(o, {t.x}, {.attributes = attributes})[0]}}).graph();
  };
  const auto sum = [&](CustomAttributes a) { return graph(scaled_sum(), std::move(a)); };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(sum({{"scale", 2}, {"flag", true}}) == sum({{"flag", true}, {"scale", 2.0}}));
  CHECK(hash_of(sum({{"scale", 2}})) == hash_of(sum({{"scale", 2.0}})));
  CHECK(sum({{"scale", nan}}) == sum({{"scale", nan}}));
  CHECK_FALSE(sum({{"scale", 0.0}}) == sum({{"scale", -0.0}}));
  CHECK_FALSE(sum({{"mode", "a"}}) == sum({{"mode", "b"}}));
  CHECK(sum({}) == sum({{"mode", "plain"}}));
  CustomOperator copied = *top_k();
  CHECK(graph(top_k(), {}) == graph(top_k(), {}));
  CHECK_FALSE(graph(top_k(), {}) == graph(custom_operator(copied), {}));
}

TEST_CASE("custom: sizes that follow from a constant") {
  Built t;
  const MLOperand n = t.b.constant(uint32, 4);
  CHECK(t.b.custom(counted(), {n})[0].descriptor() == MLOperandDescriptor{int32, {4}});
  CHECK(thrown([&] { t.b.custom(counted(), {t.x}); }) ==
        "TypeError test.Counted: the number of elements is not a constant.");
}

TEST_CASE("custom: open dimensions keep their names") {
  MLGraphBuilder b(context());
  const MLOperand x = b.input("x", {float32, {"rows", "columns"}});
  const auto y = b.custom(top_k(), {x}, {.attributes = {{"k", 3}}});
  const auto dimensions = y[1].dimensions();
  REQUIRE(dimensions.has_value());
  REQUIRE((*dimensions)[0].is_open());
  CHECK((*dimensions)[0].dynamic().name == "rows");
  CHECK((*dimensions)[1].size() == 3);
  const MLGraph graph = b.build({{"y", y[1]}});
  const std::vector<NamedDescriptor> known = graph.computeShapes({{"x", {4, 7}}});
  CHECK(known[0].descriptor == MLOperandDescriptor{int32, {4, 3}});
  CHECK_THAT(thrown([&] {
               graph.computeShapes({{"x", {4, 2}}});
             }),
             ContainsSubstring("test.TopK: k (3) is not from 1 to 2"));
}
