// GroupQueryAttention as ONNX Runtime GenAI writes it: the lengths follow from attention_mask.
#include "tests/formats/onnx/open.h"

using namespace webnn;
using namespace webnn::onnx::test;
using enum webnn::onnx::ElementType;

namespace {

constexpr std::uint32_t heads = 4, kv_heads = 2, size = 4, positions = 32;

std::vector<float> table(double (*f)(double)) {
  std::vector<float> values;
  for (std::uint32_t p = 0; p < positions; ++p)
    for (std::uint32_t i = 0; i < size / 2; ++i)
      values.push_back(static_cast<float>(f(p / std::pow(10.0, i))));
  return values;
}

/// Inputs q, k and v of a batch; total and past are open too.
Writer model(int window, const std::string& batch) {
  Writer w;
  w.domains = {{"com.microsoft", 1}};
  w.input("q", {batch, "new", std::to_string(heads * size)});
  for (const char* name : {"k", "v"})
    w.input(name, {batch, "new", std::to_string(kv_heads * size)});
  w.input("attention_mask", {batch, "total"}, INT64);
  for (const char* name : {"past_key", "past_value"})
    w.input(name, {batch, std::to_string(kv_heads), "past", std::to_string(size)});
  w.initializer(list("axis", {1})).initializer(list("one", {1})).initializer(scalar("second", 1));
  w.initializer(floats("cos", {positions, size / 2}, table(std::cos)));
  w.initializer(floats("sin", {positions, size / 2}, table(std::sin)));
  w.node("ReduceSum", {"attention_mask", "axis"}, {"count"})
      .node("Sub", {"count", "one"}, {"last"});
  w.node("Cast", {"last"}, {"seqlens_k"}, {attribute("to", 6)});
  w.node("Shape", {"attention_mask"}, {"shape"}).node("Gather", {"shape", "second"}, {"total64"});
  w.node("Cast", {"total64"}, {"total_length"}, {attribute("to", 6)});
  w.node("GroupQueryAttention",
         {"q", "k", "v", "past_key", "past_value", "seqlens_k", "total_length", "cos", "sin"},
         {"y", "present_key", "present_value"},
         {attribute("num_heads", std::int64_t{heads}),
          attribute("kv_num_heads", std::int64_t{kv_heads}), attribute("do_rotary", 1),
          attribute("local_window_size", window)},
         "com.microsoft", "attention");
  return w.output("y").output("present_key").output("present_value");
}

using Row = std::vector<double>;

/// What a sequence has seen, by head and position.
struct Sequence {
  std::vector<std::vector<Row>> keys{kv_heads}, values{kv_heads};
};

Row rotated(const Row& x, std::uint32_t position) {
  Row y = x;
  for (std::uint32_t i = 0; i < size / 2; ++i) {
    const double angle = position / std::pow(10.0, i);
    const double a = x[i], b = x[i + size / 2];
    y[i] = a * std::cos(angle) - b * std::sin(angle);
    y[i + size / 2] = a * std::sin(angle) + b * std::cos(angle);
  }
  return y;
}

Row row(const Tensor& x, std::uint32_t n, std::uint32_t t, std::uint32_t head) {
  Row r;
  for (std::uint32_t i = 0; i < size; ++i) r.push_back(x.at({n, t, head * size + i}));
  return r;
}

/// Attention of one query, by its definition.
Row attended(const Sequence& s, const Row& q, std::uint32_t head, std::uint32_t position,
             int window) {
  const auto& keys = s.keys[head / (heads / kv_heads)];
  const auto& values = s.values[head / (heads / kv_heads)];
  const std::uint32_t first =
      window > 0 && position + 1 > static_cast<std::uint32_t>(window) ? position + 1 - window : 0;
  double sum = 0;
  Row y(size);
  for (std::uint32_t p = first; p <= position; ++p) {
    double score = 0;
    for (std::uint32_t i = 0; i < size; ++i) score += q[i] * keys[p][i] / std::sqrt(size);
    sum += std::exp(score);
    for (std::uint32_t i = 0; i < size; ++i) y[i] += std::exp(score) * values[p][i];
  }
  for (double& v : y) v /= sum;
  return y;
}

/// A batch that grows from run to run.
class Batch {
 public:
  /// `rows`: of the caches that the caller holds; 0 where each run returns longer ones.
  Batch(std::uint32_t sequences, std::uint32_t rows, int window, const std::string& name = "batch")
      : window_(window), graph_(model(window, name)), sequences_(sequences), rows_(rows) {
    caches_.assign(2, Tensor{float32, {sequences, kv_heads, rows, size}});
    for (Tensor& t : caches_) t = counted(t.shape);  // which must not be seen
  }

  /// New tokens for all sequences, of which each has its own number; others are padding.
  void run(const std::vector<std::uint32_t>& counts) {
    const auto n = static_cast<std::uint32_t>(sequences_.size());
    const std::uint32_t fresh = std::ranges::max(counts);
    std::map<std::string, Tensor> in;
    in["q"] = small({n, fresh, heads * size});
    in["k"] = small({n, fresh, kv_heads * size});
    in["v"] = small({n, fresh, kv_heads * size});
    std::vector<std::uint32_t> before, after;
    for (std::uint32_t s = 0; s < n; ++s) {
      before.push_back(static_cast<std::uint32_t>(sequences_[s].keys[0].size()));
      after.push_back(before[s] + counts[s]);
    }
    const std::uint32_t total = std::ranges::max(after);
    in["attention_mask"] =
        generated(int64, {n, total}, [&](const Dims& p) { return p[1] < after[p[0]]; });
    in["past_key"] = caches_[0];
    in["past_value"] = caches_[1];
    const std::vector<Tensor> y = graph_.run(in);
    for (std::uint32_t s = 0; s < n; ++s) check(s, in, y, before[s], counts[s]);
    const std::uint32_t length = std::max(rows_, total);
    CHECK(y[1].shape == Dims{n, kv_heads, length, size});
    CHECK(y[2].shape == Dims{n, kv_heads, length, size});
    caches_ = {y[1], y[2]};
  }

