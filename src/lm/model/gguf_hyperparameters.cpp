// The metadata of .gguf files: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md#llm
#include <cmath>
#include <limits>

#include "src/lm/model/hyperparameters.h"

namespace webnn::inline v0_1::lm {
namespace {

class Reader {
 public:
  Reader(const gguf::File& file, Hyperparameters& h) : file_(file), h_(h) {}

  void read() {
    h_.layers = size("block_count");
    h_.width = size("embedding_length");
    h_.contextLength = size("context_length");
    h_.set_capacity(h_.capacity);
    h_.heads = heads("attention.head_count").value_or(0);
    h_.keyHeads = heads("attention.head_count_kv").value_or(h_.heads);
    if (h_.heads == 0) refuse("attention.head_count", "is missing");
    h_.headSize = size("attention.key_length", h_.width / h_.heads);
    if (size("attention.value_length", h_.headSize) != h_.headSize)
      refuse("attention.value_length", "differs from the length of keys",
             ErrorName::NotSupportedError);
    h_.epsilon = number("attention.layer_norm_rms_epsilon")
                     .value_or(number("attention.layer_norm_epsilon").value_or(1e-5));
    h_.interleaved = h_.architecture == "llama";
    h_.window = size("attention.sliding_window", 0);
    h_.attentionCap = number("attn_logit_softcapping").value_or(0);
    h_.logitCap = number("final_logit_softcapping").value_or(0);
    if (size("expert_count", 0) > 0)
      refuse("expert_count", "is not supported", ErrorName::NotSupportedError);
    h_.check_sizes();
    if (h_.architecture != "gpt2" && h_.architecture != "bert") read_rotary();
    if (h_.architecture == "gemma3") read_gemma3();
    if (h_.architecture == "bert") read_bert();
  }

 private:
  std::string key(std::string_view name) const { return h_.architecture + '.' + std::string(name); }
  [[noreturn]] void refuse(std::string_view name, std::string_view message,
                           ErrorName error = ErrorName::DataError) const {
    raise({key(name) + ": " + std::string(message), error}, "lm", h_.label);
  }
  std::uint32_t narrowed(std::string_view name, std::uint64_t v) const {
    if (v > std::numeric_limits<std::int32_t>::max())
      refuse(name, std::to_string(v) + " is too large");
    return static_cast<std::uint32_t>(v);
  }
  std::uint32_t size(std::string_view name) const {
    const auto v = file_.integer(key(name));
    if (!v) refuse(name, "is missing");
    return narrowed(name, *v);
  }
  std::uint32_t size(std::string_view name, std::uint32_t otherwise) const {
    const auto v = file_.integer(key(name));
    return v ? narrowed(name, *v) : otherwise;
  }
  std::optional<double> number(std::string_view name) const { return file_.number(key(name)); }

  /// One number for all layers, or the same one for each.
  std::optional<std::uint32_t> heads(std::string_view name) const {
    const gguf::Value* v = file_.find(key(name));
    if (!v) return std::nullopt;
    const auto* list = std::get_if<std::shared_ptr<const gguf::Array>>(v);
    if (!list) return size(name);
    std::optional<std::uint64_t> all;
    std::visit(
        [&]<class T>(const std::vector<T>& values) {
          if constexpr (std::is_integral_v<T>) {
            for (const T x : values) {
              if (all && *all != static_cast<std::uint64_t>(x))
                refuse(name, "the numbers of the layers differ", ErrorName::NotSupportedError);
              all = static_cast<std::uint64_t>(x);
            }
          }
        },
        (*list)->values);
    if (!all) refuse(name, "it is an empty list");
    return narrowed(name, *all);
  }

  void read_rotary() {
    Rotary& r = h_.rotary;
    r.size = size("rope.dimension_count", h_.headSize);
    r.base = number("rope.freq_base").value_or(10000);
    const std::string_view scaling = file_.text(key("rope.scaling.type")).value_or("none");
    const double factor =
        number("rope.scaling.factor").value_or(number("rope.scale_linear").value_or(1));
    if (scaling == "linear") r.scale = factor;
    else if (scaling != "none" && scaling != "longrope")
      refuse("rope.scaling.type", '"' + std::string(scaling) + "\" is not supported",
             ErrorName::NotSupportedError);
    r.magnitude = number("rope.scaling.attn_factor").value_or(1);
  }
  void read_gemma3() {
    h_.everyGlobal = size("attention.sliding_window_pattern", 6);
    h_.localRotary = {.size = h_.rotary.size, .base = number("rope.freq_base_swa").value_or(10000)};
    h_.embeddingScale = std::sqrt(h_.width);
    if (h_.layers == 62) h_.scoreScale = 1 / std::sqrt(h_.width / h_.heads);  // of 27B
  }
  void read_bert() {
    switch (size("pooling_type", 0)) {
      case 0: break;
      case 1: h_.pooling = Pooling::mean; break;
      case 2: h_.pooling = Pooling::first; break;
      case 3: h_.pooling = Pooling::last; break;
      default: refuse("pooling_type", "is not supported", ErrorName::NotSupportedError);
    }
    h_.normalizes = true;
  }

  const gguf::File& file_;
  Hyperparameters& h_;
};

}  // namespace

Hyperparameters hyperparameters_of(const gguf::File& file, const std::string& label,
                                   std::uint32_t capacity) {
  Hyperparameters h{.label = label};
  const auto architecture = file.text("general.architecture");
  if (!architecture) raise({"general.architecture is missing", ErrorName::DataError}, "lm", label);
  h.architecture = *architecture;
  h.capacity = capacity;
  h.name = file.text("general.name").value_or("");
  Reader(file, h).read();
  h.check_rotary();
  return h;
}

}  // namespace webnn::inline v0_1::lm
