// The code samples of the 2023 draft, each translated line by line: the three programs, and what
// the draft gives as the emulation of an operator, which has to agree with the operator.
// https://www.w3.org/TR/2023/CRD-webnn-20231219/
#include "tests/draft2023/compare.h"

using namespace webnn;
using test::check_same;
using test::Operands;
using Draft = draft2023::MLGraphBuilder;

namespace {

constexpr double sample_tolerance = 1e-5;
const Dims shape{2, 3, 2, 2};

/// 7.4.2.1: two outputs, computed one at a time.
TEST_CASE("draft 2023, 7.4.2.1: a graph with two outputs") {
  MLContext context = test::plain_context();
  draft2023::MLGraphBuilder builder(context);
  const draft2023::MLOperandDescriptor desc_a{.type = float32, .dimensions = Dims{3, 4}};
  const MLOperand a = builder.input("a", desc_a);
  const MLOperand b =
      builder.constant({.type = float32, .dimensions = Dims{4, 3}}, std::vector<float>(12, 0.5f));
  const MLOperand c =
      builder.constant({.type = float32, .dimensions = Dims{3, 3}}, std::vector<float>(9, 1.f));
  const MLOperand d = builder.matmul(a, b), e = builder.add(d, c);
  const MLGraph graph = builder.buildSync({{"d", d}, {"e", e}});

  const std::vector<float> buffer_a(12, 0.5f);
  std::vector<float> buffer_d(9), buffer_e(9);
  draft2023::computeSync(context, graph, {{"a", buffer_a}}, {{"d", buffer_d}});
  CHECK(buffer_d == std::vector<float>(9, 1.f));
  draft2023::computeSync(context, graph, {{"a", buffer_a}}, {{"e", buffer_e}});
  CHECK(buffer_e == std::vector<float>(9, 2.f));
}

/// 7.4.4.1: 'C = 0.2 * A + B'.
TEST_CASE("draft 2023, 7.4.4.1: asynchronous execution") {
  const draft2023::MLOperandDescriptor type{.type = float32, .dimensions = Dims{2, 2}};
  MLContext context = test::plain_context();
  draft2023::MLGraphBuilder builder(context);
  const MLOperand constant = builder.constant(0.2);
  const MLOperand a = builder.input("A", type), b = builder.input("B", type);
  const MLOperand c = builder.add(builder.mul(a, constant), b);
  const MLGraph graph = builder.build({{"C", c}});
  const std::vector<float> buffer_a(4, 1.f), buffer_b(4, 0.8f);
  std::vector<float> buffer_c(4);
  draft2023::compute(context, graph, {{"A", buffer_a}, {"B", buffer_b}}, {{"C", buffer_c}}).get();
  CHECK(buffer_c == std::vector<float>(4, 0.2f + 0.8f));
}

/// 8: (constant1 + input1) * (constant2 + input2).
TEST_CASE("draft 2023, 8: the example") {
  MLContext context({.powerPreference = MLPowerPreference::low_power});
  constexpr std::size_t size = 8;
  draft2023::MLGraphBuilder builder(context);
  const draft2023::MLOperandDescriptor desc{.type = float32, .dimensions = Dims{1, 2, 2, 2}};
  const MLOperand constant1 = builder.constant(desc, std::vector<float>(size, 0.5f));
  const MLOperand input1 = builder.input("input1", desc);
  const MLOperand constant2 = builder.constant(desc, std::vector<float>(size, 0.5f));
  const MLOperand input2 = builder.input("input2", desc);
  const MLOperand sum1 = builder.add(constant1, input1), sum2 = builder.add(constant2, input2);
  const MLGraph graph = builder.build({{"output", builder.mul(sum1, sum2)}});
  const std::vector<float> buffer1(size, 1.f), buffer2(size, 1.f);
  std::vector<float> output(size);
  draft2023::compute(context, graph, {{"input1", buffer1}, {"input2", buffer2}},
                     {{"output", output}})
      .get();
  CHECK(output == std::vector<float>(size, 2.25f));
}

/// A sample of one operand, and the operator.
template <class Sample, class Operator> void same(Sample&& sample, Operator&& op) {
  check_same(
      {shape}, [&](Draft& b, const Operands& x) -> Operands { return {sample(b, x[0])}; },
      [&](MLGraphBuilder& b, const Operands& x) -> Operands { return {op(b, x[0])}; },
      sample_tolerance);
}

TEST_CASE("draft 2023: samples of activations") {
  same(  // clamp
      [](Draft& b, const MLOperand& x) {
        return b.min(b.max(x, b.constant(-0.5)), b.constant(1.25));
      },
      [](auto& b, const MLOperand& x) { return b.clamp(x, {.minValue = -0.5, .maxValue = 1.25}); });
  same([](Draft& b, const MLOperand& x) { return b.min(x, b.constant(1.25)); },
       [](auto& b, const MLOperand& x) { return b.clamp(x, {.maxValue = 1.25}); });
  same([](Draft& b, const MLOperand& x) { return b.max(x, b.constant(-0.5)); },
       [](auto& b, const MLOperand& x) { return b.clamp(x, {.minValue = -0.5}); });
  same(  // elu
      [](Draft& b, const MLOperand& x) {
        return b.add(b.max(b.constant(0), x),
                     b.mul(b.constant(0.7), b.sub(b.exp(b.min(b.constant(0), x)), b.constant(1))));
      },
      [](auto& b, const MLOperand& x) { return b.elu(x, {.alpha = 0.7}); });
  same(  // hardSigmoid
      [](Draft& b, const MLOperand& x) {
        return b.max(b.min(b.add(b.mul(b.constant(0.3), x), b.constant(0.4)), b.constant(1)),
                     b.constant(0));
      },
      [](auto& b, const MLOperand& x) { return b.hardSigmoid(x, {.alpha = 0.3, .beta = 0.4}); });
  same(  // hardSwish
      [](Draft& b, const MLOperand& x) {
        return b.div(b.mul(x, b.max(b.constant(0), b.min(b.constant(6), b.add(x, b.constant(3))))),
                     b.constant(6));
      },
      [](auto& b, const MLOperand& x) { return b.hardSwish(x); });
  same(  // leakyRelu
      [](Draft& b, const MLOperand& x) {
        return b.add(b.max(b.constant(0), x), b.mul(b.constant(0.1), b.min(b.constant(0), x)));
      },
      [](auto& b, const MLOperand& x) { return b.leakyRelu(x, {.alpha = 0.1}); });
  same(  // linear
      [](Draft& b, const MLOperand& x) {
        return b.add(b.mul(x, b.constant(1.5)), b.constant(0.25));
      },
      [](auto& b, const MLOperand& x) { return b.linear(x, {.alpha = 1.5, .beta = 0.25}); });
  same([](Draft& b, const MLOperand& x) { return b.max(b.constant(0), x); },
       [](auto& b, const MLOperand& x) { return b.relu(x); });
  same(  // sigmoid
      [](Draft& b, const MLOperand& x) {
        return b.div(b.constant(1), b.add(b.exp(b.neg(x)), b.constant(1)));
      },
      [](auto& b, const MLOperand& x) { return b.sigmoid(x); });
  same(  // softplus, with the steepness that later specifications do not have
      [](Draft& b, const MLOperand& x) {
        const MLOperand steepness = b.constant(2.5);
        return b.div(b.log(b.add(b.exp(b.mul(x, steepness)), b.constant(1))), steepness);
      },
      [](MLGraphBuilder& b, const MLOperand& x) {
        return b.div(b.softplus(b.mul(x, b.constant(float32, 2.5))), b.constant(float32, 2.5));
      });
  same([](Draft& b, const MLOperand& x) { return b.div(x, b.add(b.constant(1), b.abs(x))); },
       [](auto& b, const MLOperand& x) { return b.softsign(x); });
  same(  // tanh
      [](Draft& b, const MLOperand& x) {
        const MLOperand e = b.exp(b.mul(b.constant(2), x));
        return b.div(b.sub(e, b.constant(1)), b.add(e, b.constant(1)));
      },
      [](auto& b, const MLOperand& x) { return b.tanh(x); });
  check_same(  // prelu
      {shape, {3, 1, 1}},
      [](Draft& b, const Operands& x) -> Operands {
        return {b.add(b.max(b.constant(0), x[0]), b.mul(x[1], b.min(b.constant(0), x[0])))};
      },
      [](MLGraphBuilder& b, const Operands& x) -> Operands { return {b.prelu(x[0], x[1])}; },
      sample_tolerance);
  check_same(  // softmax, of the distances to the largest
      {{4, 5}},
      [](Draft& b, const Operands& x) -> Operands {
        const MLOperand largest = b.reduceMax(x[0], {.axes = {1}, .keepDimensions = true});
        const MLOperand e = b.exp(b.sub(x[0], largest));
        return {b.div(e, b.reduceSum(e, {.axes = {1}, .keepDimensions = true}))};
      },
      [](MLGraphBuilder& b, const Operands& x) -> Operands { return {b.softmax(x[0], 1)}; },
      sample_tolerance);
}

TEST_CASE("draft 2023: samples of normalizations") {
  check_same(  // batchNormalization, then relu
      {shape, {3}, {3}, {3}, {3}},
      [](Draft& b, const Operands& x) -> Operands {
        const draft2023::OpenShape column{1, std::nullopt, 1, 1};
        const MLOperand variance = b.reshape(b.abs(x[2]), column);
        return {
            b.relu(b.add(b.mul(b.reshape(x[3], column),
                               b.div(b.sub(x[0], b.reshape(x[1], column)),
                                     b.pow(b.add(variance, b.constant(1e-5)), b.constant(0.5)))),
                         b.reshape(x[4], column)))};
      },
      [](MLGraphBuilder& b, const Operands& x) -> Operands {
        return {b.relu(b.batchNormalization(x[0], x[1], b.abs(x[2]),
                                            {.scale = x[3], .bias = x[4], .epsilon = 1e-5}))};
      },
      sample_tolerance);
  check_same(  // instanceNormalization
      {shape, {3}, {3}},
      [](Draft& b, const Operands& x) -> Operands {
        const MLReduceOptions spatial{.axes = {2, 3}, .keepDimensions = true};
        const MLOperand mean = b.reduceMean(x[0], spatial);
        const MLOperand variance = b.reduceMean(b.pow(b.sub(x[0], mean), b.constant(2)), spatial);
        const draft2023::OpenShape column{1, std::nullopt, 1, 1};
        return {b.add(b.mul(b.reshape(x[1], column),
                            b.div(b.sub(x[0], mean),
                                  b.pow(b.add(variance, b.constant(1e-5)), b.constant(0.5)))),
                      b.reshape(x[2], column))};
      },
      [](MLGraphBuilder& b, const Operands& x) -> Operands {
        return {b.instanceNormalization(x[0], {.scale = x[1], .bias = x[2], .epsilon = 1e-5})};
      },
      1e-4);
}

TEST_CASE("draft 2023: samples of gemm, split and pooling") {
  check_same(
      {{4, 2}, {3, 4}, {3}},
      [](Draft& b, const Operands& x) -> Operands {
        const MLOperand ab = b.matmul(b.mul(b.constant(0.5), b.transpose(x[0])), b.transpose(x[1]));
        return {b.add(ab, b.mul(b.constant(2), x[2]))};
      },
      [](MLGraphBuilder& b, const Operands& x) -> Operands {
        return {
            b.gemm(x[0], x[1],
                   {.c = x[2], .alpha = 0.5, .beta = 2, .aTranspose = true, .bTranspose = true})};
      },
      sample_tolerance);
  check_same(
      {shape},
      [](Draft& b, const Operands& x) -> Operands {
        Operands outputs;
        Dims starts(4, 0), sizes = shape;
        std::uint32_t start = 0;
        for (const std::uint32_t size : {1u, 2u}) {
          starts[1] = start;
          sizes[1] = size;
          outputs.push_back(b.slice(x[0], starts, sizes));
          start += size;
        }
        return outputs;
      },
      [](MLGraphBuilder& b, const Operands& x) -> Operands {
        return b.split(x[0], Dims{1, 2}, {.axis = 1});
      });
  same([](Draft& b, const MLOperand& x) { return b.maxPool2d(x); },  // 'global' max pooling
       [](auto& b, const MLOperand& x) {
         return b.reduceMax(x, {.axes = {2, 3}, .keepDimensions = true});
       });
}

TEST_CASE("draft 2023: the sample of pad") {
  const auto padded = [](draft2023::MLPaddingMode mode) {
    Draft b(test::plain_context());
    const MLOperand input =
        b.constant({.type = float32, .dimensions = Dims{2, 3}}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f});
    return test::run(b.build({{"y", b.pad(input, {1, 2}, {1, 2}, {.mode = mode})}}), {})[0];
  };
  using enum draft2023::MLPaddingMode;
  CHECK(padded(constant) == std::vector<float>{0, 0, 0, 0, 0, 0, 0,  //
                                               0, 0, 1, 2, 3, 0, 0,  //
                                               0, 0, 4, 5, 6, 0, 0,  //
                                               0, 0, 0, 0, 0, 0, 0});
  CHECK(padded(edge) == std::vector<float>{1, 1, 1, 2, 3, 3, 3,  //
                                           1, 1, 1, 2, 3, 3, 3,  //
                                           4, 4, 4, 5, 6, 6, 6,  //
                                           4, 4, 4, 5, 6, 6, 6});
  CHECK(padded(reflection) == std::vector<float>{6, 5, 4, 5, 6, 5, 4,  //
                                                 3, 2, 1, 2, 3, 2, 1,  //
                                                 6, 5, 4, 5, 6, 5, 4,  //
                                                 3, 2, 1, 2, 3, 2, 1});
  CHECK(padded(symmetric) == std::vector<float>{2, 1, 1, 2, 3, 3, 2,  //
                                                2, 1, 1, 2, 3, 3, 2,  //
                                                5, 4, 4, 5, 6, 6, 5,  //
                                                5, 4, 4, 5, 6, 6, 5});
}

