// Folders of Hugging Face have the logits of .gguf files with the same weights.
#include <algorithm>
#include <filesystem>

#include "tests/lm/model/load_random.h"
#include "tests/support/thrown.h"
#include "webnn/safetensors.h"

namespace webnn::inline v0_1::lm {
namespace {

namespace fs = std::filesystem;

struct Names {
  const char *gguf, *other;
};
constexpr Names common[] = {{"token_embd", "model.embed_tokens"},
                            {"output_norm", "model.norm"},
                            {"output", "lm_head"},
                            {"attn_norm", "input_layernorm"},
                            {"attn_q", "self_attn.q_proj"},
                            {"attn_k", "self_attn.k_proj"},
                            {"attn_v", "self_attn.v_proj"},
                            {"attn_output", "self_attn.o_proj"},
                            {"attn_qkv", "self_attn.qkv_proj"},
                            {"attn_q_norm", "self_attn.q_norm"},
                            {"attn_k_norm", "self_attn.k_norm"},
                            {"ffn_gate", "mlp.gate_proj"},
                            {"ffn_down", "mlp.down_proj"}};
constexpr Names of_gpt2[] = {{"token_embd", "transformer.wte"},
                             {"position_embd", "transformer.wpe"},
                             {"output_norm", "transformer.ln_f"},
                             {"output", "lm_head"},
                             {"attn_norm", "ln_1"},
                             {"attn_qkv", "attn.c_attn"},
                             {"attn_output", "attn.c_proj"},
                             {"ffn_norm", "ln_2"},
                             {"ffn_up", "mlp.c_fc"},
                             {"ffn_down", "mlp.c_proj"}};
constexpr Names of_bert[] = {{"token_embd", "embeddings.word_embeddings"},
                             {"position_embd", "embeddings.position_embeddings"},
                             {"token_types", "embeddings.token_type_embeddings"},
                             {"token_embd_norm", "embeddings.LayerNorm"},
                             {"attn_q", "attention.self.query"},
                             {"attn_k", "attention.self.key"},
                             {"attn_v", "attention.self.value"},
                             {"attn_output", "attention.output.dense"},
                             {"attn_output_norm", "attention.output.LayerNorm"},
                             {"ffn_up", "intermediate.dense"},
                             {"ffn_down", "output.dense"},
                             {"layer_output_norm", "output.LayerNorm"}};

template <std::size_t n> std::string found(const Names (&names)[n], const std::string& part) {
  for (const Names& row : names)
    if (part == row.gguf) return row.other;
  FAIL("no name for " << part);
  return {};
}
std::string other_name(const std::string& architecture, const std::string& part) {
  if (architecture == "gpt2") return found(of_gpt2, part);
  if (architecture == "bert") return found(of_bert, part);
  if (part == "ffn_up") return architecture == "phi3" ? "mlp.gate_up_proj" : "mlp.up_proj";
  if (architecture == "gemma3") {
    if (part == "ffn_norm") return "pre_feedforward_layernorm";
    if (part == "post_attention_norm") return "post_attention_layernorm";
    if (part == "post_ffw_norm") return "post_feedforward_layernorm";
  }
  return part == "ffn_norm" ? "post_attention_layernorm" : found(common, part);
}

/// The tensor as that library has it.
struct Tensor {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::vector<float> values;
};
Tensor converted(const RandomModel& m, const std::string& gguf_name, const RandomModel::Stored& s) {
  const std::string& a = m.architecture;
  const std::size_t dot = gguf_name.rfind('.');
  std::string part = gguf_name.substr(0, dot), prefix;
  if (part.starts_with("blk.")) {
    const std::size_t second = part.find('.', 4);
    const std::string layer = part.substr(4, second - 4);
    prefix = (a == "gpt2"   ? "transformer.h."
              : a == "bert" ? "encoder.layer."
                            : "model.layers.") +
             layer + '.';
    part = part.substr(second + 1);
  }
  Tensor t{prefix + other_name(a, part) + gguf_name.substr(dot), s.shape, s.values};
  const std::size_t columns = t.shape.size() == 2 ? t.shape[1] : 1;
  if (a == "llama" && (part == "attn_q" || part == "attn_k"))  // pairs of halves
    for (std::size_t i = 0; i < t.values.size() / columns; ++i) {
      const std::size_t at = i % m.headSize, half = m.headSize / 2;
      const std::size_t from = i - at + (at < half ? 2 * at : 2 * (at - half) + 1);
      for (std::size_t j = 0; j < columns; ++j)
        t.values[i * columns + j] = s.values[from * columns + j];
    }
  if (a == "gpt2" && !prefix.empty() && t.shape.size() == 2) {
    std::swap(t.shape[0], t.shape[1]);
    const std::size_t rows = t.shape[1];
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) t.values[j * rows + i] = s.values[i * columns + j];
  }
  if (a == "gemma3" && part.ends_with("norm"))
    for (float& v : t.values) v -= 1;
  return t;
}

/// A file whose elements are F32, or BF16 with the upper 16 bits of these.
void write(const fs::path& path, const std::vector<Tensor>& tensors, bool bfloat16) {
  std::string header = "{";
  std::string data;
  for (const Tensor& t : tensors) {
    const std::size_t begin = data.size();
    for (const float v : t.values)
      data.append(reinterpret_cast<const char*>(&v) + (bfloat16 ? 2 : 0), bfloat16 ? 2 : 4);
    std::string shape;
    for (const std::uint64_t d : t.shape) shape += (shape.empty() ? "" : ",") + std::to_string(d);
    header += (header.size() > 1 ? ",\"" : "\"") + t.name + "\":{\"dtype\":\"" +
              (bfloat16 ? "BF16" : "F32") + "\",\"shape\":[" + shape + "],\"data_offsets\":[" +
              std::to_string(begin) + ',' + std::to_string(data.size()) + "]}";
  }
  header += '}';
  std::ofstream file(path, std::ios::binary);
  const std::uint64_t size = header.size();
  file.write(reinterpret_cast<const char*>(&size), 8);
  file << header << data;
}

std::string config_of(const RandomModel& m) {
  const auto number = [](const char* key, double v) {
    return std::string(",\"") + key + "\":" + std::to_string(v);
  };
  const auto size = [](const char* key, std::uint32_t v) {
    return std::string(",\"") + key + "\":" + std::to_string(v);
  };
  const std::string type = m.architecture == "gemma3" ? "gemma3_text" : m.architecture;
  std::string s = "{\"model_type\":\"" + type + '"';
  if (m.architecture == "gpt2")
    return s + size("n_layer", m.layers) + size("n_embd", m.width) + size("n_head", m.heads) +
           size("n_positions", m.context) + ",\"activation_function\":\"gelu_new\"}";
  s += size("num_hidden_layers", m.layers) + size("hidden_size", m.width) +
       size("num_attention_heads", m.heads) + size("num_key_value_heads", m.keyHeads) +
       size("max_position_embeddings", m.context) + size("head_dim", m.headSize) +
       ",\"hidden_act\":\"" +
       (m.architecture == "bert"     ? "gelu"
        : m.architecture == "gemma3" ? "gelu_pytorch_tanh"
                                     : "silu") +
       '"';
  if (m.architecture == "bert") return s + ",\"layer_norm_eps\":0.00001}";
  s += ",\"rms_norm_eps\":0.00001" + number("rope_theta", m.base);
  if (m.window > 0) s += size("sliding_window", m.window);
  return s + '}';
}

struct HuggingFaceFolder {
  test::TemporaryFile folder{};

