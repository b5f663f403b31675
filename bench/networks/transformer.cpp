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

MLDimension dimension(const MLOperand& x, std::size_t axis) { return x.dimensions()->at(axis); }

/// A dimension of a shape: a size, or a dimension of `of`, and either times a number.
struct Extent {
  Size size = 0;  // 0: that of the dimension
  MLOperand of{};
  std::uint32_t axis = 0;
  Size times = 1;
};
Extent extent(const MLOperand& x, std::uint32_t axis, Size times = 1) {
  const MLDimension d = dimension(x, axis);
  return d.is_open() ? Extent{0, x, axis, times} : Extent{d.size() * times};
}

/// A list of sizes as an operand.
MLOperand list(MLGraphBuilder& b, const std::vector<Extent>& extents) {
  std::vector<MLOperand> parts;
  for (const Extent& e : extents)
    if (e.size) parts.push_back(b.constant({uint32, {1}}, {e.size}));
    else
      parts.push_back(
          b.mul(b.slice(b.shape(e.of), {e.axis}, {1}), b.constant({uint32, {1}}, {e.times})));
  return b.concat(parts, 0);
}
MLOperand reshaped(MLGraphBuilder& b, const MLOperand& x, const std::vector<Extent>& extents) {
  return b.reshapeDynamic(x, list(b, extents));
}

/// [rows, heads * head] -> [heads, rows, head]
MLOperand by_head(MLGraphBuilder& b, const MLOperand& x, Size heads) {
  const Size head = dimension(x, 1).size() / heads;
  return b.transpose(reshaped(b, x, {extent(x, 0), {heads}, {head}}),
                     {.permutation = Dims{1, 0, 2}});
}

/// q [heads, rows, head], k and v [key heads, all rows, head] -> [rows, heads * head]. Heads that
/// share keys are rows of one product.
MLOperand attention(MLGraphBuilder& b, const MLOperand& q, const MLOperand& k, const MLOperand& v,
                    const MLOperand& mask) {
  const Size heads = dimension(q, 0).size(), head = dimension(q, 2).size();
  const Size keys = dimension(k, 0).size(), each = heads / keys;
  const Extent rows = extent(q, 1), rows_of_keys = extent(q, 1, each), all = extent(k, 1);
  const MLOperand scaled = b.mul(reshaped(b, q, {{keys}, rows_of_keys, {head}}),
                                 scalar(b, 1 / std::sqrt(static_cast<double>(head))));
  MLOperand scores = b.matmul(scaled, b.transpose(k, {.permutation = Dims{0, 2, 1}}));
  if (mask)
    scores = reshaped(b, b.add(reshaped(b, scores, {{heads}, rows, all}), mask),
                      {{keys}, rows_of_keys, all});
  const MLOperand y = reshaped(b, b.matmul(b.softmax(scores, 2), v), {{heads}, rows, {head}});
  return reshaped(b, b.transpose(y, {.permutation = Dims{1, 0, 2}}), {rows, {heads * head}});
}

/// Zero, and minus infinity where a row of x would read a later one. All of them read the rows of
/// `past`.
MLOperand causal_mask(MLGraphBuilder& b, const MLOperand& x, const MLOperand& past) {
  if (dimension(x, 0) == MLDimension(1)) return {};
  const MLOperand zero = b.constant(uint32, 0), one = b.constant(uint32, 1);
  const MLOperand rows = b.dimension(x, 0), before = past ? b.dimension(past, 1) : zero;
  const MLOperand all = b.add(before, rows);
  const MLOperand row = b.unsqueeze(b.range(before, all, one), {1});
  const MLOperand column = b.unsqueeze(b.range(zero, all, one), {0});
  return b.where(b.lesserOrEqual(column, row), scalar(b, 0),
                 scalar(b, -std::numeric_limits<double>::infinity()));
}

}  // namespace

std::size_t Transformer::parameters() const {
  const std::size_t h = hidden, keys = std::size_t{key_heads} * head();
  const std::size_t feed_forward = (vocabulary ? 3 : 2) * h * inner;
  return layers * (2 * h * h + 2 * h * keys + feed_forward) + h * vocabulary;
}

NamedOperands encoder(MLGraphBuilder& b, const Transformer& t, const MLDimension& rows,
                      const Matrices& matrix) {
  MLOperand x = b.input("x", {float32, {rows, t.hidden}});
  for (Size i = 0; i < t.layers; ++i) {
    const auto project = [&](const MLOperand& from, const char* name, Size columns) {
      return b.matmul(from, matrix(b, name, i, dimension(from, 1).size(), columns));
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

NamedOperands decoder(MLGraphBuilder& b, const Transformer& t, const MLDimension& rows,
                      const MLDimension& past, const Matrices& matrix) {
  NamedOperands outputs{{"logits", {}}};
  const Size keys = t.key_heads * t.head();
  MLOperand x = b.input("x", {float32, {rows, t.hidden}}), mask;
  for (Size i = 0; i < t.layers; ++i) {
    const auto project = [&](const MLOperand& from, const char* name, Size columns) {
      return b.matmul(from, matrix(b, name, i, dimension(from, 1).size(), columns));
    };
    const MLOperand before = rms_norm(b, x);
    MLOperand old;
    const auto cached = [&](const std::string& name) {
      const MLOperand now = by_head(b, project(before, name.c_str(), keys), t.key_heads);
      outputs.push_back({"new_" + name + std::to_string(i), now});
      if (past == MLDimension(0)) return now;
      old = b.input(name + std::to_string(i), {float32, {t.key_heads, past, t.head()}});
      return b.concat({old, now}, 1);
    };
    const MLOperand q = by_head(b, project(before, "q", t.hidden), t.heads);
    const MLOperand k = cached("k"), v = cached("v");
    if (i == 0) mask = causal_mask(b, x, old);
    x = b.add(x, project(attention(b, q, k, v, mask), "o", t.hidden));
    const MLOperand middle = rms_norm(b, x), gate = project(middle, "gate", t.inner);
    const MLOperand inner = b.mul(b.mul(gate, b.sigmoid(gate)), project(middle, "up", t.inner));
    x = b.add(x, project(inner, "down", t.hidden));
  }
  const MLOperand last_row = b.sub(list(b, {extent(x, 0), {1}}), b.constant(uint32, 1));
  const MLOperand last =
      rms_norm(b, b.sliceDynamic(x, last_row, b.constant({uint32, {2}}, {Size{1}, t.hidden})));
  outputs[0].operand = b.matmul(last, matrix(b, "head", 0, t.hidden, t.vocabulary));
  return outputs;
}

}  // namespace webnn::inline v0_1::bench
