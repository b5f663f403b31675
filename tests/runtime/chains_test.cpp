// What backends are offered, and whom the runtime chooses.
#include "src/kernels/backends.h"
#include "src/runtime/graph_state.h"
#include "tests/runtime/own_backend.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"

using namespace webnn;
using test::own_backend;
using test::thrown;
using Offers = std::vector<std::string>;

namespace {

struct Offered {
  std::shared_ptr<test::OwnBackend> own = own_backend(test::refuse);
  MLContext context{{.threads = 1, .backends = {own, "reference"}}};
  MLGraphBuilder b{context};
  MLOperand x = b.input("x", {float32, {4}});

  Offers by(const NamedOperands& outputs) {
    b.build(outputs);
    return own->offers;
  }
};

Lowering identity_kernel(Chain chain) {
  return test::float_kernel(chain, [](float v) { return v; });
}
const Plan& plan_of(const MLGraph& graph) { return detail::state_of(graph)->plan; }

}  // namespace

TEST_CASE("a chain is offered whole, then shorter from its end") {
  Offered o;
  CHECK(o.by({{"y", o.b.tanh(o.b.relu(o.b.neg(o.x)))}}) ==
        Offers{"neg relu tanh", "neg relu", "neg", "relu tanh", "relu", "tanh"});
}

TEST_CASE("a result with two readers ends a chain") {
  Offered o;
  const MLOperand n = o.b.neg(o.x);
  CHECK(o.by({{"y", o.b.mul(o.b.relu(n), o.b.tanh(n))}}) ==
        Offers{"neg", "relu mul", "relu", "tanh mul", "tanh", "mul"});
}

TEST_CASE("a result that one operator reads twice ends a chain") {
  Offered o;
  const MLOperand n = o.b.neg(o.x);
  CHECK(o.by({{"y", o.b.mul(n, n)}}) == Offers{"neg", "mul"});
}

TEST_CASE("an output of the graph ends a chain") {
  Offered o;
  const MLOperand n = o.b.neg(o.x);
  CHECK(o.by({{"n", n}, {"y", o.b.relu(n)}}) == Offers{"neg", "relu"});
}

TEST_CASE("several results, and views that are not reshapes, end a chain") {
  Offered o;
  const auto parts = o.b.split(o.b.neg(o.x), 2);
  CHECK(o.by({{"y", o.b.tanh(o.b.slice(o.b.relu(parts[0]), {0}, {1}))},
              {"z", o.b.exp(parts[1])}}) == Offers{"neg", "relu", "tanh", "exp"});
}

TEST_CASE("a chain goes through a reshape but does not end with one") {
  Offered o;
  const MLOperand square = o.b.reshape(o.b.neg(o.x), {2, 2});
  CHECK(o.by({{"y", o.b.tanh(square)}}) == Offers{"neg reshape tanh", "neg", "tanh"});
  Offered p;
  const MLOperand column = p.b.reshape(p.b.neg(p.x), {4, 1});
  CHECK(p.by({{"y", p.b.exp(column)}, {"z", p.b.tanh(column)}}) == Offers{"neg", "exp", "tanh"});
}

TEST_CASE("inputs of a chain") {
  std::vector<std::size_t> counts;
  MLOperand residual;
  const auto own = own_backend([&](Chain chain) -> Lowering {
    if (chain.size() < 3) return Refusal{"too short"};
    const auto inputs = inputs_of(chain);
    counts.push_back(inputs.size());
    CHECK(inputs[0].record().name == "x");
    CHECK(inputs[1].record().kind == OperandKind::constant);
    CHECK(inputs[2].record().name == "r");
    return identity_kernel(chain);
  });
  MLContext context({.threads = 1, .backends = {own, "reference"}});
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {4}}), r = b.input("r", {float32, {4}});
  const MLOperand c = b.constant({float32, {4}}, {1.f, 2.f, 3.f, 4.f});
  const MLGraph g = b.build({{"y", b.relu(b.sub(r, b.mul(x, c)))}});
  CHECK(counts == std::vector<std::size_t>{3});
  CHECK(plan_of(g).steps.size() == 1);
}

