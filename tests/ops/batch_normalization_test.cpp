#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

struct Options {
  bool scale = true, bias = true;
  std::uint32_t axis = 1;
  double epsilon = 1e-5;
};
Build normalization(const Options& o) {
  return [o](MLGraphBuilder& b, Build::Operands x) {
    MLBatchNormalizationOptions options{.axis = o.axis, .epsilon = o.epsilon};
    if (o.scale) options.scale = x[3];
    if (o.bias) options.bias = x.back();
    return b.batchNormalization(x[0], x[1], x[2], options);
  };
}

/// With terms of one sign, so that the sum with the bias does not cancel.
std::vector<Tensor> operands(MLOperandDataType type, const Dims& shape, const Options& o) {
  Random random(shape.size());
  const Dims channels{shape[o.axis]};
  std::vector<Tensor> x{random.tensor(type, shape, 1, 4), random.tensor(type, channels, -1, 0.5),
                        random.tensor(type, channels, 0.1, 3)};
  if (o.scale) x.push_back(random.tensor(type, channels, 0.5, 2));
  if (o.bias) x.push_back(random.tensor(type, channels, 0, 2));
  return x;
}
void normalizes(MLOperandDataType type, const Dims& shape, const Options& o) {
  const std::vector<Tensor> x = operands(type, shape, o);
  const double epsilon = tensor(type, {}, {o.epsilon})[0];
  const Tensor y = generated(type, shape, [&](const Dims& at) {
    const std::size_t c = at[o.axis];
    return (o.scale ? x[3][c] : 1) * (x[0].at(at) - x[1][c]) / std::sqrt(x[2][c] + epsilon) +
           (o.bias ? x.back()[c] : 0);
  });
  const Tolerance tolerance = tolerance_of("batchNormalization", type);
  check({normalization(o), x, {y}, tolerance});
  std::vector<std::size_t> constants;
  for (std::size_t i = 1; i < x.size(); ++i) constants.push_back(i);
  check({normalization(o), x, {y}, tolerance, constants});
}

}  // namespace

TEST_CASE("batchNormalization: every axis, with and without scale and bias",
          "[batch_normalization]") {
  for (auto type : {float32, float16, bfloat16})
    for (std::uint32_t axis = 0; axis < 4; ++axis)
      for (bool scale : {false, true})
        for (bool bias : {false, true}) normalizes(type, {2, 3, 4, 5}, {scale, bias, axis});
}

TEST_CASE("batchNormalization: rank 1, epsilon, large tensors", "[batch_normalization]") {
  normalizes(float32, {5}, {.axis = 0});
  normalizes(float32, {2, 3}, {.epsilon = 0.5});
  normalizes(float16, {2, 3}, {.epsilon = 1e-3});
  normalizes(float32, {2, 16, 37, 41}, {});
  normalizes(float32, {70, 301}, {});
  normalizes(float16, {3, 20, 21, 22}, {.axis = 3});
}

TEST_CASE("batchNormalization: as composed of other operators", "[batch_normalization]") {
  const Options o;
  const auto composed = [](MLGraphBuilder& b, Build::Operands x) {
    const auto by_channel = [&](const MLOperand& v) { return b.reshape(v, {1, 3, 1}); };
    const MLOperand root = b.sqrt(b.add(by_channel(x[2]), b.constant(float32, 1e-5)));
    const MLOperand unit = b.div(b.sub(x[0], by_channel(x[1])), root);
    return b.add(b.mul(by_channel(x[3]), unit), by_channel(x[4]));
  };
  check_same(normalization(o), composed, operands(float32, {4, 3, 5}, o),
             {.ulp = 6 + 1 + 2 + 1 + 1 + 1 + 1});
}
