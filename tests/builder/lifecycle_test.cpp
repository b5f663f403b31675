// The rules of a builder's life: https://www.w3.org/TR/webnn/#api-mlgraphbuilder
#include <cstring>
#include <future>

#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/webnn.h"

using namespace webnn;
using test::thrown;

namespace {

const MLOperandDescriptor row{float32, {4}};
const MLContextOptions alone{.threads = 1, .backends = {"reference"}};

std::vector<float> run(MLContext& context, const MLGraph& graph,
                       std::vector<NamedInput> inputs = {}) {
  std::vector<float> y(element_count(graph.outputs()[0].descriptor.shape));
  context.compute(graph, inputs, {{graph.outputs()[0].name, y}});
  return y;
}

}  // namespace

TEST_CASE("a builder builds one graph") {
  MLContext context(alone);
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", row), y = b.relu(x);
  const MLGraph graph = b.build({{"y", y}});
  REQUIRE(graph);
  const std::string closed = ": the builder has already built a graph.";
  CHECK(thrown([&] { b.build({{"y", y}}); }) == "InvalidStateError build" + closed);
  CHECK(thrown([&] { b.build({}); }) == "InvalidStateError build" + closed);
  CHECK(thrown([&] { b.input("z", row); }) == "InvalidStateError input [z]" + closed);
  CHECK(thrown([&] { b.input("", row); }) == "InvalidStateError input" + closed);
  CHECK(thrown([&] { b.constant(float32, 1); }) == "InvalidStateError constant" + closed);
  CHECK(thrown([&] { b.constant(row, {1.f}); }) == "InvalidStateError constant" + closed);
  CHECK(thrown([&] { b.relu(x, {.label = "r"}); }) == "InvalidStateError relu [r]" + closed);
  CHECK(thrown([&] { b.concat({}, 7); }) == "InvalidStateError concat" + closed);
  const MLGraphBuilder copy = b;  // a handle: the same builder
  CHECK(thrown([&] { MLGraphBuilder(copy).relu(x); }) == "InvalidStateError relu" + closed);
}

TEST_CASE("a build that fails validation leaves the builder usable") {
  MLContext context(alone);
  MLGraphBuilder b(context), other(context);
  const MLOperand x = b.input("x", row), y = b.relu(x), c = b.constant(float32, 1);
  const MLOperand foreign = other.relu(other.input("x", row));
  CHECK(thrown([&] { b.build({}); }) == "TypeError build: there are no outputs.");
  CHECK(thrown([&] { b.build({{"", y}}); }) == "TypeError build: the name of output 0 is empty.");
  CHECK(thrown([&] {
          b.build({{"y", y}, {"", y}});
        }) == "TypeError build: the name of output 1 is empty.");
  CHECK(thrown([&] {
          b.build({{"y", y}, {"y", y}});
        }) == "TypeError build [y]: the name is given twice.");
  CHECK(thrown([&] {
          b.build({{"y", foreign}});
        }) == "TypeError build [y]: the output belongs to another builder.");
  CHECK(thrown([&] {
          b.build({{"y", MLOperand()}});
        }) == "TypeError build [y]: the output belongs to another builder.");
  const std::string direct =
      ": the output is an input or a constant; identity() makes it a result.";
  CHECK(thrown([&] { b.build({{"y", x}}); }) == "TypeError build [y]" + direct);
  CHECK(thrown([&] { b.build({{"y", c}}); }) == "TypeError build [y]" + direct);
  CHECK(run(context, b.build({{"y", y}}), {{"x", std::array{-1.f, 0.f, 2.f, -3.f}}}) ==
        std::vector{0.f, 0.f, 2.f, 0.f});
}

