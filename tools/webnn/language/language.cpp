#include "tools/webnn/language/language.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <utility>

#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/files.h"
#include "tools/webnn/common/interrupt.h"
#include "tools/webnn/common/output.h"
#include "webnn/lm.h"

namespace webnn::inline v0_1::tool {
namespace {

lm::LoadOptions load_options(const LanguageOptions& o) {
  const MLOperandDataType type = o.cache_type == "float32"    ? float32
                                 : o.cache_type == "bfloat16" ? bfloat16
                                 : o.cache_type == "int8"     ? int8
                                                              : float16;
  return {.capacity = o.capacity, .cacheType = type};
}

std::string text_file(const std::string& path) {
  if (path.empty()) return {};
  const std::vector<std::byte> bytes = read_file(path, std::size_t{1} << 24);
  if (bytes.empty()) throw CommandError(shown(path) + " is empty");
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

lm::GenerateOptions generate_options(const LanguageOptions& o, const lm::Model& model) {
  lm::GenerateOptions g = model.defaults();
  g.maxTokens = o.max_tokens;
  g.temperature = o.temperature.value_or(g.temperature);
  g.topK = o.top_k.value_or(g.topK);
  g.topP = o.top_p.value_or(g.topP);
  g.minP = o.min_p.value_or(g.minP);
  g.repetitionPenalty = o.repetition_penalty.value_or(g.repetitionPenalty);
  g.seed = o.seed;
  g.stop = o.stop;
  g.ignoreEnd = o.ignore_end;
  g.grammar = text_file(o.grammar);
  g.jsonSchema = text_file(o.json_schema);
  return g;
}

/// Calls `next` until it is false; false if Ctrl-C came before.
bool repeat_until_interrupted(auto next) {
  const Interrupt interrupt;
  while (!Interrupt::came())
    if (!next()) return true;
  return false;
}

/// Prints pieces as they come, and then a line about the time on the standard error. Returns an
/// exit code.
int stream(lm::Generation generation, bool quiet) {
  const bool whole = repeat_until_interrupted([&] {
    const auto piece = generation.next();
    if (piece) print(*piece);
    flush_output();
    return piece.has_value();
  });
  print("\n");
  flush_output();
  const int code = whole ? Exit::ok : Exit::interrupted;
  const lm::GenerationReport& r = generation.report();
  if (quiet) return code;
  const std::string line = fmt::format(
      "{} tokens, {:.1f} tokens/s; prompt of {} tokens, {} of them in the cache, {:.1f} tokens/s\n",
      r.tokens, r.tokens_per_second(), r.promptTokens, r.cachedTokens,
      r.prompt_tokens_per_second());
  std::fwrite(line.data(), 1, line.size(), stderr);
  return code;
}

Json json_of(const lm::GenerationReport& r) {
  return {{"tokens", r.tokens},
          {"tokens_per_second", r.tokens_per_second()},
          {"prompt_tokens", r.promptTokens},
          {"cached_tokens", r.cachedTokens},
          {"prompt_tokens_per_second", r.prompt_tokens_per_second()},
          {"finish_reason", webnn::name_of(r.finishReason)}};
}

/// The lines of a file that are not empty.
std::vector<std::string> lines_of(const std::string& path) {
  const std::vector<std::byte> bytes = read_file(path, std::size_t{1} << 30);
  std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::vector<std::string> lines;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) lines.emplace_back(line);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return lines;
}

double seconds_of(auto f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
double median(std::vector<double> v) {
  std::ranges::sort(v);
  return v[v.size() / 2];
}

}  // namespace

bool is_language_model(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::is_directory(path, error))
    return fs::exists(fs::path(path) / "config.json", error) ||
           fs::exists(fs::path(path) / "genai_config.json", error);
  return fs::path(path).extension() == ".gguf";
}

int describe_language(const std::string& path, bool json, const MLContext& context) {
  const lm::Model model = lm::load(context, path);
  const lm::ModelInfo& m = model.info();
  if (!json) {
    print(escaped(path) + '\n' + to_text(m));
    return Exit::ok;
  }
  Json weights = Json::array();
  for (const lm::WeightReport& w : m.weights)
    weights.push_back({{"stored", w.stored},
                       {"kept", w.kept},
                       {"tensors", w.tensors},
                       {"stored_bytes", w.storedBytes},
                       {"kept_bytes", w.keptBytes}});
  print_json(Json{{"model", path},
                  {"architecture", m.architecture},
                  {"name", m.name},
                  {"layers", m.layers},
                  {"width", m.width},
                  {"heads", m.heads},
                  {"key_heads", m.keyHeads},
                  {"head_size", m.headSize},
                  {"vocabulary", m.vocabulary},
                  {"context", m.contextLength},
                  {"capacity", m.capacity},
                  {"parameters", m.parameters},
                  {"weights", std::move(weights)}});
  return Exit::ok;
}

int generate_text(const LanguageOptions& o, const std::string& prompt, const MLContext& context) {
  const lm::Model model = lm::load(context, o.model, load_options(o));
  lm::Generation generation = model.generate(prompt, generate_options(o, model));
  if (!o.json) return stream(std::move(generation), o.quiet);
  std::string text;
  const bool whole = repeat_until_interrupted([&] {
    const auto piece = generation.next();
    if (piece) text += *piece;
    return piece.has_value();
  });
  Json j{{"model", o.model}, {"text", text}};
  j.update(json_of(generation.report()));
  print_json(j);
  return whole ? Exit::ok : Exit::interrupted;
}

int generate_texts(const LanguageOptions& o, const std::string& prompts, std::uint32_t sequences,
                   const MLContext& context) {
  const std::vector<std::string> lines = lines_of(prompts);
  const lm::Model model = lm::load(context, o.model, load_options(o));
  const lm::GenerateOptions options = generate_options(o, model);
  lm::Batch batch = model.batch({.sequences = sequences});
  bool whole = true;
  const double seconds = seconds_of([&] {
    for (const std::string& line : lines) batch.add(line, options);
    whole = repeat_until_interrupted([&] { return batch.next().has_value(); });
  });
  std::size_t tokens = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) tokens += batch.tokens(i).size();
  const int code = whole ? Exit::ok : Exit::interrupted;
  const double speed = seconds > 0 ? static_cast<double>(tokens) / seconds : 0;
  if (o.json) {
    Json all = Json::array();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      all.push_back({{"prompt", lines[i]}, {"text", batch.text(i)}});
      all.back().update(json_of(batch.report(i)));
    }
    print_json(Json{{"model", o.model},
                    {"texts", std::move(all)},
                    {"tokens", tokens},
                    {"tokens_per_second", speed}});
    return code;
  }
  for (std::size_t i = 0; i < lines.size(); ++i)
    print(fmt::format("[{}] {}\n", i + 1, batch.text(i)));
  flush_output();
  if (o.quiet) return code;
  const std::string line = fmt::format("{} prompts, {} tokens, {:.1f} tokens/s with the prompts\n",
                                       lines.size(), tokens, speed);
  std::fwrite(line.data(), 1, line.size(), stderr);
  return code;
}

