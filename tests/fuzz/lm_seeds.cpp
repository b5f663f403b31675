// A small file of each kind.
#include <string>

#include "tests/formats/gguf/writer.h"
#include "tests/fuzz/seeds.h"

namespace {

void save(const std::filesystem::path& path, const std::string& text) {
  webnn::fuzz::write_seed(path, std::as_bytes(std::span(text)));
}

void save(const std::filesystem::path& path, char kind, const webnn::gguf::Writer& w) {
  const auto bytes = w.bytes();
  save(path, kind + std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

/// The smallest of networks.
webnn::gguf::Writer model() {
  using namespace webnn::gguf;
  constexpr std::uint32_t width = 4, inner = 6, vocabulary = 5;
  Writer w;
  w.value("general.architecture", std::string("llama"));
  for (const auto& [key, value] : {std::pair<const char*, std::uint32_t>{"context_length", 16},
                                   {"embedding_length", width},
                                   {"block_count", 1},
                                   {"feed_forward_length", inner},
                                   {"attention.head_count", 2},
                                   {"attention.head_count_kv", 1}})
    w.value(std::string("llama.") + key, value);
  w.value("llama.attention.layer_norm_rms_epsilon", 1e-5f);
  const auto add = [&](const std::string& name, const std::vector<std::uint64_t>& shape) {
    std::uint64_t count = 1;
    for (const std::uint64_t d : shape) count *= d;
    Bytes bytes;
    for (std::uint64_t i = 0; i < count; ++i) put(bytes, static_cast<float>(i % 5) - 1.5f);
    w.tensor(name, TensorType::F32, shape, bytes);
  };
  add("token_embd.weight", {vocabulary, width});
  for (const char* name : {"output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"})
    add(name + std::string(".weight"), {width});
  for (const char* name : {"attn_q", "attn_output"})
    add("blk.0." + std::string(name) + ".weight", {width, width});
  for (const char* name : {"attn_k", "attn_v"})
    add("blk.0." + std::string(name) + ".weight", {width / 2, width});
  add("blk.0.ffn_gate.weight", {inner, width});
  add("blk.0.ffn_up.weight", {inner, width});
  add("blk.0.ffn_down.weight", {width, inner});
  return w;
}

}  // namespace

void webnn::fuzz::write_seeds(const std::filesystem::path& folder) {
  save(folder / "bpe", R"json(j{"model": {"type": "BPE", "merges": ["a b"],
    "vocab": {"a": 0, "b": 1, "ab": 2, "<unk>": 3, "<0xC3>": 4},
    "unk_token": "<unk>", "byte_fallback": true, "fuse_unk": true}, "normalizer": {"type": "NFC"},
    "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "ByteLevel"},
      {"type": "Split", "pattern": {"Regex": "\\p{L}+|\\s+(?!\\S)"}, "behavior": "Isolated"}]},
    "decoder": {"type": "ByteLevel"},
    "added_tokens": [{"id": 5, "content": "<s>", "special": true, "lstrip": true}]})json");
  save(folder / "unigram", R"json(j{"model": {"type": "Unigram", "unk_id": 0,
    "vocab": [["<unk>", 0], ["a", -1.5], ["ab", -2]]},
    "pre_tokenizer": {"type": "Metaspace"}, "decoder": {"type": "Metaspace"}})json");
  save(folder / "word_piece", R"json(j{"model": {"type": "WordPiece",
    "vocab": {"[UNK]": 0, "a": 1, "##b": 2}}, "normalizer": {"type": "BertNormalizer"},
    "pre_tokenizer": {"type": "BertPreTokenizer"}, "decoder": {"type": "WordPiece"}})json");
  save(folder / "loop",
       "t{%- for m in messages if m.role != 'x' -%}{{ loop.index }}{{ m['content'] | trim }}"
       "{% if not loop.last %}, {% endif %}{% endfor %}");
  save(folder / "macro",
       "t{% macro f(a, b=1) %}{{ a ~ b }}{% endmacro %}{% set ns = namespace(x=[1]) %}"
       "{% set ns.x = ns.x + [2] %}{{ f(ns.x | tojson(indent=2)) }}{{ 'ab'[::-1].upper() }}");
  save(folder / "genai", R"json(c{"model": {"type": "llama", "context_length": 64,
    "vocab_size": 32, "eos_token_id": [2, 3], "decoder": {"filename": "model.onnx",
      "head_size": 8, "num_hidden_layers": 2, "inputs": {"input_ids": "input_ids",
        "past_key_names": "past_key_values.%d.key"}, "outputs": {"logits": "logits",
        "present_value_names": "present.%d.value"}, "sliding_window": {"window_size": 8}}},
    "search": {"max_length": 64, "num_beams": 1, "do_sample": true, "temperature": 0.5,
      "top_k": 5, "top_p": 0.9, "repetition_penalty": 1.1}})json");
  save(folder / "gbnf",
       "broot ::= (item \" \")* item # list\nitem ::= [a-c\\]]+ | \"x\\u00e9\"{1,3} | . | \"(\" "
       "root \")\"\n");
  save(folder / "schema", R"json(s{"$defs": {"n": {"type": ["integer", "null"], "minimum": -5}},
    "properties": {"a": {"items": {"$ref": "#/$defs/n"}, "minItems": 1, "maxItems": 9},
      "c": {"anyOf": [{"const": null}, {"enum": ["x", 1]}, {"pattern": "^a[b-d]{2}(e|\\d+)?$"}]}},
    "required": ["a"], "additionalProperties": {"type": "string", "maxLength": 4}})json");
  save(folder / "all_of", R"json(s{"allOf": [{"properties": {"a": {"format": "date"}}},
    {"prefixItems": [true, {"$ref": "#"}]}, {"required": ["a", "b"]}]})json");
  gguf::Writer w;
  w.value("tokenizer.ggml.model", std::string("llama"))
      .array("tokenizer.ggml.tokens", std::vector<std::string>{"<unk>", "a", "b", "ab"})
      .array("tokenizer.ggml.scores", std::vector<float>{0, -1, -2, -3});
  save(folder / "gguf", 'g', w);
  save(folder / "model", 'm', model());
  save(folder / "config", R"json(h{"model_type": "llama", "hidden_size": 64, "vocab_size": 32,
    "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16,
    "intermediate_size": 96, "max_position_embeddings": 128, "rms_norm_eps": 1e-5,
    "rope_theta": 10000.0, "eos_token_id": [1, 2], "tie_word_embeddings": true,
    "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
      "high_freq_factor": 4.0, "original_max_position_embeddings": 64}})json");
}
