// The list of inputs that build() takes: order, inputs that nothing reads, what is refused.
#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/webnn.h"

using namespace webnn;
using webnn::test::thrown;

namespace {

const MLOperandDescriptor two{float32, {2}};

MLContext& context() {
  static MLContext c({.threads = 1});
  return c;
}

std::string names_of(const MLGraph& graph) {
  std::string names;
  for (const auto& [name, d] : graph.inputs()) names += (names.empty() ? "" : " ") + name;
  return names;
}

/// sub(b, a) with the inputs a, b and c, of which nothing reads c.
struct Difference {
  MLGraphBuilder builder{context()};
  MLOperand a = builder.input("a", two), b = builder.input("b", two),
            c = builder.input("c", {int32, {3}});
  MLOperand y = builder.sub(b, a);

  MLGraph build(const NamedOperands& inputs) {
    return builder.build({{"y", y}}, {.inputs = inputs});
  }
  MLGraph listed() { return build({{"a", a}, {"b", b}, {"c", c}}); }
  MLTensor tensor(MLOperandDescriptor d, bool writable) {
    return context().createTensor({d.dataType, d.shape, !writable, writable});
  }
};

}  // namespace

TEST_CASE("inputs: without a list they are those that are needed, by their first use") {
  Difference d;
  CHECK(names_of(d.build({})) == "b a");
}

TEST_CASE("inputs: a list has its order, after the passes too") {
  Difference d;
  const MLGraph graph = d.listed();
  CHECK(names_of(graph) == "a b c");
  CHECK(graph.inputs()[2].descriptor == MLOperandDescriptor{int32, {3}});
  for (const Graph& g : {graph.graph(), graph.optimized()}) {
    REQUIRE(g.inputs().size() == 3);
    CHECK(g.inputs()[0].name == "a");
    CHECK(g.inputs()[2].name == "c");
  }
}

TEST_CASE("inputs: build_async() takes the list") {
  Difference d;
  const MLOperand a = d.a, b = d.b, c = d.c;
  auto graph = d.builder.build_async({{"y", d.y}}, {.inputs = {{"c", c}, {"b", b}, {"a", a}}});
  CHECK(names_of(graph.get()) == "c b a");
}

TEST_CASE("inputs: compute() checks those that nothing reads, or does without them") {
  Difference d;
  const MLGraph graph = d.listed();
  const float a[]{1, 2}, b[]{5, 7};
  const std::int32_t c[3]{};
  float y[2];
  const auto run = [&](std::vector<NamedInput> inputs) {
    y[0] = y[1] = -1;
    const std::vector<NamedOutput> outputs{{"y", y}};
    context().compute(graph, inputs, outputs);
    CHECK(y[0] == 4);
    CHECK(y[1] == 5);
    context().compute_async(graph, inputs, outputs).get();
  };
  run({{"a", a}, {"b", b}, {"c", c}});
  run({{"a", a}, {"b", b}});
  CHECK(thrown([&] { run({{"a", a}, {"c", c}}); }) == "TypeError compute: input \"b\" is missing.");
  CHECK(thrown([&] {
          run({{"a", a}, {"b", b}, {"c", a}});
        }) == "TypeError compute: the elements of input \"c\" are not of its data type (int32).");
  CHECK(thrown([&] {
          run({{"a", a}, {"b", b}, {"c", std::span(c).first(2)}});
        }) ==
        "TypeError compute: the byte length (8) of input \"c\" is not that of int32 [3] (12).");
  CHECK(thrown([&] {
          run({{"a", a}, {"b", b}, {"c", c}, {"c", c}});
        }) == "TypeError compute: input \"c\" is given twice.");
  CHECK(thrown([&] {
          run({{"a", a}, {"b", b}, {"d", c}});
        }) ==
        "TypeError compute: no input named \"d\"; the graph has \"a\" float32 [2], \"b\" float32 "
        "[2], \"c\" int32 [3].");
}

