// Where the specification and the W3C's tests contradict each other: webnn/rules.h.
#include "tests/support/builder.h"
#include "tests/support/catch.h"
#include "tests/support/run.h"
#include "tests/support/thrown.h"

using namespace webnn;
using namespace webnn::test;

namespace {

MLContext context_of(Rules rules, std::vector<BackendChoice> order = {"reference"}) {
  return MLContext({.threads = 2, .backends = std::move(order), .rules = rules});
}

struct Tests2025 : MLGraphBuilder {
  Tests2025() : MLGraphBuilder(context_of(Rules::tests2025)) {}
};

TEST_CASE("tests2025: a builder has several inputs of one name, a graph one") {
  Tests2025 b;
  const MLOperand x = b.input("x", {float32, {2}}), other = b.input("x", {float32, {2}});
  CHECK(thrown([&] { b.input("", {float32, {2}}); }) == "TypeError input: the name is empty.");
  CHECK(thrown([&] {
          b.build({{"y", b.add(x, other)}});
        }) == "TypeError build [x]: two inputs have this name.");
  const MLGraph graph = b.build({{"y", b.relu(other)}});
  CHECK(graph.inputs().size() == 1);
}

TEST_CASE("tests2025: pad refuses a scalar") {
  Tests2025 b;
  const MLOperand x = b.input("x", {int8, {}});
  CHECK(thrown([&] { b.pad(x, {}, {}, {.label = "p"}); }) ==
        "TypeError pad [p]: the rank (0) of input is less than 1.");
  CHECK(text(b.pad(b.reshape(x, {1}), {1}, {2})) == "int8 [4]");
  const auto min_rank = [](Rules rules, std::string_view row) {
    return context_of(rules).opSupportLimits().find("pad", row)->rankRange.min;
  };
  for (const char* row : {"input", "output"}) {
    CHECK(min_rank(Rules::tests2025, row) == 1);
    CHECK(min_rank(Rules::specification, row) == 0);
  }
}

TEST_CASE("the limits of both rules differ in pad alone") {
  const MLOpSupportLimits tests = context_of(Rules::tests2025).opSupportLimits(),
                          specification = context_of(Rules::specification).opSupportLimits();
  for (const auto& entry : specification.entries())
    for (const auto& row : entry.rows)
      if (entry.op != "pad") CHECK(*tests.find(entry.op, row.name) == row.limits);
}

TEST_CASE("tests2025: what convTranspose2d lets pass and no kernel could run, build() refuses") {
  Tests2025 b;
  const MLOperand x = b.input("x", {float32, {1, 3, 5, 5}}),
                  f = b.input("f", {float32, {3, 4, 3, 3}});
  const MLOperand y = b.convTranspose2d(x, f, {.groups = 2, .label = "up"});
  CHECK(text(y) == "float32 [1, 8, 7, 7]");
  CHECK(thrown([&] {
          b.build({{"y", y}});
        }) ==
        "OperationError convTranspose2d [up]: the channels (3) of input are not divisible by "
        "groups (2).");
  CHECK(b.build({{"y", b.convTranspose2d(x, f, {.groups = 3})}}));
}

TEST_CASE("tests2025: what scale and zeroPoint may be") {
  Tests2025 b;
  const auto input = [&](Dims shape, MLOperandDataType type = float32) {
    return b.input("x", {type, std::move(shape)});
  };
  const MLOperand x = input({4, 6}), z = input({4, 6}, uint8);
  CHECK(text(b.quantizeLinear(x, input({3}), input({3}, int4))) == "int4 [4, 6]");
  CHECK(text(b.dequantizeLinear(z, input({}), input({}, uint8))) == "float32 [4, 6]");
  CHECK(thrown([&] {
          b.quantizeLinear(x, input({1, 2, 1}), input({1, 2, 1}, uint8));
        }) == "TypeError quantizeLinear: the rank (3) of scale is not that of input (2).");
  CHECK(thrown([&] {
          b.quantizeLinear(x, input({6}), input({1, 6}, uint8), {.label = "q"});
        }) ==
        "TypeError quantizeLinear [q]: the shape ([6]) of scale differs from the shape ([1, 6]) of "
        "zeroPoint.");
  CHECK(thrown([&] { b.dequantizeLinear(z, input({4}), input({4}, uint8)); }) ==
        "TypeError dequantizeLinear: the shape ([4, 6]) of input is not a multiple of the shape "
        "([4]) of scale.");
  CHECK(thrown([&] { b.dequantizeLinear(z, input({6}), input({6}, int8)); }) ==
        "TypeError dequantizeLinear: the data type (int8) of zeroPoint is not that of input "
        "(uint8).");
}

TEST_CASE("tests2025: what a number may become") {
  Tests2025 b;
  CHECK(thrown([&] { b.constant(int4, 1); }) ==
        "TypeError constant: a scalar cannot have the data type int4.");
  CHECK(text(b.constant(uint8, 1)) == "uint8 []");
  CHECK(text(MLGraphBuilder(plain_context()).constant(int4, 1)) == "int4 []");
}

TEST_CASE("tests2025: a tensor is read into more bytes than it has") {
  const auto read = [](Rules rules, auto values) {
    MLContext context = context_of(rules);
    const MLTensor t = context.createTensor({float32, {3}, true, true});
    context.writeTensor(t, std::vector<float>{1, 2, 3});
    return thrown([&] { context.readTensor(t, values); });
  };
  const std::string reason = "TypeError readTensor: the byte length ";
  std::vector<float> values(4, 7);
  CHECK(read(Rules::specification, std::span(values)) ==
        reason + "(16) is not that of float32 [3] (12).");
  CHECK(read(Rules::tests2025, std::span(values)) == "nothing");
  CHECK(values == std::vector<float>{1, 2, 3, 7});
  CHECK(read(Rules::tests2025, std::span(values).first(2)) ==
        reason + "(8) is not that of float32 [3] (12).");
  std::vector<std::int32_t> integers(4);
  CHECK(read(Rules::tests2025, std::span(integers)) ==
        "TypeError readTensor: the elements are not of the data type (float32) of the tensor.");
}

TEST_CASE("tests2025: a destroyed tensor is in an invalid state") {
  for (const auto& [rules, name] : {std::pair(Rules::specification, "TypeError"),
                                    std::pair(Rules::tests2025, "InvalidStateError")}) {
    MLContext context = context_of(rules);
    MLTensor t = context.createTensor({float32, {1}, true, true});
    t.destroy();
    std::vector<float> values(1);
    const std::string reason = ": the tensor is destroyed.";
    CHECK(thrown([&] { context.writeTensor(t, values); }) ==
          std::string(name) + " writeTensor" + reason);
    CHECK(thrown([&] { context.readTensor(t, values); }) ==
          std::string(name) + " readTensor" + reason);
    CHECK(thrown([&] { context.readTensor_async(t, {}); }) ==
          std::string(name) + " readTensor" + reason);
  }
}

/// quantizeLinear and dequantizeLinear of the first operand; the others are scale and zeroPoint.
NamedOperands quantized(MLGraphBuilder& b, const MLOperand& x, const MLOperand& scale,
                        const MLOperand& zero) {
  const MLOperand q = b.quantizeLinear(x, scale, zero);
  return {{"q", q}, {"x", b.dequantizeLinear(q, scale, zero)}};
}

void check_fewer(MLOperandDataType type, const Dims& shape, bool constant,
                 const std::vector<BackendChoice>& order) {
  Random random(57);
  const Tensor x = random.tensor(float32, {4, 2, 6}, -20, 20);
  const Tensor scale = random.tensor(float32, shape, 0.5, 2),
               zero = random.tensor(type, shape, -7, 7);
  Dims wide(3 - shape.size(), 1);
  wide.insert(wide.end(), shape.begin(), shape.end());
  std::vector<std::vector<std::byte>> results;
  for (const Rules rules : {Rules::specification, Rules::tests2025}) {
    MLContext context = context_of(rules, order);
    MLGraphBuilder b(context);
    const Dims& given = rules == Rules::specification ? wide : shape;
    const auto operand = [&](const char* name, const Tensor& t) {
      const MLOperandDescriptor d{t.type, given};
      return constant ? b.constant(d, t.bytes) : b.input(name, d);
    };
    const MLGraph graph = b.build(quantized(b, b.input("in", x.descriptor()),
                                            operand("scale", scale), operand("zero", zero)));
    std::vector<NamedInput> inputs{{"in", x.bytes}};
    if (!constant) inputs.insert(inputs.end(), {{"scale", scale.bytes}, {"zero", zero.bytes}});
    for (const auto& [name, d] : graph.outputs())
      results.emplace_back(static_cast<std::size_t>(byte_length(d)));
    context.compute(graph, inputs, {{"q", results[results.size() - 2]}, {"x", results.back()}});
  }
  CHECK(results[0] == results[2]);
  CHECK(results[1] == results[3]);
}

TEST_CASE("tests2025: a scale of fewer dimensions counts as one with ones in front") {
  for (const auto& order : backend_orders())
    for (const MLOperandDataType type : {uint8, int8, int32, uint32, int4, uint4})
      for (const Dims& shape : {Dims{}, Dims{3}, Dims{2, 6}, Dims{2, 1}})
        for (const bool constant : {false, true}) check_fewer(type, shape, constant, order);
}

}  // namespace
