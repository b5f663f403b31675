// The networks in double precision, in plain loops: logits after each token.
#pragma once

#include <cmath>

#include "tests/lm/model/random_model.h"

namespace webnn::inline v0_1::lm {

class PlainForward {
 public:
  using Row = std::vector<double>;
  using Rows = std::vector<Row>;

  explicit PlainForward(const RandomModel& m) : m_(m) {}

  /// Keys and values are rounded to int8 in blocks of 32 with a scale.
  bool in_blocks = false;
  /// They are rounded to bfloat16.
  bool in_bfloat16 = false;

  /// A row for each token.
  Rows logits(const std::vector<std::int32_t>& tokens) {
    Rows all;
    for (const Row& x : run(tokens)) {
      const Row y = m_.has("output.weight") ? times(x, "output") : times(x, "token_embd");
      all.push_back(y);
    }
    return all;
  }
  /// The mean of the rows, of length 1.
  Row embedding(const std::vector<std::int32_t>& tokens) {
    const Rows rows = run(tokens);
    Row mean(m_.width);
    for (const Row& r : rows)
      for (std::size_t i = 0; i < mean.size(); ++i)
        mean[i] += r[i] / static_cast<double>(rows.size());
    double sum = 0;
    for (const double v : mean) sum += v * v;
    for (double& v : mean) v /= std::sqrt(sum);
    return mean;
  }

 private:
  bool is(const char* name) const { return m_.architecture == name; }

  Row times(const Row& x, const std::string& name) const {
    const auto& w = m_.at(name + ".weight");
    Row y(w.size() / x.size());
    for (std::size_t i = 0; i < y.size(); ++i)
      for (std::size_t j = 0; j < x.size(); ++j) y[i] += double{w[i * x.size() + j]} * x[j];
    if (m_.has(name + ".bias"))
      for (std::size_t i = 0; i < y.size(); ++i) y[i] += double{m_.at(name + ".bias")[i]};
    return y;
  }
  /// Both kinds of normalization.
  Row norm(const Row& x, const std::string& name) const {
    const auto& w = m_.at(name + ".weight");
    const bool has_bias = m_.has(name + ".bias");
    const double n = static_cast<double>(x.size());
    double mean = 0, squares = 0;
    if (has_bias)
      for (const double v : x) mean += v / n;
    for (const double v : x) squares += (v - mean) * (v - mean) / n;
    Row y(x.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] = (x[i] - mean) / std::sqrt(squares + double{static_cast<float>(m_.epsilon)}) *
             double{w[i]};
      if (has_bias) y[i] += double{m_.at(name + ".bias")[i]};
    }
    return y;
  }
  double activated(double x) const {
    if (is("bert")) return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
    if (is("gpt2") || is("gemma3"))
      return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    return x / (1 + std::exp(-x));
  }
  /// Rotates a head at a position.
  void rotate(double* x, std::size_t position, bool local) const {
    const std::size_t half = m_.headSize / 2;
    const double base = is("gemma3") && local ? 10000 : m_.base;
    for (std::size_t i = 0; i < half; ++i) {
      double f = std::pow(base, -2.0 * static_cast<double>(i) / m_.headSize);
      if (m_.factors) f /= double{m_.at("rope_freqs.weight")[i]};
      const double angle = static_cast<double>(position) * f, c = std::cos(angle),
                   s = std::sin(angle);
      const std::size_t a = is("llama") ? 2 * i : i, b = is("llama") ? a + 1 : i + half;
      const double u = x[a], v = x[b];
      x[a] = u * c - v * s;
      x[b] = u * s + v * c;
    }
  }
  bool is_local(std::uint32_t layer) const {
    return m_.window > 0 && (!is("gemma3") || (layer + 1) % 6 != 0);
  }

  struct Heads {
    Rows queries, keys, values;
  };
  Heads heads_of(const Rows& x, std::uint32_t layer, const std::string& at) const {
    const std::size_t q = m_.heads * m_.headSize, kv = m_.keyHeads * m_.headSize;
    Heads h;
    for (std::size_t p = 0; p < x.size(); ++p) {
      Row a, b, c;
      if (m_.has(at + "attn_qkv.weight")) {
        const Row all = times(x[p], at + "attn_qkv");
        const auto begin = all.begin();
        a.assign(begin, begin + static_cast<std::ptrdiff_t>(q));
        b.assign(begin + static_cast<std::ptrdiff_t>(q),
                 begin + static_cast<std::ptrdiff_t>(q + kv));
        c.assign(begin + static_cast<std::ptrdiff_t>(q + kv), all.end());
      } else {
        a = times(x[p], at + "attn_q");
        b = times(x[p], at + "attn_k");
        c = times(x[p], at + "attn_v");
      }
      prepare(a, at + "attn_q_norm", p, layer);
      prepare(b, at + "attn_k_norm", p, layer);
      if (in_blocks) round(b, is("llama")), round(c, false);
      if (in_bfloat16)
        for (Row* r : {&b, &c})
          for (double& v : *r) v = nearest_bfloat16(v);
      h.queries.push_back(a);
      h.keys.push_back(b);
      h.values.push_back(c);
    }
    return h;
  }
  /// With the first 8 bits of the significand.
  static double nearest_bfloat16(double v) {
    const double unit = v == 0 ? 1 : std::ldexp(1, std::ilogb(v) - 7);
    return std::nearbyint(v / unit) * unit;
  }
  /// `pairs`: the first element of each pair of a head is before all that are second.
  void round(Row& x, bool pairs) const {
    const std::size_t size = m_.headSize, half = size / 2;
    for (std::size_t i = 0; i < x.size(); i += 32) {
      const auto at = [&](std::size_t k) -> double& {
        const std::size_t head = k / size * size, place = k % size;
        return x[head + (!pairs ? place : place < half ? 2 * place : 2 * (place - half) + 1)];
      };
      double most = 0;
      for (std::size_t k = i; k < i + 32; ++k) most = std::max(most, std::abs(at(k)));
      for (std::size_t k = i; k < i + 32; ++k)
        at(k) = std::nearbyint(at(k) / (most / 127)) * (most / 127);
    }
  }
  /// Normalizes and rotates each head.
  void prepare(Row& x, const std::string& name, std::size_t position, std::uint32_t layer) const {
    for (std::size_t i = 0; i < x.size(); i += m_.headSize) {
      const auto at = x.begin() + static_cast<std::ptrdiff_t>(i);
      Row head(at, at + m_.headSize);
      if (m_.has(name + ".weight")) head = norm(head, name);
      if (!is("gpt2") && !is("bert")) rotate(head.data(), position, is_local(layer));
      std::copy(head.begin(), head.end(), at);
    }
  }

