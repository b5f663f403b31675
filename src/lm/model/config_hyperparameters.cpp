// config.json of Hugging Face.
#include <cmath>
#include <numbers>

#include "src/lm/model/hyperparameters.h"

namespace webnn::inline v0_1::lm {
namespace {

std::string architecture_of(const Fields& config) {
  const std::string type = config.text("model_type");
  if (type == "mistral") return "llama";
  if (type == "gemma3_text" || type == "gemma3") return "gemma3";
  if (type.empty()) config.refuse("model_type is missing");
  return type;
}

class Reader {
 public:
  Reader(const Fields& config, Hyperparameters& h) : config_(config), h_(h) {}

  void read() {
    const bool is_gpt2 = h_.architecture == "gpt2";
    h_.layers = config_.get<std::uint32_t>(is_gpt2 ? "n_layer" : "num_hidden_layers");
    h_.width = config_.get<std::uint32_t>(is_gpt2 ? "n_embd" : "hidden_size");
    h_.heads = config_.get<std::uint32_t>(is_gpt2 ? "n_head" : "num_attention_heads");
    h_.keyHeads = config_.get<std::uint32_t>("num_key_value_heads", h_.heads);
    h_.contextLength =
        config_.get<std::uint32_t>(is_gpt2 ? "n_positions" : "max_position_embeddings");
    h_.set_capacity(h_.capacity);
    if (h_.heads == 0) config_.refuse("the number of heads is 0");
    h_.headSize = config_.get<std::uint32_t>("head_dim", h_.width / h_.heads);
    for (const char* key : {"rms_norm_eps", "layer_norm_epsilon", "layer_norm_eps"})
      if (config_.find(key)) h_.epsilon = config_.get<double>(key);
    for (const char* key : {"hidden_activation", "hidden_act", "activation_function"})
      if (h_.activation.empty()) h_.activation = activation(config_.text(key));
    h_.attentionCap = config_.get<double>("attn_logit_softcapping", 0);
    h_.logitCap = config_.get<double>("final_logit_softcapping", 0);
    if (config_.get("use_sliding_window", true))
      h_.window = config_.get<std::uint32_t>("sliding_window", 0);
    for (const char* key : {"num_local_experts", "num_experts"})
      if (config_.get<std::uint32_t>(key, 0) > 0)
        config_.refuse(std::string(key) + " is not supported", ErrorName::NotSupportedError);
    if (h_.architecture == "bert") {
      const std::string kind = config_.text("position_embedding_type", "absolute");
      if (kind != "absolute")
        config_.refuse("position_embedding_type " + in_quotes(kind) + " is not supported",
                       ErrorName::NotSupportedError);
    }
    h_.check_sizes();
    if (!is_gpt2 && h_.architecture != "bert") read_rotary();
    if (h_.architecture == "qwen2" || h_.architecture == "qwen3") read_first_windows();
    if (h_.architecture == "gemma3") read_gemma3();
  }

 private:
  std::string activation(const std::string& name) const {
    if (name == "silu" || name == "swish") return "silu";
    if (name == "gelu") return name;
    if (name == "gelu_new" || name == "gelu_pytorch_tanh" || name == "gelu_fast")
      return "gelu_tanh";
    if (!name.empty())
      config_.refuse("the activation " + in_quotes(name) + " is not supported",
                     ErrorName::NotSupportedError);
    return {};
  }

  void read_rotary() {
    Rotary& r = h_.rotary;
    const double part = config_.get<double>("partial_rotary_factor", 1);
    r.size = static_cast<std::uint32_t>(h_.headSize * std::clamp(part, 0.0, 1.0)) / 2 * 2;
    r.base = config_.get<double>("rope_theta", 10000);
    if (!config_.find("rope_scaling")) return;
    const Fields scaling = config_.at("rope_scaling");
    const std::string type = scaling.text("rope_type", scaling.text("type", "default"));
    if (type == "linear") r.scale = scaling.get<double>("factor");
    else if (type == "llama3") read_llama3(scaling);
    else if (type == "longrope" || type == "su") read_longrope(scaling);
    else if (type != "default")
      scaling.refuse("the type " + in_quotes(type) + " is not supported",
                     ErrorName::NotSupportedError);
  }

  /// Low frequencies are divided by the factor, high ones are kept, and those between are mixed.
  void read_llama3(const Fields& scaling) {
    const double factor = scaling.get<double>("factor"),
                 low = scaling.get<double>("low_freq_factor"),
                 high = scaling.get<double>("high_freq_factor"),
                 length = scaling.get<double>("original_max_position_embeddings");
    for (const double f : h_.rotary.frequencies()) {
      const double wave = 2 * std::numbers::pi / f;
      double divisor = 1;
      if (wave > length / low) divisor = factor;
      else if (wave >= length / high) {
        const double part = (length / wave - low) / (high - low);
        divisor = 1 / ((1 - part) / factor + part);
      }
      h_.rotary.divisors.push_back(divisor);
    }
  }
  void read_longrope(const Fields& scaling) {
    const double original = config_.get<double>(
        "original_max_position_embeddings",
        scaling.get<double>("original_max_position_embeddings", h_.contextLength));
    const bool is_long = h_.capacity > original;
    h_.rotary.divisors = scaling.get<std::vector<double>>(is_long ? "long_factor" : "short_factor");
    const double ratio = h_.contextLength / original;
    if (ratio <= 1) return;
    h_.rotary.magnitude = scaling.get<double>("attention_factor",
                                              std::sqrt(1 + std::log(ratio) / std::log(original)));
  }

  /// The first layers see everything, which no other architecture has.
  void read_first_windows() {
    if (!config_.get("use_sliding_window", false)) h_.window = 0;
    if (h_.window > 0 && config_.get<std::uint32_t>("max_window_layers", 0) < h_.layers)
      config_.refuse("sliding windows of some layers are not supported",
                     ErrorName::NotSupportedError);
    h_.window = 0;
  }

  void read_gemma3() {
    h_.normOffset = 1;
    h_.embeddingScale = std::sqrt(h_.width);
    h_.scoreScale = 1 / std::sqrt(config_.get<double>("query_pre_attn_scalar", h_.headSize));
    h_.everyGlobal = config_.get<std::uint32_t>("sliding_window_pattern", 6);
    if (config_.find("_sliding_window_pattern"))
      h_.everyGlobal = config_.get<std::uint32_t>("_sliding_window_pattern");
    if (!config_.find("rope_theta")) h_.rotary.base = 1e6;
    h_.localRotary = {.size = h_.rotary.size,
                      .base = config_.get<double>("rope_local_base_freq", 10000)};
    if (config_.find("layer_types")) check_layer_types();
  }
  void check_layer_types() const {
    const auto types = config_.get<std::vector<std::string>>("layer_types");
    for (std::uint32_t i = 0; i < h_.layers && i < types.size(); ++i)
      if (h_.is_local(i) != (types[i] == "sliding_attention"))
        config_.refuse("layer_types does not make every " + std::to_string(h_.everyGlobal) +
                           "th layer a global one",
                       ErrorName::NotSupportedError);
  }

  const Fields& config_;
  Hyperparameters& h_;
};

}  // namespace

Hyperparameters hyperparameters_of(const Fields& config, const std::string& label,
                                   std::uint32_t capacity) {
  Hyperparameters h{.architecture = architecture_of(config), .label = label};
  h.capacity = capacity;
  // A model for text and images has the network for text in an object of its own.
  if (config.find("text_config")) Reader(config.at("text_config"), h).read();
  else Reader(config, h).read();
  h.check_rotary();
  return h;
}

}  // namespace webnn::inline v0_1::lm
