// WebNN's operators as nodes of XNNPACK: what is imported again computes the same on the reference
// kernels.
#include <cmath>

#include "tests/formats/executorch/run.h"
#include "tests/support/catch.h"
#include "tests/support/quantize.h"
#include "tests/support/random.h"

using namespace webnn;
using namespace webnn::executorch::test;

namespace {

using B = MLGraphBuilder&;

struct Operator {
  std::string name;
  std::vector<Dims> shapes;
  std::function<std::vector<MLOperand>(B, const std::vector<MLOperand>&)> build;
  double tolerance = 1e-5;
  double low = -2, high = 2;
};
using X = const std::vector<MLOperand>&;
using L = std::vector<MLOperand>;

MLOperand constant(B b, Dims shape, std::uint32_t seed = 3) {
  webnn::test::Random random(seed);
  const Tensor t = random.tensor(float32, shape, -1, 1);
  return b.constant({float32, shape}, t.bytes);
}

std::vector<Operator> elementwise() {
  const Dims s{2, 3, 4};
  return {
      {"relu", {s}, [](B b, X x) { return L{b.relu(x[0])}; }, 0},
      {"clamp", {s}, [](B b, X x) { return L{b.clamp(x[0], {.minValue = -1})}; }, 0},
      {"linear", {s}, [](B b, X x) { return L{b.linear(x[0], {.alpha = 3, .beta = -1})}; }},
      {"hardSigmoid", {s}, [](B b, X x) { return L{b.hardSigmoid(x[0])}; }},
      {"softplus", {s}, [](B b, X x) { return L{b.softplus(x[0])}; }},
      {"softsign", {s}, [](B b, X x) { return L{b.softsign(x[0])}; }},
      {"reciprocal", {s}, [](B b, X x) { return L{b.reciprocal(x[0])}; }, 1e-5, 0.5, 2},
      {"tan", {s}, [](B b, X x) { return L{b.tan(x[0])}; }, 1e-5, -1, 1},
      {"sub and relu", {s, {4}}, [](B b, X x) { return L{b.relu(b.sub(x[0], x[1]))}; }, 0},
      {"mul of itself", {s}, [](B b, X x) { return L{b.mul(x[0], x[0])}; }, 0},
      {"pow",
       {s},
       [](B b, X x) {
         return L{b.pow(x[0], b.constant(float32, 2)), b.pow(x[0], b.constant(float32, 3)),
                  b.pow(x[0], b.constant(float32, 0.5)), b.pow(x[0], b.constant(float32, -0.5)),
                  b.pow(x[0], b.constant(float32, 1))};
       },
       1e-5,
       0.5,
       2},
      {"prelu by channels", {s}, [](B b, X x) { return L{b.prelu(x[0], constant(b, {4}))}; }, 0},
      {"prelu by channels of a slope of more dimensions",
       {{4}},
       [](B b, X x) {
         return L{b.prelu(x[0], constant(b, {1, 1, 4}))};
       },
       0},
      {"prelu", {s, {2, 3, 1}}, [](B b, X x) { return L{b.prelu(x[0], x[1])}; }},
      {"softmax",
       {s},
       [](B b, X x) {
         return L{b.softmax(x[0], 1), b.softmax(x[0], 2)};
       }},
      {"of a scalar", {{}}, [](B b, X x) { return L{b.linear(x[0], {.alpha = 2, .beta = 1})}; }},
      {"cast", {s}, [](B b, X x) { return L{b.cast(b.cast(x[0], float16), float32)}; }, 2e-3},
  };
}

std::vector<Operator> movement() {
  const Dims s{2, 3, 4};
  return {
      {"reshape",
       {s},
       [](B b, X x) {
         return L{b.reshape(x[0], {4, 6})};
       },
       0},
      {"transpose", {s}, [](B b, X x) { return L{b.transpose(x[0])}; }, 0},
      {"slice",
       {s},
       [](B b, X x) {
         return L{b.slice(x[0], {0, 1, 2}, {2, 2, 1})};
       },
       0},
      {"split",
       {s},
       [](B b, X x) {
         return b.split(x[0], {1, 3}, {.axis = 2});
       },
       0},
      {"concat",
       {s, s},
       [](B b, X x) {
         return L{b.concat({x[0], x[1], x[0], x[0], x[1], x[0]}, 1)};
       },
       0},
      {"concat of one", {s}, [](B b, X x) { return L{b.concat({x[0]}, 1)}; }, 0},
      {"pad",
       {s},
       [](B b, X x) {
         return L{b.pad(x[0], {0, 1, 0}, {2, 0, 0}, {.value = 1.5})};
       },
       0},
      {"expand",
       {{3, 1}},
       [](B b, X x) {
         return L{b.expand(x[0], {2, 3, 4})};
       },
       0},
      {"tile",
       {{2, 3}},
       [](B b, X x) {
         return L{b.tile(x[0], {2, 5})};
       },
       0},
      {"an input twice, and a constant",
       {s},
       [](B b, X x) {
         return L{b.identity(x[0]), b.identity(x[0]), b.identity(constant(b, {2}))};
       },
       0},
      {"resample linear",
       {{1, 2, 3, 4}},
       [](B b, X x) {
         return L{b.resample2d(x[0], {.mode = MLInterpolationMode::linear, .sizes = {5, 7}})};
       }},
      {"resample nearest",
       {{1, 2, 3, 4}},
       [](B b, X x) {
         return L{b.resample2d(x[0], {.sizes = {6, 12}}),
                  b.resample2d(x[0], {.sizes = {4, 6}, .axes = {1, 2}})};
       },
       0},
  };
}

std::vector<Operator> products() {
  return {
      {"gemm",
       {{3, 4}},
       [](B b, X x) {
         return L{b.gemm(x[0], constant(b, {4, 5}), {.c = constant(b, {5}, 4)})};
       }},
      {"gemm transposed",
       {{4, 3}},
       [](B b, X x) {
         return L{b.gemm(x[0], constant(b, {5, 4}),
                         {.c = constant(b, {3, 1}, 4),
                          .alpha = 0.5,
                          .beta = 2,
                          .aTranspose = true,
                          .bTranspose = true})};
       }},
      {"gemm of results",
       {{3, 4}, {5, 4}, {5}},
       [](B b, X x) { return L{b.gemm(x[0], x[1], {.c = x[2], .bTranspose = true})}; }},
      {"gemm and clamp",
       {{3, 4}},
       [](B b, X x) {
         return L{b.clamp(b.gemm(x[0], constant(b, {4, 5})), {.minValue = -0.5, .maxValue = 0.5})};
       }},
      {"matmul",
       {{2, 3, 4}},
       [](B b, X x) {
         return L{b.matmul(x[0], constant(b, {4, 5}))};
       }},
      {"matmul of results",
       {{2, 1, 3, 4}, {5, 4, 2}},
       [](B b, X x) { return L{b.matmul(x[0], x[1])}; }},
  };
}

std::vector<Operator> images() {
  const Dims image{2, 6, 7, 5};
  const auto nhwc = MLInputOperandLayout::nhwc;
  return {
      {"conv2d",
       {image},
       [](B b, X x) {
         return L{b.relu(b.conv2d(x[0], constant(b, {4, 3, 3, 2}),
                                  {.padding = {1, 0, 0, 1},
                                   .strides = {2, 1},
                                   .groups = 2,
                                   .bias = constant(b, {4}, 5)}))};
       }},
      {"conv2d depthwise",
       {image},
       [](B b, X x) {
         return L{b.conv2d(x[0], constant(b, {12, 1, 3, 3}), {.dilations = {2, 1}, .groups = 6})};
       }},
      {"conv2d nhwc",
       {image},
       [=](B b, X x) {
         return L{
             b.conv2d(x[0], constant(b, {3, 3, 5, 2}),
                      {.inputLayout = nhwc, .filterLayout = MLConv2dFilterOperandLayout::hwio})};
       }},
      {"convTranspose2d",
       {image},
       [](B b, X x) {
         return L{b.convTranspose2d(x[0], constant(b, {6, 2, 3, 3}),
                                    {.padding = {1, 1, 0, 2},
                                     .strides = {2, 3},
                                     .outputPadding = {1, 2},
                                     .groups = 3,
                                     .bias = constant(b, {6}, 5)})};
       }},
      {"averagePool2d",
       {image},
       [](B b, X x) {
         return L{
             b.averagePool2d(
                 x[0], {.windowDimensions = {2, 3}, .padding = {0, 1, 1, 1}, .strides = {2, 2}}),
             b.averagePool2d(x[0]),
             b.averagePool2d(x[0], {.windowDimensions = {3, 2},
                                    .strides = {3, 2},
                                    .outputShapeRounding = MLRoundingType::ceil})};
       }},
      {"l2Pool2d",
       {image},
       [](B b, X x) {
         return L{b.l2Pool2d(x[0], {.windowDimensions = {2, 2}, .padding = {1, 0, 0, 1}})};
       }},
      {"maxPool2d",
       {image},
       [=](B b, X x) {
         return L{b.maxPool2d(x[0], {.windowDimensions = {2, 2},
                                     .padding = {1, 1, 0, 0},
                                     .strides = {2, 1},
                                     .layout = nhwc}),
                  b.maxPool2d(x[0], {.windowDimensions = {2, 2}, .dilations = {2, 3}})};
       },
       0},
  };
}

std::vector<Operator> reductions() {
  const Dims s{2, 3, 4, 5};
  return {
      {"reduceMean",
       {s},
       [](B b, X x) {
         return L{b.reduceMean(x[0], {.axes = {1, 3}}), b.reduceMean(x[0]),
                  b.reduceMean(x[0], {.axes = {2}, .keepDimensions = true})};
       }},
      {"sums",
       {s},
       [](B b, X x) {
         return L{b.reduceSum(x[0], {.axes = {0, 2}}), b.reduceL1(x[0], {.axes = {3}}),
                  b.reduceL2(x[0], {.axes = {1}}), b.reduceSumSquare(x[0], {.axes = {1, 2}}),
                  b.reduceLogSumExp(x[0], {.axes = {3, 0}})};
       },
       1e-4},
      {"reduceLogSum",
       {s},
       [](B b, X x) { return L{b.reduceLogSum(x[0], {.axes = {3}})}; },
       1e-5,
       0.5,
       2},
      {"largest",
       {s},
       [](B b, X x) {
         return L{b.reduceMax(x[0], {.axes = {1, 3}}), b.reduceMin(x[0]),
                  b.reduceMax(x[0], {.axes = OptionalList<std::uint32_t>(Dims{})})};
       },
       0},
      {"places",
       {s},
       [](B b, X x) {
         return L{b.argMax(x[0], 1), b.argMin(x[0], 3, {.keepDimensions = true})};
       },
       0},
      {"batchNormalization",
       {s},
       [](B b, X x) {
         return L{b.batchNormalization(
             x[0], constant(b, {3}), b.constant({float32, {3}}, {1.0f, 2.0f, 0.5f}),
             {.scale = constant(b, {3}, 4), .bias = constant(b, {3}, 5)})};
       }},
      {"instanceNormalization",
       {s},
       [](B b, X x) { return L{b.instanceNormalization(x[0], {.scale = constant(b, {3}, 4)})}; }},
      {"layerNormalization",
       {s},
       [](B b, X x) {
         return L{b.layerNormalization(x[0]),
                  b.layerNormalization(x[0], {.scale = constant(b, {5, 3}, 4),
                                              .bias = constant(b, {5, 3}, 6),
                                              .axes = {3, 1}})};
       },
       1e-4},
  };
}

void check(const Operator& op) {
  INFO(op.name);
  const auto context = webnn::test::plain_context();
  MLGraphBuilder b(context);
  webnn::test::Random random(7);
  std::vector<MLOperand> x;
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < op.shapes.size(); ++i) {
    x.push_back(b.input("x" + std::to_string(i), {float32, op.shapes[i]}));
    inputs.push_back(random.tensor(float32, op.shapes[i], op.low, op.high));
  }
  executorch::Model m;
  for (std::size_t i = 0; i < x.size(); ++i) m.inputs.push_back({"x" + std::to_string(i), x[i]});
  const auto results = op.build(b, x);
  for (std::size_t i = 0; i < results.size(); ++i)
    m.outputs.push_back({"y" + std::to_string(i), results[i]});
  const MLGraph graph = b.build(m.outputs);
  const auto expected = compute(context, graph, m, inputs);
  const Bytes file = executorch::export_model(graph);
  MLGraphBuilder again(context);
  const auto n = executorch::import_model(again, file);
  std::vector<Tensor> given;
  for (const auto& [name, y] : n.inputs) given.push_back(inputs[std::stoul(name.substr(1))]);
  const auto got = compute(context, again.build(n.outputs), n, given);
  REQUIRE(got.size() == expected.size());
  for (std::size_t k = 0; k < got.size(); ++k) {
    CHECK(n.outputs[k].name == "y" + std::to_string(k));
    REQUIRE(got[k].type == expected[k].type);
    REQUIRE(got[k].shape == expected[k].shape);
    for (std::size_t i = 0; i < got[k].size(); ++i)
      if (!(std::abs(got[k][i] - expected[k][i]) <= op.tolerance))
        FAIL_CHECK("output " << k << " element " << i << " is " << got[k][i] << ", not "
                             << expected[k][i]);
  }
}

}  // namespace

