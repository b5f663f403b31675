// Attention of operator set 23: queries that see no key have zeros, in every form that a mask has,
// on the reference kernels and in the kernel that does all of it.
#include <cmath>
#include <limits>

#include "tests/formats/onnx/run.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace webnn;
using namespace webnn::onnx::test;
using namespace webnn::test;
using enum webnn::onnx::ElementType;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<std::string> dims(const Dims& shape) {
  std::vector<std::string> all;
  for (std::uint32_t d : shape) all.push_back(std::to_string(d));
  return all;
}

/// Attention of queries, keys and values [batch, heads, sequence, size].
struct Attention {
  Tensor q, k, v;
  std::optional<Tensor> mask{};  // bytes are BOOL
  std::optional<Tensor> lengths{};
  bool causal = false, known = false;  // whether the mask is an initializer

  std::vector<Message> attributes() const {
    return {attribute("is_causal", causal), attribute("scale", 1.0f)};
  }
  std::vector<Tensor> run(MLContext context, bool probabilities = false) const {
    Writer w;
    w.opset = lengths ? 24 : 23;
    std::map<std::string, Tensor> inputs{{"q", q}, {"k", k}, {"v", v}};
    for (const auto& [name, x] : inputs) w.input(name, dims(x.shape), FLOAT);
    Names names{"q", "k", "v", mask ? "mask" : ""};
    if (mask && known) {
      w.initializer(mask_initializer());
    } else if (mask) {
      w.input("mask", dims(mask->shape), mask->type == uint8 ? BOOL : FLOAT);
      inputs["mask"] = *mask;
    }
    if (lengths) {
      names.insert(names.end(), {"", "", "lengths"});
      w.input("lengths", dims(lengths->shape), INT64);
      inputs["lengths"] = *lengths;
    }
    Names outputs{"y"};
    std::vector<Message> all = attributes();
    if (probabilities) {
      outputs = {"y", "", "", "p"};
      all.push_back(attribute("qk_matmul_output_mode", 3));
      w.output("y").output("p");
    } else {
      w.output("y");
    }
    w.node("Attention", names, outputs, all);
    return onnx::test::run(w.file(), inputs, {}, context);
  }
  Message mask_initializer() const {
    Ints shape(mask->shape.begin(), mask->shape.end());
    if (mask->type == uint8) {
      std::vector<std::uint8_t> values;
      for (std::size_t i = 0; i < mask->size(); ++i)
        values.push_back(static_cast<std::uint8_t>((*mask)[i]));
      return onnx::test::tensor("mask", BOOL, shape, values);
    }
    std::vector<float> values;
    for (std::size_t i = 0; i < mask->size(); ++i) values.push_back(static_cast<float>((*mask)[i]));
    return floats("mask", shape, values);
  }

  /// What is added to a score.
  double bias(std::uint32_t batch, std::uint32_t head, std::uint32_t row, std::uint32_t key) const {
    double sum = 0;
    if (mask) {
      const double m = mask->broadcast_at({batch, head, row, key});
      sum += mask->type == uint8 ? (m != 0 ? 0 : -infinity) : m;
    }
    if (causal && key > row) sum = -infinity;
    if (lengths && key >= (*lengths)[batch]) sum = -infinity;
    return sum;
  }
  /// In double, with zeros for the rows that see no key.
  Tensor expected() const {
    Tensor y = filled(float32, {q.shape[0], q.shape[1], q.shape[2], v.shape[3]}, 0);
    const std::uint32_t keys = k.shape[2];
    for (std::size_t i = 0; i < y.size() / v.shape[3]; ++i) {
      const auto row = static_cast<std::uint32_t>(i) % q.shape[2],
                 head = static_cast<std::uint32_t>(i) / q.shape[2] % q.shape[1],
                 batch = static_cast<std::uint32_t>(i) / q.shape[2] / q.shape[1];
      std::vector<double> e(keys);
      double total = 0;
      for (std::uint32_t j = 0; j < keys; ++j) {
        for (std::uint32_t n = 0; n < q.shape[3]; ++n)
          e[j] += q.at({batch, head, row, n}) * k.at({batch, head, j, n});
        total += e[j] = std::exp(e[j] + bias(batch, head, row, j));
      }
      for (std::uint32_t n = 0; n < v.shape[3] && total > 0; ++n) {
        double sum = 0;
        for (std::uint32_t j = 0; j < keys; ++j) sum += e[j] / total * v.at({batch, head, j, n});
        y.set(i * v.shape[3] + n, sum);
      }
    }
    return y;
  }
  void check() const {
    for (const auto& backends :
         {std::vector<BackendChoice>{"reference"}, std::vector<BackendChoice>{}}) {
      const Tensor y = run(MLContext({.threads = 1, .backends = backends})).front(), e = expected();
      REQUIRE(y.shape == e.shape);
      for (std::size_t i = 0; i < y.size(); ++i) {
        INFO("element " << i << ": " << y[i] << ", expected " << e[i]);
        CHECK(std::abs(y[i] - e[i]) < 1e-5);
        if (e[i] == 0) CHECK(y[i] == 0);
      }
    }
  }
};

