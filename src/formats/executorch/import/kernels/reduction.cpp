// Reductions, softmax and normalizations.
#include <numeric>

#include "src/formats/executorch/import/kernels.h"

namespace webnn::inline v0_1::executorch {
namespace {

using B = MLGraphBuilder;

/// Argument 1 has the dimensions, none or an empty list all of them; argument 2 says whether they
/// stay.
MLReduceOptions options_of(const KernelCall& c, const MLOperand& x) {
  MLReduceOptions o;
  o.keepDimensions = c.flag(2);
  Dims axes;
  if (!c.is_none(1)) axes = c.dimensions(1, x.rank());
  if (axes.empty()) {
    axes.resize(x.rank());
    std::iota(axes.begin(), axes.end(), 0u);
  }
  o.axes = axes;
  return o;
}

template <MLOperand (*F)(B&, const MLOperand&, const MLReduceOptions&)>
MLOperand reduction(const KernelCall& c) {
  c.require_arithmetic();
  B& b = c.b;
  const MLOperand x = c.promoted(0);
  return F(b, x, options_of(c, x));
}
MLOperand sum(B& b, const MLOperand& x, const MLReduceOptions& o) { return b.reduceSum(x, o); }
MLOperand mean(B& b, const MLOperand& x, const MLReduceOptions& o) { return b.reduceMean(x, o); }
MLOperand largest(B& b, const MLOperand& x, const MLReduceOptions& o) { return b.reduceMax(x, o); }
MLOperand smallest(B& b, const MLOperand& x, const MLReduceOptions& o) { return b.reduceMin(x, o); }

template <bool is_max> MLOperand arg(const KernelCall& c) {
  B& b = c.b;
  MLOperand x = c.x();
  std::uint32_t axis = 0;
  if (c.is_none(1)) x = b.reshape(x, {static_cast<std::uint32_t>(element_count(x.shape()))});
  else axis = c.dimension(1, x.rank());
  const MLArgMinMaxOptions o{.keepDimensions = c.flag(2), .outputDataType = c.type()};
  return is_max ? b.argMax(x, axis, o) : b.argMin(x, axis, o);
}

MLOperand cumulative_sum(const KernelCall& c) {
  c.require_arithmetic();
  B& b = c.b;
  const MLOperand x = c.promoted(0);
  return b.cumulativeSum(x, c.dimension(1, x.rank()));
}

MLOperand softmax(const KernelCall& c) {
  B& b = c.b;
  const MLOperand x = c.promoted(0);
  return b.softmax(x, c.dimension(1, x.rank()));
}
/// x - max - log(sum(exp(x - max)))
MLOperand log_softmax(const KernelCall& c) {
  B& b = c.b;
  const MLOperand x = c.promoted(0);
  const MLReduceOptions o{.axes = Dims{c.dimension(1, x.rank())}, .keepDimensions = true};
  const MLOperand centered = b.sub(x, b.reduceMax(x, o));
  return b.sub(centered, b.log(b.reduceSum(b.exp(centered), o)));
}

MLOperand layer_norm(const KernelCall& c) {
  B& b = c.b;
  const MLOperand x = c.x();
  const std::size_t n = c.integers(1).size();
  if (n == 0 || n > x.rank()) c.refuse(fail("it normalizes {} dimensions", n));
  Dims axes(n);
  std::iota(axes.begin(), axes.end(), x.rank() - static_cast<std::uint32_t>(n));
  MLLayerNormalizationOptions o;
  o.axes = axes;
  o.epsilon = c.number(4);
  if (const auto scale = c.optional(2)) o.scale = *scale;
  if (const auto bias = c.optional(3)) o.bias = *bias;
  return b.layerNormalization(x, o);
}

constexpr KernelRow rows[] = {
    {"aten::sum.IntList_out", &reduction<&sum>},
    {"aten::mean.out", &reduction<&mean>},
    {"aten::amax.out", &reduction<&largest>},
    {"aten::amin.out", &reduction<&smallest>},
    {"aten::argmax.out", &arg<true>},
    {"aten::argmin.out", &arg<false>},
    {"aten::cumsum.out", &cumulative_sum},
    {"aten::_softmax.out", &softmax},
    {"aten::_log_softmax.out", &log_softmax},
    {"aten::native_layer_norm.out", &layer_norm, 5},
};

}  // namespace

std::span<const KernelRow> reduction_kernels() { return rows; }

}  // namespace webnn::inline v0_1::executorch