// Two sequences of 4 values, 3 hidden ones, over 3 steps.
constexpr std::uint32_t batch = 2, width = 4, hidden = 3, steps = 3;

/// The part of a gate: rows of a weight, elements of a bias.
MLOperand rows(Draft& b, const MLOperand& w, std::uint32_t gate) {
  return b.transpose(b.slice(w, {gate * hidden, 0}, {hidden, w.shape()[1]}));
}
MLOperand part(Draft& b, const MLOperand& bias, std::uint32_t gate) {
  return b.slice(bias, {gate * hidden}, {hidden});
}

/// input, weight, recurrentWeight, hiddenState, bias, recurrentBias.
MLOperand gru_cell(Draft& b, const Operands& x, bool reset_after) {
  const MLOperand &input = x[0], &w = x[1], &r = x[2], &state = x[3], &bias = x[4], &rbias = x[5];
  const auto gate = [&](std::uint32_t i) {
    return b.sigmoid(b.add(b.add(part(b, bias, i), part(b, rbias, i)),
                           b.add(b.matmul(input, rows(b, w, i)), b.matmul(state, rows(b, r, i)))));
  };
  const MLOperand z = gate(0), reset = gate(1), of_input = b.matmul(input, rows(b, w, 2));
  const MLOperand n =
      reset_after
          ? b.tanh(b.add(part(b, bias, 2),
                         b.add(of_input, b.mul(reset, b.add(part(b, rbias, 2),
                                                            b.matmul(state, rows(b, r, 2)))))))
          : b.tanh(b.add(b.add(part(b, bias, 2), part(b, rbias, 2)),
                         b.add(of_input, b.matmul(b.mul(reset, state), rows(b, r, 2)))));
  return b.add(b.mul(z, state), b.mul(n, b.sub(b.constant(1), z)));
}