TEST_CASE("the longest chain that somebody takes") {
  const auto own = own_backend([](Chain chain) -> Lowering {
    if (chain.size() != 2) return Refusal{"two at a time"};
    return identity_kernel(chain);
  });
  MLContext context({.threads = 1, .backends = {own, "reference"}});
  MLGraphBuilder b(context);
  MLOperand y = b.input("x", {float32, {4}});
  for (int i = 0; i < 25; ++i) y = b.neg(y);
  const MLGraph graph = b.build({{"y", y}});
  const auto& steps = plan_of(graph).steps;
  REQUIRE(steps.size() == 13);
  for (std::size_t i = 0; i < 12; ++i) CHECK(steps[i].choice.backend == "own");
  CHECK(steps[12].choice.backend == "reference");
  const std::array<float, 4> x{1, 2, 3, 4};
  std::array<float, 4> v{};
  context.compute(graph, {{"x", x}}, {{"y", v}});
  CHECK(v == std::array{-1.f, -2.f, -3.f, -4.f});
}

TEST_CASE("the order of the backends, and fallback_reason") {
  const auto named = [](const char* name, std::string fallback_reason) {
    return own_backend(
        [=](Chain chain) -> Lowering {
          if (chain.size() > 1) return Refusal{"one at a time"};
          Candidate k = std::get<Candidate>(identity_kernel(chain));
          k.fallback_reason = fallback_reason;
          return k;
        },
        name);
  };
  const auto chosen = [](std::vector<BackendChoice> backends) {
    MLContext context({.threads = 1, .backends = std::move(backends)});
    MLGraphBuilder b(context);
    const MLGraph g = b.build({{"y", b.relu(b.input("x", {float32, {4}}))}});
    const Choice& c = plan_of(g).steps[0].choice;
    std::string s = c.backend;
    for (const std::string& other : c.others) s += " | " + other;
    return s;
  };
  CHECK(chosen({named("a", ""), named("b", "")}) == "a | b: later in the order");
  CHECK(chosen({named("a", "slow"), named("b", "")}) == "b | a: slow");
  CHECK(chosen({named("a", "slow"), named("b", "slower")}) == "a | b: slower");
  CHECK(chosen({own_backend(test::refuse), named("b", "slow"), "reference"})
            .starts_with("b | own: it takes nothing | reference: "));
  CHECK(chosen({named("b", "slow"), own_backend(test::refuse)}) == "b | own: it takes nothing");
}

TEST_CASE("a preferred kernel for a part is chosen before a fallback for the whole chain") {
  const auto whole = own_backend(
      [](Chain chain) -> Lowering {
        if (chain.size() != 2) return Refusal{"two"};
        Candidate k = std::get<Candidate>(identity_kernel(chain));
        k.fallback_reason = "slow";
        return k;
      },
      "whole");
  const auto one = own_backend(
      [](Chain chain) -> Lowering {
        if (chain.size() != 1) return Refusal{"one"};
        return identity_kernel(chain);
      },
      "one");
  MLContext context({.threads = 1, .backends = {whole, one}});
  MLGraphBuilder b(context);
  const MLGraph g = b.build({{"y", b.relu(b.neg(b.input("x", {float32, {4}})))}});
  REQUIRE(plan_of(g).steps.size() == 2);
  CHECK(plan_of(g).steps[0].choice.backend == "one");
}

TEST_CASE("all operators that no backend supports are named") {
  const auto a = own_backend(
      [](Chain chain) -> Lowering {
        if (chain[0].as<ops::relu>() && chain.size() == 1) return identity_kernel(chain);
        return Refusal{"only relu"};
      },
      "a");
  const auto b = own_backend([](Chain) -> Lowering { throw std::runtime_error("it broke"); }, "b");
  MLContext context({.threads = 1, .backends = {a, b}});
  MLGraphBuilder builder(context);
  const MLOperand x = builder.input("x", {float32, {4}});
  const MLOperand y = builder.tanh(builder.relu(builder.neg(x, {.label = "n"})));
  CHECK(thrown([&] {
          builder.build({{"y", y}});
        }) ==
        "OperationError build: no backend supports neg [n] (a: only relu; b: it broke), nor tanh "
        "(a: only relu; b: it broke).");
  CHECK(thrown([&] { builder.relu(x); }) ==  // a failed compilation ends the builder
        "InvalidStateError relu: the builder has already built a graph.");
}

