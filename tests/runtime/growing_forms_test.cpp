// Attention over states that grow, written in many ways: each run has the bits of a static graph,
// and the states are what concat makes.
#include <random>

#include "src/kernels/backends.h"
#include "tests/support/catch.h"
#include "webnn/state.h"
#include "webnn/webnn.h"

using namespace webnn;

namespace {

enum class MaskAs { nothing, input, row, number };
enum class ScaleAt { nowhere, queries, scores };

struct Written {
  std::uint32_t batch = 1, heads = 1, inner = 8, columns = 8, capacity = 40;
  MaskAs mask = MaskAs::nothing;
  ScaleAt scale = ScaleAt::nowhere;
  bool divides = false, keys_in_columns = false, matrix = false;
  std::uint32_t times = 1;  // heads of queries for each of keys and values
  MLOperandDataType cache = float32;

  Dims shape(std::uint32_t rows, std::uint32_t width) const {
    return matrix ? Dims{rows, width} : Dims{batch, heads, rows, width};
  }
  Dims query_shape(std::uint32_t rows, std::uint32_t width) const {
    return times == 1 ? shape(rows, width) : Dims{batch, heads, times, rows, width};
  }
};

/// With names for the sizes of the cache, or with sizes.
struct Made {
  MLOperand past_keys{}, past_values{}, keys{}, values{}, y{};

  Made(MLGraphBuilder& b, const Written& w, const MLDimension& past, const MLDimension& fresh,
       const MLDimension& total) {
    const auto shape = [&](const MLDimension& rows, const MLDimension& width) {
      return w.matrix ? MLDimensions{rows, width} : MLDimensions{w.batch, w.heads, rows, width};
    };
    const auto input = [&](const char* name, const MLDimensions& d, MLOperandDataType type) {
      return b.input(name, {type, d});
    };
    const auto turned = [&](const MLOperand& x) {
      Dims order;
      for (std::uint32_t d = 0; d < x.rank(); ++d) order.push_back(d);
      std::swap(order.end()[-1], order.end()[-2]);
      return b.transpose(x, {.permutation = order});
    };
    const auto grouped = [&](const MLOperand& x) { return w.times == 1 ? x : b.unsqueeze(x, {2}); };
    const std::uint32_t rows = w.matrix ? 0 : 2;
    const MLDimensions many{w.batch, w.heads, w.times, fresh, w.inner};
    const MLOperand queries =
        input("queries", w.times == 1 ? shape(fresh, w.inner) : many, float32);
    MLOperand k = b.cast(input("keys", shape(fresh, w.inner), float32), w.cache);
    if (w.keys_in_columns) k = turned(k);
    past_keys = input("past keys", w.keys_in_columns ? shape(w.inner, past) : shape(past, w.inner),
                      w.cache);
    past_values = input("past values", shape(past, w.columns), w.cache);
    keys = b.concat({past_keys, k}, w.keys_in_columns ? rows + 1 : rows);
    values = b.concat(
        {past_values, b.cast(input("values", shape(fresh, w.columns), float32), w.cache)}, rows);

    const MLOperand number = b.constant(float32, 0.375);
    const auto scaled = [&](const MLOperand& x) {
      return w.divides ? b.div(x, number) : b.mul(x, number);
    };
    const MLOperand read = grouped(b.cast(keys, float32));
    MLOperand s = b.matmul(w.scale == ScaleAt::queries ? scaled(queries) : queries,
                           w.keys_in_columns ? read : turned(read));
    if (w.scale == ScaleAt::scores) s = scaled(s);
    if (w.mask == MaskAs::input) s = b.add(s, input("mask", {fresh, total}, float32));
    if (w.mask == MaskAs::row) s = b.add(input("mask", {1u, total}, float32), s);
    if (w.mask == MaskAs::number) s = b.add(s, b.constant(float32, 0.25));
    y = b.matmul(b.softmax(s, s.rank() - 1), grouped(b.cast(values, float32)));
  }
  NamedOperands outputs() const {
    return {{"present keys", keys}, {"y", y}, {"present values", values}};
  }
};

using Bytes = std::vector<std::byte>;

class Comparison {
 public:
  Comparison(const Written& w, std::uint32_t seed, AccuracyLevel level)
      : context_({.threads = 2, .accuracyLevel = level}), w_(w), random_(seed) {
    MLGraphBuilder b(context_);
    const MLDynamicDimension past{.name = "past", .minSize = 0, .maxSize = w.capacity};
    const Made open(b, w, past, "new", "total");
    update(b, open.past_keys, open.keys);
    update(b, open.past_values, open.values);
    graph_ = b.build(open.outputs());
    keys_ = createState(graph_, "past keys");
    values_ = createState(graph_, "past values");
  }

  std::uint32_t size() const { return values_.shape()[w_.matrix ? 0 : 2]; }
  void resize(std::uint32_t rows) {
    resizeState(keys_, rows);
    resizeState(values_, rows);
  }
  const MLGraph& graph() const { return graph_; }

