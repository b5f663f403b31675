#include "src/formats/onnx/import/fused_activation.h"

namespace webnn::inline v0_1::onnx {

MLOperand with_activation(const Call& c, const MLOperand& x,
                          const std::vector<double>& parameters) {
  const std::string_view name = c.text("activation", "");
  const auto parameter = [&](std::size_t i, double fallback) {
    return i < parameters.size() ? parameters[i] : fallback;
  };
  if (name.empty()) return x;
  if (name == "Relu") return c.b.relu(x);
  if (name == "Sigmoid") return c.b.sigmoid(x);
  if (name == "Tanh") return c.b.tanh(x);
  if (name == "LeakyRelu") return c.b.leakyRelu(x, {.alpha = parameter(0, 0.01)});
  if (name == "HardSigmoid")
    return c.b.hardSigmoid(x, {.alpha = parameter(0, 0.2), .beta = parameter(1, 0.5)});
  if (name == "Clip" && parameters.size() == 2)
    return c.b.clamp(x, {.minValue = parameters[0], .maxValue = parameters[1]});
  c.unsupported(fail("the activation {}", in_quotes(name)));
}

}  // namespace webnn::inline v0_1::onnx
