#include "src/lm/imported/config.h"

#include <algorithm>
#include <cmath>

namespace webnn::inline v0_1::lm {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t most_layers = 4096;

std::vector<Token> tokens_of(const Fields& f, std::string_view key) {
  const Value* v = f.find(key);
  if (!v) return {};
  std::vector<std::int32_t> all;
  if (v->kind == Value::Kind::list) all = f.get<std::vector<std::int32_t>>(key);
  else all.push_back(f.get<std::int32_t>(key));
  // -1 stands for none.
  std::erase_if(all, [](Token t) { return t < 0; });
  return {all.begin(), all.end()};
}

float number(const Fields& f, std::string_view key, float otherwise, float least, float most) {
  const float v = f.get<float>(key, otherwise);
  if (!(v >= least && v <= most))
    f.at(key).refuse(format("{} is not from {} to {}", {v, least, most}));
  return v;
}

void read_sampling(const Fields& f, GenerateOptions& o) {
  constexpr float large = 1e30f;
  o.repetitionPenalty = number(f, "repetition_penalty", 1, 1e-6f, large);
  if (o.repetitionPenalty != 1) o.repetitionWindow = 0;
  if (!f.get("do_sample", false)) return;
  o.temperature = number(f, "temperature", 1, 0, large);
  o.topK = f.get<std::uint32_t>("top_k", 50);
  o.topP = number(f, "top_p", 1, 0, 1);
  if (o.topP == 0) o.topP = 1;  // ONNX Runtime GenAI does not use it then
  o.minP = number(f, "min_p", 0, 0, 1);
}

/// Names of inputs or outputs, where the file gives them.
void read_name(const Fields& f, std::string_view key, std::string& name) {
  name = f.text(key, name);
  if (name.empty()) f.at(key).refuse("the name is empty");
}
void read_layer_name(const Fields& f, std::string_view key, std::string& name) {
  read_name(f, key, name);
  if (name.find("%d") == std::string::npos)
    f.at(key).refuse(in_quotes(name) + " has no %d, the number of a layer");
}

void refuse_parts(const Fields& f, std::initializer_list<std::string_view> keys,
                  std::string_view what) {
  for (const std::string_view key : keys)
    if (const Value* v = f.find(key)) {
      const bool empty = v->kind == Value::Kind::object || v->kind == Value::Kind::list
                             ? v->items.empty()
                             : v->text.empty();
      if (!empty)
        f.at(key).refuse(std::string(what) + " is not supported", ErrorName::NotSupportedError);
    }
}

class GenAi {
 public:
  GenAi(const Value& root, const fs::path& folder)
      : label_(folder.string()), root_{root, "", label_, "lm"}, folder_(folder) {}

  ImportedConfig read() {
    c_.label = label_;
    const Fields model = root_.at("model");
    refuse_parts(model, {"encoder", "encoder_decoder_init"}, "an encoder");
    refuse_parts(model, {"vision", "speech", "embedding"}, "a part of another model");
    c_.type = model.text("type");
    c_.contextLength = size(model, "context_length", 0x7fffffff);
    if (c_.contextLength == 0) model.refuse("context_length is missing or 0");
    c_.vocabulary = size(model, "vocab_size", 1u << 24);
    c_.ends = tokens_of(model, "eos_token_id");
    read_decoder(model.at("decoder"));
    if (root_.find("search")) read_search(root_.at("search"));
    return std::move(c_);
  }

 private:
  static std::uint32_t size(const Fields& f, std::string_view key, std::uint32_t most) {
    const auto v = f.get<std::uint32_t>(key, 0);
    if (v > most) f.at(key).refuse(format("{} is above {}", {v, most}));
    return v;
  }