  Rows attention(const Rows& x, std::uint32_t layer, const std::string& at) const {
    const Heads h = heads_of(x, layer, at);
    const std::size_t size = m_.headSize, group = m_.heads / m_.keyHeads;
    Rows out;
    for (std::size_t p = 0; p < x.size(); ++p) {
      Row mixed(m_.heads * size);
      const std::size_t end = is("bert") ? x.size() : p + 1;
      const std::size_t begin = is_local(layer) && end > m_.window ? end - m_.window : 0;
      for (std::size_t i = 0; i < m_.heads; ++i) {
        Row weight(end);
        double sum = 0, largest = -HUGE_VAL;
        for (std::size_t j = begin; j < end; ++j) {
          for (std::size_t k = 0; k < size; ++k)
            weight[j] += h.queries[p][i * size + k] * h.keys[j][i / group * size + k];
          weight[j] /= std::sqrt(static_cast<double>(size));
          largest = std::max(largest, weight[j]);
        }
        for (std::size_t j = begin; j < end; ++j) sum += weight[j] = std::exp(weight[j] - largest);
        for (std::size_t j = begin; j < end; ++j)
          for (std::size_t k = 0; k < size; ++k)
            mixed[i * size + k] += weight[j] / sum * h.values[j][i / group * size + k];
      }
      out.push_back(times(mixed, at + "attn_output"));
    }
    return out;
  }

  Row feed_forward(const Row& x, const std::string& at) const {
    Row up = times(x, at + "ffn_up");
    if (is("gpt2") || is("bert")) {
      for (double& v : up) v = activated(v);
      return times(up, at + "ffn_down");
    }
    Row gate;
    if (is("phi3")) {
      const auto middle = up.begin() + m_.inner;
      gate.assign(up.begin(), middle);
      up.erase(up.begin(), middle);
    } else {
      gate = times(x, at + "ffn_gate");
    }
    for (std::size_t i = 0; i < up.size(); ++i) up[i] *= activated(gate[i]);
    return times(up, at + "ffn_down");
  }

  static void add(Row& x, const Row& y) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i];
  }
  Rows run(const std::vector<std::int32_t>& tokens) const {
    Rows x;
    for (std::size_t p = 0; p < tokens.size(); ++p) {
      Row row(m_.width);
      for (std::size_t i = 0; i < row.size(); ++i) {
        row[i] =
            double{m_.at("token_embd.weight")[static_cast<std::size_t>(tokens[p]) * m_.width + i]};
        if (is("gemma3")) row[i] *= std::sqrt(static_cast<double>(m_.width));
        if (is("gpt2") || is("bert"))
          row[i] += double{m_.at("position_embd.weight")[p * m_.width + i]};
        if (is("bert")) row[i] += double{m_.at("token_types.weight")[i]};
      }
      x.push_back(is("bert") ? norm(row, "token_embd_norm") : row);
    }
    for (std::uint32_t layer = 0; layer < m_.layers; ++layer) {
      const std::string at = "blk." + std::to_string(layer) + '.';
      Rows seen = x;
      if (!is("bert"))
        for (Row& r : seen) r = norm(r, at + "attn_norm");
      seen = attention(seen, layer, at);
      for (std::size_t p = 0; p < x.size(); ++p) {
        if (is("gemma3")) seen[p] = norm(seen[p], at + "post_attention_norm");
        add(x[p], seen[p]);
        if (is("bert")) x[p] = norm(x[p], at + "attn_output_norm");
        Row y = feed_forward(is("bert") ? x[p] : norm(x[p], at + "ffn_norm"), at);
        if (is("gemma3")) y = norm(y, at + "post_ffw_norm");
        add(x[p], y);
        if (is("bert")) x[p] = norm(x[p], at + "layer_output_norm");
      }
    }
    if (!is("bert"))
      for (Row& r : x) r = norm(r, "output_norm");
    return x;
  }

  const RandomModel& m_;
};

}  // namespace webnn::inline v0_1::lm
