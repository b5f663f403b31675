#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

struct Options {
  bool scale = false, bias = false;
  std::optional<Dims> axes{};
  double epsilon = 1e-5;
};
Build normalization(const Options& o) {
  return [o](MLGraphBuilder& b, Build::Operands x) {
    MLLayerNormalizationOptions options{.epsilon = o.epsilon};
    if (o.axes) options.axes = *o.axes;
    if (o.scale) options.scale = x[1];
    if (o.bias) options.bias = x.back();
    return b.layerNormalization(x[0], options);
  };
}

void normalizes(const Tensor& x, const Options& o) {
  Dims axes;
  for (std::uint32_t d = 1; d < x.shape.size(); ++d) axes.push_back(d);
  if (o.axes) axes = *o.axes;
  Dims kept = x.shape, sizes;
  for (std::uint32_t a : axes) {
    kept[a] = 1;
    sizes.push_back(x.shape[a]);
  }
  const auto group = [&](Dims at) {
    for (std::uint32_t a : axes) at[a] = 0;
    return place_in(kept, at);
  };
  const auto count = static_cast<double>(element_count(sizes));
  std::vector<double> mean(static_cast<std::size_t>(element_count(kept))), variance(mean.size());
  for_each_place(x.shape, [&](const Dims& at) { mean[group(at)] += x.at(at) / count; });
  for_each_place(x.shape, [&](const Dims& at) {
    variance[group(at)] += std::pow(x.at(at) - mean[group(at)], 2) / count;
  });
  Random random(17);
  std::vector<Tensor> inputs{x};
  if (o.scale) inputs.push_back(random.tensor(x.type, sizes, -1, 1));
  if (o.bias) inputs.push_back(random.tensor(x.type, sizes, -1, 1));
  const Tensor y = generated(x.type, x.shape, [&](const Dims& at) {
    Dims own;
    for (std::uint32_t a : axes) own.push_back(at[a]);
    const std::size_t g = group(at);
    const double v = (x.at(at) - mean[g]) / std::sqrt(variance[g] + o.epsilon);
    return v * (o.scale ? inputs[1].at(own) : 1) + (o.bias ? inputs.back().at(own) : 0);
  });
  check({normalization(o), inputs, {y}, tolerance_of("layerNormalization", x.type)});
}

}  // namespace

TEST_CASE("layerNormalization: all axes but the first by default", "[layer_normalization]") {
  Random random(1);
  for (auto type : {float32, float16, bfloat16})
    for (bool scale : {false, true})
      for (bool bias : {false, true}) {
        normalizes(random.tensor(type, {2, 3, 4, 5}), {scale, bias});
        normalizes(random.tensor(type, {7, 65}), {scale, bias});
      }
}

TEST_CASE("layerNormalization: axes in any order, scale and bias follow them",
          "[layer_normalization]") {
  Random random(2);
  for (const Dims& axes :
       {Dims{3, 1, 2}, Dims{0, 3, 1}, Dims{2}, Dims{1, 3}, Dims{0, 1, 2, 3}, Dims{3, 2}})
    normalizes(random.tensor(float32, {2, 3, 4, 5}), {true, true, axes});
  normalizes(random.tensor(float16, {2, 3, 4}), {true, true, Dims{2, 0}});
}

TEST_CASE("layerNormalization: no axes give the bias or 0", "[layer_normalization]") {
  for (const Dims& shape : {Dims{}, Dims{3}, Dims{2, 2}}) {
    normalizes(filled(float32, shape, 3), {false, false, Dims{}});
    normalizes(filled(float32, shape, 3), {true, true, Dims{}});
  }
  normalizes(tensor(float32, {2}, {3, 4}), {});  // the default axes of rank 1
}

TEST_CASE("layerNormalization: epsilon, a constant row, a large mean", "[layer_normalization]") {
  Random random(3);
  normalizes(random.tensor(float32, {3, 8}), {.epsilon = 0.5});
  normalizes(filled(float32, {2, 8}, 5), {.bias = true});
  normalizes(random.tensor(float32, {2, 64}, 1000, 1001), {});
}

TEST_CASE("layerNormalization: many rows", "[layer_normalization]") {
  Random random(4);
  normalizes(random.tensor(float32, {70, 129}), {true, true});
  normalizes(random.tensor(float32, {3, 20, 211}), {true, true, Dims{1}});
}

TEST_CASE("layerNormalization: as composed of other operators", "[layer_normalization]") {
  Random random(5);
  const auto composed = [](MLGraphBuilder& b, Build::Operands x) {
    const MLReduceOptions o{.axes = {1}, .keepDimensions = true};
    const MLOperand deviation = b.sub(x[0], b.reduceMean(x[0], o));
    const MLOperand variance = b.reduceMean(b.pow(deviation, b.constant(float32, 2)), o);
    return b.div(deviation, b.sqrt(b.add(variance, b.constant(float32, 1e-5))));
  };
  check_same(normalization({}), composed, {random.tensor(float32, {5, 33})},
             tolerance_of("layerNormalization", float32));
}
