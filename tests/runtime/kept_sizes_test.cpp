// Which sizes of an open graph are kept, and how their memory counts.
#include <atomic>

#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/backend.h"
#include "webnn/webnn.h"

using namespace webnn;
using test::thrown;

namespace {

constexpr std::uint32_t columns = 65536;  // floats: a large constant

/// Adds a constant row to all rows of a matrix. Counts the kernels, and packs the row for each
/// number of rows in a layout of its own, or in the same one.
class CountingBackend : public Backend {
 public:
  mutable std::atomic<int> lowered{0};
  bool layouts = false;

  std::string_view name() const override { return "counting"; }
  Lowering lower(Chain chain) const override {
    const auto* op = chain[0].as<ops::add>();
    if (chain.size() > 1 || !op || !op->b.constant()) return Refusal{"only add"};
    ++lowered;
    const std::size_t rows = op->a.shape()[0];
    WeightBlock block{.bytes = columns * sizeof(float),
                      .layout = "row/" + std::to_string(layouts ? rows : 0),
                      .inputs = {1},
                      .fill = [b = op->b](std::byte* to, int) {
                        const auto from = b.constant()->bytes();
                        std::copy(from.begin(), from.end(), to);
                      }};
    const auto run = [rows](Range, const Buffers& b, std::byte*) {
      for (std::size_t i = 0; i < rows * columns; ++i)
        b.out<float>()[i] = b.in<float>()[i] + b.packed<float>()[i % columns];
    };
    return Candidate{.name = "sum", .weights = {std::move(block)}, .run = run};
  }
};

struct Sums {
  std::shared_ptr<CountingBackend> backend = std::make_shared<CountingBackend>();
  MLContext context;
  MLGraph graph{};

  explicit Sums(std::size_t limit = 0, std::size_t kept = std::size_t{256} << 20)
      : context({.threads = 1, .backends = {backend, "reference"}, .memoryLimit = limit}) {
    MLGraphBuilder b(context);
    const MLOperand x = b.input("x", {float32, {"rows", columns}});
    const MLOperand row = b.constant({float32, {columns}}, std::vector<float>(columns, 0.5f));
    const MLOperand y = b.sin(b.cos(b.add(b.cos(b.sin(x)), row)));  // two intermediate results
    graph = b.build({{"y", y}}, {.specializationBytes = kept});
  }
  void prepare(std::uint32_t rows) { graph.prepare({{"x", {rows, columns}}}); }
};

}  // namespace

TEST_CASE("kept sizes: sizes that share the memory of their results are kept beyond its bound") {
  Sums sums(0, 8 << 20);  // 4 rows need 2 MB
  for (std::uint32_t rows = 1; rows <= 12; ++rows) sums.prepare(rows);
  const int lowered = sums.backend->lowered;
  for (std::uint32_t rows = 1; rows <= 12; ++rows) sums.prepare(rows);
  CHECK(sums.backend->lowered == lowered);
  CHECK(sums.graph.memory().arena < 8 << 20);
  sums.prepare(100);  // 50 MB: nothing else is kept
  sums.prepare(12);
  CHECK(sums.backend->lowered == lowered + 2);
}

TEST_CASE("kept sizes: what needs weights in other layouts goes when these are as many again") {
  Sums sums;
  sums.backend->layouts = true;
  for (std::uint32_t rows = 2; rows < 40; ++rows) {
    sums.prepare(rows);
    REQUIRE(sums.graph.memory().packed <= 2 * columns * sizeof(float));
  }
  const int lowered = sums.backend->lowered;
  sums.prepare(38);  // the one before the last is still there
  CHECK(sums.backend->lowered == lowered);
  sums.prepare(2);
  CHECK(sums.backend->lowered == lowered + 1);
}

TEST_CASE("kept sizes: memoryLimit counts what sizes have in common once") {
  const auto bytes = [](const GraphMemory& m) {
    return m.packed + m.constants + m.arena + m.scratch;
  };
  std::size_t largest = 0;
  {
    Sums sums;
    sums.prepare(30);
    largest = bytes(sums.graph.memory());
  }
  Sums sums(largest + largest / 4);
  for (std::uint32_t rows : {26u, 27u, 28u, 29u, 30u}) CHECK_NOTHROW(sums.prepare(rows));
  CHECK(bytes(sums.graph.memory()) <= largest + largest / 4);
  const std::string message = thrown([&] { sums.prepare(60); });
  CHECK(message.find("memoryLimit") != std::string::npos);
  CHECK_NOTHROW(sums.prepare(29));  // the graph is as it was
  MLGraphBuilder b(sums.context);
  const MLOperand x = b.input("x", {float32, {30, columns}});
  const std::string other = thrown([&] { b.build({{"y", b.sin(b.cos(b.sin(b.cos(x))))}}); });
  CHECK(other.find("the other graphs of the context") != std::string::npos);
}
