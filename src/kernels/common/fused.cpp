#include "src/kernels/common/fused.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "src/graph/op.h"
#include "src/graph/traits.h"

namespace webnn::inline v0_1 {
namespace {

float bound(const std::optional<MLNumber>& value, float none) {
  if (!value) return none;
  const double v = value->to(float32).as_double();
  return std::isnan(v) ? none : static_cast<float>(v);
}

/// For an add in a chain whose predecessor made `y`: the other operand, if it has y's shape.
std::optional<MLOperand> residual_of(const Node& node, const MLOperand& y) {
  const auto* add = as<ops::add>(node);
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
  static constexpr auto listed = []<class... T>(ops::OpList<T...>) {
    return std::array{
        ops::contains<T>(ops::OpList<ops::batchNormalization, ops::conv2d, ops::convTranspose2d,
                                     ops::gemm, ops::instanceNormalization, ops::matmul>{})...};
  }(EveryOp{});
  return listed[n.kind()];
}

namespace {

/// The stages of the operators of a chain that were added.
struct Stages {
  std::vector<Stage> all{};

  /// Whether the next operator of the chain, at place i, belongs to the last stage or to a new one.
  bool add(Chain chain, std::size_t i) {
    const Node& node = chain[i];
    operands_.clear();
    append_operands(node.kind(), node.op(), operands_);
    const int here = slot_;
    slot_ += static_cast<int>(operands_.size()) - (i > 0);
    if (node.output().dataType() != float32) return false;
    if (takes_epilogue(node)) {
      // The result of the stage before must be the first operand.
      if (i > 0 && !operands_.front()->is(chain[i - 1].output())) return false;
      if (i > 0 && all.back().result.shape() != all.back().head.output().shape()) return false;
      all.push_back({.head = node, .first = i, .result = node.output()});
      return true;
    }
    return !all.empty() && add_to(all.back(), node, here);
  }

 private:
  static bool add_to(Stage& stage, const Node& node, int slot) {
    Epilogue& e = stage.epilogue;
    if (!as<ops::reshape>(node)) {
      if (e.activation != Activation::none) return false;
      if (e.residual < 0 && residual_of(node, stage.result)) {
        e.residual = slot;
      } else if (const auto activation = activation_of(node)) {
        const int residual = e.residual;
        e = *activation;
        e.residual = residual;
      } else {
        return false;
      }
    }
    ++stage.length;
    stage.result = node.output();
    return true;
  }

  std::vector<const MLOperand*> operands_{};
  int slot_ = 0;  // of the next operand from outside the chain
};

}  // namespace

std::optional<std::vector<Stage>> stages_of(Chain chain) {
  Stages stages;
  for (std::size_t i = 0; i < chain.size(); ++i)
    if (!stages.add(chain, i)) return std::nullopt;
  return std::move(stages.all);
}

namespace {

/// Whether what follows an operator may be fused to it because of its data types: it makes floats
/// of constants, or stands for operators on integers.
bool reads_weights(const Node& head) {
  if (const auto* cast = as<ops::cast>(head)) return cast->input.constant();
  return as<ops::dequantizeLinear>(head) || as<fused::quantizedOperator>(head);
}
bool is_element_wise(const Node& n) { return traits_of(n).element_wise || as<ops::identity>(n); }

}  // namespace

std::size_t longest_in_library(Chain chain) {
  const Node& head = chain.front();
  if (reads_weights(head)) return chain.size();
  const auto others = [](const Node& n) { return !is_element_wise(n) && !as<ops::reshape>(n); };
  if (is_element_wise(head))
    return static_cast<std::size_t>(std::ranges::find_if(chain, others) - chain.begin());
  if (!takes_epilogue(head)) return 1;
  const std::size_t most = as<ops::conv2d>(head) ? 3 : as<ops::batchNormalization>(head) ? 2 : 1;
  Stages stages;
  std::size_t length = 0;
  while (length < chain.size() && stages.add(chain, length) && stages.all.size() <= most) ++length;
  return std::max<std::size_t>(length, 1);
}

}  // namespace webnn::inline v0_1
