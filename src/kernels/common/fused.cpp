#include "src/kernels/common/fused.h"

#include <cmath>

namespace webnn {
namespace {

float bound(const std::optional<MLNumber>& value, float none) {
  if (!value) return none;
  const double v = value->to(float32).as_double();
  return std::isnan(v) ? none : static_cast<float>(v);
}

bool is_head(const Node& n) {
  return n.as<ops::conv2d>() || n.as<ops::gemm>() || n.as<ops::matmul>();
}

/// For an add in a chain whose predecessor made `y`: the other operand, if it has y's shape.
std::optional<MLOperand> residual_of(const Node& node, const MLOperand& y) {
  const auto* add = node.as<ops::add>();
  if (!add) return std::nullopt;
  const MLOperand& other = add->a.is(y) ? add->b : add->a;
  if (other.shape() != y.shape()) return std::nullopt;
  return other;
}

}  // namespace

std::string Epilogue::text() const {
  std::string s = residual >= 0 ? "+residual" : "";
  if (activation != Activation::none) s.append("+").append(name_of(activation));
  return s;
}

std::optional<Epilogue> activation_of(const Node& node) {
  using enum Activation;
  if (node.output().dataType() != float32) return std::nullopt;
  const auto simple = [](Activation a, double alpha = 0, double beta = 0) {
    return Epilogue{
        .activation = a, .alpha = static_cast<float>(alpha), .beta = static_cast<float>(beta)};
  };
  if (node.as<ops::relu>()) return Epilogue{.activation = clamp, .lo = 0};
  if (const auto* op = node.as<ops::clamp>()) {
    const Epilogue none;
    return Epilogue{.activation = clamp,
                    .lo = bound(op->options.minValue, none.lo),
                    .hi = bound(op->options.maxValue, none.hi)};
  }
  if (const auto* op = node.as<ops::leakyRelu>()) return simple(leaky_relu, op->options.alpha);
  if (const auto* op = node.as<ops::elu>()) return simple(elu, op->options.alpha);
  if (const auto* op = node.as<ops::linear>())
    return simple(linear, op->options.alpha, op->options.beta);
  if (const auto* op = node.as<ops::hardSigmoid>())
    return simple(hard_sigmoid, op->options.alpha, op->options.beta);
  if (node.as<ops::hardSwish>()) return simple(hard_swish);
  if (node.as<ops::sigmoid>()) return simple(sigmoid);
  if (node.as<ops::tanh>()) return simple(tanh);
  if (node.as<ops::gelu>()) return simple(gelu);
  return std::nullopt;
}

std::optional<std::vector<Stage>> stages_of(Chain chain) {
  std::vector<Stage> stages;
  int slot = 0;  // of the next operand from outside the chain
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const Node& node = chain[i];
    const int here = slot;
    slot += static_cast<int>(node.inputs().size()) - (i > 0);
    if (node.output().dataType() != float32) return std::nullopt;
    if (is_head(node)) {
      // What the stage before made is the first operand, or this is another kind of chain.
      if (i > 0 && !node.input(0).is(chain[i - 1].output())) return std::nullopt;
      if (i > 0 && stages.back().result.shape() != stages.back().head.output().shape())
        return std::nullopt;
      stages.push_back({.head = node, .first = i, .result = node.output()});
      continue;
    }
    if (stages.empty()) return std::nullopt;
    Stage& stage = stages.back();
    Epilogue& e = stage.epilogue;
    if (node.as<ops::reshape>()) {
      ++stage.length;
      stage.result = node.output();
      continue;
    }
    if (e.activation != Activation::none) return std::nullopt;
    if (e.residual < 0 && residual_of(node, stage.result)) {
      e.residual = here;
    } else if (const auto activation = activation_of(node)) {
      const int residual = e.residual;
      e = *activation;
      e.residual = residual;
    } else {
      return std::nullopt;
    }
    ++stage.length;
    stage.result = node.output();
  }
  return stages;
}

}  // namespace webnn
