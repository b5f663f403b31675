// The names of tensors in .safetensors files of Hugging Face, as .gguf files have them.
#include <algorithm>
#include <charconv>

#include "src/lm/weights/weights.h"

namespace webnn::inline v0_1::lm {
namespace {

struct Row {
  std::string_view from, to;
};

// Behind "model.layers.7.", "transformer.h.7." or "encoder.layer.7.".
constexpr Row in_layers[] = {
    {"input_layernorm", "attn_norm"},
    {"self_attn.q_proj", "attn_q"},
    {"self_attn.k_proj", "attn_k"},
    {"self_attn.v_proj", "attn_v"},
    {"self_attn.o_proj", "attn_output"},
    {"self_attn.qkv_proj", "attn_qkv"},
    {"self_attn.q_norm", "attn_q_norm"},
    {"self_attn.k_norm", "attn_k_norm"},
    {"post_attention_layernorm", "ffn_norm"},
    {"mlp.gate_proj", "ffn_gate"},
    {"mlp.up_proj", "ffn_up"},
    {"mlp.down_proj", "ffn_down"},
    {"mlp.gate_up_proj", "ffn_up"},
    // gpt2
    {"ln_1", "attn_norm"},
    {"attn.c_attn", "attn_qkv"},
    {"attn.c_proj", "attn_output"},
    {"ln_2", "ffn_norm"},
    {"mlp.c_fc", "ffn_up"},
    {"mlp.c_proj", "ffn_down"},
    // bert
    {"attention.self.query", "attn_q"},
    {"attention.self.key", "attn_k"},
    {"attention.self.value", "attn_v"},
    {"attention.output.dense", "attn_output"},
    {"attention.output.LayerNorm", "attn_output_norm"},
    {"intermediate.dense", "ffn_up"},
    {"output.dense", "ffn_down"},
    {"output.LayerNorm", "layer_output_norm"},
};
constexpr Row in_gemma3_layers[] = {
    {"post_attention_layernorm", "post_attention_norm"},
    {"pre_feedforward_layernorm", "ffn_norm"},
    {"post_feedforward_layernorm", "post_ffw_norm"},
};
constexpr Row elsewhere[] = {
    {"embed_tokens", "token_embd"},
    {"norm", "output_norm"},
    {"lm_head", "output"},
    {"wte", "token_embd"},
    {"wpe", "position_embd"},
    {"ln_f", "output_norm"},
    {"embeddings.word_embeddings", "token_embd"},
    {"embeddings.position_embeddings", "position_embd"},
    {"embeddings.token_type_embeddings", "token_types"},
    {"embeddings.LayerNorm", "token_embd_norm"},
};
// Computed from other data, or not of the language model itself.
constexpr std::string_view not_needed[] = {".rotary_emb.inv_freq", ".attn.bias",
                                           ".attn.masked_bias", "embeddings.position_ids"};

template <std::size_t n> std::string_view find(const Row (&rows)[n], std::string_view name) {
  for (const Row& r : rows)
    if (r.from == name) return r.to;
  return {};
}
bool drop(std::string_view& name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  return true;
}

}  // namespace

std::optional<std::string> gguf_name(std::string_view name, std::string_view architecture) {
  for (const std::string_view s : not_needed)
    if (name.ends_with(s)) return std::string();
  if (architecture == "bert" && (name.starts_with("pooler.") || name.starts_with("bert.pooler.")))
    return std::string();
  for (const std::string_view prefix : {"model.", "transformer.", "bert.", "language_model.model."})
    if (drop(name, prefix)) break;
  std::string_view kind;
  for (const std::string_view s : {".weight", ".bias"})
    if (name.ends_with(s)) {
      kind = s;
      name.remove_suffix(s.size());
      break;
    }
  if (kind.empty()) return std::nullopt;
  if (!drop(name, "layers.") && !drop(name, "h.") && !drop(name, "encoder.layer.")) {
    const std::string_view to = find(elsewhere, name);
    return to.empty() ? std::nullopt : std::optional(std::string(to) + std::string(kind));
  }
  std::uint32_t layer = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), layer);
  if (error != std::errc() || end == name.data() + name.size() || *end != '.') return std::nullopt;
  name.remove_prefix(static_cast<std::size_t>(end - name.data()) + 1);
  std::string_view to;
  if (architecture == "gemma3") to = find(in_gemma3_layers, name);
  if (to.empty()) to = find(in_layers, name);
  if (to.empty()) return std::nullopt;
  return "blk." + std::to_string(layer) + '.' + std::string(to) + std::string(kind);
}

}  // namespace webnn::inline v0_1::lm
