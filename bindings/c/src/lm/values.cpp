#include "bindings/c/src/lm/values.h"

namespace webnn::inline v0_1::c {
namespace {

using lm::ChatOptions, lm::DecodeOptions, lm::EncodeOptions, lm::GenerateOptions, lm::LoadOptions,
    lm::SamplingOptions;

/// The member of the structure in C for a member of the options, and that with the length of a
/// list.
template <auto M> constexpr auto c_member = nullptr;
template <auto M> constexpr auto c_length = nullptr;

template <> constexpr auto c_member<&LoadOptions::capacity> = &webnn_lm_load_options::capacity;
template <> constexpr auto c_member<&LoadOptions::cacheType> = &webnn_lm_load_options::cache_type;
template <> constexpr auto c_member<&LoadOptions::batch> = &webnn_lm_load_options::batch;
template <>
constexpr auto c_member<&LoadOptions::releaseRows> = &webnn_lm_load_options::release_rows;

using CGenerate = webnn_lm_generate_options;
template <> constexpr auto c_member<&GenerateOptions::maxTokens> = &CGenerate::max_tokens;
template <> constexpr auto c_member<&GenerateOptions::temperature> = &CGenerate::temperature;
template <> constexpr auto c_member<&GenerateOptions::topK> = &CGenerate::top_k;
template <> constexpr auto c_member<&GenerateOptions::topP> = &CGenerate::top_p;
template <> constexpr auto c_member<&GenerateOptions::minP> = &CGenerate::min_p;
template <>
constexpr auto c_member<&GenerateOptions::repetitionPenalty> = &CGenerate::repetition_penalty;
template <>
constexpr auto c_member<&GenerateOptions::repetitionWindow> = &CGenerate::repetition_window;
template <> constexpr auto c_member<&GenerateOptions::seed> = &CGenerate::seed;
template <> constexpr auto c_member<&GenerateOptions::stop> = &CGenerate::stop;
template <> constexpr auto c_length<&GenerateOptions::stop> = &CGenerate::stop_length;
template <> constexpr auto c_member<&GenerateOptions::stopTokens> = &CGenerate::stop_tokens;
template <> constexpr auto c_length<&GenerateOptions::stopTokens> = &CGenerate::stop_tokens_length;
template <> constexpr auto c_member<&GenerateOptions::ignoreEnd> = &CGenerate::ignore_end;
template <> constexpr auto c_member<&GenerateOptions::bias> = &CGenerate::bias;
template <> constexpr auto c_length<&GenerateOptions::bias> = &CGenerate::bias_length;
template <> constexpr auto c_member<&GenerateOptions::cancel> = &CGenerate::cancel;
template <> constexpr auto c_member<&GenerateOptions::grammar> = &CGenerate::grammar;
template <> constexpr auto c_member<&GenerateOptions::jsonSchema> = &CGenerate::json_schema;
template <>
constexpr auto c_member<&GenerateOptions::logProbabilities> = &CGenerate::log_probabilities;

using CSampling = webnn_lm_sampling_options;
template <> constexpr auto c_member<&SamplingOptions::temperature> = &CSampling::temperature;
template <> constexpr auto c_member<&SamplingOptions::topK> = &CSampling::top_k;
template <> constexpr auto c_member<&SamplingOptions::topP> = &CSampling::top_p;
template <> constexpr auto c_member<&SamplingOptions::minP> = &CSampling::min_p;
template <>
constexpr auto c_member<&SamplingOptions::repetitionPenalty> = &CSampling::repetition_penalty;
template <>
constexpr auto c_member<&SamplingOptions::repetitionWindow> = &CSampling::repetition_window;
template <> constexpr auto c_member<&SamplingOptions::seed> = &CSampling::seed;
template <> constexpr auto c_member<&SamplingOptions::bias> = &CSampling::bias;
template <> constexpr auto c_length<&SamplingOptions::bias> = &CSampling::bias_length;
template <> constexpr auto c_member<&SamplingOptions::logProbability> = &CSampling::log_probability;
template <>
constexpr auto c_member<&SamplingOptions::logProbabilities> = &CSampling::log_probabilities;

template <>
constexpr auto c_member<&EncodeOptions::addSpecial> = &webnn_lm_encode_options::add_special;
template <>
constexpr auto c_member<&EncodeOptions::parseSpecial> = &webnn_lm_encode_options::parse_special;
template <>
constexpr auto c_member<&DecodeOptions::skipSpecial> = &webnn_lm_decode_options::skip_special;

using CChat = webnn_lm_chat_options;
template <>
constexpr auto c_member<&ChatOptions::addGenerationPrompt> = &CChat::add_generation_prompt;
template <> constexpr auto c_member<&ChatOptions::tools> = &CChat::tools;
template <> constexpr auto c_member<&ChatOptions::variables> = &CChat::variables;
template <> constexpr auto c_member<&ChatOptions::bosToken> = &CChat::bos_token;
template <> constexpr auto c_member<&ChatOptions::eosToken> = &CChat::eos_token;
template <> constexpr auto c_member<&ChatOptions::time> = &CChat::time;
template <> constexpr auto c_member<&ChatOptions::maxSteps> = &CChat::max_steps;
template <> constexpr auto c_member<&ChatOptions::maxBytes> = &CChat::max_bytes;

void set_option(Where, bool& out, std::int32_t v) { out = v != 0; }
void set_option(Where, float& out, float v) { out = v; }
void set_option(Where, std::uint32_t& out, std::uint32_t v) { out = v; }
void set_option(Where, std::uint64_t& out, std::uint64_t v) { out = v; }
void set_option(Where where, MLOperandDataType& out, webnn_data_type v) { set(where, out, v); }
void set_option(Where where, std::string& out, webnn_string v) { out = text(v, where); }
void set_option(Where, std::optional<std::int64_t>& out, const std::int64_t* v) {
  if (v) out = *v;
}
void set_option(Where, std::stop_token& out, webnn_stop* v) {
  if (v) out = v->source.get_token();
}

void set_list(Where where, std::vector<std::string>& out, std::span<const webnn_string> all) {
  for (const webnn_string& s : all) out.push_back(text(s, where));
}
void set_list(Where, std::vector<lm::Token>& out, std::span<const webnn_lm_token> all) {
  out.assign(all.begin(), all.end());
}
void set_list(Where, std::vector<std::pair<lm::Token, float>>& out,
              std::span<const webnn_lm_bias> all) {
  for (const webnn_lm_bias& b : all) out.emplace_back(b.token, b.value);
}

template <class Options> Options from_c(const typename COptions<Options>::Type* given) {
  using Rows = lm::OptionsOf<Options>;
  const auto all = complete(given, COptions<Options>::defaults, Rows::name);
  Options out;
  Rows::each([&]<class Row>(const Row& row) {
    static_assert(!std::same_as<decltype(c_member<Row::member>), const std::nullptr_t>,
                  "an option without a member in C");
    const std::string name = lm::snake_case(row.name);
    const Where where{Rows::name, name};
    const auto& value = all.*c_member<Row::member>;
    if constexpr (std::same_as<decltype(c_length<Row::member>), const std::nullptr_t>)
      set_option(where, Row::get(out), value);
    else set_list(where, Row::get(out), list(value, all.*c_length<Row::member>, where));
  });
  return out;
}

}  // namespace

LoadOptions options_from(const webnn_lm_load_options* given) { return from_c<LoadOptions>(given); }
SamplingOptions options_from(const webnn_lm_sampling_options* given) {
  return from_c<SamplingOptions>(given);
}
EncodeOptions options_from(const webnn_lm_encode_options* given) {
  return from_c<EncodeOptions>(given);
}
DecodeOptions options_from(const webnn_lm_decode_options* given) {
  return from_c<DecodeOptions>(given);
}
ChatOptions options_from(const webnn_lm_chat_options* given) { return from_c<ChatOptions>(given); }
GenerateOptions options_from(const webnn_lm_generate_options* given, const lm::Model& model) {
  return given ? from_c<GenerateOptions>(given) : model.defaults();
}

std::vector<lm::Message> messages(const webnn_lm_message* given, std::size_t length, Where where) {
  std::vector<lm::Message> all;
  for (const webnn_lm_message& m : list(given, length, where))
    all.push_back({text(m.role, where), text(m.content, where), text(m.more, where)});
  return all;
}

void store_tokens(std::span<const lm::Token> from, webnn_lm_token* tokens, std::size_t capacity,
                  std::size_t* count, std::string_view function) {
  const auto to = list(tokens, capacity, {function, "tokens"});
  need(count, {function, "count"}) = from.size();
  std::ranges::copy(from.first(std::min(from.size(), to.size())), to.begin());
}

void store_sample(std::span<const lm::Sample> samples, std::size_t index,
                  webnn_lm_token_probability* chosen, webnn_lm_token_probability* best,
                  std::size_t capacity, std::size_t* count) {
  constexpr std::string_view function = "sample";
  const auto to = list(best, capacity, {function, "best"});
  webnn_lm_token_probability& of_chosen = need(chosen, {function, "chosen"});
  if (index >= samples.size())
    Where{function, "index"}.reject("(" + std::to_string(index) + ") is not below the number (" +
                                    std::to_string(samples.size()) +
                                    ") of tokens whose probabilities are reported");
  const lm::Sample& s = samples[index];
  of_chosen = {s.token, s.logProbability};
  if (count) *count = s.best.size();
  for (std::size_t i = 0; i < std::min(to.size(), s.best.size()); ++i)
    to[i] = {s.best[i].token, s.best[i].logProbability};
}

void store(webnn_lm_report* report, const lm::GenerationReport& from, std::string_view function) {
  if (!report) return;
  webnn_lm_report all = WEBNN_LM_REPORT_INIT;
  all.struct_size = report->struct_size;
  all.prompt_tokens = from.promptTokens;
  all.cached_tokens = from.cachedTokens;
  all.tokens = from.tokens;
  all.prompt_seconds = from.promptSeconds;
  all.seconds = from.seconds;
  all.prompt_tokens_per_second = from.prompt_tokens_per_second();
  all.tokens_per_second = from.tokens_per_second();
  all.finish_reason = static_cast<webnn_lm_finish_reason>(from.finishReason);
  if (report->struct_size < sizeof(std::size_t))
    Where{function, "report"}.reject("has no struct_size: begin with WEBNN_LM_REPORT_INIT");
  std::memcpy(static_cast<void*>(report), &all, std::min(report->struct_size, sizeof all));
}

}  // namespace webnn::inline v0_1::c