TEST_CASE("executorch: operators as nodes", "[executorch]") {
  for (const auto& family : {elementwise(), movement(), products(), images(), reductions()})
    for (const Operator& op : family) check(op);
}

TEST_CASE("executorch: everything that cannot be expressed is named at once", "[executorch]") {
  MLGraphBuilder b(webnn::test::plain_context());
  const MLOperand x = b.input("x", {float32, {2, 3}}), n = b.input("n", {int64, {2}});
  const MLGraph g = b.build({{"a", b.erf(x, {.label = "first"})},
                             {"b", b.where(b.greater(x, x), x, x)},
                             {"c", b.neg(n)}});
  CHECK(webnn::test::thrown([&] { executorch::export_model(g); }) ==
        "NotSupportedError executorch export: 5 operators or inputs or outputs cannot be "
        "expressed: input n: "
        "XNNPACK has no type for int64; erf [first]: XNNPACK has no such node; greater: XNNPACK "
        "has no such node; where: XNNPACK has no such node; neg: XNNPACK has it for floats, not "
        "for int64.");
}

TEST_CASE("executorch: windows of one element with limits", "[executorch]") {
  MLGraphBuilder b(webnn::test::plain_context());
  const MLOperand x = b.input("x", {float32, {1, 1, 1, 1}});
  const Bytes file = executorch::export_model(
      b.build({{"y", b.clamp(b.maxPool2d(x), {.minValue = 0, .maxValue = 0.5})}}));
  const MLContext context = webnn::test::plain_context();
  MLGraphBuilder c(context);
  const MLGraph imported = c.build(executorch::import_model(c, file).outputs);
  const std::array<float, 1> one{1};
  std::array<float, 1> y{};
  MLContext(context).compute(imported, {{"x", one}}, {{"y", y}});
  CHECK(y[0] == 0.5f);
}