TEST_CASE("draft 2023: the sample of gruCell") {
  for (const bool after : {true, false})
    check_same(
        {{batch, width}, {9, width}, {9, hidden}, {batch, hidden}, {9}, {9}},
        [&](Draft& b, const Operands& x) -> Operands { return {gru_cell(b, x, after)}; },
        [&](MLGraphBuilder& b, const Operands& x) -> Operands {
          return {b.gruCell(x[0], x[1], x[2], x[3], hidden,
                            {.bias = x[4], .recurrentBias = x[5], .resetAfter = after})};
        },
        sample_tolerance);
}

/// The state after all steps and the states after each, of both directions: the loop that the draft
/// has for gru, with its cell.
Operands gru_network(Draft& b, const Operands& x) {
  const auto direction = [&](const MLOperand& of, std::uint32_t dir) {
    Dims sizes = of.shape(), starts(sizes.size(), 0);
    starts[0] = dir;
    sizes[0] = 1;
    return b.squeeze(b.slice(of, starts, sizes), {.axes = {0}});
  };
  MLOperand state = b.constant({.type = float32, .dimensions = Dims{2, batch, hidden}},
                               std::vector<float>(std::size_t{2} * batch * hidden));
  MLOperand sequence;
  for (std::uint32_t step = 0; step < steps; ++step) {
    MLOperand output;
    for (std::uint32_t dir = 0; dir < 2; ++dir) {
      const MLOperand input = direction(x[0], dir == 1 ? steps - step - 1 : step);
      const MLOperand cell =
          b.gruCell(input, direction(x[1], dir), direction(x[2], dir), direction(state, dir),
                    hidden, {.bias = direction(x[3], dir), .recurrentBias = direction(x[4], dir)});
      const MLOperand result = b.reshape(cell, {1, std::nullopt, hidden});
      output = output ? b.concat({output, result}, 0) : result;
    }
    state = output;
    const MLOperand all = b.reshape(output, {1, 2, std::nullopt, hidden});
    sequence = sequence ? b.concat({sequence, all}, 0) : all;
  }
  return {state, sequence};
}

