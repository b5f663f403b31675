#include "src/formats/tflite/import/call.h"

namespace webnn::inline v0_1::tflite {
namespace {

using Code = schema::BuiltinOperator;

void abs(Call& c) { c.put(c.b.abs(c.value(0), {.label = c.label()})); }
void ceil(Call& c) { c.put(c.b.ceil(c.value(0), {.label = c.label()})); }
void cos(Call& c) { c.put(c.b.cos(c.value(0), {.label = c.label()})); }
void exp(Call& c) { c.put(c.b.exp(c.value(0), {.label = c.label()})); }
void floor(Call& c) { c.put(c.b.floor(c.value(0), {.label = c.label()})); }
void log(Call& c) { c.put(c.b.log(c.value(0), {.label = c.label()})); }
void neg(Call& c) { c.put(c.b.neg(c.value(0), {.label = c.label()})); }
void round(Call& c) { c.put(c.b.roundEven(c.value(0), {.label = c.label()})); }
void rsqrt(Call& c) { c.put(c.b.reciprocal(c.b.sqrt(c.value(0)), {.label = c.label()})); }
void sign(Call& c) { c.put(c.b.sign(c.value(0), {.label = c.label()})); }
void sin(Call& c) { c.put(c.b.sin(c.value(0), {.label = c.label()})); }
void sqrt(Call& c) { c.put(c.b.sqrt(c.value(0), {.label = c.label()})); }
void square(Call& c) {
  const MLOperand x = c.value(0);
  c.put(c.b.mul(x, x, {.label = c.label()}));
}

constexpr Handler handlers[] = {
    {Code::ABS, abs, 1, 1},       {Code::CEIL, ceil, 1, 1},   {Code::COS, cos, 1, 1},
    {Code::EXP, exp, 1, 1},       {Code::FLOOR, floor, 1, 1}, {Code::LOG, log, 1, 1},
    {Code::NEG, neg, 1, 1},       {Code::ROUND, round, 1, 1}, {Code::RSQRT, rsqrt, 1, 1},
    {Code::SIGN, sign, 1, 1},     {Code::SIN, sin, 1, 1},     {Code::SQRT, sqrt, 1, 1},
    {Code::SQUARE, square, 1, 1},
};

}  // namespace

std::span<const Handler> unary_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::tflite