  explicit HuggingFaceFolder(const RandomModel& m, bool bfloat16 = false) {
    fs::create_directory(folder.path);
    std::vector<Tensor> first, second;
    for (const auto& [name, s] : m.tensors)
      (first.size() < 8 ? first : second).push_back(converted(m, name, s));
    write(at("model-00001-of-00002.safetensors"), first, bfloat16);
    write(at("model-00002-of-00002.safetensors"), second, bfloat16);
    put("config.json", config_of(m));
  }
  fs::path at(const char* name) const { return fs::path(folder.path) / name; }
  void put(const char* name, const std::string& text) const { std::ofstream(at(name)) << text; }
  Model load() const { return lm::load(MLContext(), folder.path, {.cacheType = float32}); }
};

}  // namespace

TEST_CASE("lm: a folder has the logits of a .gguf file") {
  const Tokens tokens = random_tokens(20, 5);
  for (const char* architecture : {"llama", "qwen2", "qwen3", "gemma3", "phi3", "gpt2", "bert"}) {
    INFO(architecture);
    ModelForm form = small_form();
    form.architecture = architecture;
    if (form.architecture == "gemma3") form.window = 8, form.layers = 7;
    if (form.architecture == "gpt2" || form.architecture == "bert") form.keyHeads = form.heads;
    const RandomModel m(form);
    const Model one = load_random(m, {.cacheType = float32}), other = HuggingFaceFolder(m).load();
    CHECK(other.info().parameters == one.info().parameters);
    CHECK_FALSE(other.has_tokenizer());
    if (form.architecture == "bert") {
      auto a = one.embed(tokens), b = other.embed(tokens);  // the folder does not ask for length 1
      double length = 0;
      for (const float v : b) length += double{v} * double{v};
      for (float& v : b) v = static_cast<float>(v / std::sqrt(length));
      CHECK(difference(a, b) < 1e-6);
      continue;
    }
    Cache a = one.cache(), b = other.cache();
    // Norms of gemma3 are 1 less in the file, which rounds.
    CHECK(difference(one.evaluate(a, tokens, 20), other.evaluate(b, tokens, 20)) <
          (form.architecture == "gemma3" ? 1e-5 : 1e-6));
  }
}