TEST_CASE("draft 2023: the sample of gru") {
  check_same(
      {{steps, batch, width}, {2, 9, width}, {2, 9, hidden}, {2, 9}, {2, 9}}, gru_network,
      [](MLGraphBuilder& b, const Operands& x) -> Operands {
        Operands all = b.gru(x[0], x[1], x[2], steps, hidden,
                             {.bias = x[3],
                              .recurrentBias = x[4],
                              .returnSequence = true,
                              .direction = MLRecurrentNetworkDirection::both});
        // The draft's loop keeps the states of the second direction in its own order.
        const MLOperand forward = b.slice(all[1], {0, 0, 0, 0}, {steps, 1, batch, hidden});
        const MLOperand backward = b.slice(all[1], {0, 1, 0, 0}, {steps, 1, batch, hidden});
        return {all[0], b.concat({forward, b.reverse(backward, {.axes = {0}})}, 1)};
      },
      sample_tolerance);
}

/// input, weight, recurrentWeight, hiddenState, cellState, bias, recurrentBias, peepholeWeight.
Operands lstm_cell(Draft& b, const Operands& x) {
  const MLOperand &input = x[0], &w = x[1], &r = x[2], &state = x[3], &cell = x[4];
  const auto sum = [&](std::uint32_t gate) {
    return b.add(b.add(part(b, x[5], gate), part(b, x[6], gate)),
                 b.add(b.matmul(input, rows(b, w, gate)), b.matmul(state, rows(b, r, gate))));
  };
  const auto peephole = [&](std::uint32_t gate) { return b.mul(cell, part(b, x[7], gate)); };
  const MLOperand i = b.sigmoid(b.add(peephole(0), sum(0)));
  const MLOperand f = b.sigmoid(b.add(peephole(2), sum(2)));
  const MLOperand g = b.tanh(sum(3));
  const MLOperand o = b.sigmoid(b.add(peephole(1), sum(1)));
  const MLOperand next = b.add(b.mul(f, cell), b.mul(i, g));
  return {b.mul(o, b.tanh(next)), next};
}

