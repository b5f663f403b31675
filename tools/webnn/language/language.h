// Language models for the command. Without the component lm, all of it throws CommandError.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "webnn/context.h"

namespace webnn::inline v0_1::tool {

/// Options of generate and chat. What is absent is as the files of the model say.
struct LanguageOptions {
  std::string model{};
  std::uint32_t max_tokens = 256, capacity = 0;
  std::string cache_type{"float16"};
  std::optional<float> temperature{}, top_p{}, min_p{}, repetition_penalty{};
  std::optional<std::uint32_t> top_k{};
  std::uint64_t seed = 0;
  std::vector<std::string> stop{};
  std::string grammar{}, json_schema{};  ///< files
  bool ignore_end = false, quiet = false, json = false;
};

/// Whether the file or folder is one that these functions read, rather than a graph.
bool is_language_model(const std::string& path);

// These return exit codes.

/// What the model in a folder is, as webnn info prints it.
int describe_language(const std::string& path, bool json, const MLContext& context);

int generate_text(const LanguageOptions& options, const std::string& prompt,
                  const MLContext& context);
/// The text of each line of a file, `sequences` of them at once.
int generate_texts(const LanguageOptions& options, const std::string& prompts,
                   std::uint32_t sequences, const MLContext& context);
/// Each line of the standard input is a message.
int converse(const LanguageOptions& options, const std::string& system, const MLContext& context);

struct LanguageBench {
  std::string model{};
  std::uint32_t prompt = 128, generate = 128;
  std::uint32_t sequences = 1;  ///< at once
  int runs = 0;                 ///< 0: 3
  bool json = false;
};
int bench_language(const LanguageBench& options, const MLContext& context);

}  // namespace webnn::inline v0_1::tool
