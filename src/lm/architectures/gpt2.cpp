// GPT-2: positions are learned.
// https://cdn.openai.com/better-language-models/language_models_are_unsupervised_multitask_learners.pdf
#include "src/lm/architectures/architectures.h"

namespace webnn::inline v0_1::lm {

void build_gpt2(Network& n) {
  MLOperand x = n.builder().add(n.embedding(), n.position_embedding("position_embd.weight"));
  for (std::uint32_t i = 0; i < n.hyperparameters().layers; ++i) {
    const MLOperand row = n.layer_norm(x, Network::name(i, "attn_norm"));
    x = n.builder().add(x, n.attention(row, i, {.rotary = false}));
    const MLOperand mixed = n.layer_norm(x, Network::name(i, "ffn_norm"));
    x = n.builder().add(x, n.feed_forward(mixed, i, "gelu_tanh"));
  }
  n.finish_with_logits(n.layer_norm(x, "output_norm"));
}

}  // namespace webnn::inline v0_1::lm
