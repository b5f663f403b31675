#include "bench/networks/recurrent.h"

namespace webnn::inline v0_1::bench {
namespace {

constexpr std::uint32_t steps = 100, inputs = 160, hidden = 384;

/// Two layers, `layer(name, x, size of x)` each, and a product.
template <class Layer>
NamedOperands network(MLGraphBuilder& b, Weights& weights, const Layer& layer) {
  MLOperand x = b.input("input", {float32, {steps, 1, inputs}});
  x = b.reshape(layer("layer0", x, inputs), {steps, 1, hidden});
  x = b.reshape(layer("layer1", x, hidden), {steps, hidden});
  return {{"output",
           b.gemm(x, weights.filter("last", {inputs, hidden}, hidden), {.bTranspose = true})}};
}

struct LayerWeights {
  MLOperand input, recurrent, bias, recurrent_bias;
};
LayerWeights layer_weights(Weights& w, const std::string& name, std::uint32_t size,
                           std::uint32_t gates) {
  return {w.filter(name + ".input", {1, gates * hidden, size}, 4 * size),
          w.filter(name + ".recurrent", {1, gates * hidden, hidden}, 4 * hidden),
          w.between(name + ".bias", {1, gates * hidden}, -0.1f, 0.1f),
          w.between(name + ".recurrent_bias", {1, gates * hidden}, -0.1f, 0.1f)};
}

}  // namespace

NamedOperands gru(MLGraphBuilder& b, std::uint32_t seed, const WeightSink& sink) {
  Weights weights(b, seed, sink);
  return network(b, weights, [&](const std::string& name, const MLOperand& x, std::uint32_t size) {
    const LayerWeights w = layer_weights(weights, name, size, 3);
    return b.gru(x, w.input, w.recurrent, steps, hidden,
                 {.bias = w.bias, .recurrentBias = w.recurrent_bias, .returnSequence = true})[1];
  });
}

NamedOperands lstm(MLGraphBuilder& b, std::uint32_t seed, const WeightSink& sink) {
  Weights weights(b, seed, sink);
  return network(b, weights, [&](const std::string& name, const MLOperand& x, std::uint32_t size) {
    const LayerWeights w = layer_weights(weights, name, size, 4);
    return b.lstm(x, w.input, w.recurrent, steps, hidden,
                  {.bias = w.bias, .recurrentBias = w.recurrent_bias, .returnSequence = true})[2];
  });
}

}  // namespace webnn::inline v0_1::bench
