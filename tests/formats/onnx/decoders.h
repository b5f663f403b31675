// Decoders of two layers with caches, written as exporters write them.
#pragma once

#include <functional>

#include "tests/formats/onnx/writer.h"

namespace webnn::inline v0_1::onnx::test {

enum class DecoderForm {
  rotary,   // as optimum writes models with rotary embeddings: masks by Range, Trilu and Where
  learned,  // positions are rows of a table, and the mask is a slice of a constant
  counted,  // positions are the cumulative sum of attention_mask
  grouped,  // GroupQueryAttention, as ONNX Runtime GenAI writes it
};

struct DecoderSizes {
  std::string batch = "batch_size", fresh = "sequence_length", past = "past_sequence_length",
              total = "past_sequence_length + sequence_length";
};

struct Decoder {
  static constexpr std::uint32_t layers = 2, heads = 4, cached_heads = 2, head = 16,
                                 width = heads * head, vocabulary = 40, positions = 96;

  DecoderForm form = DecoderForm::rotary;
  std::uint32_t key_heads = cached_heads;  ///< of the caches

  Writer writer(const DecoderSizes& sizes = {}) const;
  bool has_positions() const { return form == DecoderForm::rotary; }  ///< as an input
};

}  // namespace webnn::inline v0_1::onnx::test
