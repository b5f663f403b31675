// Weights from a seeded stream, for networks with nothing to learn.
#pragma once

#include <cmath>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "webnn/graph_builder.h"

namespace webnn::inline v0_1::bench {

/// Called for each weight: its name, descriptor and values.
using WeightSink =
    std::function<void(const std::string&, const MLOperandDescriptor&, std::span<const float>)>;

class Weights {
 public:
  Weights(MLGraphBuilder& builder, std::uint32_t seed, const WeightSink& sink)
      : builder_(builder), random_(seed), sink_(sink) {}

  /// Values between low and high.
  MLOperand between(const std::string& name, Dims shape, float low, float high) {
    std::uniform_real_distribution<float> uniform(low, high);
    std::vector<float> values(element_count(shape));
    for (float& v : values) v = uniform(random_);
    const MLOperandDescriptor d{float32, std::move(shape)};
    if (sink_) sink_(name, d, values);
    return builder_.constant(d, values);
  }
  /// A filter whose sums have `terms` terms: the variance of activations stays as it is.
  MLOperand filter(const std::string& name, Dims shape, std::uint32_t terms) {
    const float range = std::sqrt(6.f / static_cast<float>(terms));
    return between(name, std::move(shape), -range, range);
  }

 private:
  MLGraphBuilder& builder_;
  std::mt19937 random_;
  const WeightSink& sink_;
};

}  // namespace webnn::inline v0_1::bench