int converse(const LanguageOptions& o, const std::string& system, const MLContext& context) {
  const lm::Model model = lm::load(context, o.model, load_options(o));
  lm::Chat chat = model.chat(system.empty() ? std::vector<lm::Message>()
                                            : std::vector<lm::Message>{{"system", system}});
  const lm::GenerateOptions options = generate_options(o, model);
  const bool asks = ::isatty(0) && ::isatty(1);
  std::size_t forgotten = 0;
  for (std::string line;;) {
    if (asks) print("> ");
    flush_output();
    if (!std::getline(std::cin, line)) break;
    if (line.empty()) continue;
    try {
      stream(chat.send(line, options), o.quiet);
    } catch (const Error& e) {
      if (!asks) throw;
      print_error(e.what());
      continue;
    }
    if (std::exchange(forgotten, chat.forgotten()) != forgotten && !o.quiet)
      print_error(fmt::format(
          "the conversation is longer than the cache; the oldest {} messages are left out",
          forgotten));
  }
  if (asks) print("\n");
  return Exit::ok;
}

namespace {

/// Tokens per second of several sequences at once, after their prompts.
double bench_sequences(const LanguageBench& o, const lm::Model& model) {
  lm::Batch batch = model.batch({.sequences = o.sequences});
  const std::uint32_t vocabulary = model.info().vocabulary;
  for (std::uint32_t s = 0; s < o.sequences; ++s) {
    std::vector<lm::Token> prompt;
    for (std::uint64_t i = 0; i < o.prompt; ++i)
      prompt.push_back(static_cast<lm::Token>((i * 7919 + s * 104729) % vocabulary));
    batch.add(std::move(prompt), {.maxTokens = o.generate, .ignoreEnd = true});
  }
  double seconds = seconds_of([&] { batch.run(); });
  for (std::uint32_t s = 0; s < o.sequences; ++s) seconds -= batch.report(s).promptSeconds;
  return o.sequences * (o.generate - 1.0) / seconds;
}

}  // namespace