TEST_CASE("executorch: elements of bytes that are not quantized", "[executorch]") {
  const auto refusal = [](auto build) {
    MLGraphBuilder b(webnn::test::plain_context());
    const MLGraph g = b.build({{"y", build(b)}});
    return webnn::test::thrown([&] { executorch::export_model(g); });
  };
  const std::string start =
      "NotSupportedError executorch export: 1 operator or input or output cannot be expressed: ";
  CHECK(refusal([](B& b) {
          const MLOperand x = b.input("x", {int8, {2, 3}});
          return b.prelu(x, x);
        }) == start + "prelu: XNNPACK has it for floats, not for int8.");
  CHECK(refusal([](B& b) {
          return b.resample2d(b.input("x", {uint8, {1, 1, 2, 3}}), {.sizes = {4, 6}});
        }) == start + "resample2d: XNNPACK repeats elements of floats, not of uint8.");
  CHECK(refusal([](B& b) {
          return b.resample2d(b.input("x", {int8, {1, 1, 2, 3}}),
                              {.mode = MLInterpolationMode::linear, .sizes = {4, 6}});
        }) == "nothing");
  CHECK(refusal([](B& b) {
          return b.transpose(b.constant({int64, {1}}, std::vector<std::int64_t>{1}));
        }) == start + "output y: XNNPACK has no type for constants of int64.");
  CHECK(refusal([](B& b) {
          return b.cast(b.cast(b.input("x", {float32, {2}}), bfloat16, {.label = "half"}), float32);
        }) ==
        "NotSupportedError executorch export: 2 operators or inputs or outputs cannot be "
        "expressed: cast [half]: XNNPACK has no tensors of bfloat16; cast: XNNPACK has no "
        "tensors of bfloat16.");
  CHECK(refusal([](B& b) {
          const MLOperand x = b.input("x", {uint8, {1}}), z = b.input("z", {uint8, {1}});
          const MLOperand one = webnn::test::dequantized(b, x, {0.5f, 1});
          const MLOperand two = webnn::test::dequantized(b, z, {0.5f, 2});
          return b.add(b.add(one, two), b.cast(b.concat({x, z}, 0), float32));
        }).find("concat: its operands have different scales or zero points") != std::string::npos);
  const auto reshaped = [&](const Dims& to) {
    return refusal([&](B& b) {
      const MLOperand x = b.constant({int8, {9, 1}}, std::vector<std::int8_t>(9, 1));
      const MLOperand floats =
          b.dequantizeLinear(x, b.constant({float32, {9, 1}}, std::vector<float>(9, 0.5f)),
                             b.constant({int8, {9, 1}}, std::vector<std::int8_t>(9)));
      return b.add(b.reduceSum(floats), b.cast(b.reshape(x, to), float32));
    });
  };
  CHECK(reshaped({3, 3}).find("reshape") == std::string::npos);
  CHECK(reshaped({1, 9}).find("reshape") == std::string::npos);
}

