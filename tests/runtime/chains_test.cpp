// What backends are offered, and whom the runtime chooses.
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