  void read_decoder(const Fields& d) {
    refuse_parts(d, {"pipeline"}, "a pipeline of several models");
    const std::string file = d.text("filename", "model.onnx");
    const fs::path name(file);
    if (file.empty() || name.is_absolute() || std::ranges::find(name, "..") != name.end())
      d.at("filename").refuse(in_quotes(file) + " is not a file of the folder");
    c_.model = folder_ / name;
    c_.layers = size(d, "num_hidden_layers", most_layers);
    c_.width = size(d, "hidden_size", 1u << 20);
    c_.heads = size(d, "num_attention_heads", 1u << 16);
    c_.keyHeads = size(d, "num_key_value_heads", 1u << 16);
    c_.headSize = size(d, "head_size", 1u << 16);
    if (d.find("inputs")) read_inputs(d.at("inputs"));
    if (d.find("outputs")) read_outputs(d.at("outputs"));
    if (!d.find("sliding_window")) return;
    const Fields w = d.at("sliding_window");
    if (w.get("slide_key_value_cache", true)) c_.window = size(w, "window_size", 0x7fffffff);
  }

  void read_inputs(const Fields& f) {
    read_name(f, "input_ids", c_.tokens);
    read_name(f, "attention_mask", c_.mask);
    read_name(f, "position_ids", c_.positions);
    read_name(f, "past_sequence_length", c_.pastLength);
    read_name(f, "total_sequence_length", c_.totalLength);
    refuse_parts(f, {"past_names"}, "a cache with keys and values in one tensor");
    read_layer_name(f, "past_key_names", c_.pastKeys);
    read_layer_name(f, "past_value_names", c_.pastValues);
  }
  void read_outputs(const Fields& f) {
    read_name(f, "logits", c_.logits);
    read_layer_name(f, "present_key_names", c_.presentKeys);
    read_layer_name(f, "present_value_names", c_.presentValues);
  }

  void read_search(const Fields& s) {
    const auto beams = s.get<std::uint32_t>("num_beams", 1);
    if (beams > 1)
      s.at("num_beams")
          .refuse(std::to_string(beams) + " beams are not supported", ErrorName::NotSupportedError);
    c_.maxLength = size(s, "max_length", 0x7fffffff);
    if (c_.maxLength != 0) c_.defaults.maxTokens = c_.maxLength;
    read_sampling(s, c_.defaults);
  }

  std::string label_;
  Fields root_;
  fs::path folder_;
  ImportedConfig c_{};
};

}  // namespace

std::string name_of_layer(const std::string& name, std::uint32_t layer) {
  std::string full = name;
  const std::size_t at = full.find("%d");
  return at == std::string::npos ? full : full.replace(at, 2, std::to_string(layer));
}

ImportedConfig config_of_genai(const Value& root, const fs::path& folder) {
  return GenAi(root, folder).read();
}

ImportedConfig config_of_optimum(const Value& root, const Value* generation, const fs::path& folder,
                                 const fs::path& model) {
  ImportedConfig c;
  c.label = folder.string();
  const Fields config{root, "config.json", c.label, "lm"};
  c.type = config.text("model_type");
  c.model = model;
  for (const char* key :
       {"max_position_embeddings", "n_positions", "max_sequence_length", "seq_length", "n_ctx"})
    if (c.contextLength == 0) c.contextLength = config.get<std::uint32_t>(key, 0);
  if (c.contextLength == 0) config.refuse("max_position_embeddings is missing");
  c.vocabulary = config.get<std::uint32_t>("vocab_size", 0);
  for (const char* key : {"num_attention_heads", "n_head"})
    if (c.heads == 0) c.heads = config.get<std::uint32_t>(key, 0);
  for (const char* key : {"hidden_size", "n_embd"})
    if (c.width == 0) c.width = config.get<std::uint32_t>(key, 0);
  c.ends = tokens_of(config, "eos_token_id");
  if (!generation) return c;
  const Fields g{*generation, "generation_config.json", c.label, "lm"};
  for (const Token t : tokens_of(g, "eos_token_id")) c.ends.push_back(t);
  read_sampling(g, c.defaults);
  return c;
}

fs::path optimum_file(const fs::path& folder) {
  std::error_code error;
  for (const char* name : {"model.onnx", "onnx/model.onnx", "decoder_model_merged.onnx",
                           "onnx/decoder_model_merged.onnx"})
    if (fs::exists(folder / name, error)) return folder / name;
  return {};
}

}  // namespace webnn::inline v0_1::lm