TEST_CASE("a method that throws leaves the builder as it was") {
  MLContext context(alone);
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", row);
  CHECK(thrown([&] { b.input("x", row); }) == "TypeError input [x]: the name is already used.");
  CHECK(thrown([&] { b.input("", row); }) == "TypeError input: the name is empty.");
  CHECK(thrown([&] {
          b.input("z", {float32, {2, 0}});
        }) == "TypeError input [z]: dimension 1 (0) of the input is not between 1 and 2147483647.");
  CHECK(thrown([&] { b.input("z", {float32, {1u << 31}}); }).starts_with("TypeError input [z]: "));
  CHECK(thrown([&] {
          b.input("z", {float32, {65536, 65536}});
        }).starts_with("TypeError input [z]: the number of elements of the input"));
  CHECK(thrown([&] {
          b.input("z", {int64, {1u << 30}});
        }) ==
        "TypeError input [z]: the byte length (8589934592) of the input is greater than "
        "2147483647.");
  CHECK(thrown([&] {
          b.input("z", {float32, Dims(9, 1)});
        }) == "TypeError input [z]: the rank (9) of the input is greater than 8.");
  b.input("z", row);  // the name is still free
  CHECK(thrown([&] { b.softmax(x, 1); }).starts_with("TypeError softmax: axis (1)"));
  CHECK(thrown([&] { b.relu(MLOperand()); }) == "TypeError relu: input is missing.");
  CHECK(run(context, b.build({{"y", b.neg(x)}}), {{"x", std::array{1.f, 2.f, 3.f, 4.f}}}) ==
        std::vector{-1.f, -2.f, -3.f, -4.f});
}

TEST_CASE("operands belong to one builder") {
  MLContext context(alone);
  MLGraphBuilder a(context), b(context);
  const MLOperand x = a.input("x", row), y = b.input("x", row);
  CHECK(thrown([&] { a.relu(y, {.label = "r"}); }) ==
        "TypeError relu [r]: input belongs to another builder.");
  CHECK(thrown([&] { a.add(x, y); }) == "TypeError add: b belongs to another builder.");
  CHECK(thrown([&] {
          a.concat({x, y}, 0);
        }) == "TypeError concat: inputs[1] belongs to another builder.");
  const MLOperand m = a.input("m", {float32, {2, 2}}), n = b.input("n", {float32, {2, 2}});
  CHECK(thrown([&] { a.gemm(m, m, {.c = n}); }) == "TypeError gemm: c belongs to another builder.");
  const MLGraph graph = a.build({{"y", a.relu(x)}});
  CHECK(thrown([&] { b.relu(graph.graph().outputs()[0].operand); }) ==
        "TypeError relu: input belongs to another builder.");
  CHECK(thrown([&] { builder_of(graph.graph().outputs()[0].operand); }) ==
        "TypeError builder_of: the operand belongs to no builder.");
}

TEST_CASE("a graph has only the inputs that its outputs need") {
  MLContext context(alone);
  MLGraphBuilder b(context);
  const MLOperand unused = b.input("unused", row), x = b.input("x", row), y = b.input("y", row);
  b.relu(unused);
  const MLGraph graph = b.build({{"z", b.sub(y, x)}});
  REQUIRE(graph.inputs().size() == 2);
  CHECK(graph.inputs()[0].name == "y");  // in order of use
  CHECK(graph.inputs()[1].name == "x");
  CHECK(graph.inputs()[1].descriptor == row);
  CHECK(graph.graph().size() == 1);
  const std::array<float, 4> v{};
  std::array<float, 4> z{};
  CHECK(thrown([&] {
          context.compute(graph, {{"x", v}, {"y", v}, {"unused", v}}, {{"z", z}});
        }) ==
        "TypeError compute: no input named \"unused\"; the graph has \"y\" float32 [4], \"x\" "
        "float32 [4].");
}

TEST_CASE("one operand may have two names") {
  MLContext context(alone);
  MLGraphBuilder b(context);
  const MLOperand y = b.neg(b.input("x", row));
  const MLGraph graph = b.build({{"first", y}, {"middle", b.relu(y)}, {"second", y}});
  const std::array x{1.f, -2.f, 3.f, -4.f};
  std::array<float, 4> first{}, middle{}, second{};
  context.compute(graph, {{"x", x}}, {{"first", first}, {"middle", middle}, {"second", second}});
  CHECK(first == std::array{-1.f, 2.f, -3.f, 4.f});
  CHECK(middle == std::array{0.f, 2.f, 0.f, 4.f});
  CHECK(second == first);
  second = {};
  context.compute(graph, {{"x", x}}, {{"second", second}});  // the step writes for "first"
  CHECK(second == first);
}

