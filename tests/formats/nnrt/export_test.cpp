// WebNN's operators as nodes of NNRt: what is imported again computes the same on the reference
// kernels.
#include <cmath>
#include <set>

#include "tests/support/builder.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"
#include "tests/support/thrown.h"
#include "webnn/nnrt.h"
#include "webnn/webnn.h"

using namespace webnn;
using webnn::test::Tensor;

namespace {

using B = MLGraphBuilder&;
using X = const std::vector<MLOperand>&;
using L = std::vector<MLOperand>;

struct Operator {
  std::string name;
  std::vector<MLOperandDescriptor> inputs;
  std::function<L(B, X)> build;
  double tolerance = 0;
  double low = -2, high = 2;
};

MLOperandDescriptor f32(Dims shape) { return {float32, std::move(shape)}; }
MLOperand constant(B b, Dims shape, std::uint32_t seed = 3) {
  webnn::test::Random random(seed);
  return b.constant({float32, shape}, random.tensor(float32, shape, -1, 1).bytes);
}

std::string refusal_of(MLOperandDataType type) {
  MLGraphBuilder b(webnn::test::plain_context());
  const MLGraph graph = b.build({{"y", b.cast(b.input("x", {type, {2}}), float32)}});
  return webnn::test::thrown([&] { nnrt::export_model(graph); });
}

std::vector<Operator> elementwise() {
  const auto s = f32({2, 3, 4});
  return {
      {"unary",
       {s},
       [](B b, X x) {
         return L{b.abs(x[0]),       b.ceil(x[0]),  b.cos(x[0]),      b.erf(x[0]),
                  b.exp(x[0]),       b.floor(x[0]), b.identity(x[0]), b.neg(x[0]),
                  b.roundEven(x[0]), b.sign(x[0]),  b.sin(x[0])};
       }},
      {"unary of positive numbers",
       {s},
       [](B b, X x) {
         return L{b.log(x[0]), b.sqrt(x[0]), b.reciprocal(x[0]), b.tan(x[0])};
       },
       1e-6,
       0.25,
       1},
      {"activations",
       {s},
       [](B b, X x) {
         return L{b.elu(x[0], {.alpha = 0.5}),
                  b.gelu(x[0]),
                  b.hardSwish(x[0]),
                  b.sigmoid(x[0]),
                  b.softplus(x[0]),
                  b.softsign(x[0]),
                  b.tanh(x[0]),
                  b.relu(x[0]),
                  b.leakyRelu(x[0], {.alpha = 0.25}),
                  b.softmax(x[0], 1)};
       }},
      {"linear",
       {s},
       [](B b, X x) {
         return L{b.linear(x[0], {.alpha = 3, .beta = -1}), b.hardSigmoid(x[0])};
       },
       1e-6},
      {"clamp",
       {s},
       [](B b, X x) {
         return L{b.clamp(x[0]), b.clamp(x[0], {.minValue = -1}),
                  b.clamp(x[0], {.minValue = -0.5, .maxValue = 0.5})};
       }},
      {"clamp of integers",
       {{int32, {5}}},
       [](B b, X x) {
         return L{b.clamp(x[0], {.minValue = -1, .maxValue = 1}), b.clamp(x[0]), b.relu(x[0])};
       }},
      {"prelu",
       {s, f32({2, 3, 1})},
       [](B b, X x) {
         return L{b.prelu(x[0], x[1]), b.prelu(x[0], constant(b, {4}))};
       }},
      {"binary",
       {s, f32({3, 1})},
       [](B b, X x) {
         return L{b.add(x[0], x[1]),
                  b.sub(x[0], x[1]),
                  b.mul(x[1], x[0]),
                  b.div(x[0], x[1]),
                  b.max(x[0], x[1]),
                  b.min(x[0], x[1]),
                  b.pow(x[0], b.constant(float32, 2))};
       }},
      {"remainders",
       {s, f32({3, 1})},
       [](B b, X x) {
         return L{b.modulusFloor(x[0], x[1]), b.modulusTruncate(x[0], x[1]),
                  b.modulusTruncate(x[1], b.constant(float32, 0.1))};
       }},
      {"remainders of integers",
       {{int32, {2, 3}}, {int32, {3}}},
       [](B b, X x) {
         return L{b.modulusFloor(x[0], x[1]), b.modulusTruncate(x[0], x[1])};
       }},
      {"activation behind",
       {s, f32({4})},
       [](B b, X x) {
         return L{b.relu(b.add(x[0], x[1])),
                  b.clamp(b.mul(x[0], x[1]), {.minValue = 0, .maxValue = 6})};
       }},
      {"activation behind a result with two readers",
       {s},
       [](B b, X x) {
         const MLOperand sum = b.add(x[0], x[0]);
         return L{b.relu(sum), b.neg(sum)};
       }},
      {"comparisons",
       {{int32, {2, 3}}, {int32, {3}}},
       [](B b, X x) {
         return L{b.equal(x[0], x[1]),
                  b.notEqual(x[0], x[1]),
                  b.greater(x[0], x[1]),
                  b.greaterOrEqual(x[0], x[1]),
                  b.lesser(x[0], x[1]),
                  b.lesserOrEqual(x[0], x[1]),
                  b.where(b.lesser(x[0], x[1]), x[0], x[1])};
       }},
      {"logic",
       {{uint8, {6}}, {uint8, {6}}},
       [](B b, X x) {
         return L{b.logicalAnd(x[0], x[1]), b.logicalOr(x[0], x[1]), b.logicalXor(x[0], x[1]),
                  b.logicalNot(x[0]), b.add(b.logicalNot(x[0]), x[1])};
       },
       0,
       0,
       2},
      {"not finite",
       {s},
       [](B b, X x) {
         const MLOperand y = b.div(b.floor(x[0]), b.constant(float32, 0));
         return L{b.isNaN(y), b.isInfinite(y), b.isInfinite(b.reduceMax(y))};
       }},
      {"cast",
       {s},
       [](B b, X x) {
         return L{b.cast(x[0], int32), b.cast(b.cast(x[0], float16), float32)};
       }},
      {"scalar",
       {f32({})},
       [](B b, X x) {
         return L{b.linear(x[0], {.alpha = 2, .beta = 1}), b.identity(x[0]),
                  b.reshape(x[0], {1, 1})};
       },
       1e-6},
  };
}

std::vector<Operator> layers() {
  using enum MLInputOperandLayout;
  const auto image = f32({1, 4, 6, 5});
  return {
      {"conv2d",
       {image},
       [](B b, X x) {
         return L{b.relu(b.conv2d(x[0], constant(b, {6, 2, 3, 2}),
                                  {.padding = {1, 0, 2, 1},
                                   .strides = {2, 1},
                                   .groups = 2,
                                   .bias = constant(b, {6}, 4)}))};
       },
       1e-5},
      {"depthwise conv2d",
       {image},
       [](B b, X x) {
         return L{b.conv2d(x[0], constant(b, {1, 2, 2, 5}),
                           {.dilations = {2, 2},
                            .groups = 5,
                            .inputLayout = nhwc,
                            .filterLayout = MLConv2dFilterOperandLayout::ihwo})};
       },
       1e-5},
      {"convTranspose2d",
       {image},
       [](B b, X x) {
         return L{b.convTranspose2d(x[0], constant(b, {4, 3, 3, 2}),
                                    {.padding = {1, 0, 1, 1},
                                     .strides = {2, 3},
                                     .outputPadding = {1, 2},
                                     .groups = 2,
                                     .bias = constant(b, {6}, 4)})};
       },
       1e-5},
      {"pooling",
       {image},
       [](B b, X x) {
         MLPool2dOptions o{.windowDimensions = {3, 2}, .padding = {1, 0, 1, 0}, .strides = {2, 2}};
         const L floor{b.averagePool2d(x[0], o), b.maxPool2d(x[0], o)};
         o.outputShapeRounding = MLRoundingType::ceil;
         return L{floor[0], floor[1], b.averagePool2d(x[0], o), b.maxPool2d(x[0], o),
                  b.averagePool2d(x[0], {.layout = nhwc})};
       },
       1e-6},
      {"resample2d",
       {image},
       [](B b, X x) {
         return L{b.resample2d(x[0], {.scales = {2, 3}}),
                  b.resample2d(x[0], {.mode = MLInterpolationMode::linear, .sizes = Dims{9, 3}})};
       },
       1e-6},
      {"gemm",
       {f32({3, 4})},
       [](B b, X x) {
         return L{b.gemm(x[0], constant(b, {4, 2}), {.c = constant(b, {2}, 4)}),
                  b.gemm(x[0], constant(b, {5, 3}),
                         {.c = constant(b, {4, 1}, 4),
                          .alpha = 2,
                          .beta = 0.5,
                          .aTranspose = true,
                          .bTranspose = true})};
       },
       1e-5},
      {"matmul",
       {f32({2, 3, 4}), f32({4, 5})},
       [](B b, X x) { return L{b.relu(b.matmul(x[0], x[1]))}; },
       1e-5},
      {"normalizations",
       {image},
       [](B b, X x) {
         return L{b.batchNormalization(x[0], constant(b, {4}), b.abs(constant(b, {4}, 5)),
                                       {.scale = constant(b, {4}, 6)}),
                  b.instanceNormalization(x[0], {.bias = constant(b, {4})}),
                  b.layerNormalization(x[0], {.scale = constant(b, {5, 4}), .axes = {3, 1}})};
       },
       1e-5},
      {"reductions",
       {f32({2, 3, 4})},
       [](B b, X x) {
         const MLReduceOptions o{.axes = {2, 0}}, keep{.axes = {1}, .keepDimensions = true};
         return L{b.reduceL1(x[0], o),
                  b.reduceL2(x[0], keep),
                  b.reduceLogSum(x[0], o),
                  b.reduceLogSumExp(x[0], o),
                  b.reduceMax(x[0], keep),
                  b.reduceMean(x[0], o),
                  b.reduceMin(x[0]),
                  b.reduceProduct(x[0], o),
                  b.reduceSum(x[0], keep),
                  b.reduceSumSquare(x[0], o),
                  b.argMax(x[0], 1),
                  b.argMin(x[0], 2, {.keepDimensions = true, .outputDataType = int64})};
       },
       1e-5,
       0.5,
       2},
      {"quantized",
       {f32({2, 3})},
       [](B b, X x) {
         const MLOperand scale = b.constant({float32, {1, 1}}, std::vector<float>{0.125f});
         const MLOperand zero = b.constant({int8, {1, 1}}, std::vector<std::int8_t>{3});
         const MLOperand q = b.quantizeLinear(x[0], scale, zero);
         const MLOperand w = b.constant({int8, {4, 3}}, std::vector<std::int8_t>(12, 7));
         const MLOperand ws = b.constant({float32, {4, 1}}, std::vector<float>{0.5f, 0.25f, 1, 2});
         const MLOperand wz = b.constant({int8, {4, 1}}, std::vector<std::int8_t>(4));
         return L{q, b.gemm(b.dequantizeLinear(b.reshape(b.reshape(q, {6}), {2, 3}), scale, zero),
                            b.dequantizeLinear(w, ws, wz), {.bTranspose = true})};
       },
       1e-5},
  };
}

struct Built {
  MLGraphBuilder builder;
  NamedOperands outputs;
};
Built built(MLContext context, const Operator& op) {
  Built made{MLGraphBuilder(context), {}};
  L inputs;
  for (std::size_t i = 0; i < op.inputs.size(); ++i)
    inputs.push_back(made.builder.input("x" + std::to_string(i), op.inputs[i]));
  const L results = op.build(made.builder, inputs);
  for (std::size_t i = 0; i < results.size(); ++i)
    made.outputs.push_back({"y" + std::to_string(i), results[i]});
  return made;
}

std::vector<Tensor> compute(MLContext context, const MLGraph& graph,
                            const std::vector<Tensor>& inputs) {
  std::vector<NamedInput> in;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < inputs.size(); ++i) names.push_back("x" + std::to_string(i));
  for (std::size_t i = 0; i < inputs.size(); ++i) in.push_back({names[i], inputs[i].bytes});
  std::vector<Tensor> results;
  for (const auto& [name, d] : graph.outputs())
    results.push_back({d.dataType, d.shape, std::vector<std::byte>(byte_length(d))});
  std::vector<NamedOutput> out;
  for (std::size_t i = 0; i < results.size(); ++i)
    out.push_back({graph.outputs()[i].name, results[i].bytes});
  context.compute(graph, std::span<const NamedInput>(in), std::span<const NamedOutput>(out));
  return results;
}