TEST_CASE("kernels that cannot run are refused") {
  const auto reason = [](auto change) {
    const auto own = own_backend([change](Chain chain) -> Lowering {
      Candidate k = std::get<Candidate>(identity_kernel(chain));
      change(k);
      return k;
    });
    MLContext context({.threads = 2, .backends = {own}});
    MLGraphBuilder b(context);
    const MLOperand y = b.relu(b.input("x", {float32, {4}}));
    return thrown([&] { b.build({{"y", y}}); });
  };
  const std::string start = "OperationError build: no backend supports relu (own: ";
  CHECK(reason([](Candidate& k) { k.run = nullptr; }) == start + "its kernel has no run).");
  CHECK(reason([](Candidate& k) { k.tiles = 0; }) ==
        start + "the tiles (0) of its kernel are not between 1 and 1073741824).");
  CHECK(reason([](Candidate& k) { k.tiles = -1; }).starts_with(start + "the tiles (-1)"));
  CHECK(reason([](Candidate& k) { k.in_place = {1}; }) ==
        start + "its kernel takes over input 1 of 1).");
  CHECK(reason([](Candidate& k) { k.in_place = {-1}; }) ==
        start + "its kernel takes over input -1 of 1).");
  CHECK(reason([](Candidate& k) { k.scratch = SIZE_MAX; }).starts_with(start + "the scratch ("));
  CHECK(
      reason([](Candidate& k) { k.shared = SIZE_MAX; }).starts_with(start + "the shared memory ("));
  CHECK(reason([](Candidate& k) { k.rounds = 0; }).starts_with(start + "the rounds (0) "));
  CHECK(reason([](Candidate& k) { k.grain = -5; }) == "nothing");
}

TEST_CASE("rounds: one begins when the one before is complete, and all see the shared memory") {
  static constexpr int tiles = 24, rounds = 200;
  // Each tile adds the counts of its neighbors of the round before, modulo a prime.
  const auto next = [](const std::uint32_t* old, int i) {
    return (old[i] + 3 * old[(i + 1) % tiles] + 7 * old[(i + tiles - 1) % tiles] + 1) % 65521;
  };
  std::vector<std::uint32_t> expected(tiles), before(tiles);
  for (int round = 0; round < rounds; ++round) {
    std::swap(expected, before);
    for (int i = 0; i < tiles; ++i)
      expected[static_cast<std::size_t>(i)] =
          round == 0 ? static_cast<std::uint32_t>(i) : next(before.data(), i);
  }
  const auto own = own_backend([&](Chain) -> Lowering {
    return Candidate{.name = "rounds",
                     .tiles = tiles,
                     .rounds = rounds,
                     .shared = 2 * tiles * sizeof(std::uint32_t),
                     .run = [next](Range r, const Buffers& b, std::byte*) {
                       auto* at = reinterpret_cast<std::uint32_t*>(b.shared);
                       std::uint32_t* now = at + r.round % 2 * tiles;
                       const std::uint32_t* old = at + (r.round + 1) % 2 * tiles;
                       for (int i = r.begin; i < r.end; ++i) {
                         now[i] = r.round == 0 ? static_cast<std::uint32_t>(i) : next(old, i);
                         if (r.round + 1 == rounds) b.out<std::uint32_t>()[i] = now[i];
                       }
                     }};
  });
  for (int threads : {1, 2, 4}) {
    MLContext context({.threads = threads, .backends = {own, "reference"}});
    MLGraphBuilder b(context);
    const MLGraph g = b.build({{"y", b.abs(b.input("x", {int32, {tiles}}))}});
    const std::vector<std::int32_t> x(tiles);
    std::vector<std::int32_t> y(tiles);
    for (int again = 0; again < 20; ++again) {
      std::fill(y.begin(), y.end(), -1);
      context.compute(g, {{"x", x}}, {{"y", y}});
      REQUIRE(std::equal(y.begin(), y.end(), expected.begin(), [](std::int32_t a, std::uint32_t e) {
        return a == static_cast<std::int32_t>(e);
      }));
    }
  }
}