TEST_CASE("lm: BF16 of a folder is exact") {
  RandomModel m(small_form());
  for (auto& [name, t] : m.tensors)
    for (std::size_t i = 0; i < t.values.size(); ++i) {
      const auto bits = std::bit_cast<std::uint32_t>(t.values[i]) & 0xffff0000;
      t.values[i] = std::bit_cast<float>(bits);
      std::memcpy(t.bytes.data() + 4 * i, &bits, 4);
    }
  const Model one = load_random(m, {.cacheType = float32}),
              other = HuggingFaceFolder(m, true).load();
  const Tokens tokens = random_tokens(20, 5);
  Cache a = one.cache(), b = other.cache();
  CHECK(difference(one.evaluate(a, tokens), other.evaluate(b, tokens)) < 1e-6);
  CHECK(other.info().weights.front().stored == "BF16");
}

TEST_CASE("lm: a folder has a tokenizer, and a template in a file of its own") {
  const HuggingFaceFolder f{RandomModel(small_form())};
  f.put("tokenizer.json",
        R"({"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}})");
  CHECK(f.load().tokenizer().chat_template().empty());
  f.put("chat_template.jinja", "{{ messages[0].content }}");
  CHECK(f.load().tokenizer().chat_template() == "{{ messages[0].content }}");
  CHECK(f.load().chat().send("ab", {.maxTokens = 1}).rest().size() <= 2);
  f.put("tokenizer_config.json", R"({"eos_token": "b"})");
  const Model model = f.load();
  CHECK(model.tokenizer().chat_template() == "{{ messages[0].content }}");
  CHECK(std::ranges::find(model.end_tokens(), 1) != model.end_tokens().end());
  f.put("tokenizer_config.json", R"({"chat_template": "own"})");
  CHECK(f.load().tokenizer().chat_template() == "own");
  f.put("tokenizer_config.json", "[]");
  CHECK_THROWS_AS(f.load(), DataError);
}

TEST_CASE("lm: what a folder says of generation, and what is refused") {
  const RandomModel m(small_form());
  const HuggingFaceFolder f(m);
  f.put(
      "generation_config.json",
      R"({"eos_token_id": [5, 7], "do_sample": true, "temperature": 0.5, "top_k": 20, "top_p": 0.9})");
  const Model model = f.load();
  CHECK(std::vector(model.end_tokens().begin(), model.end_tokens().end()) == Tokens{5, 7});
  CHECK(model.defaults().temperature == 0.5f);
  CHECK(model.defaults().topK == 20);
  CHECK(model.defaults().topP == 0.9f);
  CHECK_THROWS_AS(model.generate("text", {}), InvalidStateError);

  const auto refused = [&](const std::string& config) {
    f.put("config.json", config);
    return test::thrown([&] { f.load(); });
  };
  const auto has = [](const std::string& text, const char* part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  std::string config = config_of(m);
  config.pop_back();
  has(refused(config + ",\"rope_scaling\":{\"rope_type\":\"yarn\"}}"),
      "rope_scaling: the type \"yarn\" is not supported");
  has(refused(config + ",\"num_local_experts\":8}"), "num_local_experts is not supported");
  has(refused("{\"model_type\":\"mamba\"}"), "num_hidden_layers is missing");
  has(refused("{"), "DataError");
  fs::remove(f.at("config.json"));
  has(test::thrown([&] { f.load(); }), "neither config.json nor genai_config.json");
}

}  // namespace webnn::inline v0_1::lm
