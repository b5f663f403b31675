// The networks that files name. Private.
#pragma once

#include "src/lm/network/network.h"

namespace webnn::inline v0_1::lm {

/// One file each. It builds the network, with its outputs.
struct Architecture {
  std::string_view name;  ///< that of general.architecture
  void (*build)(Network& n);
  bool generates = true;  ///< logits of the next token; else an embedding of the text
};

void build_llama(Network& n);
void build_qwen2(Network& n);
void build_qwen3(Network& n);
void build_gemma3(Network& n);
void build_phi3(Network& n);
void build_gpt2(Network& n);
void build_bert(Network& n);

inline constexpr Architecture architectures[] = {
    {"llama", &build_llama},      {"qwen2", &build_qwen2}, {"qwen3", &build_qwen3},
    {"gemma3", &build_gemma3},    {"phi3", &build_phi3},   {"gpt2", &build_gpt2},
    {"bert", &build_bert, false},
};
/// Throws NotSupportedError, which has the names that there are.
const Architecture& architecture_named(std::string_view name, std::string_view label);

}  // namespace webnn::inline v0_1::lm
