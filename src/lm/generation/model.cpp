#include <algorithm>

#include "src/graph/text.h"
#include "src/lm/generation/state.h"

namespace webnn::inline v0_1::lm {

const ModelInfo& Model::info() const { return contents_->info; }
bool Model::has_tokenizer() const { return contents_->tokenizer.has_value(); }
const Tokenizer& Model::tokenizer() const {
  if (!contents_->tokenizer)
    raise({"the files of the model have no tokenizer", ErrorName::InvalidStateError}, "lm",
          contents_->h.label);
  return *contents_->tokenizer;
}
const GenerateOptions& Model::defaults() const { return contents_->defaults; }
std::span<const Token> Model::end_tokens() const { return contents_->end_tokens; }
const MLGraph& Model::graph() const { return contents_->graph; }

Cache Model::cache() const {
  contents_->require_generation("cache");
  return Cache(make_cache(contents_));
}

Cache Model::load_cache(const Path& path) const {
  Cache made = cache();
  made.state_->load(path);
  return made;
}

/// The one that an earlier call has left, or another one, which will be left.
Cache Model::spare_cache() const {
  contents_->require_generation("generate");
  std::optional<Sequence> left;
  {
    const std::lock_guard lock(contents_->mutex);
    left.swap(contents_->spare);
  }
  std::shared_ptr<CacheState> state;
  if (left) {
    state = std::make_shared<CacheState>(contents_);
    state->sequence = std::move(*left);
  } else {
    state = make_cache(contents_);
  }
  state->is_spare = true;
  return Cache(std::move(state));
}

std::vector<float> Model::evaluate(Cache& cache, std::span<const Token> tokens, std::uint32_t rows,
                                   std::stop_token stop) const {
  if (cache.state_->model != contents_)
    raise(fail("the cache is of another model"), "evaluate", contents_->h.label);
  if (rows > tokens.size())
    raise(fail("rows ({}) is greater than the number of tokens ({})", rows, tokens.size()),
          "evaluate", contents_->h.label);
  std::vector<float> logits(std::size_t{rows} * contents_->info.vocabulary);
  lm::evaluate(*cache.state_, tokens, logits, rows, stop);
  return logits;
}

Generation Model::generate(Cache cache, std::vector<Token> prompt,
                           const GenerateOptions& options) const {
  if (cache.state_->model != contents_)
    raise(fail("the cache is of another model"), "generate", contents_->h.label);
  return Generation(std::make_shared<Generation::State>(contents_, std::move(cache.state_),
                                                        std::move(prompt), options));
}
Generation Model::generate(Cache cache, std::string_view prompt,
                           const GenerateOptions& options) const {
  return generate(std::move(cache), tokenizer().encode(prompt), options);
}
Generation Model::generate(std::string_view prompt, const GenerateOptions& options) const {
  std::vector<Token> tokens = tokenizer().encode(prompt);
  return generate(spare_cache(), std::move(tokens), options);
}
Generation Model::generate(std::string_view prompt) const { return generate(prompt, defaults()); }

std::vector<float> Model::embed(std::span<const Token> tokens) const {
  if (contents_->generates())
    raise({"the architecture " + info().architecture + " generates text, and makes no embeddings",
           ErrorName::InvalidStateError},
          "embed", contents_->h.label);
  return embedding_of(*contents_, tokens);
}
std::vector<std::vector<float>> Model::embed(const std::vector<std::string>& texts) const {
  std::vector<std::vector<float>> vectors;
  for (const std::string& text : texts) vectors.push_back(embed(tokenizer().encode(text)));
  return vectors;
}

std::string to_text(const ModelInfo& m) {
  std::string s = format("architecture  {}\n", {m.architecture});
  if (!m.name.empty()) s += "name          " + escaped(m.name) + '\n';
  s += format("layers        {}, {} wide, {} heads of {}, {} of keys\n",
              {m.layers, m.width, m.heads, m.headSize, m.keyHeads});
  s += format("vocabulary    {}\ncontext       {}\n", {m.vocabulary, m.contextLength});
  s += format("parameters    {}\n", {m.parameters});
  for (const WeightReport& w : m.weights)
    s += format("{} tensors of {} ({} bytes) are kept as {} ({} bytes)\n",
                {w.tensors, w.stored, w.storedBytes, w.kept, w.keptBytes});
  return s;
}

}  // namespace webnn::inline v0_1::lm
