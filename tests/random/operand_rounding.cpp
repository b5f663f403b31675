#include "tests/random/operand_rounding.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/graph/graph_data.h"

namespace webnn::inline v0_1::test {
namespace {

/// The nearest bfloat16, of two the even one. Subnormal numbers count as zero.
float nearest_bfloat16(float v) {
  if (!std::isfinite(v)) return v;
  if (std::abs(v) < 0x1p-126f) return std::copysign(0.f, v);
  const double unit = std::ldexp(1.0, std::ilogb(v) - 7), rounded = std::nearbyint(v / unit) * unit;
  const double too_large = 0x1p128;
  return std::abs(rounded) >= too_large ? std::copysign(std::numeric_limits<float>::infinity(), v)
                                        : static_cast<float>(rounded);
}

/// The elements as multiples of a 127th of the largest; those of a piece that has no such multiples
/// stay, and then the row does.
bool to_steps(float* x, std::size_t n) {
  float most = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::isfinite(x[i])) return false;
    most = std::max(most, std::abs(x[i]));
  }
  if (most == 0) return true;
  if (most < 0x1p-120f || most > 0x1p80f) return false;
  const float inverse = 127 / most;
  for (std::size_t i = 0; i < n; ++i)
    x[i] = static_cast<float>(std::nearbyint(x[i] * inverse) * (double{most} / 127));
  return true;
}

void to_int8(Tensor& x, std::size_t piece) {
  const std::size_t row = x.shape.back();
  for (std::size_t at = 0; at < x.size(); at += row) {
    float* const to = x.as<float>() + at;
    std::vector<float> steps(to, to + row);
    bool all = true;
    for (std::size_t i = 0; i < row; i += piece)
      all = all && to_steps(steps.data() + i, std::min(piece, row - i));
    if (all) std::copy(steps.begin(), steps.end(), to);
  }
}

/// The terms of a row that are quantized together: those with the same scale of the weights, or as
/// many as divide these and are at most 256; all of them, where one scale is for all, in equal
/// parts of eights.
std::size_t piece_of(std::size_t terms, std::size_t same_scale) {
  constexpr std::size_t longest = 256, eight = 8;
  if (same_scale >= terms) {
    const std::size_t parts = (terms + longest - 1) / longest, each = (terms + parts - 1) / parts;
    return (each + eight - 1) / eight * eight;
  }
  std::size_t piece = std::min(same_scale, longest);
  while (same_scale % piece != 0) --piece;
  return piece;
}

/// The dimension of the second operand along which terms are summed.
std::size_t summed_dimension(const Node& node) {
  if (const auto* op = node.as<ops::gemm>()) return op->options.bTranspose ? 1 : 0;
  if (const auto* op = node.as<ops::conv2d>()) {
    using enum MLConv2dFilterOperandLayout;
    switch (op->options.filterLayout) {
      case oihw: return 1;
      case hwio: return 2;
      case ohwi: return 3;
      case ihwo: return 0;
    }
  }
  return node.input(1).rank() - 2;
}

bool is_product(const Node& node) {
  return node.as<ops::gemm>() || node.as<ops::matmul>() || node.as<ops::conv2d>();
}

}  // namespace

Tensor OperandRounding::operator()(Tensor x) const {
  if (x.type != float32) return x;
  if (to == To::int8) to_int8(x, piece);
  if (to == To::bfloat16)
    for (std::size_t i = 0; i < x.size(); ++i) {
      float& v = x.as<float>()[i];
      v = nearest_bfloat16(v * factor);
    }
  return x;
}

OperandRoundings roundings_of(const MLGraph& graph) {
  using To = OperandRounding::To;
  OperandRoundings all;
  for (const StepReport& step : graph.report().steps) {
    const bool pairs = step.kernel.starts_with("bfloat16 "),
               integers = step.kernel.starts_with("int8 x ");
    if (!pairs && !integers) continue;
    std::size_t blocks = 1;  // with scales of their own
    for (const Node& node : step.operators) {
      if (!is_product(node)) continue;
      const std::size_t place = node.output().record().producer;
      const auto* gemm = node.as<ops::gemm>();
      if (pairs) {
        all[{place, 0}] = {.to = To::bfloat16};
        all[{place, 1}] = {.to = To::bfloat16,
                           .factor = gemm ? static_cast<float>(gemm->options.alpha) : 1};
        continue;
      }
      const std::size_t k = summed_dimension(node), terms = node.input(1).shape()[k];
      for (const Node& weights : step.operators)
        if (const auto* op = weights.as<ops::dequantizeLinear>()) blocks = op->scale.shape()[k];
      all[{place, 0}] = {.to = To::int8, .piece = piece_of(terms, terms / blocks)};
    }
  }
  return all;
}

}  // namespace webnn::inline v0_1::test
