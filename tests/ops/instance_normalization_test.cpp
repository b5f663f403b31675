#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

Tensor normalized(const Tensor& x, const Tensor* scale, const Tensor* bias, double epsilon,
                  bool nhwc) {
  const Dims& d = x.shape;
  const std::uint32_t channels = nhwc ? d[3] : d[1];
  const std::uint32_t height = nhwc ? d[1] : d[2], width = nhwc ? d[2] : d[3];
  const auto place = [&](std::uint32_t n, std::uint32_t c, const Dims& pixel) {
    return nhwc ? Dims{n, pixel[0], pixel[1], c} : Dims{n, c, pixel[0], pixel[1]};
  };
  const double rounded = MLNumber(epsilon).to(x.type).as_double();
  std::vector<double> y(x.size());
  for_each_place({d[0], channels}, [&](const Dims& at) {
    long double sum = 0, squares = 0;
    for_each_place({height, width}, [&](const Dims& p) { sum += x.at(place(at[0], at[1], p)); });
    const long double mean = sum / (height * width);
    for_each_place({height, width}, [&](const Dims& p) {
      const long double off = x.at(place(at[0], at[1], p)) - mean;
      squares += off * off;
    });
    const long double deviation = std::sqrt(squares / (height * width) + rounded);
    for_each_place({height, width}, [&](const Dims& p) {
      const Dims full = place(at[0], at[1], p);
      const long double v = (x.at(full) - mean) / deviation;
      y[place_in(d, full)] =
          static_cast<double>((scale ? (*scale)[at[1]] : 1) * v + (bias ? (*bias)[at[1]] : 0));
    });
  });
  return tensor(x.type, d, y);
}

/// scale and bias each present or not.
void check_normalization(Random& random, MLOperandDataType type, const Dims& shape, bool nhwc,
                         int present, double epsilon = 1e-5) {
  const bool scale = present & 1, bias = present & 2;
  std::vector<Tensor> in{random.tensor(type, shape, -1, 5)};
  const Dims channels{nhwc ? shape[3] : shape[1]};
  if (scale) in.push_back(random.tensor(type, channels, -2, 2));
  // Large beside what it is added to: kernels compute in float32, where results near zero would be
  // differences of larger numbers.
  if (bias) in.push_back(random.tensor(type, channels, 8, 12));
  const auto build = [=](MLGraphBuilder& b, Build::Operands x) {
    MLInstanceNormalizationOptions o{.epsilon = epsilon};
    if (nhwc) o.layout = MLInputOperandLayout::nhwc;
    if (scale) o.scale = x[1];
    if (bias) o.bias = x[scale ? 2 : 1];
    return b.instanceNormalization(x[0], o);
  };
  check({build,
         in,
         {normalized(in[0], scale ? &in[1] : nullptr, bias ? &in[scale ? 2 : 1] : nullptr, epsilon,
                     nhwc)},
         tolerance_of("instanceNormalization", type)});
}

}  // namespace

TEST_CASE("instanceNormalization: both layouts and types, with and without scale and bias",
          "[instanceNormalization]") {
  Random random(311);
  for_each_type(types::floats, [&](MLOperandDataType type) {
    for (bool nhwc : {false, true})
      for (int present = 0; present < 4; ++present)
        for (const Dims& shape : {Dims{1, 2, 3, 4}, Dims{3, 5, 1, 7}, Dims{2, 3, 5, 4}})
          check_normalization(random, type, shape, nhwc, present);
  });
}

TEST_CASE("instanceNormalization: epsilon, in the data type of the input",
          "[instanceNormalization]") {
  Random random(312);
  for_each_type(types::floats, [&](MLOperandDataType type) {
    for (double epsilon : {0.0, 1e-5, 0.1, 2.0, 1e30})
      if (type == float32 || epsilon < 1e5)
        check_normalization(random, type, {2, 3, 4, 5}, false, 3, epsilon);
  });
}

