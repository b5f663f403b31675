// MLContextOptions::allocator: what it is asked for, what comes back, and what happens without.
#include "webnn/allocator.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>

#include "src/runtime/pages.h"
#include "tests/runtime/own_backend.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/state.h"

using namespace webnn;
using test::thrown;

namespace {

/// Memory of the heap, with what it was asked for. Fails at one allocation, if at any.
struct Counting final : Allocator {
  struct Count {
    int now = 0, all = 0;
    std::size_t bytes = 0;  // now
  };

  explicit Counting(int fails_at = -1, bool throws = false) : fails_at(fails_at), throws(throws) {}
  ~Counting() override { CHECK(blocks.empty()); }

  void* allocate(std::size_t bytes, std::size_t alignment, MemoryPurpose purpose) override {
    const std::lock_guard lock(mutex);
    if (asked++ == fails_at) {
      if (throws) throw std::bad_alloc();
      return nullptr;
    }
    right = right && bytes > 0 && alignment > 0 && (alignment & (alignment - 1)) == 0;
    void* const p = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    std::memset(p, 0x5a, bytes);
    blocks[p] = {bytes, purpose};
    Count& c = counts[static_cast<std::size_t>(purpose)];
    ++c.now, ++c.all, c.bytes += bytes;
    return p;
  }
  void deallocate(void* memory, std::size_t bytes, MemoryPurpose purpose) noexcept override {
    const std::lock_guard lock(mutex);
    const auto block = blocks.find(memory);
    right = right && block != blocks.end() && block->second == std::pair(bytes, purpose);
    Count& c = counts[static_cast<std::size_t>(purpose)];
    --c.now, c.bytes -= bytes;
    blocks.erase(memory);
    std::free(memory);
  }
  const Count& of(MemoryPurpose p) const { return counts[static_cast<std::size_t>(p)]; }
  int now() const { return static_cast<int>(blocks.size()); }