TEST_CASE("executorch: layouts and fused limits of what is written", "[executorch]") {
  MLGraphBuilder b(webnn::test::plain_context());
  const MLOperand x = b.input("x", {float32, {1, 3, 8, 8}});
  const MLOperand y = b.relu(b.conv2d(x, constant(b, {4, 3, 3, 3}), {.bias = constant(b, {4})}));
  const MLOperand z = b.relu(b.conv2d(y, constant(b, {4, 1, 3, 3}), {.groups = 4}));
  const Bytes file = executorch::export_model(b.build({{"z", z}}));
  // Both convolutions with their relu, between two transposes.
  const auto info = executorch::read_info(file);
  CHECK(info.methods[0].delegates[0].nodes == 4);
}

TEST_CASE("executorch: a file is replaced", "[executorch]") {
  MLGraphBuilder b(webnn::test::plain_context());
  const MLGraph g = b.build({{"y", b.relu(b.input("x", {float32, {3}}), {.label = "active"})}});
  const std::string path = "executorch_export_test.xnnpack";
  executorch::export_model(g, path);
  MLGraphBuilder again(webnn::test::plain_context());
  const auto m = executorch::import_model(again, path);
  CHECK(m.input("x").shape() == Dims{3});
  CHECK(m.output("y").shape() == Dims{3});
  CHECK(m.description == "XNNPACK graph XN01");
  CHECK(webnn::test::thrown([&] { m.output("z"); }) ==
        "DataError executorch: the model has no output \"z\".");
  std::remove(path.c_str());
  CHECK(webnn::test::thrown([&] { executorch::import_model(again, path); })
            .starts_with("DataError executorch [executorch_export_test.xnnpack]: the file cannot "
                         "be opened"));
}
