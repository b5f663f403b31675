// What a graph with open dimensions does again for sizes that were not run before, and what not.
#include <atomic>
#include <cstring>
#include <thread>

#include "src/graph/derived_constants.h"
#include "src/runtime/graph_state.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/webnn.h"

using namespace webnn;
using test::thrown;

namespace {

constexpr std::uint32_t columns = 32768;  // floats: a large constant

std::vector<float> numbers(std::size_t n, float step) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<float>(i % 31) * step - 1;
  return v;
}

/// Adds a constant row, which it packs, to all rows of a matrix. Every fourth number of rows has a
/// layout of its own.
class RowBackend : public Backend {
 public:
  mutable std::atomic<int> filled{0}, lowered{0}, read{0};
  bool reads = false;      // the values in lower()
  bool in_kernel = false;  // `run` reads the constant

  std::string_view name() const override { return "rows"; }
  Lowering lower(Chain chain) const override {
    const auto* op = chain[0].as<ops::add>();
    if (chain.size() > 1 || !op || !op->b.constant()) return Refusal{"only add"};
    ++lowered;
    if (reads) {
      try {
        read += op->b.constant()->bytes().empty() ? 0 : 1;
      } catch (const InvalidStateError&) { return Refusal{"it cannot be read"}; }
    }
    const std::size_t rows = op->a.shape()[0];
    const auto run = [rows, in_kernel = in_kernel](Range, const Buffers& b, std::byte*) {
      const float* row = in_kernel ? b.in<float>(1) : b.packed<float>();
      for (std::size_t i = 0; i < rows * columns; ++i)
        b.out<float>()[i] = b.in<float>()[i] + row[i % columns];
    };
    if (in_kernel) return Candidate{.name = "sum", .run = run};
    WeightBlock block{.bytes = columns * sizeof(float),
                      .layout = rows % 4 == 0 ? "other/1" : "row/1",
                      .inputs = {1},
                      .fill = [this, b = op->b](std::byte* to, int) {
                        ++filled;
                        const auto from = b.constant()->bytes();
                        std::copy(from.begin(), from.end(), to);
                      }};
    return Candidate{.name = "sum", .weights = {std::move(block)}, .run = run};
  }
};

struct Rows {
  std::shared_ptr<RowBackend> backend = std::make_shared<RowBackend>();
  MLContext context{{.threads = 1, .backends = {backend, "reference"}}};
  MLGraph graph{};

  explicit Rows(MLDimension rows = "rows") {
    MLGraphBuilder b(context);
    const MLOperand x = b.input("x", {float32, {rows, columns}});
    const MLOperand p = b.constant({float32, {columns}}, numbers(columns, 0.5f));
    const MLOperand q = b.constant({float32, {columns}}, numbers(columns, 0.25f));
    graph = b.build({{"y", b.add(x, b.mul(p, q))}});
  }
  bool is_right(std::uint32_t rows) {
    const std::vector<float> x = numbers(std::size_t{rows} * columns, 0.125f);
    std::vector<float> y(x.size());
    const Dims shape{rows, columns};
    context.compute(graph, {{"x", {x, std::span<const std::uint32_t>(shape)}}}, {{"y", y}});
    const std::vector<float> p = numbers(columns, 0.5f), q = numbers(columns, 0.25f);
    for (std::size_t i = 0; i < y.size(); ++i)
      if (y[i] != x[i] + p[i % columns] * q[i % columns]) return false;
    return true;
  }
};

MLDimensions image() { return {1, 3, "height", "width"}; }

/// A convolution with normalization, and a product after its transposition: weights that several
/// passes change.
MLGraph network(const MLContext& context, const MLDimensions& shape) {
  MLGraphBuilder b(context);
  MLOperand x = b.input("x", {float32, shape});
  const auto constant = [&](Dims s, float step) {
    const std::size_t n = element_count(s);
    return b.constant({float32, std::move(s)}, numbers(n, step));
  };
  x = b.conv2d(x, constant({64, 3, 3, 3}, 0.01f), {.padding = {1, 1, 1, 1}});
  x = b.batchNormalization(x, constant({64}, 0.02f),
                           b.constant({float32, {64}}, std::vector<float>(64, 0.5f)));
  x = b.conv2d(b.relu(x), constant({128, 64, 3, 3}, 0.003f), {.strides = {2, 2}});
  x = b.reshape(b.averagePool2d(x), {1, 128});
  return b.build({{"y", b.gemm(x, constant({128, 512}, 0.01f))}});
}

