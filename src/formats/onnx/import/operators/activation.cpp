// Activation functions.
#include <cmath>
#include <limits>

#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {
namespace {

template <class Op> void plain(Call& c) {
  const MLOperand x = c.x();
  c.put(c.b.append(Op{x, {.label = c.label()}}));
}

void celu(Call& c) {
  const MLOperand x = c.x();
  const double alpha = c.real("alpha", 1);
  // max(0, x) + min(0, alpha * (exp(x / alpha) - 1))
  if (!(alpha > 0)) {
    const MLOperand power = c.b.exp(c.b.div(x, c.scalar_like(x, alpha))),
                    less = c.b.sub(power, c.scalar_like(x, 1));
    const MLOperand below = c.b.min(c.b.mul(less, c.scalar_like(x, alpha)), c.scalar_like(x, 0));
    return c.put(c.b.add(c.b.relu(x), below, {.label = c.label()}));
  }
  const MLOperand below =
      c.b.elu(c.b.div(c.b.min(x, c.scalar_like(x, 0)), c.scalar_like(x, alpha)), {.alpha = alpha});
  c.put(c.b.add(c.b.relu(x), below, {.label = c.label()}));
}

/// A bound of Clip-11 and later, an operand, or of earlier ones, an attribute.
void clip(Call& c) {
  MLOperand x = c.x();
  const MLOperandDataType type = x.dataType();
  if (c.version() < 11) {
    const double low = c.real("min", -std::numeric_limits<double>::infinity());
    const double high = c.real("max", std::numeric_limits<double>::infinity());
    MLClampOptions o{.label = c.label()};
    if (std::isfinite(low)) o.minValue = low;
    if (std::isfinite(high)) o.maxValue = high;
    c.put(c.b.clamp(x, o));
    return;
  }
  const bool floats = is_float(type);
  bool known = true;
  std::optional<MLNumber> bounds[2];
  for (std::size_t i = 1; i <= 2; ++i) {
    if (!c.has(i)) continue;
    known = known && c.x(i).constant();
    if (!known) continue;
    if (floats) bounds[i - 1] = c.real(i);
    else bounds[i - 1] = c.integer(i);
  }
  const auto usable = [](const std::optional<MLNumber>& v) {
    return !v || !std::isnan(v->as_double());
  };
  const bool ordered = !bounds[0] || !bounds[1] || !(*bounds[0] > *bounds[1]);
  if (known && ordered && usable(bounds[0]) && usable(bounds[1]) && type != uint64) {
    c.put(c.b.clamp(x, {.minValue = bounds[0], .maxValue = bounds[1], .label = c.label()}));
    return;
  }
  for (std::size_t i = 1; i <= 2; ++i)
    if (c.has(i) && Call::differ(product(formats::sizes_of(c.x(i))), 1))
      c.refuse(fail("its input {} has shape {}, not one element", i, Call::shape_text(c.x(i))));
  if (c.has(1)) x = c.b.max(x, c.x(1));
  if (c.has(2)) x = c.b.min(x, c.x(2));
  c.put(c.b.identity(x, {.label = c.label()}));
}

void elu(Call& c) {
  const MLOperand x = c.x();
  c.put(c.b.elu(x, {.alpha = c.real("alpha", 1), .label = c.label()}));
}

MLOperand tanh_gelu(Call& c, const MLOperand& x) {
  const auto k = [&](double v) { return c.scalar_like(x, v); };
  const MLOperand cube = c.b.mul(c.b.mul(x, x), x);
  const MLOperand inner = c.b.mul(c.b.add(x, c.b.mul(cube, k(0.044715))), k(0.7978845608028654));
  return c.b.mul(c.b.mul(x, k(0.5)), c.b.add(c.b.tanh(inner), k(1)), {.label = c.label()});
}
void gelu(Call& c) {
  const MLOperand x = c.x();
  const std::string_view form = c.text("approximate", "none");
  if (form == "none") c.put(c.b.gelu(x, {.label = c.label()}));
  else if (form == "tanh") c.put(tanh_gelu(c, x));
  else c.refuse(fail("its attribute approximate, {}, is not none or tanh", in_quotes(form)));
}
void fast_gelu(Call& c) {
  MLOperand x = c.x();
  if (c.has(1)) {
    c.require_broadcast(c.x(1), x, "the bias");
    x = c.b.add(x, c.x(1));
  }
  c.put(tanh_gelu(c, x));
}

void hard_sigmoid(Call& c) {
  const MLOperand x = c.x();
  c.put(c.b.hardSigmoid(
      x, {.alpha = c.real("alpha", 0.2), .beta = c.real("beta", 0.5), .label = c.label()}));
}

void leaky_relu(Call& c) {
  const MLOperand x = c.x();
  c.put(c.b.leakyRelu(x, {.alpha = c.real("alpha", 0.01), .label = c.label()}));
}

void mish(Call& c) {
  const MLOperand x = c.x();
  c.put(c.b.mul(x, c.b.tanh(c.b.softplus(x)), {.label = c.label()}));
}

void prelu(Call& c) {
  const MLOperand x = c.x();
  MLOperand slope = c.x(1);
  // Before operator set 7 the slope of a channel has one dimension alone.
  if (c.version() < 7 && slope.rank() == 1 && x.rank() > 2) {
    SizeList shape(x.rank() - 1, 1);
    shape[0] = Size::dimension(slope, 0);
    slope = c.reshaped(slope, shape);
  }
  c.require_broadcast(slope, x, "the slope");
  if (is_float(x.dataType())) c.require_floats(x);
  if (types::signed_numbers.contains(x.dataType())) {
    c.put(c.b.prelu(x, slope, {.label = c.label()}));
    return;
  }
  c.put(c.b.identity(x, {.label = c.label()}));  // no unsigned number is below 0
}

void relu(Call& c) {
  const MLOperand x = c.x();
  c.put(c.b.relu(x, {.label = c.label()}));
}

void selu(Call& c) {
  const MLOperand x = c.x();
  const bool old = c.version() < 6;
  const double alpha = c.real("alpha", old ? 1.6732 : 1.67326319217681884765625);
  const double gamma = c.real("gamma", old ? 1.0507 : 1.05070102214813232421875);
  c.put(c.b.mul(c.b.elu(x, {.alpha = alpha}), c.scalar_like(x, gamma), {.label = c.label()}));
}

void shrink(Call& c) {
  const MLOperand x = c.x();
  c.require_floats(x);
  const double lambda = c.real("lambd", 0.5);
  const MLOperand bias = c.scalar_like(x, c.real("bias", 0)), zero = c.scalar_like(x, 0);
  const MLOperand above =
      c.b.where(c.b.greater(x, c.scalar_like(x, lambda)), c.b.sub(x, bias), zero);
  c.put(c.b.where(c.b.lesser(x, c.scalar_like(x, -lambda)), c.b.add(x, bias), above,
                  {.label = c.label()}));
}

/// x * sigmoid(alpha * x): Swish, and QuickGelu of com.microsoft.
MLOperand swish(Call& c, double alpha) {
  const MLOperand x = c.x();
  const MLOperand inner = alpha == 1 ? x : c.b.mul(x, c.scalar_like(x, alpha));
  return c.b.mul(x, c.b.sigmoid(inner), {.label = c.label()});
}
void swish(Call& c) { c.put(swish(c, c.real("alpha", 1))); }
void quick_gelu(Call& c) { c.put(swish(c, c.real("alpha", 1.702))); }

void thresholded_relu(Call& c) {
  const MLOperand x = c.x();
  const MLOperand alpha = c.scalar_like(x, c.real("alpha", 1));
  c.put(c.b.where(c.b.greater(x, alpha), x, c.scalar_like(x, 0), {.label = c.label()}));
}

constexpr Handler handlers[] = {
    {"Celu", &celu, 12, 1, 1, 1, "composed"},
    {"Clip", &clip, 1, 1, 3},
    {"Elu", &elu, 1, 1, 1},
    {"Gelu", &gelu, 20, 1, 1, 1, "with tanh composed"},
    {"HardSigmoid", &hard_sigmoid, 1, 1, 1},
    {"HardSwish", &plain<ops::hardSwish>, 14, 1, 1},
    {"LeakyRelu", &leaky_relu, 1, 1, 1},
    {"Mish", &mish, 18, 1, 1, 1, "composed"},
    {"PRelu", &prelu, 1, 2, 2},
    {"Relu", &relu, 1, 1, 1},
    {"Selu", &selu, 1, 1, 1, 1, "composed"},
    {"Shrink", &shrink, 9, 1, 1, 1, "composed; floats"},
    {"Sigmoid", &plain<ops::sigmoid>, 1, 1, 1},
    {"Softplus", &plain<ops::softplus>, 1, 1, 1},
    {"Softsign", &plain<ops::softsign>, 1, 1, 1},
    {"Swish", &swish, 24, 1, 1, 1, "composed"},
    {"Tanh", &plain<ops::tanh>, 1, 1, 1},
    {"ThresholdedRelu", &thresholded_relu, 10, 1, 1, 1, "composed"},
    {"FastGelu", &fast_gelu, 1, 1, 2, 1, "composed", "com.microsoft"},
    {"Gelu", &gelu, 1, 1, 1, 1, "", "com.microsoft"},
    {"QuickGelu", &quick_gelu, 1, 1, 1, 1, "composed", "com.microsoft"},
};

}  // namespace

std::span<const Handler> activation_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
