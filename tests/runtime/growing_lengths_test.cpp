// States that grow in graphs that compute with their length: masks, positions and the like. Each
// run has the bits of a static graph, in place or not.
#include <random>

#include "src/kernels/backends.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/state.h"
#include "webnn/webnn.h"

using namespace webnn;
using test::thrown;

namespace {

constexpr std::uint32_t heads = 3, width = 8, bound = 24, rows_of_table = 32;

/// What a graph computes with the length.
enum class Use {
  causal,     // a mask that compares numbers of rows and columns
  condition,  // scores that are replaced by such a comparison
  slope,      // a mask of each head, linear in the distance
  table,      // queries get a row of a table at their position
  rotation,   // queries are multiplied by cosines of their position
  given,      // a mask that is computed with an input
  sums,       // positions are sums of an input
  factor,     // scores are divided by the length
  clipped,    // positions end at a number
  window,     // a slice of an input begins where the cache ends
  product,    // queries are a product, to which a row of a table is added
  last,       // an output is the last row of the cache
  remainder,  // a mask follows from the length modulo 7
};
constexpr Use in_place[] = {Use::causal,   Use::condition, Use::slope, Use::table,
                            Use::rotation, Use::given,     Use::sums,  Use::remainder};
constexpr Use copied[] = {Use::factor, Use::product, Use::window, Use::last};

std::vector<float> numbers(std::size_t n, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> v(n);
  for (float& x : v) x = static_cast<float>(static_cast<int>(random() % 4001) - 2000) / 700;
  return v;
}

/// With names for the sizes of the cache, or with sizes.
struct Made {
  MLGraphBuilder& b;
  MLOperand past_keys{}, past_values{}, keys{}, values{}, queries{}, scores{};
  NamedOperands outputs{};

  Made(MLGraphBuilder& builder, const std::vector<Use>& uses, const MLDimension& past,
       const MLDimension& fresh, const MLDimension& total)
      : b(builder) {
    const auto cache = [&](const char* name, const MLDimension& n) {
      return b.input(name, {float32, {1u, heads, n, width}});
    };
    past_keys = cache("past keys", past);
    past_values = cache("past values", past);
    queries = cache("queries", fresh);
    keys = b.concat({past_keys, cache("keys", fresh)}, 2);
    values = b.concat({past_values, cache("values", fresh)}, 2);
    const auto uses_it = [&](Use u) { return std::ranges::count(uses, u) > 0; };
    for (const Use u : uses) change_queries(u, total);
    scores = b.matmul(queries, b.transpose(keys, {.permutation = {{0, 1, 3, 2}}}));
    scores = b.mul(scores, number(0.375));
    for (const Use u : uses) change_scores(u);
    std::optional<MLOperand> mask;
    for (const Use u : uses)
      if (const auto m = mask_of(u, total)) mask = mask ? b.add(*mask, *m) : *m;
    if (mask) scores = b.add(scores, *mask);
    outputs = {{"y", b.matmul(b.softmax(scores, 3), values)},
               {"present keys", keys},
               {"present values", values}};
    if (uses_it(Use::last))
      outputs.push_back({"last", b.sliceDynamic(values, list({0, 0, -1, 0}, before()),
                                                list({1, heads, 1, width}))});
  }

 private:
  MLOperand number(double v) { return b.constant(float32, v); }
  MLOperand integer(double v) { return b.constant(int32, v); }
  MLOperand list(const std::vector<std::int32_t>& v) {
    return b.constant({int32, {static_cast<std::uint32_t>(v.size())}}, v);
  }
  /// The -1 is the operand, a scalar.
  MLOperand list(const std::vector<std::int32_t>& v, const MLOperand& x) {
    std::vector<MLOperand> all;
    for (const std::int32_t n : v) all.push_back(n < 0 ? b.reshape(x, {1}) : list({n}));
    return b.concat(all, 0);
  }
  MLOperand all_rows() { return b.cast(b.dimension(values, 2), int32); }
  MLOperand before() { return b.cast(b.dimension(past_keys, 2), int32); }
  MLOperand range(const MLOperand& first, const MLOperand& end) {
    return b.range(first, end, integer(1));
  }
  /// [rows, 1] and [all rows]
  MLOperand rows() { return b.unsqueeze(range(before(), all_rows()), {1}); }
  MLOperand columns() { return range(integer(0), all_rows()); }

