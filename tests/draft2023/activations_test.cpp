// Activations as objects: alone, and after convolutions and batch normalization.
#include "tests/draft2023/compare.h"

using namespace webnn;
using draft2023::MLActivation;
using test::check_same;
using test::Operands;
using test::thrown;
using Draft = draft2023::MLGraphBuilder;

namespace {

/// batchNormalization with the activation, and the operator after batchNormalization.
void check_activation(const std::function<MLActivation(Draft&)>& activation,
                      const std::function<MLOperand(MLGraphBuilder&, MLOperand)>& op) {
  check_same(
      {{3, 4}, {4}, {4}},
      [&](Draft& b, const Operands& x) -> Operands {
        const MLOperand variance = b.exp(x[2]);
        return {b.batchNormalization(x[0], x[1], variance, {.activation = activation(b)})};
      },
      [&](MLGraphBuilder& b, const Operands& x) -> Operands {
        return {op(b, b.batchNormalization(x[0], x[1], b.exp(x[2])))};
      });
}

}  // namespace

TEST_CASE("draft 2023: the twelve activations") {
  check_activation(
      [](Draft& b) { return b.clamp({.minValue = -0.5, .maxValue = 0.25}); },
      [](auto& b, auto x) { return b.clamp(x, {.minValue = -0.5, .maxValue = 0.25}); });
  check_activation([](Draft& b) { return b.elu({.alpha = 2}); },
                   [](auto& b, auto x) { return b.elu(x, {.alpha = 2}); });
  check_activation([](Draft& b) { return b.hardSigmoid({.alpha = 0.5}); },
                   [](auto& b, auto x) { return b.hardSigmoid(x, {.alpha = 0.5}); });
  check_activation([](Draft& b) { return b.hardSwish(); },
                   [](auto& b, auto x) { return b.hardSwish(x); });
  check_activation([](Draft& b) { return b.leakyRelu(); },
                   [](auto& b, auto x) { return b.leakyRelu(x); });
  check_activation([](Draft& b) { return b.linear({.alpha = 3, .beta = 1}); },
                   [](auto& b, auto x) { return b.linear(x, {.alpha = 3, .beta = 1}); });
  check_activation([](Draft& b) { return b.relu(); }, [](auto& b, auto x) { return b.relu(x); });
  check_activation([](Draft& b) { return b.sigmoid(); },
                   [](auto& b, auto x) { return b.sigmoid(x); });
  check_activation([](Draft& b) { return b.softmax(); },
                   [](auto& b, auto x) { return b.softmax(x, 1); });
  check_activation([](Draft& b) { return b.softplus(); },
                   [](auto& b, auto x) { return b.softplus(x); });
  check_activation([](Draft& b) { return b.softplus({.steepness = 4}); },
                   [](auto& b, auto x) {
                     const MLOperand four = b.constant(float32, 4);
                     return b.div(b.softplus(b.mul(x, four)), four);
                   });
  check_activation([](Draft& b) { return b.softsign(); },
                   [](auto& b, auto x) { return b.softsign(x); });
  check_activation([](Draft& b) { return b.tanh(); }, [](auto& b, auto x) { return b.tanh(x); });
}

TEST_CASE("draft 2023: any operator with one operand is an activation") {
  check_activation([](Draft&) { return ops::gelu{}; }, [](auto& b, auto x) { return b.gelu(x); });
  const MLActivation a = ops::erf{};
  CHECK(a.name() == "erf");
}

TEST_CASE("draft 2023: an activation belongs to no builder") {
  const MLActivation a = Draft(test::plain_context()).leakyRelu({.alpha = 0.5});
  CHECK(a.name() == "leakyRelu");
  for (int i = 0; i < 2; ++i)
    check_same(
        {{1, 2, 4, 4}, {3, 2, 3, 3}, {3}},
        [&](Draft& b, const Operands& x) -> Operands {
          const MLOperand y = b.conv2d(x[0], x[1], {.bias = x[2], .activation = a});
          return {y, b.conv2d(y, b.constant({.dimensions = {1, 3, 1, 1}}, {1.f, 2.f, 3.f}),
                              {.activation = a})};
        },
        [&](MLGraphBuilder& b, const Operands& x) -> Operands {
          const MLOperand y = b.leakyRelu(b.conv2d(x[0], x[1], {.bias = x[2]}), {.alpha = 0.5});
          const MLOperand f = b.constant({float32, {1, 3, 1, 1}}, {1.f, 2.f, 3.f});
          return {y, b.leakyRelu(b.conv2d(y, f), {.alpha = 0.5})};
        });
}

TEST_CASE("draft 2023: an activation after convTranspose2d") {
  check_same(
      {{1, 2, 3, 3}, {2, 3, 2, 2}},
      [](Draft& b, const Operands& x) -> Operands {
        return {b.convTranspose2d(x[0], x[1], {.strides = {2, 2}, .activation = b.relu()})};
      },
      [](MLGraphBuilder& b, const Operands& x) -> Operands {
        return {b.relu(b.convTranspose2d(x[0], x[1], {.strides = {2, 2}}))};
      });
}

TEST_CASE("draft 2023: softmax and softplus as operators") {
  check_same(
      {{3, 4}},
      [](Draft& b, const Operands& x) -> Operands {
        return {b.softmax(x[0]),  b.softmax(x[0], 0),
                b.softplus(x[0]), b.softplus(x[0], {.steepness = -2}),
                b.relu(x[0], {}), b.elu(x[0])};
      },
      [](MLGraphBuilder& b, const Operands& x) -> Operands {
        const MLOperand k = b.constant(float32, -2);
        return {b.softmax(x[0], 1), b.softmax(x[0], 0),
                b.softplus(x[0]),   b.div(b.softplus(b.mul(x[0], k)), k),
                b.relu(x[0]),       b.elu(x[0])};
      },
      1e-6);
}

TEST_CASE("draft 2023: activations that are refused") {
  Draft b(test::plain_context());
  const MLOperand x = b.input("x", {.dimensions = {1, 2, 3, 4}}),
                  c = b.input("c", {.dimensions = {2}});
  CHECK(thrown([&] { b.softmax(x); }) ==
        "DataError softmax: the rank (4) of input is not 2, which it is without an axis.");
  CHECK(thrown([&] { b.batchNormalization(x, c, c, {.activation = b.softmax()}); }) ==
        "DataError softmax: the rank (4) of input is not 2, which it is without an axis.");
  CHECK(thrown([&] { b.softplus(x, {.steepness = 0, .label = "s"}); }) ==
        "DataError softplus [s]: steepness (0) is zero or not a number.");
  CHECK(thrown([&] { b.batchNormalization(x, c, c, {.activation = b.elu({.alpha = NAN})}); }) ==
        "DataError elu: alpha (nan) is not finite.");
}