  const int fails_at;
  const bool throws;
  int asked = 0;
  bool right = true;
  std::array<Count, 3> counts{};
  std::map<void*, std::pair<std::size_t, MemoryPurpose>> blocks{};
  std::mutex mutex{};
};

constexpr std::size_t packed = 20'000;

/// relu, for which the constant 2 of a layout of its own is packed and added.
std::shared_ptr<test::OwnBackend> packing_backend() {
  static int layouts = 0;  // so that no other graph has the block
  return test::own_backend([layout = "test " + std::to_string(++layouts)](Chain chain) -> Lowering {
    if (chain.size() > 1 || !chain[0].as<ops::relu>()) return Refusal{"only relu"};
    Candidate k = test::float_kernel(chain, nullptr, 1);
    k.weights = {{.bytes = packed, .layout = layout, .fill = [](std::byte* to, int) {
                    const float two = 2;
                    std::memcpy(to, &two, sizeof two);
                  }}};
    const std::size_t count = element_count(chain.back().output().shape());
    k.run = [count](Range, const Buffers& b, std::byte*) {
      float two = 0;
      std::memcpy(&two, b.weights[0], sizeof two);
      for (std::size_t i = 0; i < count; ++i)
        b.out<float>()[i] = std::max(0.f, b.in<float>()[i]) + two;
    };
    return k;
  });
}

MLContext context_with(std::shared_ptr<Allocator> allocator) {
  return MLContext({.threads = 2,
                    .backends = {packing_backend(), "reference"},
                    .allocator = std::move(allocator)});
}

/// y = -(relu(-x) + 2): an intermediate result, and weights.
MLGraph graph_in(MLContext& context) {
  MLGraphBuilder b(context);
  return b.build({{"y", b.neg(b.relu(b.neg(b.input("x", {float32, {4}}))))}});
}
constexpr std::array<float, 4> x{1, -2, 3, -4}, expected{-2, -4, -2, -6};

/// All ways to use memory of a context.
void use(MLContext context) {
  const MLGraph graph = graph_in(context);
  std::array<float, 4> y{};
  context.compute(graph, {{"x", x}}, {{"y", y}});
  CHECK(y == expected);
  const MLTensor in = context.createTensor({.shape = {4}, .writable = true});
  const MLTensor out = context.createTensor({.shape = {4}, .readable = true});
  context.writeTensor(in, x);
  context.dispatch(graph, {{"x", in}}, {{"y", out}});
  context.writeTensor(in, y);  // while the other one is queued, perhaps
  std::array<float, 4> z{};
  context.readTensor(out, z);
  CHECK(z == expected);
  const MLTensor constant = context.createConstantTensor({float32, {4}}, x);
  MLGraphBuilder b(context);
  const MLGraph sum = b.build({{"y", b.add(b.constant(constant), b.input("x", {float32, {4}}))}});
  context.compute(sum, {{"x", x}}, {{"y", y}});
  CHECK(y == std::array{2.f, -4.f, 6.f, -8.f});
  const std::vector<double> times = context.profile(graph, 1);
  CHECK(times.size() == graph.report().steps.size());
}

TEST_CASE("an allocator gives the memory of a context, and gets all of it back") {
  const auto allocator = std::make_shared<Counting>();
  {
    MLContext context = context_with(allocator);
    CHECK(allocator->asked == 0);
    const MLGraph graph = graph_in(context);
    CHECK(allocator->of(MemoryPurpose::weights).now == 1);
    CHECK(allocator->of(MemoryPurpose::weights).bytes == packed);
    CHECK(allocator->of(MemoryPurpose::runs).now == 1);
    CHECK(allocator->of(MemoryPurpose::runs).bytes >= graph.memory().arena);
    CHECK(allocator->of(MemoryPurpose::tensors).all == 0);
    MLTensor t = context.createTensor({.shape = {100, 100}});
    CHECK(allocator->of(MemoryPurpose::tensors).now == 1);
    CHECK(allocator->of(MemoryPurpose::tensors).bytes >= 40'000);
    std::array<float, 4> y{};
    const int before = allocator->asked;
    for (int i = 0; i < 3; ++i) context.compute(graph, {{"x", x}}, {{"y", y}});
    CHECK(allocator->asked == before);  // runs allocate nothing
    CHECK(y == expected);
    use(context);
    t.destroy();
  }
  CHECK(allocator->now() == 0);
  CHECK(allocator->right);
  CHECK(allocator.use_count() == 1);
}

TEST_CASE("memory of an allocator is zeroed where the library's own is") {
  MLContext context = context_with(std::make_shared<Counting>());
  const MLTensor t = context.createTensor({.shape = {3}, .readable = true});
  std::array<float, 3> zeros{1, 1, 1};
  context.readTensor(t, zeros);
  CHECK(zeros == std::array{0.f, 0.f, 0.f});
}

TEST_CASE("what has memory keeps the allocator") {
  std::weak_ptr<Counting> alive;
  MLGraph graph;
  {
    auto allocator = std::make_shared<Counting>();
    alive = allocator;
    MLContext context = context_with(std::move(allocator));
    graph = graph_in(context);
  }
  CHECK(!alive.expired());
  graph = {};
  CHECK(alive.expired());
}

TEST_CASE("sizes of open dimensions share memory of the allocator, which grows") {
  const auto allocator = std::make_shared<Counting>();
  {
    MLContext context({.threads = 1, .backends = {"reference"}, .allocator = allocator});
    MLGraphBuilder b(context);
    const MLOperand in = b.input("x", {float32, {MLDynamicDimension{"n", 1, 100'000}, 4}});
    const MLGraph graph = b.build({{"y", b.neg(b.transpose(b.neg(in)))}});
    for (const std::uint32_t n : {3u, 5000u, 20'000u, 2u}) {
      const std::vector<float> values(n * 4, 1.5f);
      std::vector<float> y(values.size());
      context.compute(graph, {{"x", values}}, {{"y", y}});
      CHECK(y == values);
    }
    CHECK(allocator->of(MemoryPurpose::runs).bytes >= 20'000 * 16);
  }
  CHECK(allocator->now() == 0);
  CHECK(allocator->right);
}

TEST_CASE("states that grow, and their forks, are in memory of the allocator") {
  const auto allocator = std::make_shared<Counting>();
  {
    MLContext context({.threads = 1, .allocator = allocator});
    MLGraphBuilder b(context);
    const MLOperand past = b.input("past", {float32, {MLDynamicDimension{"past", 0, 20'000}, 4}});
    const MLOperand row = b.input("row", {float32, {1, 4}});
    const MLOperand present = b.concat({past, row}, 0);
    update(b, past, present);
    const MLGraph graph = b.build({{"present", present}});
    const MLTensor state = createState(graph, "past");
    CHECK(allocator->of(MemoryPurpose::tensors).bytes >= 20'000 * 16);
    const MLTensor in = context.createTensor({.shape = {1, 4}, .writable = true});
    context.writeTensor(in, x);
    for (int i = 0; i < 3; ++i)
      context.dispatch(graph, {{"past", state}, {"row", in}}, {{"present", state}});
    const auto forks = forkStates(std::vector{state});
    context.dispatch(graph, {{"past", state}, {"row", in}}, {{"present", state}});
    CHECK(state.shape() == Dims{4, 4});
    REQUIRE(forks.size() == 1);
    CHECK(forks[0].shape() == Dims{3, 4});
    std::vector<float> rows(12);
    context.readTensor(forks[0], rows);
    for (std::size_t i = 0; i < rows.size(); ++i) CHECK(rows[i] == x[i % 4]);
  }
  CHECK(allocator->now() == 0);
  CHECK(allocator->right);
}

TEST_CASE("an allocator without memory, at each allocation in turn, ends calls with errors") {
  for (const bool throws : {false, true}) {
    int at = 0;
    for (bool failed = true; failed; ++at) {
      REQUIRE(at < 100);
      const auto allocator = std::make_shared<Counting>(at, throws);
      MLContext context = context_with(allocator);
      std::string error = thrown([&] { use(context); });
      failed = allocator->asked > at;
      INFO("allocation " << at << ": " << error);
      if (!failed) CHECK(error == "nothing");
      // Where more runs at the same time would be made, the library goes on with fewer.
      if (failed && error != "nothing")
        CHECK((error.find("out of memory") != std::string::npos ||
               error.find("std::exception std::bad_alloc") != std::string::npos));
      context = MLContext({.threads = 1});
      CHECK(allocator->now() == 0);
      CHECK(allocator->right);
    }
    CHECK(at > 6);
  }
}

TEST_CASE("memory that is not aligned is refused") {
  struct Crooked final : Allocator {
    void* allocate(std::size_t bytes, std::size_t alignment, MemoryPurpose) override {
      ++now;
      return static_cast<std::byte*>(
                 std::aligned_alloc(alignment, (bytes / alignment + 2) * alignment)) +
             16;
    }
    void deallocate(void* memory, std::size_t, MemoryPurpose) noexcept override {
      --now;
      std::free(static_cast<std::byte*>(memory) - 16);
    }
    int now = 0;
  };
  const auto allocator = std::make_shared<Crooked>();
  MLContext context({.threads = 1, .allocator = allocator});
  CHECK(thrown([&] { context.createTensor({.shape = {3}}); }) ==
        "OperationError Allocator: the memory that it gives for tensors is not aligned to 4096 "
        "bytes.");
  CHECK(allocator->now == 0);
}

TEST_CASE("pages of an allocator are given back and taken again, not moved") {
  const auto allocator = std::make_shared<Counting>();
  {
    Pages pages(MemorySource{allocator, MemoryPurpose::runs});
    pages.grow(10);
    CHECK(pages.size() == 4096);
    CHECK(allocator->of(MemoryPurpose::runs).bytes == 4096);
    pages.grow(5000);
    CHECK(allocator->of(MemoryPurpose::runs).bytes == 8192);
    CHECK(allocator->of(MemoryPurpose::runs).now == 1);
    Pages other = std::move(pages);
    CHECK(pages.get() == nullptr);
    pages.grow(1);  // from the same allocator
    CHECK(allocator->of(MemoryPurpose::runs).now == 2);
  }
  CHECK(allocator->now() == 0);
}

}  // namespace