TEST_CASE("many tiles and a large grain") {
  constexpr int tiles = 1 << 30;
  std::atomic<std::int64_t> sum = 0;
  std::atomic<int> wrong = 0;
  const auto own = own_backend([&](Chain) {
    return Candidate{.name = "counts",
                     .tiles = tiles,
                     .grain = tiles,
                     .run = [&](Range r, const Buffers&, std::byte*) {
                       wrong += r.begin < 0 || r.begin >= r.end || r.end > tiles;
                       sum += r.end - r.begin;
                     }};
  });
  for (int threads : {1, 2, 3, 8}) {
    MLContext context({.threads = threads, .backends = {own}});
    MLGraphBuilder b(context);
    const MLGraph g = b.build({{"y", b.relu(b.input("x", {float32, {4}}))}});
    const std::array<float, 4> x{};
    std::array<float, 4> y{};
    for (int i = 0; i < 20; ++i) context.compute(g, {{"x", x}}, {{"y", y}});
    CHECK(wrong == 0);
    CHECK(sum.exchange(0) == 20 * std::int64_t{tiles});
  }
}

TEST_CASE("a backend lives as long as the kernels it made") {
  struct Counted {
    explicit Counted(std::atomic<int>* n) : n(n) {}
    ~Counted() { *n = -1; }
    std::atomic<int>* n;
  };
  std::atomic<int> alive = 1, at_end = 0;
  struct OnDestruction {
    std::atomic<int>*alive, *at_end;
    ~OnDestruction() { *at_end = alive->load(); }
  };
  MLGraph graph;
  {
    auto engine = std::make_shared<Counted>(&alive);
    const auto own = own_backend([&alive, &at_end, engine](Chain chain) -> Lowering {
      Candidate k = std::get<Candidate>(identity_kernel(chain));
      const auto last = std::make_shared<OnDestruction>(OnDestruction{&alive, &at_end});
      k.run = [last](Range, const Buffers&, std::byte*) {};
      return k;
    });
    engine.reset();
    MLContext context({.threads = 1, .backends = {own}});
    MLGraphBuilder b(context);
    graph = b.build({{"y", b.relu(b.input("x", {float32, {4}}))}});
    at_end = 0;
  }
  CHECK(alive == 1);
  graph = {};
  CHECK(alive == -1);
  CHECK(at_end == 1);  // the kernel went first
}