void check(const Operator& op, std::set<nnrt::NodeType>& used) {
  INFO(op.name);
  const MLContext context = webnn::test::plain_context();
  webnn::test::Random random(7);
  std::vector<Tensor> inputs;
  for (const auto& d : op.inputs)
    inputs.push_back(random.tensor(d.dataType, d.shape, op.low, op.high));
  Built one = built(context, op);
  const MLGraph graph = one.builder.build(one.outputs);
  const auto expected = compute(context, graph, inputs);
  const auto file = nnrt::export_model(graph);
  for (const auto& n : nnrt::read_model(nullptr, file).nodes)
    used.insert(nnrt::node_type(n.attributes));
  MLGraphBuilder again(context);
  const nnrt::Imported m = nnrt::import_model(again, nullptr, file);
  const auto got = compute(context, again.build(m.outputs), inputs);
  REQUIRE(got.size() == expected.size());
  for (std::size_t k = 0; k < got.size(); ++k) {
    INFO("output " << k);
    REQUIRE(got[k].type == expected[k].type);
    REQUIRE(got[k].shape == expected[k].shape);
    for (std::size_t i = 0; i < got[k].size(); ++i) {
      const double a = got[k][i], b = expected[k][i];
      if (!(std::abs(a - b) <= op.tolerance * std::max(1.0, std::abs(b)) || a == b))
        FAIL(op.name << ": output " << k << " element " << i << " is " << a << ", not " << b);
    }
  }
}

}  // namespace

