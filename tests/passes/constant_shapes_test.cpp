// What passes and backends recognize, with each of its constants in every shape that a constant can
// have: a number of any rank, a row, as many elements as the operand, shapes that enlarge the
// result. The results have the shapes and values that they have without passes.
#include <cmath>
#include <map>
#include <numbers>

#include "src/runtime/fill.h"
#include "tests/passes/small_graphs.h"
#include "tests/support/random.h"

using namespace webnn;
using namespace webnn::test;

namespace {

/// Shapes that broadcast with one that has no more than two dimensions above 1.
std::vector<Dims> forms(const Dims& shape) {
  const std::size_t rank = shape.size();
  std::vector<Dims> all{{}, {1}, Dims(rank, 1), Dims(rank + 1, 1), Dims(rank + 2, 1), shape};
  if (rank > 0) all.push_back({shape.back()});
  for (std::size_t d = 0; d < rank; ++d) {
    Dims one(rank, 1);
    one[d] = shape[d];
    all.push_back(one);
    one.insert(one.begin(), 1);
    all.push_back(one);
    one.front() = 2;
    all.push_back(one);
    if (shape[d] != 1) continue;
    one = Dims(rank, 1);
    one[d] = 2;  // enlarges the result in its own rank
    all.push_back(one);
  }
  Dims more = shape;
  more.insert(more.begin(), 2);
  all.push_back(more);
  all.push_back(Dims(rank + 1, 1));
  all.back().front() = 2;
  return all;
}

/// A graph under construction, of which one constant gets a form that is not its usual one.
struct Pattern {
  MLGraphBuilder b;
  std::size_t changed = 0;  // which constant
  std::size_t form = 0;     // of forms()
  std::map<std::string, Tensor> inputs{};
  std::size_t constants = 0, max_forms = 0;
  Random random{7};

  MLOperand input(const Dims& shape, MLOperandDataType type = float32) {
    const std::string name = "x" + std::to_string(inputs.size());
    inputs[name] =
        random.tensor(type, shape, type == float32 ? -2 : -100, type == float32 ? 2 : 100);
    return b.input(name, {type, shape});
  }
  MLOperand fixed(const Dims& shape) {
    const Tensor t = random.tensor(float32, shape, -1, 1);
    return b.constant(t.descriptor(), t.bytes);
  }
  /// That is combined with x: all elements are that number.
  MLOperand number(const MLOperand& x, double value) {
    return constant(x, {}, [&](const Dims& shape) { return filled(float32, shape, value); });
  }
  /// One element for each of the last dimension of x.
  MLOperand row(const MLOperand& x) {
    return constant(x, {x.shape().back()},
                    [&](const Dims& shape) { return random.tensor(float32, shape, 0.5, 2); });
  }
  MLOperand last(const MLOperand& x, bool max = false) {
    MLReduceOptions o{.axes = {x.rank() - 1}, .keepDimensions = true};
    return max ? b.reduceMax(x, o) : b.reduceMean(x, o);
  }

 private:
  template <class F> MLOperand constant(const MLOperand& x, Dims usual, F values) {
    const std::vector<Dims> all = forms(x.shape());
    max_forms = std::max(max_forms, all.size());
    if (constants++ == changed) usual = all[std::min(form, all.size() - 1)];
    const Tensor t = values(usual);
    return b.constant(t.descriptor(), t.bytes);
  }
};

using Build = std::function<MLOperand(Pattern&)>;

Tensor computed(MLContext context, const MLGraph& graph, const Pattern& p) {
  std::vector<NamedInput> in;
  for (const auto& [name, d] : graph.inputs()) in.push_back({name, p.inputs.at(name).bytes});
  Tensor y = filled(graph.outputs()[0].descriptor.dataType, graph.outputs()[0].descriptor.shape, 0);
  const std::vector<NamedOutput> out{{"y", y.bytes}};
  context.compute(graph, in, out);
  return y;
}

void compare(const Tensor& y, const Tensor& expected, double units) {
  REQUIRE(y.shape == expected.shape);
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (std::isnan(expected[i]) && std::isnan(y[i])) continue;
    const double tolerance = units > 0 ? units : 1e-5 * std::max(1.0, std::abs(expected[i]));
    if (std::abs(y[i] - expected[i]) <= tolerance) continue;
    FAIL("element " << i << ": " << y[i] << ", expected " << expected[i]);
  }
}