  void change_queries(Use u, const MLDimension& total) {
    const MLOperand table =
        b.constant({float32, {rows_of_table, width}}, numbers(rows_of_table * width, 5));
    if (u == Use::table) queries = b.add(queries, b.gather(table, range(before(), all_rows())));
    if (u == Use::product) {
      const MLOperand weights = b.constant({float32, {width, width}}, numbers(width * width, 7));
      queries = b.add(b.matmul(queries, weights), b.gather(table, range(before(), all_rows())));
    }
    if (u == Use::clipped)
      queries = b.add(queries, b.gather(table, b.min(range(before(), all_rows()), integer(6))));
    if (u == Use::rotation) {
      const MLOperand frequencies = b.constant({float32, {1, width}}, numbers(width, 6));
      queries = b.mul(queries, b.cos(b.matmul(b.cast(rows(), float32), frequencies)));
    }
    if (u == Use::sums) {
      const MLOperand counts = b.input("counts", {int32, {1u, total}});
      const MLOperand sums = b.sub(b.cumulativeSum(counts, 1), integer(1));
      const MLOperand mine =
          b.sliceDynamic(sums, list({0, -1}, before()), list({1, -1}, b.sub(all_rows(), before())));
      queries = b.add(queries, b.gather(table, b.squeeze(mine, {.axes = {{0}}})));
    }
    if (u == Use::window) {
      const MLOperand rows = b.input("rows", {float32, {rows_of_table, width}});
      queries = b.add(queries, b.sliceDynamic(rows, list({-1, 0}, before()), list({1, width})));
    }
  }
  void change_scores(Use u) {
    if (u == Use::condition)
      scores = b.where(b.lesserOrEqual(columns(), rows()), scores, number(-1e30));
    if (u == Use::factor) scores = b.div(scores, b.cast(all_rows(), float32));
  }
  std::optional<MLOperand> mask_of(Use u, const MLDimension& total) {
    const auto masked = [&](const MLOperand& seen) {
      return b.where(seen, number(0), number(-1e30));
    };
    switch (u) {
      case Use::causal: return masked(b.lesserOrEqual(columns(), rows()));
      case Use::slope: {
        const MLOperand slopes =
            b.constant({float32, {heads, 1, 1}}, std::vector<float>{0.5f, 0.25f, 0.125f});
        return b.mul(slopes, b.cast(b.sub(columns(), rows()), float32));
      }
      case Use::given:
        return b.mul(b.sub(number(1), b.cast(b.input("seen", {int32, {1u, total}}), float32)),
                     number(-1e30));
      case Use::remainder:
        return masked(b.notEqual(b.modulusFloor(columns(), integer(7)), integer(3)));
      default: return std::nullopt;
    }
  }
};

class Comparison {
 public:
  Comparison(const std::vector<Use>& uses, std::uint32_t seed) : uses_(uses), seed_(seed) {
    MLGraphBuilder b(context_);
    const MLDynamicDimension past{.name = "past", .minSize = 0, .maxSize = bound};
    const Made open(b, uses, past, "new", "total");
    update(b, open.past_keys, open.keys);
    update(b, open.past_values, open.values);
    graph_ = b.build(open.outputs);
    keys_ = createState(graph_, "past keys");
    values_ = createState(graph_, "past values");
  }
  std::uint32_t size() const { return keys_.shape()[2]; }
  void resize(std::uint32_t rows) {
    resizeState(keys_, rows);
    resizeState(values_, rows);
  }
  MLContext& context() { return context_; }
  /// How many inputs of the graph that serves all lengths are computed beside it.
  std::size_t computed_inputs() const {
    std::size_t n = 0;
    for (const NamedOperand& x : graph_.optimized().inputs()) n += x.name.starts_with("computed");
    return n;
  }

  /// Whether the run was in place.
  bool check(std::uint32_t fresh) {
    const std::uint32_t past = size(), total = past + fresh;
    const Dims cache{1, heads, fresh, width};
    std::vector<NamedTensor> given;
    for (const char* name : {"queries", "keys", "values"}) given.push_back({name, floats(cache)});
    if (has(Use::given)) given.push_back({"seen", ones(total)});
    if (has(Use::sums)) given.push_back({"counts", ones(total)});
    if (has(Use::window)) given.push_back({"rows", floats({rows_of_table, width})});
    std::vector<NamedTensor> in = given, out{{"y", floats(cache)}};
    if (has(Use::last)) out.push_back({"last", floats({1, heads, 1, width})});
    std::vector<NamedTensor> expected;
    for (const auto& [name, t] : out) expected.push_back({name, floats(t.shape())});
    if (past > 0) {
      given.push_back({"past keys", copy_of(keys_)});
      given.push_back({"past values", copy_of(values_)});
    }
    in.push_back({"past keys", keys_});
    in.push_back({"past values", values_});
    out.push_back({"present keys", keys_});
    out.push_back({"present values", values_});
    context_.dispatch(graph_, in, out);
    const bool is_in_place = graph_.explain().find("append rows") != std::string::npos;
    CHECK(size() == total);
    if (past == 0) return is_in_place;

    MLGraphBuilder b(context_);
    const Made made(b, uses_, past, fresh, total);
    const MLGraph fixed = b.build(made.outputs);
    expected.push_back({"present keys", floats({1, heads, total, width})});
    expected.push_back({"present values", floats({1, heads, total, width})});
    context_.dispatch(fixed, given, expected);
    for (std::size_t i = 0; i < out.size(); ++i) {
      INFO(out[i].name << " with " << past << " rows and " << fresh << " new ones");
      CHECK(context_.readTensor(out[i].tensor) == context_.readTensor(expected[i].tensor));
    }
    return is_in_place;
  }