TEST_CASE("graphs of constants alone") {
  MLContext context(alone);
  MLGraphBuilder b(context);
  const MLOperand two = b.constant(float32, 2), v = b.constant(row, {1.f, 2.f, 3.f, 4.f});
  const MLOperand product = b.mul(v, two);
  const MLGraph graph = b.build(
      {{"y", product}, {"z", b.identity(v)}, {"again", product}, {"s", b.split(product, 2)[1]}});
  CHECK(graph.inputs().empty());
  std::array<float, 4> y{}, z{}, again{};
  std::array<float, 2> s{};
  context.compute(graph, {}, {{"y", y}, {"z", z}, {"again", again}, {"s", s}});
  CHECK(y == std::array{2.f, 4.f, 6.f, 8.f});
  CHECK(z == std::array{1.f, 2.f, 3.f, 4.f});
  CHECK(again == y);
  CHECK(s == std::array{6.f, 8.f});
}

TEST_CASE("operands and graphs outlive their builder and context") {
  MLOperand x, y;
  MLGraph graph;
  {
    MLContext context(alone);
    MLGraphBuilder b(context);
    x = b.input("x", row);
    y = b.relu(x, {.label = "r"});
    MLGraphBuilder done(context);
    graph = done.build({{"y", done.relu(done.input("x", row))}});
  }
  CHECK(y.shape() == Dims{4});
  CHECK(y.dataType() == float32);
  MLGraphBuilder b = builder_of(y);  // it lives on in its operands
  MLContext context = b.context(), other(alone);
  const MLGraph built = b.build({{"y", b.neg(y)}});
  CHECK(run(context, built, {{"x", std::array{1.f, -2.f, 3.f, 4.f}}}) ==
        std::vector{-1.f, -0.f, -3.f, -4.f});
  CHECK(graph.outputs()[0].descriptor == row);
  CHECK(!graph.explain().empty());
  CHECK(thrown([&] { other.compute(graph, {}, {}); }) ==
        "TypeError compute: the graph belongs to another context.");
}

TEST_CASE("empty handles") {
  MLContext context(alone);
  const MLGraph graph;
  const MLTensor tensor;
  CHECK(thrown([&] { MLOperand().shape(); }) ==
        "InvalidStateError MLOperand: the operand is empty.");
  CHECK(thrown([&] { graph.inputs(); }) == "InvalidStateError MLGraph: the graph is empty.");
  CHECK(thrown([&] { tensor.shape(); }) == "InvalidStateError MLTensor: the tensor is empty.");
  CHECK(thrown([&] { context.compute(graph, {}, {}); }) ==
        "TypeError compute: the graph is empty.");
  CHECK(thrown([&] { context.readTensor(tensor); }) ==
        "TypeError readTensor: the tensor is empty.");
  MLGraph().destroy();
  MLTensor().destroy();
}

TEST_CASE("handles that were moved from name what they named") {
  MLContext context(alone);
  MLContext moved = std::move(context);
  CHECK(!context.lost());
  MLGraphBuilder b(std::move(moved));
  MLGraphBuilder c = std::move(b);
  CHECK(!b.context().lost());
  CHECK(!MLGraphBuilder(moved).context().lost());
}

TEST_CASE("constants") {
  MLContext context(alone);
  MLGraphBuilder b(context);
  CHECK(thrown([&] {
          b.constant(row, {1.f, 2.f, 3.f});
        }) == "TypeError constant [#1]: the byte length (12) is not that of float32 [4] (16).");
  CHECK(thrown([&] {
          b.constant(row, std::vector<std::int32_t>{1, 2, 3, 4});
        }) == "TypeError constant [#1]: the elements are int32, the data type is float32.");
  CHECK(
      thrown([&] {
        b.constant({float32, {0}}, std::vector<float>());
      }) ==
      "TypeError constant [#1]: dimension 0 (0) of the constant is not between 1 and 2147483647.");

  // A copy of bytes, and bytes that their owner keeps.
  std::vector<float> mine{1, 2, 3, 4};
  const MLOperand copied = b.constant(row, mine);
  auto owner = std::make_shared<std::vector<std::byte>>(17);
  for (int i = 0; i < 4; ++i) {
    const float v = static_cast<float>(10 * i);
    std::memcpy(owner->data() + 1 + 4 * i, &v, 4);  // not aligned
  }
  const std::weak_ptr<std::vector<std::byte>> watch = owner;
  const MLOperand shared = b.constant(row, Constant(owner, std::span(*owner).subspan(1)));
  CHECK(thrown([&] { b.constant(row, Constant(owner, *owner)); }) ==
        "TypeError constant [#3]: the byte length (17) is not that of float32 [4] (16).");
  owner.reset();
  mine.assign(4, 0);
  CHECK(run(context, b.build({{"y", b.add(copied, shared)}})) ==
        std::vector{1.f, 12.f, 23.f, 34.f});
  CHECK(watch.expired());  // a misaligned constant is copied
}

