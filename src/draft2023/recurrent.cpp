// gru, lstm and their cells with activations as objects. The operators
// accept relu, sigmoid and tanh; with others a cell is made of gemm, slices and element-wise
// operators.
#include "src/draft2023/members.h"
#include "src/draft2023/unrolled.h"

namespace webnn::inline v0_1::draft2023 {
namespace {

// All members are passed on.
static_assert(has_exactly<webnn::MLGruOptions, 9>);
static_assert(has_exactly<webnn::MLGruCellOptions, 6>);
static_assert(has_exactly<webnn::MLLstmOptions, 10>);
static_assert(has_exactly<webnn::MLLstmCellOptions, 6>);

/// The activations, if the current spec has them all, or none were given.
struct Known {
  bool all = true;
  webnn::Activations list = std::nullopt;
};
Known known(const Activations& activations) {
  Known k;
  if (!activations) return k;
  std::vector<MLRecurrentNetworkActivation> list;
  for (const MLActivation& a : *activations) {
    const auto one = enum_from<MLRecurrentNetworkActivation>(a.name());
    k.all = k.all && one;
    list.push_back(one.value_or(MLRecurrentNetworkActivation::tanh));
  }
  k.list = std::move(list);
  return k;
}

/// The options of the current spec, without activations.
template <class To> To core_options(const auto& o) {
  To to{.bias = o.bias, .recurrentBias = o.recurrentBias};
  to.layout = o.layout;
  to.label = o.label;
  if constexpr (requires { to.resetAfter; }) to.resetAfter = o.resetAfter;
  if constexpr (requires { to.peepholeWeight; }) to.peepholeWeight = o.peepholeWeight;
  if constexpr (requires { to.direction; }) {
    to.direction = o.direction;
    to.returnSequence = o.returnSequence;
    to.initialHiddenState = o.initialHiddenState;
  }
  if constexpr (requires { to.initialCellState; }) to.initialCellState = o.initialCellState;
  return to;
}

/// Appended even where its results are not used, because it checks the arguments.
template <class Op, class Unroll>
auto with_activations(webnn::MLGraphBuilder& b, Op op, const Activations& activations,
                      Unroll&& unroll) {
  Known k = known(activations);
  op.options.activations = std::move(k.list);
  auto results = b.append(op);
  return k.all ? results : unroll(Unrolled(b, op.options.label), op, *activations);
}

}  // namespace

std::vector<MLOperand> append(webnn::MLGraphBuilder& b, ops::gru op,
                              const Activations& activations) {
  return with_activations(b, std::move(op), activations,
                          [](Unrolled&& u, auto&&... a) { return u.gru(a...); });
}
MLOperand append(webnn::MLGraphBuilder& b, ops::gruCell op, const Activations& activations) {
  return with_activations(b, std::move(op), activations,
                          [](Unrolled&& u, auto&&... a) { return u.gru_cell(a...); });
}
std::vector<MLOperand> append(webnn::MLGraphBuilder& b, ops::lstm op,
                              const Activations& activations) {
  return with_activations(b, std::move(op), activations,
                          [](Unrolled&& u, auto&&... a) { return u.lstm(a...); });
}
std::vector<MLOperand> append(webnn::MLGraphBuilder& b, ops::lstmCell op,
                              const Activations& activations) {
  return with_activations(b, std::move(op), activations,
                          [](Unrolled&& u, auto&&... a) { return u.lstm_cell(a...); });
}

std::vector<MLOperand> MLGraphBuilder::gru(const MLOperand& input, const MLOperand& weight,
                                           const MLOperand& recurrentWeight, std::uint32_t steps,
                                           std::uint32_t hiddenSize, MLGruOptions o) {
  return as_data_error([&] {
    return append(core_,
                  ops::gru{input, weight, recurrentWeight, steps, hiddenSize,
                           core_options<webnn::MLGruOptions>(o)},
                  o.activations);
  });
}

MLOperand MLGraphBuilder::gruCell(const MLOperand& input, const MLOperand& weight,
                                  const MLOperand& recurrentWeight, const MLOperand& hiddenState,
                                  std::uint32_t hiddenSize, MLGruCellOptions o) {
  return as_data_error([&] {
    return append(core_,
                  ops::gruCell{input, weight, recurrentWeight, hiddenState, hiddenSize,
                               core_options<webnn::MLGruCellOptions>(o)},
                  o.activations);
  });
}

std::vector<MLOperand> MLGraphBuilder::lstm(const MLOperand& input, const MLOperand& weight,
                                            const MLOperand& recurrentWeight, std::uint32_t steps,
                                            std::uint32_t hiddenSize, MLLstmOptions o) {
  return as_data_error([&] {
    return append(core_,
                  ops::lstm{input, weight, recurrentWeight, steps, hiddenSize,
                            core_options<webnn::MLLstmOptions>(o)},
                  o.activations);
  });
}

std::vector<MLOperand> MLGraphBuilder::lstmCell(const MLOperand& input, const MLOperand& weight,
                                                const MLOperand& recurrentWeight,
                                                const MLOperand& hiddenState,
                                                const MLOperand& cellState,
                                                std::uint32_t hiddenSize, MLLstmCellOptions o) {
  return as_data_error([&] {
    return append(core_,
                  ops::lstmCell{input, weight, recurrentWeight, hiddenState, cellState, hiddenSize,
                                core_options<webnn::MLLstmCellOptions>(o)},
                  o.activations);
  });
}

}  // namespace webnn::inline v0_1::draft2023
