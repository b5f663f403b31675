// What the files beside an .onnx file say of a decoder: genai_config.json of ONNX Runtime GenAI, or
// config.json of Hugging Face. Private.
#pragma once

#include <filesystem>

#include "src/lm/tokenizer/json_fields.h"
#include "webnn/lm/generation.h"

namespace webnn::inline v0_1::lm {

struct ImportedConfig {
  std::string label{};  ///< the folder, for messages
  std::string type{};   ///< "llama", as the file names the architecture
  std::filesystem::path model{};
  std::uint32_t contextLength = 0;
  std::uint32_t maxLength = 0;  ///< tokens of a text with its prompt; 0: the file does not say it
  // What is 0 follows from the model.
  std::uint32_t vocabulary = 0, layers = 0, width = 0, heads = 0, keyHeads = 0, headSize = 0;
  std::uint32_t window = 0;  ///< tokens that caches keep; 0: all
  std::vector<Token> ends{};
  GenerateOptions defaults{};

  // Names of inputs and outputs. %d stands for the number of a layer.
  std::string tokens = "input_ids", mask = "attention_mask", positions = "position_ids",
              pastLength = "past_sequence_length", totalLength = "total_sequence_length",
              pastKeys = "past_key_values.%d.key", pastValues = "past_key_values.%d.value",
              logits = "logits", presentKeys = "present.%d.key", presentValues = "present.%d.value";
};

/// A name with the number of a layer.
std::string name_of_layer(const std::string& name, std::uint32_t layer);

/// genai_config.json. Throws DataError for what is missing or wrong, and NotSupportedError, which
/// names it, for models of several files.
ImportedConfig config_of_genai(const Value& root, const std::filesystem::path& folder);
/// config.json and, if it is there, generation_config.json, for a model that Optimum has written.
ImportedConfig config_of_optimum(const Value& root, const Value* generation,
                                 const std::filesystem::path& folder,
                                 const std::filesystem::path& model);

/// The .onnx file that Optimum has written into a folder; empty where there is none.
std::filesystem::path optimum_file(const std::filesystem::path& folder);

}  // namespace webnn::inline v0_1::lm
