// Small .gguf files with random weights, of each architecture and of each type of weights.
#pragma once

#include <map>
#include <random>

#include "tests/formats/gguf/writer.h"
#include "webnn/float16.h"

namespace webnn::inline v0_1::lm {

struct ModelForm {
  std::string architecture = "llama";
  gguf::TensorType type = gguf::TensorType::F32;  ///< of matrices
  std::uint32_t layers = 2, width = 256, heads = 4, keyHeads = 2, headSize = 64, inner = 512,
                vocabulary = 512, context = 256, window = 0;
  bool tied = false;     ///< no output.weight
  bool factors = false;  ///< rope_freqs.weight
  std::uint32_t seed = 1;
  double epsilon = 1e-5, base = 10000;
};

struct RandomModel : ModelForm {
  explicit RandomModel(const ModelForm& form) : ModelForm(form) { make(); }

  struct Stored {
    std::vector<std::uint64_t> shape{};
    std::vector<float> values{};  ///< as the file has them
    gguf::TensorType type{};
    gguf::Bytes bytes{};
  };
  std::map<std::string, Stored> tensors{};

  gguf::Writer file() const;  ///< with a tokenizer
  /// The same values as F32.
  RandomModel as_float32() const;
  gguf::Bytes bytes() const { return file().bytes(); }
  bool has(const std::string& name) const { return tensors.contains(name); }
  const std::vector<float>& at(const std::string& name) const { return tensors.at(name).values; }

 private:
  float number(double from, double to) {
    return static_cast<float>(std::uniform_real_distribution<double>(from, to)(random_));
  }
  void add(const std::string& name, std::vector<std::uint64_t> shape, gguf::TensorType type);
  void matrix(const std::string& name, std::uint64_t rows, std::uint64_t columns) {
    add(name, {rows, columns}, type);
  }
  void list(const std::string& name, std::uint64_t size, double from, double to);
  void both(const std::string& name, std::uint64_t size) {
    list(name + ".weight", size, 0.5, 1.5);
    list(name + ".bias", size, -0.2, 0.2);
  }
  void make();
  void make_layer(const std::string& at);

  std::mt19937 random_{};
};

namespace random_model {

using gguf::Bytes;
using gguf::TensorType;

inline void put_half(Bytes& out, float value) { gguf::put(out, float16_bits(value)); }

/// Blocks of integers that are any, with scales so that values are below about 0.1.
inline Bytes random_blocks(TensorType type, std::size_t elements, std::mt19937& random) {
  const gguf::BlockLayout layout = gguf::block_layout(type);
  Bytes all;
  std::uniform_real_distribution<float> part(0.5f, 1.5f);
  for (std::size_t i = 0; i < elements / layout.elements; ++i) {
    Bytes block(layout.bytes);
    for (std::byte& b : block) b = static_cast<std::byte>(random() & 255);
    Bytes head;
    switch (type) {
      case TensorType::Q8_0: put_half(head, part(random) * 0.0007f); break;
      case TensorType::Q4_0: put_half(head, part(random) * 0.012f); break;
      case TensorType::Q5_0: put_half(head, part(random) * 0.006f); break;
      case TensorType::Q4_1:
        put_half(head, part(random) * 0.012f);
        put_half(head, -part(random) * 0.09f);
        break;
      case TensorType::Q5_1:
        put_half(head, part(random) * 0.006f);
        put_half(head, -part(random) * 0.09f);
        break;
      case TensorType::Q4_K:
        put_half(head, part(random) * 0.0003f);
        put_half(head, part(random) * 0.0022f);
        break;
      case TensorType::Q5_K:
        put_half(head, part(random) * 0.00015f);
        put_half(head, part(random) * 0.0022f);
        break;
      case TensorType::Q6_K: {
        Bytes d;
        put_half(d, part(random) * 0.00004f);
        std::copy(d.begin(), d.end(), block.end() - 2);
        break;
      }
      default: break;
    }
    std::copy(head.begin(), head.end(), block.begin());
    all.insert(all.end(), block.begin(), block.end());
  }
  return all;
}

}  // namespace random_model

inline void RandomModel::add(const std::string& name, std::vector<std::uint64_t> shape,
                             gguf::TensorType kind) {
  using gguf::TensorType;
  std::size_t count = 1;
  for (const std::uint64_t d : shape) count *= d;
  Stored t{std::move(shape), std::vector<float>(count), kind};
  std::normal_distribution<float> normal(0, 0.06f);
  for (std::size_t i = 0; i < count; ++i) {
    const float x = normal(random_);
    if (kind == TensorType::F32) gguf::put(t.bytes, x);
    else if (kind == TensorType::F16) gguf::put(t.bytes, float16_bits(x));
    else if (kind == TensorType::BF16)
      gguf::put(t.bytes, static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(x) >> 16));
  }
  if (t.bytes.empty()) t.bytes = random_model::random_blocks(kind, count, random_);
  gguf::dequantize(kind, t.bytes, t.values);
  tensors[name] = std::move(t);
}

inline void RandomModel::list(const std::string& name, std::uint64_t size, double from, double to) {
  Stored t{{size}, {}, gguf::TensorType::F32};
  for (std::uint64_t i = 0; i < size; ++i) {
    t.values.push_back(number(from, to));
    gguf::put(t.bytes, t.values.back());
  }
  tensors[name] = std::move(t);
}

