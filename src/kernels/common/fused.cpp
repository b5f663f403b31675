#include "src/kernels/common/fused.h"

#include <algorithm>
#include <cmath>

#include "src/graph/op.h"

namespace webnn::inline v0_1 {
namespace {

float bound(const std::optional<MLNumber>& value, float none) {
  if (!value) return none;
  const double v = value->to(float32).as_double();
  return std::isnan(v) ? none : static_cast<float>(v);
}

/// For an add in a chain whose predecessor made `y`: the other operand, if it has y's shape.
std::optional<MLOperand> residual_of(const Node& node, const MLOperand& y) {
  const auto* add = node.as<ops::add>();
  if (!add) return std::nullopt;
  const MLOperand& other = add->a.is(y) ? add->b : add->a;
  if (other.shape() != y.shape()) return std::nullopt;
  return other;
}

Epilogue parametric(Activation a, double alpha = 0, double beta = 0) {
  return {.activation = a, .alpha = static_cast<float>(alpha), .beta = static_cast<float>(beta)};
}

// An overload for each of ActivationOps.
Epilogue activation(const ops::relu&) { return {.activation = Activation::clamp, .lo = 0}; }
Epilogue activation(const ops::clamp& op) {
  const Epilogue none;
  return {.activation = Activation::clamp,
          .lo = bound(op.options.minValue, none.lo),
          .hi = bound(op.options.maxValue, none.hi)};
}
Epilogue activation(const ops::leakyRelu& op) {
  return parametric(Activation::leaky_relu, op.options.alpha);
}
Epilogue activation(const ops::elu& op) { return parametric(Activation::elu, op.options.alpha); }
Epilogue activation(const ops::linear& op) {
  return parametric(Activation::linear, op.options.alpha, op.options.beta);
}
Epilogue activation(const ops::hardSigmoid& op) {
  return parametric(Activation::hard_sigmoid, op.options.alpha, op.options.beta);
}
Epilogue activation(const ops::hardSwish&) { return parametric(Activation::hard_swish); }
Epilogue activation(const ops::sigmoid&) { return parametric(Activation::sigmoid); }
Epilogue activation(const ops::tanh&) { return parametric(Activation::tanh); }
Epilogue activation(const ops::gelu&) { return parametric(Activation::gelu); }
Epilogue activation(const fused::swish&) { return parametric(Activation::swish); }

// The lists agree: the traits of the operators, ActivationOps, and the enumerators, which have the
// names of their operators, but for relu, which is a clamp, and none.
using NotFused = ops::OpList<ops::prelu, ops::softplus, ops::softsign>;
template <class Op> constexpr bool is_listed() {
  const bool fused = ops::contains<Op>(ActivationOps());
  return ops::traits_of<Op>().activation == (fused || ops::contains<Op>(NotFused())) &&
         !(fused && ops::contains<Op>(NotFused()));
}
static_assert([]<class... Op>(ops::OpList<Op...>) { return (is_listed<Op>() && ...); }(EveryOp()),
              "an operator with the trait `activation` is in ActivationOps or in NotFused");

template <class List> constexpr bool has(const List& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}
static_assert(std::all_of(ActivationOps::names.begin(), ActivationOps::names.end(),
                          [](auto name) {
                            return name == "relu" || has(enum_names<Activation>, name);
                          }),
              "an operator of ActivationOps has no enumerator of Activation");
static_assert(std::all_of(enum_names<Activation>.begin(), enum_names<Activation>.end(),
                          [](auto name) {
                            return name.empty() || has(ActivationOps::names, name);
                          }),
              "an enumerator of Activation has no operator in ActivationOps");

}  // namespace

std::optional<Epilogue> activation_of(const Node& node) {
  std::optional<Epilogue> found;
  if (node.output().dataType() != float32) return found;
  const auto try_one = [&]<class Op>(std::type_identity<Op>) {
    if (const Op* op = as<Op>(node)) found = activation(*op);
  };
  [&]<class... T>(ops::OpList<T...>) { (try_one(std::type_identity<T>{}), ...); }(ActivationOps{});
  return found;
}

bool takes_epilogue(const Node& n) {
  return n.as<ops::batchNormalization>() || n.as<ops::conv2d>() || n.as<ops::convTranspose2d>() ||
         n.as<ops::gemm>() || n.as<ops::instanceNormalization>() || n.as<ops::matmul>();
}

std::optional<std::vector<Stage>> stages_of(Chain chain) {
  std::vector<Stage> stages;
  int slot = 0;  // of the next operand from outside the chain
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const Node& node = chain[i];
    const int here = slot;
    slot += static_cast<int>(operands_of(node.kind(), node.op()).size()) - (i > 0);
    if (node.output().dataType() != float32) return std::nullopt;
    if (takes_epilogue(node)) {
      // The result of the stage before must be the first operand.
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

}  // namespace webnn::inline v0_1