/// In every form of each constant, on the reference backend and on all of them.
void check(const Build& build, double units = 0) {
  const bool before = fills_memory();
  set_fills_memory(true);
  const MLContext reference({.threads = 1, .backends = {"reference"}}), usual({.threads = 1});
  std::size_t constants = 1, max_forms = 1;
  for (std::size_t k = 0; k < constants; ++k)
    for (std::size_t f = 0; f < max_forms; ++f) {
      Pattern p{.b = MLGraphBuilder(reference), .changed = k, .form = f};
      MLOperand y;
      try {
        y = build(p);
      } catch (const TypeError&) {  // it does not broadcast with what follows
        REQUIRE(f > 0);
        continue;
      }
      constants = std::max<std::size_t>(p.constants, 1);
      if (f == 0) max_forms = std::max<std::size_t>(p.max_forms, 1);
      const Graph graph = test::graph_of({{"y", y}});
      INFO(to_text(graph));
      const Tensor expected = computed(reference, build_graph(reference, graph, {}), p);
      compare(computed(reference, build_graph(reference, graph, all_passes()), p), expected, units);
      compare(computed(usual, build_graph(usual, graph, all_passes()), p), expected, units);
    }
  set_fills_memory(before);
}

MLOperand layer_normalization(Pattern& p, const MLOperand& x, bool pow) {
  const MLOperand d = p.b.sub(x, p.last(x));
  const MLOperand square = pow ? p.b.pow(d, p.number(d, 2)) : p.b.mul(d, d);
  const MLOperand variance = p.last(square);
  const MLOperand q = p.b.div(d, p.b.sqrt(p.b.add(variance, p.number(variance, 1e-3))));
  const MLOperand scaled = p.b.mul(q, p.row(q));
  return p.b.add(p.row(scaled), scaled);
}

MLOperand rms_normalization(Pattern& p, const MLOperand& x, int root) {
  const MLOperand square = root == 0 ? p.b.mul(x, x) : p.b.pow(x, p.number(x, 2));
  const MLOperand mean = p.last(square), sum = p.b.add(mean, p.number(mean, 1e-3));
  MLOperand y;
  if (root == 0) y = p.b.div(x, p.b.sqrt(sum));
  if (root == 1) y = p.b.mul(x, p.b.reciprocal(p.b.sqrt(sum)));
  if (root == 2) y = p.b.mul(p.b.pow(sum, p.number(sum, -0.5)), x);
  if (root == 3) y = p.b.mul(x, p.b.div(p.number(sum, 1), p.b.sqrt(sum)));
  return p.b.mul(p.row(y), y);
}

MLOperand attention(Pattern& p, bool divides) {
  const MLOperand q = p.input({9, 8}), k = p.input({8, 20}), v = p.input({20, 5});
  MLOperand s = p.b.matmul(q, k);
  s = divides ? p.b.div(s, p.number(s, 2)) : p.b.mul(p.number(s, 0.5), s);
  s = p.b.add(s, p.row(s));
  return p.b.matmul(p.b.softmax(s, s.rank() - 1), v);
}

/// After a convolution or product: a constant in each arithmetic operator.
MLOperand arithmetic(Pattern& p, MLOperand y) {
  y = p.b.add(y, p.row(y));
  y = p.b.mul(p.row(y), y);
  y = p.b.sub(y, p.row(y));
  y = p.b.div(y, p.row(y));
  return p.b.relu(y);
}

}  // namespace

TEST_CASE("constant shapes: layer normalization") {
  for (const bool pow : {false, true})
    for (const Dims& shape : {Dims{3, 4}, Dims{1, 4}, Dims{3, 1}, Dims{5}})
      check([&](Pattern& p) { return layer_normalization(p, p.input(shape), pow); });
}

TEST_CASE("constant shapes: root mean square normalization") {
  for (const int root : {0, 1, 2, 3})
    for (const Dims& shape : {Dims{3, 4}, Dims{1, 4}, Dims{5}})
      check([&](Pattern& p) { return rms_normalization(p, p.input(shape), root); });
}

TEST_CASE("constant shapes: gelu and hardSwish") {
  for (const Dims& shape : {Dims{3, 4}, Dims{}, Dims{1, 5}}) {
    check([&](Pattern& p) {
      const MLOperand x = p.input(shape);
      const MLOperand e = p.b.erf(p.b.div(x, p.number(x, std::numbers::sqrt2)));
      const MLOperand y = p.b.mul(x, p.b.add(e, p.number(e, 1)));
      return p.b.mul(y, p.number(y, 0.5));
    });
    check([&](Pattern& p) {
      const MLOperand x = p.input(shape);
      const MLOperand c = p.b.clamp(p.b.add(x, p.number(x, 3)), {.minValue = 0, .maxValue = 6});
      const MLOperand y = p.b.mul(x, c);
      return p.b.div(y, p.number(y, 6));
    });
  }
}

TEST_CASE("constant shapes: softmax") {
  check([](Pattern& p) {
    const MLOperand x = p.input({3, 4}), y = p.b.mul(x, p.row(x));
    const MLOperand e = p.b.exp(p.b.sub(y, p.last(y, true)));
    const MLOperand sum = p.b.reduceSum(e, {.axes = {e.rank() - 1}, .keepDimensions = true});
    return p.b.add(p.b.div(e, sum), p.row(e));
  });
}