TEST_CASE("draft 2023: the sample of lstmCell") {
  check_same(
      {{batch, width},
       {12, width},
       {12, hidden},
       {batch, hidden},
       {batch, hidden},
       {12},
       {12},
       {9}},
      lstm_cell,
      [](MLGraphBuilder& b, const Operands& x) -> Operands {
        return b.lstmCell(x[0], x[1], x[2], x[3], x[4], hidden,
                          {.bias = x[5], .recurrentBias = x[6], .peepholeWeight = x[7]});
      },
      sample_tolerance);
}

/// Forward only: the loop of gru, with a cell that has two states.
Operands lstm_network(Draft& b, const Operands& x) {
  const auto first = [&](const MLOperand& of, std::uint32_t at) {
    Dims sizes = of.shape(), starts(sizes.size(), 0);
    starts[0] = at;
    sizes[0] = 1;
    return b.squeeze(b.slice(of, starts, sizes), {.axes = {0}});
  };
  const draft2023::MLOperandDescriptor zero{.type = float32, .dimensions = Dims{batch, hidden}};
  Operands states(2, b.constant(zero, std::vector<float>(std::size_t{batch} * hidden)));
  for (std::uint32_t step = 0; step < steps; ++step)
    states = b.lstmCell(first(x[0], step), first(x[1], 0), first(x[2], 0), states[0], states[1],
                        hidden, {.bias = first(x[3], 0), .recurrentBias = first(x[4], 0)});
  const draft2023::OpenShape one{1, std::nullopt, hidden};
  return {b.reshape(states[0], one), b.reshape(states[1], one)};
}

TEST_CASE("draft 2023: the sample of lstm") {
  check_same(
      {{steps, batch, width}, {1, 12, width}, {1, 12, hidden}, {1, 12}, {1, 12}}, lstm_network,
      [](MLGraphBuilder& b, const Operands& x) -> Operands {
        return b.lstm(x[0], x[1], x[2], steps, hidden, {.bias = x[3], .recurrentBias = x[4]});
      },
      sample_tolerance);
}

}  // namespace