TEST_CASE("inputs: dispatch() checks those that nothing reads, or does without them") {
  Difference d;
  const MLGraph graph = d.listed();
  const MLTensor a = d.tensor(two, true), b = d.tensor(two, true), y = d.tensor(two, false),
                 c = d.tensor({int32, {3}}, true);
  context().writeTensor(a, std::vector<float>{1, 2});
  context().writeTensor(b, std::vector<float>{5, 7});
  const auto run = [&](std::vector<NamedTensor> inputs) {
    context().dispatch(graph, inputs, std::vector<NamedTensor>{{"y", y}});
    float result[2]{};
    context().readTensor(y, result);
    CHECK(result[0] == 4);
    CHECK(result[1] == 5);
  };
  run({{"a", a}, {"b", b}, {"c", c}});
  run({{"b", b}, {"a", a}});
  CHECK(thrown([&] {
          run({{"a", a}});
        }) ==
        "TypeError dispatch: the number (1) of inputs is not 3: the graph has \"a\" float32 [2], "
        "\"b\" float32 [2], \"c\" int32 [3].");
  CHECK(thrown([&] {
          run({{"a", a}, {"c", c}});
        }) == "TypeError dispatch: input \"b\" is missing.");
  CHECK(thrown([&] {
          run({{"a", a}, {"b", b}, {"c", d.tensor(two, true)}});
        }) == "TypeError dispatch: the tensor of input \"c\" is float32 [2], not int32 [3].");
}

TEST_CASE("inputs: one that the operators read is needed, although passes drop it") {
  MLGraphBuilder builder(context());
  const MLOperand x = builder.input("x", two), z = builder.input("z", {float32, {1, 2}});
  const MLOperand shape = builder.slice(builder.concat({builder.reshape(z, {2}), x}, 0), {2}, {2});
  const MLGraph graph =
      builder.build({{"y", builder.relu(shape)}}, {.inputs = {{"x", x}, {"z", z}}});
  const float values[]{1, -2};
  float y[2];
  const std::vector<NamedOutput> outputs{{"y", y}};
  CHECK(thrown([&] {
          context().compute(graph, std::vector<NamedInput>{{"x", values}}, outputs);
        }) == "TypeError compute: input \"z\" is missing.");
}

TEST_CASE("inputs: lists that are refused, after which the builder goes on") {
  Difference d;
  Difference other;
  const auto refused = [&](NamedOperands inputs) { return thrown([&] { d.build(inputs); }); };
  CHECK(refused({{"a", d.a}, {"c", d.c}}) ==
        "TypeError build [b]: the outputs need the input, which is not in the list of inputs.");
  CHECK(refused({{"a", d.a}, {"b", d.b}, {"a", d.a}}) ==
        "TypeError build [a]: the input is given twice.");
  CHECK(refused({{"b", d.a}, {"a", d.b}}) ==
        "TypeError build [b]: the name of the input is \"a\", not that in the list of inputs.");
  CHECK(refused({{"a", d.a}, {"b", d.b}, {"y", d.y}}) ==
        "TypeError build [y]: the operand in the list of inputs is not an input.");
  CHECK(refused({{"a", d.a}, {"b", other.b}}) ==
        "TypeError build [b]: the input belongs to another builder.");
  CHECK(refused({{"a", d.a}, {"b", MLOperand()}}) ==
        "TypeError build [b]: the input belongs to another builder.");
  CHECK(names_of(d.listed()) == "a b c");
}

TEST_CASE("inputs: a plain program need not read all that it declares") {
  Difference d;
  const MLGraph graph = d.build({});
  const float a[]{1, 2}, b[]{5, 7};
  const std::int32_t c[3]{};
  float y[2];
  CHECK(thrown([&] {
          context().compute(graph, {{"a", a}, {"b", b}, {"c", c}}, {{"y", y}});
        }) ==
        "TypeError compute: no input named \"c\"; the graph has \"b\" float32 [2], \"a\" "
        "float32 [2].");
}
