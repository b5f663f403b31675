// From files to a model.
#include <algorithm>
#include <filesystem>

#include "src/formats/common/json.h"
#include "src/formats/common/mapped_file.h"
#include "src/lm/architectures/architectures.h"
#include "src/lm/generation/contents.h"
#include "src/lm/imported/decoder.h"
#include "src/lm/network/network.h"
#include "webnn/gguf.h"

namespace webnn::inline v0_1::lm {
namespace {

namespace fs = std::filesystem;

/// The JSON of a file of the folder; nothing where there is none.
std::optional<Value> json_of(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return std::nullopt;
  auto file = formats::map_file(path);
  if (!file) raise(file.failure(), "lm", path.string());
  const std::string_view text(reinterpret_cast<const char*>(file->bytes.data()),
                              file->bytes.size());
  auto value = formats::read_json(text);
  if (!value) raise(value.failure(), "lm", path.string());
  return std::move(*value);
}

class Loader {
 public:
  Loader(const MLContext& context, const Path& path, const LoadOptions& options)
      : path_(path), m_(std::make_shared<ModelContents>(context)) {
    m_->options = options;
    if (!DataTypes{float16, bfloat16, float32, int8}.contains(options.cacheType))
      raise(fail("cacheType ({}) is not float16, bfloat16, float32 or int8", options.cacheType),
            "lm", path);
    if (options.batch == 0) raise(fail("batch is 0"), "lm", path);
  }

  std::shared_ptr<ModelContents> run() {
    std::error_code error;
    if (fs::is_directory(path_, error)) load_folder();
    else load_gguf();
    find_end_tokens();
    return m_;
  }

 private:
  void load_gguf() {
    auto mapped = formats::map_file(path_);
    if (!mapped) raise(mapped.failure(), "gguf", path_);
    const auto file = gguf::File::from_bytes(mapped->owner, mapped->bytes, path_);
    m_->h = hyperparameters_of(file, path_, m_->options.capacity);
    const Architecture& a = architecture_named(m_->h.architecture, path_);
    Weights weights = weights_of(file, path_, mapped->owner);
    read_factors(weights, file, m_->h.rotary);
    if (file.find("tokenizer.ggml.model") &&
        file.text("tokenizer.ggml.model") != std::string_view("none"))
      m_->tokenizer = Tokenizer::from_gguf(file, path_);
    for (const char* key : {"eos", "eot", "eom"})
      if (const auto t = file.integer("tokenizer.ggml." + std::string(key) + "_token_id"))
        end_with(static_cast<Token>(std::min<std::uint64_t>(*t, 0x7fffffff)));
    build(a, weights);
  }

  /// The divisors of frequencies of Llama 3, or of Phi-3 for short and long texts.
  void read_factors(Weights& weights, const gguf::File& file, Rotary& r) const {
    const auto divisors = [&](const std::string& name) {
      const std::vector<float> f = floats_of(weights.take(name), path_);
      r.divisors.assign(f.begin(), f.end());
    };
    if (weights.contains("rope_freqs.weight")) divisors("rope_freqs.weight");
    if (!weights.contains("rope_factors_long.weight")) return;
    const std::string key = m_->h.architecture + ".rope.scaling.original_context_length";
    const auto original = file.integer(key).value_or(m_->h.contextLength);
    const bool is_long = m_->h.capacity > original;
    weights.find("rope_factors_short.weight");
    weights.find("rope_factors_long.weight");
    divisors(is_long ? "rope_factors_long.weight" : "rope_factors_short.weight");
  }

  void load_folder() {
    const fs::path folder(path_);
    if (has_imported(folder)) return load_imported(folder);
    const auto root = json_of(folder / "config.json");
    if (!root)
      raise({"the folder has neither config.json nor genai_config.json", ErrorName::DataError},
            "lm", path_);
    const Fields config{*root, "config.json", path_};
    m_->h = hyperparameters_of(config, path_, m_->options.capacity);
    const Architecture& a = architecture_named(m_->h.architecture, path_);
    Weights weights = weights_of_folder(path_, m_->h.architecture);
    std::error_code error;
    if (fs::exists(folder / "tokenizer.json", error)) m_->tokenizer = Tokenizer::open(path_);
    read_generation(config);
    if (const auto generation = json_of(folder / "generation_config.json"))
      read_generation({*generation, "generation_config.json", path_});
    if (!a.generates) read_pooling(folder);
    build(a, weights);
  }

  void load_imported(const fs::path& folder) {
    const ImportedConfig config = imported_config(folder);
    std::error_code error;
    if (fs::exists(folder / "tokenizer.json", error)) m_->tokenizer = Tokenizer::open(path_);
    for (const Token t : config.ends) end_with(t);
    m_->defaults = config.defaults;
    build_imported(*m_, config);
    for (const NamedDescriptor& d : m_->graph.inputs()) note_input(d.name);
  }

  void read_generation(const Fields& config) {
    GenerateOptions& o = m_->defaults;
    if (const Value* end = config.find("eos_token_id")) {
      if (end->kind != Value::Kind::list) end_with(config.get<std::int32_t>("eos_token_id"));
      else
        for (const auto t : config.get<std::vector<std::int32_t>>("eos_token_id")) end_with(t);
    }
    if (!config.get("do_sample", false)) return;
    o.temperature = config.get<float>("temperature", 1);
    o.topK = config.get<std::uint32_t>("top_k", 50);
    o.topP = config.get<float>("top_p", 1);
    o.minP = config.get<float>("min_p", 0);
    o.repetitionPenalty = config.get<float>("repetition_penalty", 1);
  }

