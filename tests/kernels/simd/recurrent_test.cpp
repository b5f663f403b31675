// Recurrent networks by vectors, against the reference kernels, which compute in double precision.
#include <cmath>
#include <cstring>
#include <random>

#include "tests/kernels/simd/support.h"

namespace webnn::inline v0_1::test {
namespace {

struct Net {
  bool gru = true, cell = false;
  std::uint32_t steps = 3, batch = 1, inputs = 40, hidden = 40;
  MLRecurrentNetworkDirection direction = MLRecurrentNetworkDirection::forward;
  bool other_layout = false, reset_after = true, sequence = true, biases = true, states = true;
  bool peephole = false, relu = false;
};
using Values = std::vector<std::vector<float>>;

class Operands {
 public:
  Operands(MLGraphBuilder& b, std::uint32_t seed) : b_(b), random_(seed) {}
  MLOperand constant(Dims shape, float largest) {
    const auto v = values(shape, largest);
    return b_.constant({float32, std::move(shape)}, v);
  }
  MLOperand input(Dims shape) {
    inputs.push_back(values(shape, 1));
    return b_.input("x" + std::to_string(inputs.size() - 1), {float32, std::move(shape)});
  }
  Values inputs;

 private:
  std::vector<float> values(const Dims& shape, float largest) {
    std::uniform_real_distribution<float> u(-largest, largest);
    std::vector<float> v(element_count(shape));
    for (float& f : v) f = u(random_);
    return v;
  }
  MLGraphBuilder& b_;
  std::mt19937 random_;
};

std::vector<MLOperand> make(MLGraphBuilder& b, const Net& n, Operands& o) {
  const std::uint32_t d = n.direction == MLRecurrentNetworkDirection::both ? 2 : 1;
  const std::uint32_t g = n.gru ? 3 : 4, h = n.hidden;
  const float scale = 2 / std::sqrt(static_cast<float>(h));
  const auto lead = [&](Dims shape) {  // cells have no dimension for the direction
    if (!n.cell) shape.insert(shape.begin(), d);
    return shape;
  };
  const MLOperand x = o.input(n.cell ? Dims{n.batch, n.inputs} : Dims{n.steps, n.batch, n.inputs});
  const MLOperand w = o.constant(lead({g * h, n.inputs}), scale);
  const MLOperand r = o.constant(lead({g * h, h}), scale);
  std::optional<MLOperand> bias, recurrent, hidden, cell, peephole;
  if (n.biases) bias = o.constant(lead({g * h}), 1), recurrent = o.constant(lead({g * h}), 1);
  if (n.states || n.cell) hidden = o.input(lead({n.batch, h})), cell = o.input(lead({n.batch, h}));
  if (n.peephole) peephole = o.constant(lead({3 * h}), 1);
  using enum MLRecurrentNetworkActivation;
  Activations activations = std::nullopt, lstm_activations = std::nullopt;
  if (n.relu) activations = {sigmoid, relu}, lstm_activations = {sigmoid, relu, tanh};
  const auto rzn = n.other_layout ? MLGruWeightLayout::rzn : MLGruWeightLayout::zrn;
  const auto ifgo = n.other_layout ? MLLstmWeightLayout::ifgo : MLLstmWeightLayout::iofg;
  if (n.gru && n.cell)
    return {b.gruCell(x, w, r, *hidden, h,
                      {.bias = bias,
                       .recurrentBias = recurrent,
                       .resetAfter = n.reset_after,
                       .layout = rzn,
                       .activations = activations})};
  if (n.cell)
    return b.lstmCell(x, w, r, *hidden, *cell, h,
                      {.bias = bias,
                       .recurrentBias = recurrent,
                       .peepholeWeight = peephole,
                       .layout = ifgo,
                       .activations = lstm_activations});
  if (n.gru)
    return b.gru(x, w, r, n.steps, h,
                 {.bias = bias,
                  .recurrentBias = recurrent,
                  .initialHiddenState = hidden,
                  .resetAfter = n.reset_after,
                  .returnSequence = n.sequence,
                  .direction = n.direction,
                  .layout = rzn,
                  .activations = activations});
  return b.lstm(x, w, r, n.steps, h,
                {.bias = bias,
                 .recurrentBias = recurrent,
                 .peepholeWeight = peephole,
                 .initialHiddenState = hidden,
                 .initialCellState = cell,
                 .returnSequence = n.sequence,
                 .direction = n.direction,
                 .layout = ifgo,
                 .activations = lstm_activations});
}

Values run(const Net& n, std::string_view backend, int threads, std::uint32_t seed) {
  MLContext context({.threads = threads, .backends = {std::string(backend), "reference"}});
  MLGraphBuilder b(context);
  Operands o(b, seed);
  NamedOperands outputs;
  for (const MLOperand& y : make(b, n, o))
    outputs.push_back({"y" + std::to_string(outputs.size()), y});
  const MLGraph graph = b.build(outputs);
  const std::string kernel = n.gru ? "simd gru" : "simd lstm";
  CHECK((graph.explain().find(kernel) != std::string::npos) == (backend == "simd"));
  Values y;
  for (const auto& [name, d] : graph.outputs()) y.emplace_back(element_count(d.shape));
  std::vector<NamedInput> in;
  for (const auto& [name, d] : graph.inputs())
    in.push_back({name, o.inputs.at(std::stoul(name.substr(1)))});
  std::vector<NamedOutput> out;
  for (std::size_t i = 0; i < y.size(); ++i) out.push_back({graph.outputs()[i].name, y[i]});
  for (int again = 0; again < 2; ++again) context.compute(graph, in, out);
  return y;
}

void check(const Net& n) {
  CAPTURE(n.gru, n.cell, n.steps, n.batch, n.inputs, n.hidden, n.direction, n.other_layout);
  CAPTURE(n.reset_after, n.sequence, n.biases, n.states, n.peephole, n.relu);
  const Values expected = run(n, "reference", 1, 7), y = run(n, "simd", 1, 7);
  REQUIRE(y.size() == expected.size());
  // Sums of so many products below 1, rounded after each; the gates reduce the error.
  const double most = (n.inputs + n.hidden) * 0x1p-24 * (n.relu ? 8 : 1);
  for (std::size_t k = 0; k < y.size(); ++k)
    for (std::size_t i = 0; i < y[k].size(); ++i)
      if (!(std::abs(double{y[k][i]} - double{expected[k][i]}) <= most))
        FAIL("result " << k << ", element " << i << ": " << y[k][i] << ", expected "
                       << expected[k][i]);
  for (int threads : {2, 5}) CHECK(run(n, "simd", threads, 7) == y);
}

}  // namespace

TEST_CASE("simd recurrent: every direction, layout and place of the reset gate") {
  using enum MLRecurrentNetworkDirection;
  for (auto direction : {forward, backward, both})
    for (bool flag : {false, true}) {
      check({.direction = direction, .other_layout = flag, .reset_after = !flag});
      check({.batch = 3,
             .direction = direction,
             .reset_after = flag,
             .biases = flag,
             .states = !flag});
      check({.gru = false, .direction = direction, .other_layout = flag, .peephole = flag});
      check({.gru = false, .batch = 3, .direction = direction, .biases = !flag, .states = flag});
    }
}

TEST_CASE("simd recurrent: sizes that fill no vector, and many steps") {
  for_targets([] {
    for (bool gru : {true, false}) {
      for (std::uint32_t hidden : {31u, 48u, 65u, 200u})
        check({.gru = gru, .steps = 2, .batch = 2, .inputs = 33, .hidden = hidden});
      check({.gru = gru, .steps = 150, .hidden = 33});
      check({.gru = gru, .steps = 150, .direction = MLRecurrentNetworkDirection::both});
      check({.gru = gru, .steps = 30, .batch = 20, .reset_after = false});
      check({.gru = gru, .sequence = false, .relu = true});
      check({.gru = gru, .cell = true, .batch = 2});
      check({.gru = gru, .cell = true, .reset_after = false, .peephole = !gru});
    }
  });
}

TEST_CASE("simd recurrent: weights that are not constant are left to others") {
  MLContext context({.threads = 1, .backends = {"simd", "reference"}});
  MLGraphBuilder b(context);
  const auto input = [&](const char* name, Dims shape) { return b.input(name, {float32, shape}); };
  const auto y =
      b.gru(input("x", {2, 1, 40}), input("w", {1, 120, 40}), input("r", {1, 120, 40}), 2, 40);
  CHECK(b.build({{"y", y[0]}}).explain().find("only constant weights") != std::string::npos);
}

}  // namespace webnn::inline v0_1::test