TEST_CASE("constant tensors") {
  MLContext context(alone), other(alone);
  MLGraphBuilder b(context);
  MLTensor c = context.createConstantTensor(row, std::array{1.f, 2.f, 3.f, 4.f});
  MLTensor foreign = other.createConstantTensor(row, std::array{1.f, 2.f, 3.f, 4.f});
  MLTensor variable = context.createTensor({float32, {4}});
  MLTensor gone = context.createConstantTensor(row, std::array{1.f, 2.f, 3.f, 4.f});
  gone.destroy();
  CHECK(thrown([&] { b.constant(foreign); }) ==
        "TypeError constant: the tensor belongs to another context.");
  CHECK(thrown([&] { b.constant(gone); }) == "TypeError constant: the tensor is destroyed.");
  CHECK(thrown([&] { b.constant(variable); }) ==
        "TypeError constant: the tensor is not a constant.");
  CHECK(thrown([&] { b.constant(MLTensor()); }) == "TypeError constant: the tensor is empty.");

  SECTION("destroying it after the build does not matter") {
    const MLGraph graph = b.build({{"y", b.neg(b.constant(c))}});
    c.destroy();
    CHECK(run(context, graph) == std::vector{-1.f, -2.f, -3.f, -4.f});
    CHECK(thrown([&] { b.constant(variable); }) ==  // these checks come first
          "TypeError constant: the tensor is not a constant.");
  }
  SECTION("destroying it before the build does, if an output needs it") {
    const MLOperand k = b.constant(c), x = b.relu(b.input("x", row));
    c.destroy();
    CHECK(thrown([&] {
            b.build({{"x", x}, {"y", b.neg(b.add(x, k))}});
          }) == "TypeError build: a constant tensor that the outputs need is destroyed.");
    CHECK(b.build({{"x", x}}));
  }
}

TEST_CASE("builders of a lost context") {
  MLContext context(alone);
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", row), y = b.relu(x);
  context.destroy();
  const std::string lost = ": the context is lost.";
  CHECK(thrown([&] { MLGraphBuilder{context}; }) == "InvalidStateError MLGraphBuilder" + lost);
  CHECK(thrown([&] { b.input("y", row); }) == "InvalidStateError input [y]" + lost);
  CHECK(thrown([&] { b.constant(float32, 0); }) == "InvalidStateError constant" + lost);
  CHECK(thrown([&] { b.relu(x); }) == "InvalidStateError relu" + lost);
  CHECK(thrown([&] { b.build({{"y", y}}); }) == "InvalidStateError build" + lost);
}

TEST_CASE("a graph built on the timeline") {
  MLContext context({.threads = 1, .backends = {"reference"}});
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {2}});
  const MLOperand y = b.add(x, x);
  const auto never = [](std::exception_ptr, MLGraph) { FAIL("was called"); };
  CHECK(thrown([&] { b.build_async({}, never); }) == "TypeError build: there are no outputs.");
  std::promise<MLGraph> promise;
  b.build_async({{"y", y}}, [&](std::exception_ptr failure, MLGraph graph) {
    CHECK(!failure);
    promise.set_value(std::move(graph));
  });
  CHECK(thrown([&] {
          b.build_async({{"y", y}}, never);
        }) == "InvalidStateError build: the builder has already built a graph.");
  const MLGraph graph = promise.get_future().get();
  std::array<float, 2> in{1, 2}, out{};
  context.compute(graph, {{"x", in}}, {{"y", out}});
  CHECK(out == std::array<float, 2>{2, 4});
}

TEST_CASE("a future of a graph") {
  MLContext context({.threads = 1, .backends = {"reference"}});
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {2}});
  CHECK(thrown([&] { b.build_async({}); }) == "TypeError build: there are no outputs.");
  std::future<MLGraph> future = b.build_async({{"y", b.neg(x)}});
  std::array<float, 2> in{1, 2}, out{};
  context.compute(future.get(), {{"x", in}}, {{"y", out}});
  CHECK(out == std::array<float, 2>{-1, -2});
  MLGraphBuilder other(context);
  future = other.build_async({{"y", other.neg(other.input("x", {float32, {2}}))}});
  future.wait();
  context.destroy();
  CHECK_THROWS_AS(context.compute(future.get(), {{"x", in}}, {{"y", out}}), InvalidStateError);
}
