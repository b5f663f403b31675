#include "bench/networks/transformer.h"

#include <cmath>
#include <limits>

namespace webnn::inline v0_1::bench {
namespace {

using Size = std::uint32_t;

MLOperand scalar(MLGraphBuilder& b, double v) { return b.constant(float32, v); }

/// x / sqrt(mean(x * x) + epsilon)
MLOperand rms_norm(MLGraphBuilder& b, const MLOperand& x) {
  const MLOperand mean = b.reduceMean(b.mul(x, x), {.axes = {1}, .keepDimensions = true});
  return b.div(x, b.sqrt(b.add(mean, scalar(b, 1e-5))));
}

/// [rows, heads * head] -> [heads, rows, head]
MLOperand by_head(MLGraphBuilder& b, const MLOperand& x, Size heads) {
  const Size rows = x.shape()[0], head = x.shape()[1] / heads;
  return b.transpose(b.reshape(x, {rows, heads, head}), {.permutation = Dims{1, 0, 2}});
}

/// q [heads, rows, head], k and v [key heads, all rows, head] -> [rows, heads * head]. Heads that
/// share keys are rows of one product.
MLOperand attention(MLGraphBuilder& b, const MLOperand& q, const MLOperand& k, const MLOperand& v,
                    const MLOperand& mask) {
  const Size heads = q.shape()[0], rows = q.shape()[1], head = q.shape()[2];
  const Size keys = k.shape()[0], all = k.shape()[1], each = heads / keys;
  const MLOperand scaled = b.mul(b.reshape(q, {keys, each * rows, head}),
                                 scalar(b, 1 / std::sqrt(static_cast<double>(head))));
  MLOperand scores = b.matmul(scaled, b.transpose(k, {.permutation = Dims{0, 2, 1}}));
  if (mask)
    scores =
        b.reshape(b.add(b.reshape(scores, {heads, rows, all}), mask), {keys, each * rows, all});
  const MLOperand y = b.reshape(b.matmul(b.softmax(scores, 2), v), {heads, rows, head});
  return b.reshape(b.transpose(y, {.permutation = Dims{1, 0, 2}}), {rows, heads * head});
}

/// Zero, and minus infinity where a row would read a later one.
MLOperand causal_mask(MLGraphBuilder& b, Size rows, Size past) {
  if (rows == 1) return {};
  std::vector<float> mask(std::size_t{rows} * (past + rows));
  for (Size r = 0; r < rows; ++r)
    for (Size c = past + r + 1; c < past + rows; ++c)
      mask[std::size_t{r} * (past + rows) + c] = -std::numeric_limits<float>::infinity();
  return b.constant({float32, {rows, past + rows}}, mask);
}

}  // namespace

std::size_t Transformer::parameters() const {
  const std::size_t h = hidden, keys = std::size_t{key_heads} * head();
  const std::size_t feed_forward = (vocabulary ? 3 : 2) * h * inner;
  return layers * (2 * h * h + 2 * h * keys + feed_forward) + h * vocabulary;
}

NamedOperands encoder(MLGraphBuilder& b, const Transformer& t, Size rows, const Matrices& matrix) {
  MLOperand x = b.input("x", {float32, {rows, t.hidden}});
  for (Size i = 0; i < t.layers; ++i) {
    const auto project = [&](const MLOperand& from, const char* name, Size columns) {
      return b.matmul(from, matrix(b, name, i, from.shape()[1], columns));
    };
    const auto heads = [&](const char* name) {
      return by_head(b, project(x, name, t.hidden), t.heads);
    };
    const MLOperand y = attention(b, heads("q"), heads("k"), heads("v"), {});
    x = b.layerNormalization(b.add(x, project(y, "o", t.hidden)), {.axes = Dims{1}});
    const MLOperand inner = b.gelu(project(x, "up", t.inner));
    x = b.layerNormalization(b.add(x, project(inner, "down", t.hidden)), {.axes = Dims{1}});
  }
  return {{"y", x}};
}

NamedOperands decoder(MLGraphBuilder& b, const Transformer& t, Size rows, Size past,
                      const Matrices& matrix) {
  NamedOperands outputs{{"logits", {}}};
  const MLOperand mask = causal_mask(b, rows, past);
  const Size keys = t.key_heads * t.head();
  MLOperand x = b.input("x", {float32, {rows, t.hidden}});
  for (Size i = 0; i < t.layers; ++i) {
    const auto project = [&](const MLOperand& from, const char* name, Size columns) {
      return b.matmul(from, matrix(b, name, i, from.shape()[1], columns));
    };
    const MLOperand before = rms_norm(b, x);
    const auto cached = [&](const std::string& name) {
      const MLOperand now = by_head(b, project(before, name.c_str(), keys), t.key_heads);
      outputs.push_back({"new_" + name + std::to_string(i), now});
      if (past == 0) return now;
      const MLOperand old =
          b.input(name + std::to_string(i), {float32, {t.key_heads, past, t.head()}});
      return b.concat({old, now}, 1);
    };
    const MLOperand q = by_head(b, project(before, "q", t.hidden), t.heads);
    const MLOperand k = cached("k"), v = cached("v");
    x = b.add(x, project(attention(b, q, k, v, mask), "o", t.hidden));
    const MLOperand middle = rms_norm(b, x), gate = project(middle, "gate", t.inner);
    const MLOperand inner = b.mul(b.mul(gate, b.sigmoid(gate)), project(middle, "up", t.inner));
    x = b.add(x, project(inner, "down", t.hidden));
  }
  const MLOperand last = rms_norm(b, b.slice(x, {rows - 1, 0}, {1, t.hidden}));
  outputs[0].operand = b.matmul(last, matrix(b, "head", 0, t.hidden, t.vocabulary));
  return outputs;
}

}  // namespace webnn::inline v0_1::bench
