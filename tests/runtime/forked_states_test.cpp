// States that grow and have the rows of others: which values they have, and what memory they take.
#include <algorithm>
#include <fstream>
#include <memory>

#include "tests/support/catch.h"
#include "tests/support/random.h"
#include "tests/support/thrown.h"
#include "webnn/state.h"
#include "webnn/webnn.h"

using namespace webnn;
using test::Random;
using test::thrown;

namespace {

struct Shape {
  std::uint32_t heads = 2, bound = 4096, width = 64;
};

/// Rows behind those of a state [1, heads, past, width].
MLGraph appending(const MLContext& context, const Shape& s) {
  MLGraphBuilder b(context);
  const MLDynamicDimension past{.name = "past", .minSize = 0, .maxSize = s.bound};
  const MLOperand before = b.input("past", {float32, {1u, s.heads, past, s.width}}),
                  rows = b.input("rows", {float32, {1u, s.heads, "new", s.width}});
  const MLOperand after = b.concat({before, rows}, 2);
  update(b, before, after);
  return b.build({{"present", after}});
}

class State {
 public:
  State(MLContext context, MLGraph graph, const Shape& shape)
      : context_(std::move(context)),
        graph_(std::move(graph)),
        shape_(shape),
        values_(shape.heads),
        tensor_(createState(graph_, "past", {1, shape.heads, 0, shape.width})) {}

  std::uint32_t size() const { return tensor_.shape()[2]; }
  const MLTensor& tensor() const { return tensor_; }
  std::uint32_t room() const { return shape_.bound - size(); }

  void append(std::uint32_t rows, float value) {
    const std::size_t each = std::size_t{rows} * shape_.width;
    std::vector<float> fresh(shape_.heads * each);
    for (std::size_t i = 0; i < fresh.size(); ++i) fresh[i] = value + static_cast<float>(i % 1000);
    const MLTensor t = context_.createTensor({.dataType = float32,
                                              .shape = {1, shape_.heads, rows, shape_.width},
                                              .readable = false,
                                              .writable = true});
    context_.writeTensor(t, fresh);
    context_.dispatch(graph_, {{"rows", t}, {"past", tensor_}}, {{"present", tensor_}});
    for (std::size_t h = 0; h < shape_.heads; ++h) {
      const auto at = fresh.begin() + static_cast<std::ptrdiff_t>(h * each);
      values_[h].insert(values_[h].end(), at, at + static_cast<std::ptrdiff_t>(each));
    }
  }
  void resize(std::uint32_t rows) {
    resizeState(tensor_, rows);
    for (auto& v : values_) v.resize(std::size_t{rows} * shape_.width);
  }
  void write(float value) {
    std::vector<float> all;
    for (auto& v : values_) {
      for (std::size_t i = 0; i < v.size(); ++i) v[i] = value - static_cast<float>(i % 777);
      all.insert(all.end(), v.begin(), v.end());
    }
    context_.writeTensor(tensor_, all);
  }
  State fork() const {
    State other = *this;
    other.tensor_ = forkStates({tensor_}).front();
    return other;
  }
  bool is_right() {
    std::vector<float> expected, own(shape_.heads * size() * std::size_t{shape_.width});
    for (const auto& v : values_) expected.insert(expected.end(), v.begin(), v.end());
    context_.readTensor(tensor_, own);
    return own == expected;
  }
  MLContext& context() { return context_; }

 private:
  MLContext context_;
  MLGraph graph_;
  Shape shape_;
  std::vector<std::vector<float>> values_;
  MLTensor tensor_;
};

/// The kilobytes of the process, in which a page counts once however often it is mapped; 0 where
/// the system does not say that.
long kilobytes() {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string word; file >> word;)
    if (long n = 0; word == "Pss:" && file >> n) return n;
  return 0;
}
bool shares_pages() {
#if defined(__SANITIZE_ADDRESS__) || !defined(__linux__)
  return false;
#else
  return kilobytes() > 0;
#endif
}

}  // namespace

TEST_CASE("forked states: each has its own rows") {
  for (const Shape shape :
       {Shape{}, Shape{.heads = 3, .bound = 1237, .width = 20},
        Shape{.heads = 1, .bound = 1000, .width = 64}, Shape{.heads = 1, .bound = 9, .width = 4}}) {
    const MLContext context{{.threads = 1}};
    const MLGraph graph = appending(context, shape);
    State first(context, graph, shape);
    CHECK(first.fork().size() == 0);
    first.append(shape.bound - 4, 1);
    State second = first.fork();
    CHECK(second.is_right());
    second.append(3, 2);
    first.append(2, 3);
    State third = first.fork();
    third.resize(shape.bound / 2);
    third.append(4, 4);
    State fourth = third.fork();
    fourth.resize(3);
    fourth.append(1, 5);
    for (State* s : {&first, &second, &third, &fourth}) CHECK(s->is_right());
    first.write(7);
    for (State* s : {&first, &second, &third, &fourth}) CHECK(s->is_right());
  }
}

