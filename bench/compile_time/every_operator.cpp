// A user's file with all public headers and a call of every operator: compiled, not run.
#include <webnn/draft2023.h>
#include <webnn/fluent.h>
#include <webnn/passes.h>
#include <webnn/safetensors.h>
#include <webnn/tflite.h>
#include <webnn/webnn.h>

using namespace webnn;

MLGraph every_operator(const MLContext& context) {
  MLGraphBuilder b(context);
  MLOperand x = b.input("x", {float32, {1, 4, 8, 8}}), m = b.input("m", {float32, {8, 8}});
  const MLOperand i = b.input("i", {int32, {1, 4, 8, 8}}), c = b.constant(float32, 2);
  const MLOperand v = b.constant({float32, {4}}, {1.f, 2.f, 3.f, 4.f}), u = b.cast(x, uint8);
  NamedOperands out;
  const auto keep = [&](const MLOperand& y) { out.push_back({std::to_string(out.size()), y}); };
  keep(b.abs(x));
  keep(b.ceil(x));
  keep(b.cos(x));
  keep(b.erf(x));
  keep(b.exp(x));
  keep(b.floor(x));
  keep(b.identity(x));
  keep(b.log(x));
  keep(b.neg(x));
  keep(b.reciprocal(x));
  keep(b.roundEven(x));
  keep(b.sin(x));
  keep(b.sign(x));
  keep(b.sqrt(x));
  keep(b.tan(x));
  keep(b.add(x, c));
  keep(b.sub(x, c));
  keep(b.mul(x, c));
  keep(b.div(x, c));
  keep(b.max(x, c));
  keep(b.min(x, c));
  keep(b.pow(x, c));
  keep(b.modulusFloor(x, c));
  keep(b.modulusTruncate(x, c));
  keep(b.equal(x, c));
  keep(b.notEqual(x, c));
  keep(b.greater(x, c));
  keep(b.greaterOrEqual(x, c));
  keep(b.lesser(x, c));
  keep(b.lesserOrEqual(x, c));
  keep(b.logicalAnd(u, u));
  keep(b.logicalOr(u, u));
  keep(b.logicalXor(u, u));
  keep(b.logicalNot(u));
  keep(b.isNaN(x));
  keep(b.isInfinite(x));
  keep(b.clamp(x, {.minValue = 0, .maxValue = 6}));
  keep(b.elu(x));
  keep(b.gelu(x));
  keep(b.hardSigmoid(x));
  keep(b.hardSwish(x));
  keep(b.leakyRelu(x, {.alpha = 0.1}));
  keep(b.linear(x));
  keep(b.prelu(x, c));
  keep(b.relu(x));
  keep(b.sigmoid(x));
  keep(b.softmax(x, 1));
  keep(b.softplus(x));
  keep(b.softsign(x));
  keep(b.tanh(x));
  keep(b.argMax(x, 1));
  keep(b.argMin(x, 1, {.keepDimensions = true}));
  keep(b.cumulativeSum(x, 1));
  keep(b.reduceL1(x));
  keep(b.reduceL2(x));
  keep(b.reduceLogSum(x));
  keep(b.reduceLogSumExp(x));
  keep(b.reduceMax(x));
  keep(b.reduceMean(x, {.axes = {2, 3}}));
  keep(b.reduceMin(x));
  keep(b.reduceProduct(x));
  keep(b.reduceSum(x));
  keep(b.reduceSumSquare(x));
  const MLOperand w = b.constant({float32, {4, 4, 3, 3}}, std::vector<float>(144));
  keep(b.batchNormalization(x, v, v, {.scale = v, .bias = v}));
  keep(b.instanceNormalization(x));
  keep(b.layerNormalization(x, {.axes = {3}}));
  keep(b.conv2d(x, w, {.padding = {1, 1, 1, 1}}));
  keep(b.convTranspose2d(x, w, {.strides = {2, 2}}));
  keep(b.averagePool2d(x));
  keep(b.maxPool2d(x));
  keep(b.l2Pool2d(x, {.windowDimensions = {2, 2}}));
  keep(b.gemm(m, m, {.c = m}));
  keep(b.matmul(m, m));
  keep(b.resample2d(x, {.scales = {2, 2}}));
  keep(b.concat({x, x}, 1));
  keep(b.expand(c, {2, 2}));
  keep(b.gather(x, i));
  keep(b.gatherElements(x, i));
  keep(b.gatherND(x, i));
  keep(b.pad(x, {0, 0, 1, 1}, {0, 0, 1, 1}));
  keep(b.reshape(x, {256}));
  keep(b.reverse(x));
  keep(b.scatterElements(x, i, x));
  keep(b.scatterND(x, i, x));
  keep(b.slice(x, {0, 0, 0, 0}, {1, 2, 3, 4}));
  keep(b.tile(x, {1, 1, 2, 2}));
  keep(b.transpose(x));
  keep(b.triangular(m));
  keep(b.where(u, x, c));
  keep(b.quantizeLinear(x, c, u));
  keep(b.dequantizeLinear(u, c, u));
  for (const MLOperand& y : b.split(x, 2, {.axis = 1})) keep(y);
  for (const MLOperand& y : b.gru(x, w, w, 8, 4)) keep(y);
  for (const MLOperand& y : b.lstm(x, w, w, 8, 4)) keep(y);
  for (const MLOperand& y : b.lstmCell(m, m, m, m, m, 4)) keep(y);
  keep(b.gruCell(m, m, m, m, 4));
  const fluent::Operand f = x;
  keep((f * 0.2f + c).relu().softmax(1));
  return b.build(out);
}