std::vector<float> run(MLContext context, const MLGraph& graph, std::uint32_t height,
                       std::uint32_t width) {
  const std::vector<float> x = numbers(std::size_t{3} * height * width, 0.07f);
  std::vector<float> y(512);
  const Dims shape{1, 3, height, width};
  context.compute(graph, {{"x", {x, std::span<const std::uint32_t>(shape)}}}, {{"y", y}});
  return y;
}

}  // namespace

TEST_CASE("new sizes: weights that passes have made are packed once in each layout") {
  Rows r;
  CHECK(r.is_right(1));
  const int first = r.backend->filled;
  CHECK(first == 1);
  for (std::uint32_t rows : {2u, 3u, 5u, 6u, 7u}) CHECK(r.is_right(rows));
  CHECK(r.backend->filled == first);
  CHECK(r.is_right(4));  // another layout, for which the constant is made again
  CHECK(r.backend->filled == first + 1);
  for (std::uint32_t rows : {8u, 9u, 12u}) CHECK(r.is_right(rows));
  CHECK(r.backend->filled == first + 1);
  CHECK(r.graph.memory().packed == 2 * columns * sizeof(float));
  CHECK(r.graph.memory().constants < 1000);
}

TEST_CASE("new sizes: a kernel that is made from values has them") {
  Rows r;
  r.backend->reads = true;
  for (std::uint32_t rows : {5u, 6u, 8u}) {
    const int read = r.backend->read;
    CHECK(r.is_right(rows));
    CHECK(r.backend->read > read);
    const Dims shape{rows, columns};
    CHECK(r.graph.prepare({{"x", shape}}).report().steps.at(0).backend == "rows");
  }
}

TEST_CASE("new sizes: a constant that a kernel reads is there, also when other sizes are gone") {
  Rows r;
  r.backend->in_kernel = true;
  for (std::uint32_t rows : {2u, 3u, 4u}) CHECK(r.is_right(rows));
  CHECK(r.backend->filled == 1);  // that of build()
}

TEST_CASE("new sizes: the memory of 100 sizes is that of the largest") {
  MLContext context({.threads = 2});
  const MLGraph graph = network(context, image());
  for (std::uint32_t i = 0; i < 4; ++i) run(context, graph, 16 + i, 96);
  const GraphMemory before = graph.memory();
  for (std::uint32_t i = 0; i < 100; ++i) run(context, graph, 16 + i % 10, 96 + i / 10);
  const GraphMemory after = graph.memory();
  CHECK(after.packed <= 3 * before.packed);  // layouts that some sizes want
  for (std::uint32_t i = 0; i < 100; ++i) run(context, graph, 16 + i % 10, 97 + i / 10);
  CHECK(graph.memory().packed <= 3 * before.packed);
  CHECK(graph.memory().constants == before.constants);
  const Dims largest{1, 3, 25, 106};
  const GraphMemory one = graph.prepare({{"x", largest}}).memory();
  CHECK(after.runs == 1);
  CHECK(after.arena + after.scratch >= one.arena + one.scratch);
  // Blocks grow by an eighth, and kernels of smaller sizes may have more scratch.
  CHECK(after.arena + after.scratch <= (one.arena + one.scratch) * 3 / 2 + 16384);
}

TEST_CASE("new sizes: sizes that run at the same time have memory of their own") {
  MLContext context({.threads = 1});
  const MLGraph graph = network(context, image());
  const auto expected = [&](std::uint32_t height, std::uint32_t width) {
    return run(context, network(context, {1, 3, height, width}), height, width);
  };
  const std::vector<std::vector<float>> right{expected(9, 40), expected(33, 12), expected(20, 20)};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 60; ++i) {
        if (run(context, graph, 9, 40) != right[0]) ++wrong;
        if (run(context, graph, 33, 12) != right[1]) ++wrong;
        if (run(context, graph, 20, 20) != right[2]) ++wrong;
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
  CHECK(graph.memory().runs >= 1);
  CHECK(graph.memory().runs <= 3);
}

