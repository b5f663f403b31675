#include "src/lm/network/network.h"

#include <cmath>

#include "src/formats/common/tanh_gelu.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "webnn/state.h"

namespace webnn::inline v0_1::lm {

namespace inputs {
std::string past_keys(std::uint32_t layer) { return "past keys " + std::to_string(layer); }
std::string past_values(std::uint32_t layer) { return "past values " + std::to_string(layer); }
}  // namespace inputs
namespace outputs {
std::string keys(std::uint32_t layer) { return "keys " + std::to_string(layer); }
std::string values(std::uint32_t layer) { return "values " + std::to_string(layer); }
}  // namespace outputs

Network::Network(MLGraphBuilder builder, const Hyperparameters& h, Weights& weights,
                 const NetworkOptions& options)
    : b_(std::move(builder)),
      h_(h),
      weights_(weights),
      options_(options),
      constants_(b_, weights, h.interleaved, h.headSize, h.rotary.size, options.threads) {
  const MLOperand tokens = input(inputs::tokens, {int32, {"sequences", "new"}});
  const MLOperand shape = b_.shape(tokens);
  sequences_ = b_.slice(shape, {0}, {1});
  new_ = b_.slice(shape, {1}, {1});
  count_ = b_.mul(sequences_, new_);
  tokens_ = b_.reshapeDynamic(tokens, count_);
}

std::string Network::name(std::uint32_t layer, std::string_view part) {
  return "blk." + std::to_string(layer) + '.' + std::string(part);
}

MLOperand Network::input(const char* name, const MLInputOperandDescriptor& d) {
  const auto found = inputs_.find(name);
  if (found != inputs_.end()) return found->second;
  return inputs_.emplace(name, b_.input(name, d)).first->second;
}

MLOperand Network::reshaped(const MLOperand& x, Dims shape) {
  std::vector<MLOperand> parts;
  const auto is_open = [](std::uint32_t d) {
    return d == each_token || d == each_sequence || d == each_new;
  };
  for (auto d = shape.begin(); d != shape.end();) {
    const auto end = std::find_if(d, shape.end(), is_open);
    if (d != end) {
      const std::vector<std::uint32_t> sizes(d, end);
      parts.push_back(
          b_.constant({uint32, {static_cast<std::uint32_t>(sizes.size())}}, InputView(sizes)));
    }
    d = end;
    for (; d != shape.end() && is_open(*d); ++d)
      parts.push_back(*d == each_token ? count_ : *d == each_sequence ? sequences_ : new_);
  }
  return b_.reshapeDynamic(x, parts.size() == 1 ? parts[0] : b_.concat(parts, 0));
}

MLOperand Network::embedding() {
  const std::string table = "token_embd.weight";
  vocabulary_ = constants_.rows_of(table, h_.width);
  MLOperand x = constants_.gathered(table, tokens_, h_.width);
  return h_.embeddingScale == 1 ? x : b_.mul(x, number(h_.embeddingScale));
}

MLOperand Network::position_embedding(const std::string& table) {
  const std::uint32_t rows = constants_.rows_of(table, h_.width);
  if (rows < h_.contextLength)
    raise({"tensor " + in_quotes(table) + " has " + std::to_string(rows) + " rows for " +
               std::to_string(h_.contextLength) + " positions",
           ErrorName::DataError},
          "lm", weights_.label());
  return constants_.gathered(table, input(inputs::positions, {int32, {"tokens"}}), h_.width);
}

MLOperand Network::first_row(const std::string& table) {
  const MLOperand first = b_.constant<std::int32_t>({int32, {1}}, {0});
  return b_.reshape(constants_.gathered(table, first, h_.width), {h_.width});
}

MLOperand Network::linear(const MLOperand& x, const std::string& name, std::uint32_t results) {
  const auto terms = x.dimensions()->back().size();
  const std::uint32_t rows = constants_.rows_of(name + ".weight", terms);
  if (results != 0 && rows != results)
    raise({"tensor " + in_quotes(name + ".weight") + " has " + std::to_string(rows) +
               " rows, not " + std::to_string(results),
           ErrorName::DataError},
          "lm", weights_.label());
  const bool rotates = name.ends_with("attn_q") || name.ends_with("attn_k");
  const MLOperand y = constants_.product(x, name + ".weight", terms, rotates);
  const std::string bias = name + ".bias";
  if (!has(bias)) return y;
  return b_.add(y, constants_.list(bias, y.dimensions()->back().size(), rotates));
}

MLOperand Network::rms_norm(const MLOperand& x, const std::string& name) {
  const std::uint32_t last = x.rank() - 1;
  const MLOperand mean = b_.reduceMean(b_.mul(x, x), {.axes = {{last}}, .keepDimensions = true});
  const MLOperand root = b_.sqrt(b_.add(mean, number(h_.epsilon)));
  const MLOperand weight =
      constants_.list(name + ".weight", x.dimensions()->back().size(), false, h_.normOffset);
  return b_.mul(b_.div(x, root), weight);
}

MLOperand Network::layer_norm(const MLOperand& x, const std::string& name) {
  const std::uint32_t size = x.dimensions()->back().size();
  MLLayerNormalizationOptions o{.axes = {{x.rank() - 1}}, .epsilon = h_.epsilon};
  o.scale = constants_.list(name + ".weight", size);
  if (has(name + ".bias")) o.bias = constants_.list(name + ".bias", size);
  return b_.layerNormalization(x, o);
}

MLOperand Network::activated(const MLOperand& x, std::string_view otherwise) {
  const std::string_view kind = h_.activation.empty() ? otherwise : h_.activation;
  if (kind == "silu") return b_.mul(x, b_.sigmoid(x));
  if (kind == "gelu") return b_.gelu(x);
  return formats::tanh_gelu(b_, x);
}

std::vector<MLOperand> Network::parts(const MLOperand& x, const Dims& sizes) {
  return b_.split(x, sizes, {.axis = x.rank() - 1});
}

MLOperand Network::rotated(const MLOperand& x, bool local) {
  const bool own = local && h_.localRotary.size > 0;
  const std::uint32_t size = own ? h_.localRotary.size : h_.rotary.size;
  const MLInputOperandDescriptor d{float32, {"tokens", 1, size / 2}};
  const MLOperand cos = input(own ? inputs::local_cos : inputs::cos, d),
                  sin = input(own ? inputs::local_sin : inputs::sin, d);
  const std::uint32_t last = x.rank() - 1, whole = x.dimensions()->back().size();
  MLOperand turning = x, rest;
  if (size != whole) {
    const auto both = parts(x, {size, whole - size});
    turning = both[0], rest = both[1];
  }
  const auto pair = parts(turning, {size / 2, size / 2});
  const MLOperand y = b_.concat({b_.sub(b_.mul(pair[0], cos), b_.mul(pair[1], sin)),
                                 b_.add(b_.mul(pair[0], sin), b_.mul(pair[1], cos))},
                                last);
  return rest ? b_.concat({y, rest}, last) : y;
}

MLOperand Network::grown(NetworkState state, const MLOperand& rows) {
  const MLDynamicDimension past{.name = "past", .minSize = 0, .maxSize = options_.capacity};
  MLDimensions shape{"sequences", h_.keyHeads, past};
  shape.insert(shape.end(), state.row.begin(), state.row.end());
  const MLOperand before = b_.input(state.input, {state.type, std::move(shape)});
  const MLOperand after = b_.concat({before, rows}, 2);
  update(b_, before, after);
  outputs_.push_back({state.output, after});
  states_.push_back(std::move(state));
  return after;
}

MLOperand Network::cached(const MLOperand& fresh, std::uint32_t layer, bool keys) {
  const std::string input = keys ? inputs::past_keys(layer) : inputs::past_values(layer),
                    output = keys ? outputs::keys(layer) : outputs::values(layer);
  const MLOperandDataType type = options_.cacheType;
  const std::uint32_t window = h_.is_local(layer) ? h_.window : 0;
  if (type == int8) return cached_in_blocks(fresh, input, output, window);
  const MLOperand rows = type == float32 ? fresh : b_.cast(fresh, type);
  const MLOperand after = grown({input, output, type, {h_.headSize}, window}, rows);
  return type == float32 ? after : b_.cast(after, float32);
}

MLOperand Network::cached_in_blocks(const MLOperand& fresh, const std::string& input,
                                    const std::string& output, std::uint32_t window) {
  constexpr float largest = 127, least = 1e-30f;  // so that zeros have a scale
  const std::uint32_t blocks = h_.headSize / cache_block;
  const Dims whole{each_sequence, h_.keyHeads, each_new, h_.headSize};
  const MLOperand x = reshaped(fresh, {each_sequence, h_.keyHeads, each_new, blocks, cache_block});
  const MLOperand magnitude = b_.reduceMax(b_.abs(x), {.axes = {{4}}});
  const MLOperand new_scales = b_.max(b_.div(magnitude, number(largest)), number(least));
  const MLOperand integers = b_.roundEven(b_.div(x, b_.unsqueeze(new_scales, {4})));
  const MLOperand values =
      grown({input, output, int8, {h_.headSize}, window}, reshaped(b_.cast(integers, int8), whole));
  const MLOperand scales = grown(
      {input + inputs::scales, output + inputs::scales, float32, {blocks}, window}, new_scales);
  std::vector<std::int32_t> block_of(h_.headSize);
  for (std::uint32_t i = 0; i < h_.headSize; ++i)
    block_of[i] = static_cast<std::int32_t>(i / cache_block);
  const MLOperand each =
      b_.gather(scales, b_.constant({int32, {h_.headSize}}, block_of), {.axis = 3});
  return b_.mul(b_.cast(values, float32), each);
}

MLOperand Network::capped(const MLOperand& x, double cap) {
  return cap == 0 ? x : b_.mul(b_.tanh(b_.div(x, number(cap))), number(cap));
}

MLOperand Network::mask(bool local) {
  return input(local ? inputs::local_mask : inputs::mask,
               {float32, {"sequences", 1, 1, "new", "total"}});
}

Network::Heads Network::projections(const MLOperand& x, std::uint32_t layer) {
  const std::uint32_t q = h_.heads * h_.headSize, k = h_.keyHeads * h_.headSize;
  if (has(name(layer, "attn_qkv.weight"))) {
    const auto all = parts(linear(x, name(layer, "attn_qkv"), q + 2 * k), {q, k, k});
    return {all[0], all[1], all[2]};
  }
  return {linear(x, name(layer, "attn_q"), q), linear(x, name(layer, "attn_k"), k),
          linear(x, name(layer, "attn_v"), k)};
}

MLOperand Network::attention(const MLOperand& x, std::uint32_t layer, const AttentionForm& form) {
  const std::uint32_t kv = h_.keyHeads, group = h_.heads / kv, size = h_.headSize;
  const bool local = h_.is_local(layer);
  const Heads flat = projections(x, layer);
  MLOperand q = reshaped(flat.queries, {each_token, h_.heads, size});
  MLOperand k = reshaped(flat.keys, {each_token, kv, size});
  if (form.head_norms) {
    q = rms_norm(q, name(layer, "attn_q_norm"));
    k = rms_norm(k, name(layer, "attn_k_norm"));
  }
  if (form.rotary) q = rotated(q, local), k = rotated(k, local);
  q = b_.transpose(reshaped(q, {each_sequence, each_new, kv, group, size}),
                   {.permutation = {{0, 2, 3, 1, 4}}});
  q = b_.mul(q, number(h_.scoreScale == 0 ? 1 / std::sqrt(size) : h_.scoreScale));
  const auto by_head = [&](const MLOperand& x) {
    if (kv == 1) return reshaped(x, {each_sequence, 1, each_new, size});
    return b_.transpose(reshaped(x, {each_sequence, each_new, kv, size}),
                        {.permutation = {{0, 2, 1, 3}}});
  };
  k = by_head(k);
  MLOperand v = by_head(flat.values);
  if (form.causal) k = cached(k, layer, true), v = cached(v, layer, false);
  k = b_.unsqueeze(k, {2});  // for each of a group
  v = b_.unsqueeze(v, {2});
  MLOperand scores = b_.matmul(q, b_.transpose(k, {.permutation = {{0, 1, 2, 4, 3}}}));
  scores = capped(scores, h_.attentionCap);
  if (form.causal) scores = b_.add(scores, mask(local));
  const MLOperand y = b_.matmul(b_.softmax(scores, 4), v);
  return linear(
      reshaped(b_.transpose(y, {.permutation = {{0, 3, 1, 2, 4}}}), {each_token, h_.heads * size}),
      name(layer, "attn_output"), h_.width);
}

MLOperand Network::gated(const MLOperand& x, std::uint32_t layer, std::string_view activation) {
  MLOperand gate, up = linear(x, name(layer, "ffn_up"));
  if (has(name(layer, "ffn_gate.weight"))) {
    gate = linear(x, name(layer, "ffn_gate"));
  } else {
    const std::uint32_t half = up.dimensions()->back().size() / 2;
    const auto both = parts(up, {half, half});
    gate = both[0], up = both[1];
  }
  return linear(b_.mul(activated(gate, activation), up), name(layer, "ffn_down"), h_.width);
}

MLOperand Network::feed_forward(const MLOperand& x, std::uint32_t layer,
                                std::string_view activation) {
  return linear(activated(linear(x, name(layer, "ffn_up")), activation), name(layer, "ffn_down"),
                h_.width);
}

void Network::finish_with_logits(const MLOperand& x) {
  const MLOperand rows = b_.gather(x, input(inputs::rows, {int32, {"results"}}));
  MLOperand logits = linear(rows, has("output.weight") ? "output" : "token_embd");
  outputs_.push_back({outputs::logits, capped(logits, h_.logitCap)});
  vocabulary_ = logits.dimensions()->back().size();
}

void Network::finish_with_embedding(const MLOperand& x) {
  MLOperand y;
  switch (h_.pooling) {
    case Pooling::none:
    case Pooling::mean: y = b_.reduceMean(x, {.axes = {{0}}}); break;
    case Pooling::first: y = b_.gather(x, b_.constant<std::int32_t>({int32, {1}}, {0})); break;
    case Pooling::last: y = b_.gather(x, b_.constant<std::int32_t>({int32, {1}}, {-1})); break;
  }
  outputs_.push_back({outputs::embedding, b_.reshape(y, {h_.width})});
}

}  // namespace webnn::inline v0_1::lm