 private:
  bool has(Use u) const { return std::ranges::count(uses_, u) > 0; }
  MLTensor tensor(MLOperandDataType type, const Dims& shape, std::span<const std::byte> bytes) {
    const MLTensor t = context_.createTensor(
        {.dataType = type, .shape = shape, .readable = true, .writable = true});
    context_.writeTensor(t, InputView(bytes));
    return t;
  }
  MLTensor floats(const Dims& shape) {
    const auto v = numbers(element_count(shape), ++seed_);
    return tensor(float32, shape, std::as_bytes(std::span(v)));
  }
  MLTensor ones(std::uint32_t n) {
    std::vector<std::int32_t> v(n, 1);
    if (n > 2) v[++seed_ % (n - 1)] = 0;
    return tensor(int32, {1, n}, std::as_bytes(std::span(v)));
  }
  MLTensor copy_of(const MLTensor& t) { return tensor(float32, t.shape(), context_.readTensor(t)); }

  std::vector<Use> uses_;
  std::uint32_t seed_;
  MLContext context_{{.threads = 2}};
  MLGraph graph_{};
  MLTensor keys_{}, values_{};
};

bool has_simd() { return std::ranges::count(backend_names(), "simd") > 0; }

/// Steps up to the bound. Returns how many of them were in place.
int steps(Comparison& c) {
  c.check(4);
  int in_place = 0;
  while (c.size() < bound) in_place += c.check(1);
  return in_place;
}

}  // namespace

TEST_CASE("states that grow: what follows from the length is computed beside one graph") {
  for (const Use u : in_place) {
    CAPTURE(int(u));
    Comparison c({u}, 1);
    CHECK(steps(c) == (has_simd() ? int{bound} - 4 : 0));
    c.resize(6);
    CHECK(c.check(3) == has_simd());
    CHECK(c.check(7) == has_simd());
    CHECK(c.check(1) == has_simd());
  }
}

TEST_CASE("states that grow: what layers compute alike is computed once, with constants of each") {
  for (const Use u : {Use::causal, Use::slope, Use::remainder}) {
    CAPTURE(int(u));
    Comparison one({u}, 1), many({u, u, u}, 1);
    CHECK(steps(one) == steps(many));
    if (!has_simd()) continue;
    CHECK(one.computed_inputs() > 0);
    CHECK(many.computed_inputs() == one.computed_inputs());
  }
}

TEST_CASE("states that grow: what one graph cannot serve is copied") {
  for (const Use u : copied) {
    CAPTURE(int(u));
    Comparison c({u}, 1);
    CHECK(steps(c) == 0);
  }
}

TEST_CASE("states that grow: one graph serves the lengths for which its constants are right") {
  Comparison c({Use::clipped}, 1);
  c.check(4);
  while (c.size() < bound) {
    const bool beyond = c.size() >= 6;  // the position of the new row
    CHECK(c.check(1) == (beyond && has_simd()));
  }
  c.resize(3);
  CHECK(!c.check(1));
}

TEST_CASE("states that grow: random combinations of what follows from the length") {
  std::mt19937 random(99);
  const auto below = [&](std::size_t n) { return static_cast<std::uint32_t>(random() % n); };
  for (int i = 0; i < 24; ++i) {
    std::vector<Use> uses;
    for (const Use u : in_place)
      if (below(3) == 0) uses.push_back(u);
    if (below(5) == 0) uses.push_back(copied[below(std::size(copied))]);
    Comparison c(uses, random());
    CAPTURE(i, uses.size());
    for (int step = 0; step < 10; ++step) {
      const std::uint32_t rows =
          std::ranges::count(uses, Use::window) || below(3) ? 1 : 1 + below(below(2) ? 6 : 12);
      if (c.size() + rows > bound || below(8) == 0)
        c.resize(below(std::min(c.size(), bound - rows) + 1));
      c.check(rows);
    }
  }
}