TEST_CASE("nnrt: operators survive export and import", "[nnrt]") {
  std::set<nnrt::NodeType> used;
  for (const auto& family : {elementwise(), layers()})
    for (const Operator& op : family) check(op, used);
  CHECK(used.size() >= 45);
}

TEST_CASE("nnrt: an activation is part of the node before", "[nnrt]") {
  const MLContext context = webnn::test::plain_context();
  Built one = built(
      context, {"", {f32({2}), f32({2})}, [](B b, X x) { return L{b.relu(b.add(x[0], x[1]))}; }});
  const nnrt::Model m = nnrt::model_of(one.builder.build(one.outputs));
  REQUIRE(m.nodes.size() == 1);
  CHECK(m.nodes[0].attributes ==
        nnrt::Attributes(nnrt::AddFusion{nnrt::ActivationType::ACTIVATION_TYPE_RELU}));
  CHECK(m.allTensors[m.outputIndex[0]].name == "y0");
}

TEST_CASE("nnrt: what cannot be expressed is refused, all at once", "[nnrt]") {
  const MLContext context = webnn::test::plain_context();
  Built one =
      built(context,
            {"", {f32({2, 3})}, [](B b, X x) {
               const MLOperand image = b.reshape(x[0], {1, 1, 2, 3});
               return L{b.cumulativeSum(x[0], 1, {.label = "sums"}),
                        b.maxPool2d(image, {.windowDimensions = Dims{1, 2}, .dilations = {1, 2}})};
             }});
  const MLGraph graph = one.builder.build(one.outputs);
  CHECK(webnn::test::thrown([&] { nnrt::export_model(graph); }) ==
        "NotSupportedError nnrt export: 2 operators or inputs or outputs cannot be expressed: "
        "cumulativeSum "
        "[sums]: NNRt has no such node; maxPool2d: NNRt's windows have no dilations.");
}