TEST_CASE("forked states: random sequences of appended rows, cuts, values and forks") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Shape shape{.heads = random.integer(1, 3),
                      .bound = random.integer(0, 1) ? 2048 : random.integer(600, 3000),
                      .width = random.integer(0, 1) ? 64 : random.integer(16, 50)};
    const MLContext context{{.threads = 1}};
    const MLGraph graph = appending(context, shape);
    std::vector<State> all{{context, graph, shape}};
    for (int step = 0; step < 60; ++step) {
      State& s = all[random.integer(0, static_cast<std::uint32_t>(all.size()) - 1)];
      const auto value = static_cast<float>(1000 * step);
      switch (random.integer(0, 7)) {
        case 0: s.resize(random.integer(0, s.size())); break;
        case 1: s.resize(std::min(shape.bound, s.size() + random.integer(0, 40))); break;
        case 2:
          if (s.size() > 0) s.write(value);
          break;
        case 3:
        case 4: {
          State other = s.fork();
          if (all.size() < 6) all.push_back(other);
          else all[random.integer(0, 5)] = other;
          break;
        }
        default: {
          const std::uint32_t most = random.integer(0, 1) ? 5 : 900;
          if (const std::uint32_t n = std::min(random.integer(1, most), s.room()))
            s.append(n, value);
        }
      }
      if (step % 6 == 5)
        for (State& x : all) CHECK(x.is_right());
    }
  }
}

TEST_CASE("forked states: memory is for what differs") {
  if (!shares_pages()) return;
  const Shape shape{.heads = 4, .bound = 16384, .width = 64};  // 16 MB
  const MLContext context{{.threads = 1}};
  const MLGraph graph = appending(context, shape);
  std::vector<float> row(std::size_t{shape.heads} * 8192 * shape.width);
  MLContext c = context;
  const long before = kilobytes();
  State first(context, graph, shape);
  CHECK(kilobytes() - before < 1000);
  first.append(8192, 1);  // the half
  c.readTensor(first.tensor(), row);
  const long one = kilobytes();
  std::vector<MLTensor> forks;
  for (int i = 0; i < 8; ++i) {
    forks.push_back(forkStates({first.tensor()}).front());
    c.readTensor(forks.back(), row);
  }
  const long nine = kilobytes();
  INFO("a state of 8192 KB: " << before << " KB without it, " << one << " with it, " << nine
                              << " with 8 forks");
  CHECK(nine - one < 1000);
  // Its pages are its own as soon as it is written to.
  c.writeTensor(forks[0], row);
  c.readTensor(forks[0], row);
  CHECK(kilobytes() - nine > 7000);
  CHECK(first.is_right());
}

TEST_CASE("states that grow: rows that are released take no memory") {
  const Shape shape{.heads = 4, .bound = 16384, .width = 64};
  const MLContext context{{.threads = 1}};
  const MLGraph graph = appending(context, shape);
  State first(context, graph, shape);
  first.append(8192, 1);
  MLContext c = context;
  std::vector<float> row(std::size_t{shape.heads} * 8192 * shape.width), again(row.size());
  const auto rest_is_right = [&](const MLTensor& t) {
    c.readTensor(t, again);
    for (std::size_t h = 0; h < shape.heads; ++h) {
      const std::size_t at = (h * 8192 + 6000) * shape.width, n = 2192 * shape.width;
      if (!std::equal(row.begin() + std::ptrdiff_t(at), row.begin() + std::ptrdiff_t(at + n),
                      again.begin() + std::ptrdiff_t(at)))
        return false;
    }
    return std::ranges::all_of(again, [](float x) { return x >= 0 && x < 1001; });
  };
  c.readTensor(first.tensor(), row);
  const MLTensor fork = forkStates({first.tensor()}).front();
  const long before = kilobytes();
  releaseRows(first.tensor(), 6000);
  CHECK(rest_is_right(first.tensor()));
  CHECK(rest_is_right(fork));
  State other(context, graph, shape);
  other.append(8192, 1);
  c.readTensor(other.tensor(), again);
  const long with_other = kilobytes();
  releaseRows(other.tensor(), 6000);
  c.readTensor(other.tensor(), again);
  if (shares_pages()) {
    INFO(before << " KB, " << with_other << " KB with another state");
    CHECK(with_other - kilobytes() > 5000);
  }
  CHECK(thrown([&] { releaseRows(other.tensor(), 8193); }) ==
        "TypeError releaseRows: the number of rows (8193) is beyond that of the state (8192).");
  CHECK(thrown([&] { releaseRows({}, 1); }) == "TypeError releaseRows: the tensor is empty.");
}

TEST_CASE("forked states: what is not a state that grows is refused") {
  const Shape shape;
  MLContext context{{.threads = 1}};
  const MLGraph graph = appending(context, shape);
  const MLTensor state = createState(graph, "past", {1, shape.heads, 0, shape.width});
  CHECK(forkStates({}).empty());
  CHECK(thrown([&] { forkStates({MLTensor()}); }) == "TypeError forkStates: states[0] is empty.");
  CHECK(thrown([&] {
          forkStates({state, MLTensor()});
        }) == "TypeError forkStates: states[1] is empty.");
  CHECK(thrown([&] {
          forkStates({context.createTensor(
              {.dataType = float32, .shape = {1}, .readable = true, .writable = true})});
        }) == "TypeError forkStates: states[0] is not a state that grows.");
  CHECK(thrown([&] { forkStates({joinStates({state})}); }) ==
        "TypeError forkStates: states[0] is joined.");
  const MLContext other{{.threads = 1}};
  const MLTensor foreign =
      createState(appending(other, shape), "past", {1, shape.heads, 0, shape.width});
  CHECK(thrown([&] {
          forkStates({state, foreign});
        }) == "TypeError forkStates: states[1] belongs to another context than states[0].");
  MLTensor gone = createState(graph, "past", {1, shape.heads, 0, shape.width});
  gone.destroy();
  CHECK(thrown([&] { forkStates({gone}); }) == "TypeError forkStates: states[0] is destroyed.");
}