inline void RandomModel::make_layer(const std::string& at) {
  const std::uint64_t q = heads * headSize, kv = keyHeads * headSize;
  const bool is_gpt2 = architecture == "gpt2", is_bert = architecture == "bert";
  const bool fused = is_gpt2 || architecture == "phi3";
  const bool biased = is_gpt2 || is_bert;
  const auto linear = [&](const std::string& name, std::uint64_t rows, std::uint64_t columns,
                          bool bias) {
    matrix(at + name + ".weight", rows, columns);
    if (bias) list(at + name + ".bias", rows, -0.2, 0.2);
  };
  const auto norm = [&](const std::string& name, std::uint64_t size) {
    list(at + name + ".weight", size, 0.5, 1.5);
    if (biased) list(at + name + ".bias", size, -0.2, 0.2);
  };
  if (!is_bert) norm("attn_norm", width);
  if (fused) {
    linear("attn_qkv", q + 2 * kv, width, biased);
  } else {
    const bool bias = biased || architecture == "qwen2";
    linear("attn_q", q, width, bias);
    linear("attn_k", kv, width, bias);
    linear("attn_v", kv, width, bias);
  }
  linear("attn_output", width, q, biased);
  if (architecture == "qwen3" || architecture == "gemma3") {
    norm("attn_q_norm", headSize);
    norm("attn_k_norm", headSize);
  }
  if (is_bert) norm("attn_output_norm", width);
  else norm("ffn_norm", width);
  if (architecture == "gemma3") {
    norm("post_attention_norm", width);
    norm("post_ffw_norm", width);
  }
  if (is_bert) norm("layer_output_norm", width);
  if (!biased && !fused) linear("ffn_gate", inner, width, false);
  linear("ffn_up", architecture == "phi3" ? 2 * inner : inner, width, biased);
  linear("ffn_down", width, inner, biased);
}

inline void RandomModel::make() {
  random_.seed(seed);
  matrix("token_embd.weight", vocabulary, width);
  if (architecture == "gpt2" || architecture == "bert") {
    add("position_embd.weight", {context, width}, gguf::TensorType::F32);
  }
  if (architecture == "bert") {
    add("token_types.weight", {2, width}, gguf::TensorType::F32);
    both("token_embd_norm", width);
  } else {
    if (!tied) matrix("output.weight", vocabulary, width);
    list("output_norm.weight", width, 0.5, 1.5);
    if (architecture == "gpt2") list("output_norm.bias", width, -0.2, 0.2);
  }
  if (factors) list("rope_freqs.weight", headSize / 2, 1, 8);
  for (std::uint32_t i = 0; i < layers; ++i) make_layer("blk." + std::to_string(i) + '.');
}

inline RandomModel RandomModel::as_float32() const {
  RandomModel m = *this;
  for (auto& [name, t] : m.tensors) {
    t.type = gguf::TensorType::F32;
    t.bytes.clear();
    for (const float v : t.values) gguf::put(t.bytes, v);
  }
  return m;
}

inline gguf::Writer RandomModel::file() const {
  gguf::Writer w;
  const std::string a = architecture + '.';
  w.value("general.architecture", architecture).value("general.name", std::string("random"));
  const auto size = [&](const char* key, std::uint32_t v) { w.value(a + key, v); };
  size("block_count", layers);
  size("embedding_length", width);
  size("context_length", context);
  size("feed_forward_length", inner);
  size("attention.head_count", heads);
  size("attention.head_count_kv", keyHeads);
  size("vocab_size", vocabulary);
  const bool has_norm = architecture == "gpt2" || architecture == "bert";
  w.value(a + (has_norm ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon"),
          static_cast<float>(epsilon));
  if (!has_norm) {
    size("attention.key_length", headSize);
    size("attention.value_length", headSize);
    size("rope.dimension_count", headSize);
    w.value(a + "rope.freq_base", static_cast<float>(base));
  }
  if (window > 0) size("attention.sliding_window", window);
  if (architecture == "bert") {
    size("pooling_type", 1);
    w.value(a + "attention.causal", false)
        .value("tokenizer.ggml.token_type_count", std::uint32_t{2})
        .value("tokenizer.ggml.add_bos_token", false)
        .value("tokenizer.ggml.add_eos_token", false);
  }
  std::vector<std::string> tokens{"<unk>", "<s>", "</s>"};
  std::vector<std::int32_t> types{2, 3, 3};
  for (int i = 0; i < 256; ++i) {
    constexpr char digits[] = "0123456789ABCDEF";
    tokens.push_back(std::string("<0x") + digits[i / 16] + digits[i % 16] + '>');
    types.push_back(6);
  }
  while (tokens.size() < vocabulary) {
    tokens.push_back("\xe2\x96\x81w" + std::to_string(tokens.size()));
    types.push_back(1);
  }
  std::vector<float> scores(vocabulary);
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = -static_cast<float>(i);
  w.value("tokenizer.ggml.model", std::string("llama"))
      .array("tokenizer.ggml.tokens", tokens)
      .array("tokenizer.ggml.scores", scores)
      .array("tokenizer.ggml.token_type", types)
      .value("tokenizer.ggml.bos_token_id", std::uint32_t{1})
      .value("tokenizer.ggml.eos_token_id", std::uint32_t{2})
      .value("tokenizer.ggml.unknown_token_id", std::uint32_t{0});
  for (const auto& [name, t] : tensors) w.tensor(name, t.type, t.shape, t.bytes);
  return w;
}

}  // namespace webnn::inline v0_1::lm