  /// A run with states, and one of a static graph on what they had before.
  void check(std::uint32_t fresh) {
    const std::uint32_t past = size(), total = past + fresh;
    std::vector<NamedTensor> given{{"queries", random_tensor(w_.query_shape(fresh, w_.inner))},
                                   {"keys", random_tensor(w_.shape(fresh, w_.inner))},
                                   {"values", random_tensor(w_.shape(fresh, w_.columns))}};
    if (w_.mask == MaskAs::input) given.push_back({"mask", random_tensor({fresh, total})});
    if (w_.mask == MaskAs::row) given.push_back({"mask", random_tensor({1, total})});
    const Bytes k = context_.readTensor(keys_), v = context_.readTensor(values_);

    std::vector<NamedTensor> with_states = given;
    with_states.push_back({"past values", values_});
    with_states.push_back({"past keys", keys_});
    const MLTensor y = random_tensor(w_.query_shape(fresh, w_.columns));
    context_.dispatch(graph_, with_states,
                      {{"y", y}, {"present keys", keys_}, {"present values", values_}});
    CHECK(size() == total);
    if (past == 0) return;

    MLGraphBuilder b(context_);
    const Made fixed(b, w_, past, fresh, total);
    const MLGraph g = b.build(fixed.outputs());
    given.push_back({"past keys", tensor(fixed.past_keys.descriptor(), k)});
    given.push_back({"past values", tensor(fixed.past_values.descriptor(), v)});
    const MLTensor expected = random_tensor(w_.query_shape(fresh, w_.columns)),
                   all_keys = tensor(fixed.keys.descriptor(), {}),
                   all_values = tensor(fixed.values.descriptor(), {});
    context_.dispatch(
        g, given, {{"y", expected}, {"present keys", all_keys}, {"present values", all_values}});
    CHECK(context_.readTensor(y) == context_.readTensor(expected));
    CHECK(context_.readTensor(keys_) == context_.readTensor(all_keys));
    CHECK(context_.readTensor(values_) == context_.readTensor(all_values));
  }

 private:
  MLTensor tensor(const MLOperandDescriptor& d, const Bytes& bytes) {
    const MLTensor t = context_.createTensor(
        {.dataType = d.dataType, .shape = d.shape, .readable = true, .writable = true});
    if (!bytes.empty()) context_.writeTensor(t, InputView(std::span(bytes)));
    return t;
  }
  MLTensor random_tensor(const Dims& shape) {
    std::vector<float> v(element_count(shape));
    for (float& x : v) x = static_cast<float>(static_cast<int>(random_() % 4001) - 2000) / 700;
    const auto bytes = std::as_bytes(std::span(v));
    return tensor({float32, shape}, {bytes.begin(), bytes.end()});
  }

  MLContext context_;
  Written w_;
  std::mt19937 random_;
  MLGraph graph_{};
  MLTensor keys_{}, values_{};
};

constexpr int graphs = 60;

/// How many runs had a kernel with such a name, in graphs whose sizes of heads are at least that.
int runs_with(std::string_view kernel, AccuracyLevel level, std::uint32_t min_size,
              std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  int count = 0;
  for (int i = 0; i < graphs; ++i) {
    Written w{.batch = 1 + below(2),
              .heads = 1 + below(3),
              .inner = min_size + below(33),
              .columns = min_size + below(33),
              .capacity = 8 + below(40)};
    w.mask = static_cast<MaskAs>(below(4));
    w.scale = static_cast<ScaleAt>(below(3));
    w.divides = below(2) != 0;
    w.keys_in_columns = below(3) == 0;
    w.matrix = below(4) == 0;
    if (!w.matrix) w.times = 1 + below(3);
    const std::uint32_t type = below(5);
    w.cache = type == 0 ? float16 : type == 1 ? bfloat16 : float32;
    CAPTURE(i, w.batch, w.heads, w.inner, w.columns, w.capacity, int(w.mask), int(w.scale),
            w.keys_in_columns, w.matrix, w.times, int(w.cache));
    Comparison c(w, random(), level);
    for (int step = 0; step < 14; ++step) {
      const std::uint32_t most = below(2) ? 7 : w.capacity - 1;  // a prompt
      const std::uint32_t rows = below(3) ? 1 : 1 + below(most);
      if (c.size() + rows > w.capacity || below(9) == 0)
        c.resize(below(std::min(c.size(), w.capacity - rows) + 1));
      c.check(rows);
      count += c.graph().explain().find(kernel) != std::string::npos;
    }
  }
  return count;
}

/// Whether the level changes kernels of this machine.
bool has_level(AccuracyLevel level) {
  return std::ranges::any_of(backends_for({}, level), [](const auto& backend) {
    const auto* simd = dynamic_cast<const VersionedBackend*>(backend.get());
    return simd && simd->version().find("products of bfloat16") != std::string::npos;
  });
}

}  // namespace

TEST_CASE("states that grow: random forms of attention have the bits of static graphs") {
  const int in_place = runs_with("append rows", AccuracyLevel::float32, 1, 1234);
  if (std::ranges::count(backend_names(), "simd")) CHECK(in_place > 6 * graphs);
}

TEST_CASE("states that grow: random forms of attention at the accuracy level bfloat16") {
  constexpr auto level = AccuracyLevel::bfloat16;
  const int in_bfloat16 = runs_with("bfloat16 attention, growing", level, 14, 4321);
  if (has_level(level)) CHECK(in_bfloat16 > graphs / 6);
}