namespace {

using Build = MLOperand (*)(MLGraphBuilder&);

MLOperand weights(MLGraphBuilder& b, Dims shape) {
  const std::size_t n = element_count(shape);
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<float>(i % 13) * 0.125f - 0.75f;
  return b.constant({float32, std::move(shape)}, values);
}
/// Inverted residuals and dense convolutions, with sums, normalization and several activations.
MLOperand image_network(MLGraphBuilder& b) {
  const MLOperand image = b.input("x", {float32, {1, 3, 64, 64}});
  MLOperand x = b.clamp(b.conv2d(image, weights(b, {16, 3, 3, 3}), {.padding = {1, 1, 1, 1}}),
                        {.minValue = 0, .maxValue = 6});
  for (int i = 0; i < 3; ++i) {
    MLOperand y = b.relu(b.conv2d(x, weights(b, {64, 16, 1, 1})));
    y = b.relu(b.conv2d(y, weights(b, {64, 1, 3, 3}), {.padding = {1, 1, 1, 1}, .groups = 64}));
    x = b.add(x, b.conv2d(y, weights(b, {16, 64, 1, 1})));
  }
  x = b.batchNormalization(b.sigmoid(x), weights(b, {16}),
                           b.constant({float32, {16}}, std::vector<float>(16, 0.5f)));
  x = b.tanh(b.add(b.conv2d(b.hardSwish(x), weights(b, {16, 16, 1, 1})), x));
  x = b.exp(
      b.mul(b.resample2d(b.averagePool2d(x, {.windowDimensions = {{2, 2}}, .strides = {2, 2}}),
                         {.scales = {2, 2}}),
            x));
  x = b.instanceNormalization(b.convTranspose2d(x, weights(b, {16, 8, 2, 2})));
  return b.softmax(b.reshape(b.reduceMean(b.leakyRelu(x), {.axes = {{2, 3}}}), {1, 8}), 1);
}
/// A layer of a transformer, with products, normalizations, attention and element-wise chains.
MLOperand text_network(MLGraphBuilder& b) {
  const MLOperand x = b.input("x", {float32, {1, 24, 32}});
  const auto heads = [&](const MLOperand& y) {
    return b.transpose(b.reshape(y, {1, 24, 2, 16}), {.permutation = {{0, 2, 1, 3}}});
  };
  const MLOperand n = b.layerNormalization(x, {.axes = {{2}}});
  const MLOperand q = heads(b.add(b.matmul(n, weights(b, {32, 32})), weights(b, {32}))),
                  k = heads(b.matmul(n, weights(b, {32, 32}))),
                  v = heads(b.matmul(n, weights(b, {32, 32})));
  const MLOperand scores = b.mul(b.matmul(q, b.transpose(k, {.permutation = {{0, 1, 3, 2}}})),
                                 b.constant(float32, 0.25));
  const MLOperand mixed = b.matmul(b.softmax(scores, 3), v);
  MLOperand y = b.reshape(b.transpose(mixed, {.permutation = {{0, 2, 1, 3}}}), {1, 24, 32});
  y = b.add(x, b.matmul(y, weights(b, {32, 32})));
  const MLOperand gate = b.matmul(y, weights(b, {32, 64}));
  y = b.add(y, b.matmul(b.mul(b.gelu(gate), b.sqrt(b.abs(gate))), weights(b, {64, 32})));
  return b.slice(b.concat({y, b.sub(y, x)}, 1), {0, 1, 0}, {1, 40, 32});
}
/// Operators on integers, and weights of 8 bits.
MLOperand quantized_network(MLGraphBuilder& b) {
  const MLOperand scale = b.constant({float32, {1, 1}}, std::vector<float>{0.05f}),
                  zero = b.constant({int8, {1, 1}}, std::vector<std::int8_t>{3});
  std::vector<std::int8_t> bytes(std::size_t{64} * 128);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::int8_t>(i % 101);
  const MLOperand w = b.dequantizeLinear(b.constant({int8, {64, 128}}, bytes), scale, zero);
  const auto rounded = [&](const MLOperand& x) {
    return b.dequantizeLinear(b.quantizeLinear(x, scale, zero), scale, zero);
  };
  const MLOperand x = b.input("x", {float32, {9, 64}});
  const MLOperand y = b.relu(b.matmul(x, w));
  return b.tanh(b.add(y, rounded(b.relu(b.matmul(rounded(x), w)))));
}

Offers steps_of(std::vector<BackendChoice> backends, Build build) {
  MLContext context({.threads = 1, .backends = std::move(backends)});
  MLGraphBuilder b(context);
  Offers all;
  for (const StepReport& step : b.build({{"y", build(b)}}).report().steps) {
    std::string s = step.backend + ' ' + step.kernel + ':';
    for (const Node& n : step.operators) s += ' ' + std::string(n.name());
    all.push_back(std::move(s));
  }
  return all;
}

}  // namespace

TEST_CASE("chains that no kernel of the library takes are left out without another choice") {
  for (const Build build : {&image_network, &text_network, &quantized_network}) {
    std::vector<BackendChoice> library;
    for (const std::string_view name : backend_names()) library.emplace_back(std::string(name));
    // One of a caller is offered every chain, and with it all others are.
    std::vector<BackendChoice> with_own = library;
    with_own.insert(with_own.begin(), own_backend(test::refuse));
    const Offers steps = steps_of(library, build);
    CHECK(steps == steps_of(with_own, build));
    CHECK(steps.size() > 2);
  }
}
