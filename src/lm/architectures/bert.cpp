// BERT, for embeddings: tokens see all others, and each sum is normalized.
// https://arxiv.org/abs/1810.04805
#include "src/lm/architectures/architectures.h"

namespace webnn::inline v0_1::lm {

void build_bert(Network& n) {
  MLOperand x = n.builder().add(n.embedding(), n.position_embedding("position_embd.weight"));
  x = n.builder().add(x, n.first_row("token_types.weight"));
  x = n.layer_norm(x, "token_embd_norm");
  for (std::uint32_t i = 0; i < n.hyperparameters().layers; ++i) {
    const MLOperand seen = n.attention(x, i, {.rotary = false, .causal = false});
    x = n.layer_norm(n.builder().add(x, seen), Network::name(i, "attn_output_norm"));
    const MLOperand mixed = n.feed_forward(x, i, "gelu");
    x = n.layer_norm(n.builder().add(x, mixed), Network::name(i, "layer_output_norm"));
  }
  n.finish_with_embedding(x);
}

}  // namespace webnn::inline v0_1::lm
