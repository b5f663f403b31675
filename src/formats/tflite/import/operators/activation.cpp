#include "src/formats/common/tanh_gelu.h"
#include "src/formats/tflite/import/call.h"

namespace webnn::inline v0_1::tflite {
namespace {

using Code = schema::BuiltinOperator;

void clamped(Call& c, MLNumber low, MLNumber high) {
  c.put(c.b.clamp(c.value(0), {.minValue = low, .maxValue = high, .label = c.label()}));
}
void relu(Call& c) { c.put(c.b.relu(c.value(0), {.label = c.label()})); }
void relu6(Call& c) { clamped(c, 0, 6); }
void relu_n1_to_1(Call& c) { clamped(c, -1, 1); }
void relu_0_to_1(Call& c) { clamped(c, 0, 1); }
void logistic(Call& c) { c.put(c.b.sigmoid(c.value(0), {.label = c.label()})); }
void tanh(Call& c) { c.put(c.b.tanh(c.value(0), {.label = c.label()})); }
void elu(Call& c) { c.put(c.b.elu(c.value(0), {.label = c.label()})); }
void hard_swish(Call& c) { c.put(c.b.hardSwish(c.value(0), {.label = c.label()})); }
void prelu(Call& c) { c.put(c.b.prelu(c.value(0), c.value(1), {.label = c.label()})); }
void leaky_relu(Call& c) {
  const auto o = c.options<schema::LeakyReluOptionsT>();
  c.put(c.b.leakyRelu(c.value(0), {.alpha = o.alpha, .label = c.label()}));
}

/// WebNN's is the exact form.
void gelu(Call& c) {
  const auto o = c.options<schema::GeluOptionsT>();
  const MLOperand x = c.value(0);
  const MLOperatorOptions label{c.label()};
  c.put(o.approximate ? formats::tanh_gelu(c.b, x, label) : c.b.gelu(x, label));
}

constexpr Handler handlers[] = {
    {Code::RELU, relu, 1, 1},
    {Code::RELU6, relu6, 1, 1},
    {Code::RELU_N1_TO_1, relu_n1_to_1, 1, 1},
    {Code::RELU_0_TO_1, relu_0_to_1, 1, 1},
    {Code::LOGISTIC, logistic, 1, 1},
    {Code::TANH, tanh, 1, 1},
    {Code::ELU, elu, 1, 1},
    {Code::HARD_SWISH, hard_swish, 1, 1},
    {Code::PRELU, prelu, 2, 2},
    {Code::LEAKY_RELU, leaky_relu, 1, 1},
    {Code::GELU, gelu, 1, 1},
};

}  // namespace

std::span<const Handler> activation_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::tflite
