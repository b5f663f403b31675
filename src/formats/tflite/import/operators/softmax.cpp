#include "src/formats/tflite/import/call.h"

namespace webnn::inline v0_1::tflite {
namespace {

using Code = schema::BuiltinOperator;

void softmax(Call& c) {
  const auto o = c.options<schema::SoftmaxOptionsT>();
  MLOperand x = c.value(0);
  c.require_rank(x, 1, max_rank);
  if (o.beta != 1) x = c.b.linear(x, {.alpha = o.beta});
  c.put(c.b.softmax(x, x.rank() - 1, {.label = c.label()}));
}

void log_softmax(Call& c) {
  const MLOperand x = c.value(0);
  c.require_rank(x, 1, max_rank);
  const MLOperand sum = c.b.reduceLogSumExp(x, {.axes = {x.rank() - 1}, .keepDimensions = true});
  c.put(c.b.sub(x, sum, {.label = c.label()}));
}

constexpr Handler handlers[] = {
    {Code::SOFTMAX, softmax, 1, 1},
    {Code::LOG_SOFTMAX, log_softmax, 1, 1},
};

}  // namespace

std::span<const Handler> softmax_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::tflite