  /// The modules of sentence-transformers.
  void read_pooling(const fs::path& folder) {
    m_->h.pooling = Pooling::mean;
    const auto modules = json_of(folder / "modules.json");
    if (!modules) return;
    const Fields list{*modules, "modules.json", path_};
    for (std::size_t i = 0; i < list.count(); ++i) {
      const std::string type = list.item(i).text("type"), path = list.item(i).text("path");
      if (type.ends_with(".Normalize")) m_->h.normalizes = true;
      if (type.ends_with(".Dense"))
        list.item(i).refuse("the module Dense is not supported", ErrorName::NotSupportedError);
      if (!type.ends_with(".Pooling")) continue;
      const auto root = json_of(folder / path / "config.json");
      if (!root) list.item(i).refuse(in_quotes(path) + " has no config.json");
      const Fields pooling{*root, path + "/config.json", path_};
      if (pooling.get("pooling_mode_cls_token", false)) m_->h.pooling = Pooling::first;
      else if (pooling.get("pooling_mode_lasttoken", false)) m_->h.pooling = Pooling::last;
      else if (!pooling.get("pooling_mode_mean_tokens", false))
        pooling.refuse("it uses neither the mean nor the first or last token",
                       ErrorName::NotSupportedError);
    }
  }

  void end_with(Token token) {
    if (token >= 0 && std::ranges::find(m_->end_tokens, token) == m_->end_tokens.end())
      m_->end_tokens.push_back(token);
  }
  /// Files of models with a template often name the token that ends a text, but not the one that
  /// ends a turn.
  void find_end_tokens() {
    if (!m_->tokenizer) return;
    if (const auto t = m_->tokenizer->eos()) end_with(*t);
    for (const char* text : {"<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<end_of_turn>", "<|end|>",
                             "<|endoftext|>", "<|end_of_text|>"})
      if (const auto t = m_->tokenizer->find(text); t && m_->tokenizer->is_special(*t))
        end_with(*t);
  }

  void build(const Architecture& a, Weights& weights) {
    Hyperparameters& h = m_->h;
    h.check_rotary();  // with the factors of tensors
    const std::uint32_t capacity = a.generates ? h.capacity : 0;
    if (a.generates && m_->options.cacheType == int8 && h.headSize % cache_block != 0)
      raise({format("a cache of int8 has blocks of {} elements, and the size of a head ({}) is not "
                    "a multiple of that",
                    {cache_block, h.headSize}),
             ErrorName::NotSupportedError},
            "lm", path_);
    MLGraphBuilder builder(m_->context);
    m_->info.parameters = weights.parameters();
    try {
      Network network(builder, h, weights,
                      {capacity, m_->options.cacheType, m_->context.threads()});
      a.build(network);
      weights.check_all_taken(h.architecture);
      m_->graph = builder.build(network.outputs());
      set_info(network, capacity);
      for (const NetworkState& s : network.states()) {
        Dims shape{1, h.keyHeads, 0};
        for (const std::uint32_t d : s.row) shape.push_back(d);
        m_->states.push_back({s.input, s.output, std::move(shape), s.window});
      }
    } catch (const TypeError& e) {
      // The sizes of the file do not fit each other.
      raise({e.what(), ErrorName::DataError}, "lm", path_);
    }
    for (const NamedDescriptor& d : m_->graph.inputs()) note_input(d.name);
    m_->frequencies = h.rotary.frequencies();
    m_->local_frequencies = h.localRotary.frequencies();
    m_->info.fingerprint = m_->fingerprint = weights.fingerprint();
  }

  void note_input(const std::string& name) {
    if (name == inputs::positions) m_->has_positions = true;
    if (name == inputs::cos) m_->has_rotary = true;
    if (name == inputs::local_cos) m_->has_local_rotary = true;
    if (name == inputs::mask) m_->has_mask = true;
    if (name == inputs::local_mask) m_->has_local_mask = true;
  }

  void set_info(const Network& network, std::uint32_t capacity) {
    const Hyperparameters& h = m_->h;
    ModelInfo& i = m_->info;
    i.architecture = h.architecture;
    i.name = h.name;
    i.layers = h.layers;
    i.width = h.width;
    i.heads = h.heads;
    i.keyHeads = h.keyHeads;
    i.headSize = h.headSize;
    i.vocabulary = network.vocabulary();
    i.contextLength = h.contextLength;
    i.capacity = capacity;
    for (const WeightUse& use : network.uses()) {
      auto row = std::ranges::find_if(i.weights, [&](const WeightReport& w) {
        return w.stored == use.stored && w.kept == use.kept;
      });
      if (row == i.weights.end()) row = i.weights.insert(row, {use.stored, use.kept});
      ++row->tensors;
      row->storedBytes += use.stored_bytes;
      row->keptBytes += use.kept_bytes;
    }
  }

  Path path_;
  std::shared_ptr<ModelContents> m_;
};

}  // namespace

Model load(const MLContext& context, const Path& path, const LoadOptions& options) {
  return Model(Loader(context, path, options).run());
}

}  // namespace webnn::inline v0_1::lm
