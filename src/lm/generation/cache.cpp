#include <algorithm>

#include "src/lm/generation/contents.h"
#include "webnn/safetensors.h"
#include "webnn/state.h"

namespace webnn::inline v0_1::lm {
namespace {

constexpr const char *tokens_name = "tokens", *released_name = "released rows";

safetensors::Metadata metadata_of(const ModelContents& m) {
  return {{"format", "webnn lm cache 1"},
          {"architecture", m.info.architecture},
          {"model", std::to_string(m.fingerprint)}};
}

}  // namespace

std::shared_ptr<CacheState> make_cache(const std::shared_ptr<ModelContents>& model) {
  auto cache = std::make_shared<CacheState>(model);
  for (const ModelContents::StateNames& s : model->states)
    cache->sequence.states.push_back(createState(model->graph, s.input, s.shape));
  return cache;
}

CacheState::~CacheState() {
  if (!is_spare) return;
  const std::lock_guard lock(model->mutex);
  model->spare = std::move(sequence);
}

void CacheState::trim(std::uint32_t to) {
  if (to > size())
    raise(fail("the size ({}) is beyond that of the cache ({})", to, size()), "trim",
          model->h.label);
  if (!can_trim(to))
    raise(fail("the cache cannot have the size {}: layers with a window have released {} rows that "
               "its next tokens need",
               to, sequence.released),
          "trim", model->h.label);
  for (const MLTensor& state : sequence.states) resizeState(state, to);
  sequence.tokens.resize(to);
  if (to == 0) sequence.released = 0;
  ++changes;
}

bool CacheState::can_trim(std::uint32_t to) const {
  return to == 0 || sequence.released == 0 || to == size() ||
         to + std::uint64_t{1} >= sequence.released + std::uint64_t{model->h.window};
}

void CacheState::release_rows() {
  constexpr std::uint32_t kept = 256, least = 64;  // rows behind the window, and at once
  const std::uint64_t window = model->h.window, next = size() + std::uint64_t{1};
  if (!model->options.releaseRows || window == 0 ||
      next < window + kept + least + sequence.released)
    return;
  sequence.released = static_cast<std::uint32_t>(next - window - kept);
  for (std::size_t i = 0; i < sequence.states.size(); ++i)
    if (model->states[i].window > 0) releaseRows(sequence.states[i], sequence.released);
}

std::shared_ptr<CacheState> CacheState::fork() const {
  auto other = std::make_shared<CacheState>(model);
  other->sequence = {forkStates(sequence.states), sequence.tokens, sequence.released};
  return other;
}

std::uint32_t CacheState::common_prefix(std::span<const Token> tokens) const {
  const auto [own, other] = std::ranges::mismatch(sequence.tokens, tokens);
  return static_cast<std::uint32_t>(own - sequence.tokens.begin());
}

void CacheState::save(const Path& path) const {
  std::vector<std::vector<std::byte>> rows;
  std::vector<safetensors::NamedValues> values;
  rows.reserve(sequence.states.size());
  if (size() > 0) values.push_back({tokens_name, {int32, {size()}}, sequence.tokens});
  if (sequence.released > 0)
    values.push_back({released_name, {uint32, {1}}, std::span(&sequence.released, 1)});
  for (std::size_t i = 0; size() > 0 && i < sequence.states.size(); ++i) {
    const MLTensor& state = sequence.states[i];
    rows.push_back(model->context.readTensor(state));
    values.push_back({model->states[i].input, {state.dataType(), state.shape()}, rows.back()});
  }
  safetensors::write(path, values, metadata_of(*model));
}

void CacheState::load(const Path& path) {
  const auto file = safetensors::File::open(path);
  const auto refuse = [&](std::string_view message) {
    raise({std::string(message), ErrorName::DataError}, "load_cache", path);
  };
  if (file.metadata() != metadata_of(*model)) refuse("it is not a cache of this model");
  if (!file.contains(tokens_name)) return;
  const MLOperandDescriptor tokens = file.descriptor(tokens_name);
  if (tokens.dataType != int32 || tokens.shape.size() != 1) refuse("its tokens are not a list");
  const std::uint32_t count = tokens.shape[0];
  if (count > model->info.capacity)
    refuse(format("its {} tokens are beyond the capacity ({})", {count, model->info.capacity}));
  std::vector<Token> list(count);
  std::ranges::copy(file.bytes(tokens_name), std::as_writable_bytes(std::span(list)).begin());
  for (const Token t : list)
    if (t < 0 || static_cast<std::uint32_t>(t) >= model->info.vocabulary)
      refuse(format("token {} is not below {}", {t, model->info.vocabulary}));
  std::uint32_t released = 0;
  if (file.contains(released_name)) {
    if (file.descriptor(released_name) != MLOperandDescriptor{uint32, {1}})
      refuse("its number of released rows is not a uint32 in a list of one");
    std::ranges::copy(file.bytes(released_name),
                      std::as_writable_bytes(std::span(&released, 1)).begin());
    if (released > count) refuse("it has released more rows than it has");
  }
  for (std::size_t i = 0; i < sequence.states.size(); ++i) {
    const std::string& name = model->states[i].input;
    Dims shape = sequence.states[i].shape();
    shape[2] = count;
    if (file.descriptor(name) != MLOperandDescriptor{sequence.states[i].dataType(), shape})
      refuse("its " + name + "have another type or shape");
  }
  for (std::size_t i = 0; i < sequence.states.size(); ++i) {
    resizeState(sequence.states[i], count);
    model->context.writeTensor(sequence.states[i], file.bytes(model->states[i].input));
  }
  sequence.tokens = std::move(list);
  sequence.released = released;
}

std::uint32_t Cache::size() const { return state_->size(); }
std::uint32_t Cache::capacity() const { return state_->model->info.capacity; }
std::span<const Token> Cache::tokens() const { return state_->sequence.tokens; }
void Cache::trim(std::uint32_t size) { state_->trim(size); }
Cache Cache::fork() const { return Cache(state_->fork()); }
void Cache::save(const Path& path) const { state_->save(path); }

}  // namespace webnn::inline v0_1::lm