TEST_CASE("instanceNormalization: constant channels give the bias", "[instanceNormalization]") {
  const auto build = [](auto& b, auto x) { return b.instanceNormalization(x[0], {.bias = x[1]}); };
  for_each_type(types::floats, [&](MLOperandDataType type) {
    check({build,
           {filled(type, {1, 2, 5, 5}, 1000), tensor(type, {2}, {3, -4})},
           {generated(type, {1, 2, 5, 5}, [](const Dims& at) { return at[1] ? -4 : 3; })}});
  });
}

TEST_CASE("instanceNormalization: a large mean does not swallow the variance",
          "[instanceNormalization]") {
  Random random(313);
  const Tensor x = random.tensor(float32, {1, 2, 32, 32}, 10000, 10001);
  for (bool nhwc : {false, true}) {
    const auto build = [=](auto& b, auto in) {
      return b.instanceNormalization(
          in[0], {.layout = nhwc ? MLInputOperandLayout::nhwc : MLInputOperandLayout::nchw});
    };
    check({build,
           {x},
           {normalized(x, nullptr, nullptr, 1e-5, nhwc)},
           tolerance_of("instanceNormalization", float32)});
  }
}

TEST_CASE("instanceNormalization: in many tiles", "[instanceNormalization]") {
  Random random(314);
  check_normalization(random, float32, {3, 21, 37, 41}, false, 3);
  check_normalization(random, float32, {3, 37, 21, 101}, true, 3);
}

TEST_CASE("instanceNormalization: from means of differences", "[instanceNormalization]") {
  Random random(315);
  check_same(
      [](auto& b, auto x) { return b.instanceNormalization(x[0], {.scale = x[1], .bias = x[2]}); },
      [](auto& b, auto x) {
        const MLReduceOptions over{.axes = {2, 3}, .keepDimensions = true};
        const MLOperand off = b.sub(x[0], b.reduceMean(x[0], over));
        const MLOperand variance = b.reduceMean(b.mul(off, off), over);
        const MLOperand deviation = b.sqrt(b.add(variance, b.constant(float32, 1e-5)));
        const auto by_channel = [&](const MLOperand& v) { return b.reshape(v, {1, 3, 1, 1}); };
        return b.add(b.mul(by_channel(x[1]), b.div(off, deviation)), by_channel(x[2]));
      },
      {random.tensor(float32, {2, 3, 8, 9}), random.tensor(float32, {3}),
       random.tensor(float32, {3})},
      tolerance_of("instanceNormalization", float32));
}

/// The mean is subtracted first: nothing is left of elements that are equal, whatever the factor,
/// and an infinite scale gives infinities.
TEST_CASE("instanceNormalization of elements that are the mean, and with an infinite scale") {
  for (const bool nhwc : {false, true}) {
    const auto layout = nhwc ? MLInputOperandLayout::nhwc : MLInputOperandLayout::nchw;
    const auto image = [&](const std::vector<double>& values) {  // 2 channels of 2 pixels
      return nhwc ? tensor(float32, {1, 1, 2, 2}, {values[0], values[2], values[1], values[3]})
                  : tensor(float32, {1, 2, 1, 2}, values);
    };
    const Build build([=](MLGraphBuilder& b, Build::Operands x) {
      return b.instanceNormalization(x[0], {.scale = x[1], .epsilon = 0.001, .layout = layout});
    });
    const Tensor scale = tensor(float32, {2}, {0.3, 7});
    check({build, {image({100.3, 100.3, -3e-5, -3e-5}), scale}, {image({0, 0, 0, 0})}});
    const Tensor infinite = tensor(float32, {2}, {HUGE_VAL, -HUGE_VAL});
    check({build,
           {image({0, 2, 5, 3}), infinite},
           {image({-HUGE_VAL, HUGE_VAL, -HUGE_VAL, HUGE_VAL})}});
  }
}