TEST_CASE("constant shapes: attention") {
  for (const bool divides : {false, true}) check([&](Pattern& p) { return attention(p, divides); });
}

TEST_CASE("constant shapes: rotary embedding") {
  for (const Dims& shape : {Dims{3, 4}, Dims{1, 6}, Dims{2}})
    check([&](Pattern& p) {
      const MLOperand x = p.input(shape);
      const std::uint32_t last = x.rank() - 1, half = x.shape().back() / 2;
      Dims low(shape.size()), high = low, sizes = shape;
      high.back() = sizes.back() = half;
      const MLOperand turned =
          p.b.concat({p.b.neg(p.b.slice(x, high, sizes)), p.b.slice(x, low, sizes)}, last);
      return p.b.add(p.b.mul(x, p.row(x)), p.b.mul(turned, p.row(turned)));
    });
}

TEST_CASE("constant shapes: what follows a product") {
  check([](Pattern& p) { return arithmetic(p, p.b.matmul(p.input({3, 5}), p.fixed({5, 4}))); });
  check([](Pattern& p) { return arithmetic(p, p.b.matmul(p.input({2, 3, 5}), p.fixed({5, 4}))); });
  check([](Pattern& p) { return arithmetic(p, p.b.gemm(p.input({1, 5}), p.fixed({5, 4}))); });
  check([](Pattern& p) {  // swish
    const MLOperand y = p.b.matmul(p.input({3, 5}), p.fixed({5, 4})), z = p.b.add(y, p.row(y));
    return p.b.mul(z, p.b.sigmoid(z));
  });
}

TEST_CASE("constant shapes: what follows a convolution or normalization") {
  using enum MLInputOperandLayout;
  for (const auto layout : {nchw, nhwc})
    check([&](Pattern& p) {
      const bool first = layout == nchw;
      const MLOperand x = p.input(first ? Dims{1, 3, 4, 2} : Dims{1, 4, 2, 3});
      return arithmetic(p, p.b.conv2d(x, p.fixed({4, 3, 1, 1}), {.inputLayout = layout}));
    });
  check([](Pattern& p) {
    return arithmetic(p, p.b.convTranspose2d(p.input({1, 3, 4, 2}), p.fixed({3, 4, 1, 1})));
  });
  check([](Pattern& p) {
    const MLOperand x = p.input({1, 3, 4, 2}), y = p.b.conv2d(x, p.fixed({5, 3, 1, 1}));
    const Tensor variance = filled(float32, {5}, 2);
    const MLOperand n = p.b.batchNormalization(y, p.fixed({5}),
                                               p.b.constant(variance.descriptor(), variance.bytes));
    return arithmetic(p, n);
  });
  check([](Pattern& p) { return arithmetic(p, p.b.instanceNormalization(p.input({1, 3, 4, 2}))); });
}

TEST_CASE("constant shapes: chains of element-wise operators") {
  for (const Dims& shape : {Dims{3, 4}, Dims{}, Dims{1}, Dims{1, 4}})
    check([&](Pattern& p) {
      const MLOperand x = p.input(shape), y = p.b.add(x, p.number(x, 1));
      const MLOperand z = p.b.max(p.number(y, -0.5), y);
      return p.b.pow(p.b.abs(z), p.number(z, 0.5));
    });
  check([](Pattern& p) {  // between reshapes
    const MLOperand x = p.b.reshape(p.input({3, 4}), {4, 3}), y = p.b.mul(x, p.number(x, 2));
    return p.b.reshape(y, {static_cast<std::uint32_t>(element_count(y.shape()))});
  });
  check([](Pattern& p) {  // between transpositions
    const MLOperand x = p.b.transpose(p.input({1, 3, 4, 2}), {.permutation = {0, 2, 3, 1}});
    const MLOperand y = p.b.sub(x, p.row(x));
    return y.rank() == 4 ? p.b.transpose(y, {.permutation = {0, 3, 1, 2}}) : y;
  });
}

TEST_CASE("constant shapes: quantized operators") {
  const auto scale = [](Pattern& p, std::uint32_t rank, double value) {
    const Tensor t = filled(float32, Dims(rank, 1), value);
    return p.b.constant(t.descriptor(), t.bytes);
  };
  const auto zero = [](Pattern& p, std::uint32_t rank) {
    const Tensor t = filled(int8, Dims(rank, 1), 3);
    return p.b.constant(t.descriptor(), t.bytes);
  };
  check(
      [&](Pattern& p) {
        const MLOperand x =
            p.b.dequantizeLinear(p.input({3, 4}, int8), scale(p, 2, 0.05), zero(p, 2));
        const MLOperand y = p.b.mul(p.row(x), x), z = p.b.relu(p.b.add(y, p.number(y, 0.25)));
        return p.b.quantizeLinear(z, scale(p, z.rank(), 0.1), zero(p, z.rank()));
      },
      1);
}