 private:
  Tensor small(const Dims& shape) {
    Tensor t = counted(shape);
    for (std::size_t i = 0; i < t.size(); ++i) t.set(i, std::fmod(t[i] * 7 + seed_++, 13) / 6 - 1);
    return t;
  }

  void check(std::uint32_t s, const std::map<std::string, Tensor>& in, const std::vector<Tensor>& y,
             std::uint32_t before, std::uint32_t count) {
    Sequence& own = sequences_[s];
    for (std::uint32_t t = 0; t < count; ++t)
      for (std::uint32_t h = 0; h < kv_heads; ++h) {
        own.keys[h].push_back(rotated(row(in.at("k"), s, t, h), before + t));
        own.values[h].push_back(row(in.at("v"), s, t, h));
      }
    for (std::uint32_t t = 0; t < count; ++t)
      for (std::uint32_t h = 0; h < heads; ++h) {
        const Row q = rotated(row(in.at("q"), s, t, h), before + t);
        same(row(y[0], s, t, h), attended(own, q, h, before + t, window_));
      }
    for (std::uint32_t h = 0; h < kv_heads; ++h)
      for (std::uint32_t p = 0; p < before + count; ++p)
        for (const std::size_t k : {1u, 2u}) {
          Row cached;
          for (std::uint32_t i = 0; i < size; ++i) cached.push_back(y[k].at({s, h, p, i}));
          same(cached, (k == 1 ? own.keys : own.values)[h][p]);
        }
  }
  static void same(const Row& got, const Row& expected) {
    for (std::uint32_t i = 0; i < size; ++i) {
      INFO(got[i] << ", expected " << expected[i]);
      REQUIRE(std::abs(got[i] - expected[i]) < 1e-5);
    }
  }

  int window_;
  Imported graph_;
  std::vector<Sequence> sequences_;
  std::uint32_t rows_;
  std::vector<Tensor> caches_{};
  int seed_ = 0;
};

}  // namespace

TEST_CASE("onnx: GroupQueryAttention by attention_mask: a prompt, tokens, and another prompt") {
  for (const int window : {-1, 3})
    for (const std::uint32_t sequences : {1u, 3u})
      for (const std::uint32_t rows : {0u, 16u}) {
        INFO(sequences << " sequences, window " << window << ", " << rows << " rows");
        Batch batch(sequences, rows, window);
        for (const std::uint32_t count : {5u, 1u, 1u, 3u, 1u})
          batch.run(std::vector<std::uint32_t>(sequences, count));
      }
}

TEST_CASE("onnx: GroupQueryAttention by attention_mask: prompts of different lengths") {
  for (const std::string name : {"batch", "3"})
    for (const std::uint32_t rows : {0u, 16u}) {
      INFO(name << ", " << rows << " rows");
      Batch batch(3, rows, -1, name);
      batch.run({5, 2, 3});
      for (int token = 0; token < 3; ++token) batch.run({1, 1, 1});
    }
}

TEST_CASE("onnx: GroupQueryAttention whose mask follows from the sizes of past and new rows") {
  const auto gathers = [](std::uint32_t more) {
    webnn::test::Builder b;
    const MLOperand q = b.input("q", {float32, {1, "new", heads * size}}),
                    past = b.input(
                        "past_key",
                        {float32,
                         {1, kv_heads, MLDynamicDimension{.name = "past", .minSize = 0}, size}});
    const MLOperand one = b.constant<std::uint32_t>({uint32, {1}}, {1});
    const MLOperand total = b.add(b.add(b.dimension(past, 2), b.dimension(q, 1)),
                                  b.constant<std::uint32_t>({uint32, {1}}, {more}));
    const MLOperand mask = b.expandDynamic(b.constant<std::int64_t>({int64, {1, 1}}, {1}),
                                           b.concat({one, b.reshape(total, {1})}, 0));
    const onnx::Model m =
        onnx::import_model(b, model(-1, "1").file(),
                           {.inputs = {{"q", q}, {"past_key", past}, {"attention_mask", mask}}});
    const MLGraph graph = b.build(m.outputs);
    std::size_t count = 0;
    for (std::size_t i = 0; i < graph.graph().size(); ++i)
      count += graph.graph().node(i).name() == "gather";
    return count;
  };
  CHECK(gathers(0) == 4);  // cosines and sines of queries and keys
  CHECK(gathers(1) == 7);  // one row more than there are: rows are looked for
}

TEST_CASE("onnx: GroupQueryAttention whose total length is data is refused") {
  Writer other;
  other.domains = {{"com.microsoft", 1}};
  other.input("q", {"1", "new", "16"}).input("total_length", {"1"}, INT32);
  other.input("seqlens_k", {"1"}, INT32).output("y");
  for (const char* name : {"k", "v"}) other.input(name, {"1", "new", "8"});
  other.node("GroupQueryAttention", {"q", "k", "v", "", "", "seqlens_k", "total_length"}, {"y"},
             {attribute("num_heads", std::int64_t{heads}),
              attribute("kv_num_heads", std::int64_t{kv_heads})},
             "com.microsoft", "attention");
  CHECK(refusal(other) ==
        "NotSupportedError onnx: node 0 \"attention\" (com.microsoft:GroupQueryAttention-1): its "
        "input 6 (\"total_length\") has to be known, but follows from the model's input "
        "\"total_length\" (int32 [1]): give its value to the import, in the option values.");
}