/// Enough rows and keys for the kernel.
Attention large(Random& r) {
  return {.q = r.tensor(float32, {2, 3, 9, 4}, -1, 1),
          .k = r.tensor(float32, {2, 3, 17, 4}, -1, 1),
          .v = r.tensor(float32, {2, 3, 17, 5}, -1, 1)};
}

Tensor seen(Random& r, const Dims& shape, double nothing = 0.3) {
  Tensor t = r.tensor(uint8, shape, 0, 1);
  const std::uint32_t keys = shape.back();
  for (std::size_t row = 0; row < t.size() / keys; ++row)
    if (r.uniform(0, 1) < nothing)
      for (std::uint32_t i = 0; i < keys; ++i) t.set(row * keys + i, 0);
  return t;
}
Tensor as_floats(const Tensor& mask) {
  Tensor t = filled(float32, mask.shape, 0);
  for (std::size_t i = 0; i < t.size(); ++i) t.set(i, mask[i] != 0 ? 0.25 : -infinity);
  return t;
}

}  // namespace

TEST_CASE("onnx: Attention with a mask that leaves out all keys gives zeros") {
  const Tensor q = tensor(float32, {1, 1, 1, 4}, {1, 2, 3, 4}),
               two = tensor(float32, {1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  for (const bool known : {false, true})
    Attention{.q = q, .k = two, .v = two, .mask = filled(uint8, {1, 2}, 0), .known = known}.check();
}

TEST_CASE("onnx: Attention, masks of every form with rows that leave out all keys") {
  Random r(3);
  for (const Dims& shape : {Dims{17}, Dims{9, 17}, Dims{9, 1}, Dims{3, 9, 17}, Dims{2, 1, 1, 17},
                            Dims{2, 1, 9, 17}, Dims{2, 3, 9, 17}, Dims{1, 1}})
    for (const bool causal : {false, true})
      for (const bool known : {false, true}) {
        Attention a = large(r);
        a.causal = causal;
        a.known = known;
        a.mask = seen(r, shape);
        a.check();
        a.mask = as_floats(*a.mask);
        a.check();
        a.mask = seen(r, shape, 1);
        a.check();
      }
}

TEST_CASE("onnx: Attention with sequences that are empty") {
  Random r(4);
  Attention a = large(r);
  a.lengths = integers(int64, {2}, {0, 5});
  a.check();
  a.mask = seen(r, {9, 17});
  a.check();
}

TEST_CASE("onnx: Attention, NaN in a row that sees a key stays") {
  Random r(5);
  Attention a = large(r);
  a.mask = seen(r, {9, 17});
  a.q.set(2 * 4, std::nan(""));  // row 2
  for (std::uint32_t i = 0; i < 17; ++i) a.mask->set(2 * 17 + i, i == 3);
  for (const auto& backends :
       {std::vector<BackendChoice>{"reference"}, std::vector<BackendChoice>{}}) {
    const Tensor y = a.run(MLContext({.threads = 1, .backends = backends})).front();
    for (std::size_t i = 0; i < y.size(); ++i) CHECK(std::isnan(y[i]) == (i / 5 == 2));
  }
}

/// The errata leave the probabilities as they are.
TEST_CASE("onnx: Attention, probabilities of a row that sees no key") {
  Random r(6);
  Attention a = large(r);
  a.mask = filled(uint8, {9, 17}, 1);
  for (std::uint32_t i = 0; i < 17; ++i) a.mask->set(i, 0);
  const auto all = a.run(plain_context(), true);
  for (std::size_t i = 0; i < 17; ++i) CHECK(std::isnan(all[1][i]));
  for (std::size_t i = 0; i < 5; ++i) CHECK(all[0][i] == 0);
}

TEST_CASE("onnx: Attention with a mask is one kernel") {
  const MLContext context({.threads = 1});
  const auto all = context.backends();
  if (std::find(all.begin(), all.end(), "simd") == all.end()) return;
  Random r(7);
  const Attention a = large(r);
  for (const bool causal : {false, true}) {
    Writer w;
    w.opset = 23;
    for (const auto& [name, x] : std::map<std::string, Tensor>{{"q", a.q}, {"k", a.k}, {"v", a.v}})
      w.input(name, dims(x.shape), FLOAT);
    w.input("mask", dims({2, 1, 9, 17}), BOOL).output("y");
    w.node("Attention", {"q", "k", "v", "mask"}, {"y"}, {attribute("is_causal", causal)});
    MLGraphBuilder b(context);
    const onnx::Model model = onnx::import_model(b, w.file());
    const std::string text = b.build(model.outputs).explain();
    INFO(text);
    CHECK(text.find("simd attention") != std::string::npos);
  }
}