int bench_language(const LanguageBench& o, const MLContext& context) {
  std::optional<lm::Model> loaded;
  const std::uint64_t total = std::uint64_t{o.prompt} + o.generate;
  if (total > 0x7fffffff) throw Usage("--prompt and --generate are together too large");
  const double load = seconds_of([&] {
    loaded = lm::load(context, o.model, {.capacity = static_cast<std::uint32_t>(total)});
  });
  const lm::Model& model = *loaded;
  const std::uint32_t vocabulary = model.info().vocabulary;
  const auto token = [&](std::uint64_t i) { return static_cast<lm::Token>(i * 7919 % vocabulary); };
  std::vector<lm::Token> prompt;
  for (std::uint32_t i = 0; i < o.prompt; ++i) prompt.push_back(token(i));
  std::vector<double> read, steps;
  lm::Cache cache = model.cache();
  for (int run = 0; run <= (o.runs == 0 ? 3 : o.runs); ++run) {
    cache.trim(0);
    const double first = seconds_of([&] { model.evaluate(cache, prompt); });
    const double rest = seconds_of([&] {
      for (std::uint32_t i = 0; i < o.generate; ++i)
        model.evaluate(cache, std::vector{token(o.prompt + i)});
    });
    if (run == 0) continue;  // the first run makes plans
    read.push_back(o.prompt / first);
    steps.push_back(o.generate / rest);
  }
  std::vector<double> together;
  for (int run = 0; o.sequences > 1 && run <= (o.runs == 0 ? 3 : o.runs); ++run) {
    const double speed = bench_sequences(o, model);
    if (run > 0) together.push_back(speed);
  }
  const double best_read = std::ranges::max(read), best_steps = std::ranges::max(steps);
  if (o.json) {
    Json j{{"model", o.model},
           {"threads", context.threads()},
           {"load_seconds", load},
           {"prompt", {{"tokens", o.prompt}, {"median", median(read)}, {"best", best_read}}},
           {"generate", {{"tokens", o.generate}, {"median", median(steps)}, {"best", best_steps}}}};
    if (!together.empty())
      j["sequences"] = {{"count", o.sequences},
                        {"median", median(together)},
                        {"best", std::ranges::max(together)}};
    print_json(j);
    return Exit::ok;
  }
  print(fmt::format("{}  {} threads, loaded in {:.2f} s\n", escaped(o.model), context.threads(),
                    load));
  print(to_text(model.info()));
  print(fmt::format("\nprompt of {} tokens    {:.1f} tokens/s, best {:.1f}\n", o.prompt,
                    median(read), best_read));
  print(fmt::format("{} generated tokens    {:.1f} tokens/s, best {:.1f}\n", o.generate,
                    median(steps), best_steps));
  if (!together.empty())
    print(fmt::format("{} sequences at once    {:.1f} tokens/s, best {:.1f}\n", o.sequences,
                      median(together), std::ranges::max(together)));
  return Exit::ok;
}

}  // namespace webnn::inline v0_1::tool