TEST_CASE("new sizes: what was prepared runs when its graph is gone") {
  MLContext context({.threads = 1});
  MLGraph graph = network(context, image());
  const Dims small{1, 3, 12, 14}, large{1, 3, 40, 44};
  const MLGraph at_small = graph.prepare({{"x", small}}), at_large = graph.prepare({{"x", large}});
  const auto expected = run(context, at_small, 12, 14), others = run(context, at_large, 40, 44);
  graph = MLGraph();
  CHECK(run(context, at_small, 12, 14) == expected);
  CHECK(run(context, at_large, 40, 44) == others);
}

TEST_CASE("new sizes: the bound of what is kept holds for 100 sizes") {
  MLContext context({.threads = 2});
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {"rows", 256}});
  const MLOperand w = b.transpose(b.constant({float32, {256, 256}}, numbers(65536, 0.01f)));
  const MLGraph graph = b.build({{"y", b.softmax(b.matmul(b.tanh(b.matmul(x, w)), w), 1)}},
                                {.specializationBytes = 4 << 20});
  const std::size_t packed = graph.memory().packed;
  for (std::uint32_t rows = 100; rows < 200; ++rows) {
    const Dims shape{rows, 256};
    graph.prepare({{"x", shape}});
    const GraphMemory m = graph.memory();
    REQUIRE(m.arena + m.scratch + m.constants < std::size_t{5} << 20);
    REQUIRE(m.packed <= 2 * packed);
  }
}

TEST_CASE("new sizes: 200 sizes from 8 threads have the bits of static graphs") {
  MLContext context({.threads = 1});
  const MLGraph graph = network(context, image());
  std::vector<std::vector<float>> expected(200);
  const auto height = [](std::size_t i) { return static_cast<std::uint32_t>(9 + i % 20); };
  const auto width = [](std::size_t i) { return static_cast<std::uint32_t>(11 + i / 20 * 3); };
  for (std::size_t i = 0; i < expected.size(); ++i)
    expected[i] = run(context, network(context, {1, 3, height(i), width(i)}), height(i), width(i));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t k = 0; k < expected.size(); ++k) {
        const std::size_t i = (k * 7 + t * 25) % expected.size();
        if (run(context, graph, height(i), width(i)) != expected[i]) ++wrong;
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
}

TEST_CASE("derived constants: the same of the same, and made again when their bytes are gone") {
  GraphData open;
  const auto source = [&](float v) {
    const std::vector<float> values(columns, v);
    const Constant c = Constant::copy_of(std::as_bytes(std::span(values)));
    open.add({.descriptor = {float32, {columns}}, .kind = OperandKind::constant, .constant = c});
    return c;
  };
  const Constant one = source(1), two = source(2);
  DerivedConstants table(open);
  int made = 0;
  const MakeConstant doubled = [&](std::span<const Constant> from) {
    ++made;
    const auto bytes = from[0].bytes();
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    for (float& v : values) v *= 2;
    return Constant::copy_of(std::as_bytes(std::span(values)));
  };
  const auto get = [&](const Constant& from, const char* how = "double", bool bytes = false) {
    return table.get(how, std::span(&from, 1), doubled, Keep::small, bytes);
  };
  const auto first = [](const Constant& c) {
    float v;
    std::memcpy(&v, c.bytes().data(), sizeof v);
    return v;
  };
  {
    const Constant a = get(one), b = get(one);
    CHECK(first(a) == 2);
    CHECK(a.bytes().data() == b.bytes().data());
    CHECK(facts_of(a) == facts_of(b));
    CHECK(facts_of(a) != facts_of(get(two)));
    CHECK(facts_of(a) != facts_of(get(one, "another")));
    CHECK(made == 3);
  }
  const Constant gone = get(one), four = get(gone);
  CHECK(gone.released());
  CHECK(made == 5);  // `gone` was made again for what follows from it
  CHECK(first(four) == 4);
  CHECK(table.kept().empty());
  const auto again = table.with_bytes(gone);
  REQUIRE(again);
  CHECK(first(*again) == 2);
  CHECK(facts_of(*again) == facts_of(gone));
  CHECK(!get(one, "double", true).released());
  const Constant other = Constant::copy_of(std::as_bytes(std::span("abc")));
  CHECK(facts_of(get(other, "bytes")) != facts_of(get(other, "bytes")));  // not of the open graph
  CHECK(!table.with_bytes(other));
  const ReleasedReads reads;
  CHECK(!reads.any());
  CHECK(thrown([&] { gone.bytes(); }).find("released") != std::string::npos);
  CHECK(reads.any());
}
