#include "tests/formats/executorch/cases/cases_common.h"

namespace webnn::inline v0_1::executorch::test {
namespace {

/// x [rows, depth] by w [outputs, depth], plus bias.
Tensor product(const Tensor& x, const std::vector<double>& w, const std::vector<double>& bias,
               std::uint32_t outputs) {
  const auto depth = static_cast<std::uint32_t>(w.size() / outputs);
  const auto rows = static_cast<std::uint32_t>(x.size() / depth);
  Dims shape = x.shape;
  shape.back() = outputs;
  Tensor y = webnn::test::filled(float32, shape, 0);
  for (std::uint32_t r = 0; r < rows; ++r)
    for (std::uint32_t o = 0; o < outputs; ++o) {
      double sum = bias.empty() ? 0 : bias[o];
      for (std::uint32_t k = 0; k < depth; ++k) sum += x[r * depth + k] * w[o * depth + k];
      y.set(std::size_t{r} * outputs + o, sum);
    }
  return y;
}

void add_fully_connected(std::vector<Case>& all, Place place) {
  const Tensor w = sample({4, 6}, -1, 1, 3), bias = sample({4}, -1, 1, 4);
  for (const bool transposed : {false, true}) {
    Case c{.name = transposed ? "FullyConnected_transposed" : "FullyConnected"};
    c.graph.place = place;
    c.inputs = {sample({2, 3, 6})};
    Tensor stored = w;
    if (transposed) {
      stored.shape = {6, 4};
      for (std::size_t o = 0; o < 4; ++o)
        for (std::size_t k = 0; k < 6; ++k) stored.set(k * 4 + o, w[o * 6 + k]);
    }
    const auto x = c.graph.input({2, 3, 6}), f = c.graph.floats(stored.shape, floats_of(stored)),
               b = c.graph.floats({4}, floats_of(bias)), y = c.graph.output({2, 3, 4});
    c.graph.fully_connected(x, f, b, y, transposed ? transpose_weights : 0);
    c.graph.limits(-1, 1);
    c.expected = [w, bias](const Tensors& in) {
      Tensor y = product(in[0], doubles(w), doubles(bias), 4);
      for (std::size_t i = 0; i < y.size(); ++i) y.set(i, clamp(y[i], -1, 1));
      return Tensors{y};
    };
    all.push_back(std::move(c));
  }
}

void add_matrices(std::vector<Case>& all, Place place) {
  const auto multiplied = [](const Tensor& a, const Tensor& b, bool by_rows) {
    Tensor y = webnn::test::filled(float32, {2, 3, 5}, 0);
    for (std::uint32_t n = 0; n < 2; ++n)
      for (std::uint32_t i = 0; i < 3; ++i)
        for (std::uint32_t j = 0; j < 5; ++j) {
          double sum = 0;
          for (std::uint32_t k = 0; k < 4; ++k)
            sum += a.at({n, i, k}) * (by_rows ? b.at({n, j, k}) : b.at({n, k, j}));
          y.set(n * 15 + i * 5 + j, sum);
        }
    return y;
  };
  for (const bool by_rows : {false, true}) {
    Case c{.name = by_rows ? "BatchMatrixMultiply_b_transposed" : "BatchMatrixMultiply"};
    c.graph.place = place;
    c.inputs = {sample({2, 3, 4}), sample(by_rows ? Dims{2, 5, 4} : Dims{2, 4, 5}, -2, 2, 5)};
    const auto a = c.graph.input(c.inputs[0].shape), b = c.graph.input(c.inputs[1].shape),
               y = c.graph.output({2, 3, 5});
    c.graph.binary(Kind::BatchMatrixMultiply, a, b, y, by_rows ? transpose_b : 0);
    c.expected = [=](const Tensors& in) { return Tensors{multiplied(in[0], in[1], by_rows)}; };
    all.push_back(std::move(c));
  }
  Case c{.name = "ScaledDotProductAttention"};
  c.graph.place = place;
  const Tensor scale = sample({4}, 0.25, 1, 6), mask = sample({3, 5}, -1, 1, 8);
  c.inputs = {sample({1, 2, 3, 4}), sample({1, 2, 5, 4}, -1, 1, 5), sample({1, 2, 5, 6}, -1, 1, 9)};
  xnn::NodeAttentionT t;
  t.query_id = c.graph.input(c.inputs[0].shape);
  t.key_id = c.graph.input(c.inputs[1].shape);
  t.value_id = c.graph.input(c.inputs[2].shape);
  t.scale_id = c.graph.floats({4}, floats_of(scale));
  t.mask_id = c.graph.floats({3, 5}, floats_of(mask));
  t.output_id = c.graph.output({1, 2, 3, 6});
  c.graph.node(Kind::ScaledDotProductAttention, t);
  c.expected = [=](const Tensors& in) {
    Tensor y = webnn::test::filled(float32, {1, 2, 3, 6}, 0);
    for (std::uint32_t h = 0; h < 2; ++h)
      for (std::uint32_t i = 0; i < 3; ++i) {
        double logit[5], sum = 0;
        for (std::uint32_t j = 0; j < 5; ++j) {
          logit[j] = mask.at({i, j});
          for (std::uint32_t k = 0; k < 4; ++k)
            logit[j] += in[0].at({0, h, i, k}) * scale[k] * in[1].at({0, h, j, k});
          sum += std::exp(logit[j]);
        }
        for (std::uint32_t d = 0; d < 6; ++d) {
          double v = 0;
          for (std::uint32_t j = 0; j < 5; ++j)
            v += std::exp(logit[j]) / sum * in[2].at({0, h, j, d});
          y.set((h * 3 + i) * 6 + d, v);
        }
      }
    return Tensors{y};
  };
  all.push_back(std::move(c));
}

void add_rope(std::vector<Case>& all, Place place) {
  Case c{.name = "Rope"};
  c.graph.place = place;
  const Tensor weights = sample({1, 4, 6}, -1, 1, 4);  // more tokens than the input has
  c.inputs = {sample({2, 3, 2, 6})};
  xnn::NodeRopeT t;
  t.input_id = c.graph.input({2, 3, 2, 6});
  t.weights_id = c.graph.floats({1, 4, 6}, floats_of(weights));
  t.output_id = c.graph.output({2, 3, 2, 6});
  c.graph.node(Kind::Rope, t);
  c.expected = [=](const Tensors& in) {
    return Tensors{webnn::test::generated(float32, {2, 3, 2, 6}, [&](const Dims& p) {
      const std::uint32_t k = p[3] % 3;
      const double a = in[0].at({p[0], p[1], p[2], k}), b = in[0].at({p[0], p[1], p[2], k + 3}),
                   cosine = weights.at({0, p[1], k}), sine = weights.at({0, p[1], k + 3});
      return p[3] < 3 ? a * cosine - b * sine : a * sine + b * cosine;
    })};
  };
  all.push_back(std::move(c));
}

}  // namespace

void add_product_cases(std::vector<Case>& all, Place place) {
  add_fully_connected(all, place);
  add_matrices(all, place);
  add_rope(all, place);
}

}  // namespace webnn::inline v0_1::executorch::test