TEST_CASE("nnrt: the average of two rows of integers is refused", "[nnrt]") {
  MLGraphBuilder b(webnn::test::plain_context());
  const MLOperand x = b.input("x", {uint8, {1, 1, 2, 3}});
  const MLGraph graph =
      b.build({{"y", b.resample2d(x, {.mode = MLInterpolationMode::linear, .sizes = {1, 3}})}});
  CHECK(webnn::test::thrown([&] { nnrt::export_model(graph); }) ==
        "NotSupportedError nnrt export: 1 operator or input or output cannot be expressed: "
        "resample2d: NNRt has averages of floats, not of uint8.");
}

TEST_CASE("nnrt: quantized operators are one node", "[nnrt]") {
  const MLContext context = webnn::test::plain_context();
  const Operator op{
      "quantized convolution",
      {{int8, {1, 3, 4, 4}}},
      [](B b, X x) {
        const auto scale = [&](std::vector<float> v, Dims shape) {
          return b.constant({float32, std::move(shape)}, v);
        };
        const auto zero = [&](std::vector<std::int8_t> v, Dims shape) {
          return b.constant({int8, std::move(shape)}, v);
        };
        const Dims one{1, 1, 1, 1}, two{2, 1, 1, 1};
        const MLOperand w =
            b.constant({int8, {2, 3, 1, 1}}, std::vector<std::int8_t>{1, -2, 3, 40, 50, -60});
        const MLOperand bias = b.constant({float32, {2}}, std::vector<float>{0.25f, -1});
        const MLOperand y = b.conv2d(
            b.dequantizeLinear(x[0], scale({0.5f}, one), zero({3}, one)),
            b.dequantizeLinear(w, scale({0.25f, 0.125f}, two), zero({0, 0}, two)), {.bias = bias});
        return L{b.quantizeLinear(b.relu(y), scale({0.25f}, one), zero({-5}, one))};
      },
      0,
      -20,
      20};
  Built one = built(context, op);
  const nnrt::Model m = nnrt::model_of(one.builder.build(one.outputs));
  // The images are NHWC in between.
  REQUIRE(m.nodes.size() == 3);
  const nnrt::Node& conv = m.nodes[1];
  REQUIRE(nnrt::node_type(conv.attributes) == nnrt::NodeType::NODE_TYPE_CONV2D_FUSION);
  CHECK(std::get<nnrt::Conv2DFusion>(conv.attributes).activationType ==
        nnrt::ActivationType::ACTIVATION_TYPE_RELU);
  CHECK(conv.quantType == nnrt::QuantType::QUANT_TYPE_ALL);
  const auto params = [&](std::uint32_t t) { return m.allTensors[t].quantParams; };
  using Params = std::vector<nnrt::QuantParam>;
  CHECK(params(conv.inputIndex[0]) == Params{{8, 3, 0.5}});
  CHECK(params(conv.inputIndex[1]) == Params{{8, 0, 0.25}, {8, 0, 0.125}});
  CHECK(m.allTensors[conv.inputIndex[1]].dims == std::vector<std::int32_t>{2, 1, 1, 3});
  CHECK(params(conv.outputIndex[0]) == Params{{8, -5, 0.25}});
  for (const nnrt::Tensor& t : m.allTensors)
    CHECK((t.dataType != nnrt::DataType::DATA_TYPE_FLOAT32 || t.data));
  std::set<nnrt::NodeType> used;
  check(op, used);
}

TEST_CASE("nnrt: bfloat16 and float8e4m3 are refused by name") {
  for (const MLOperandDataType type : {bfloat16, float8e4m3})
    CHECK(refusal_of(type).find("NNRt has no type for " + std::string(name_of(type))) !=
          std::string::npos);
}
