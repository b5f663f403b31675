// Gemma 3, for text: most layers see a window of tokens, and what a layer adds is normalized.
// https://arxiv.org/abs/2503.19786
#include "src/lm/architectures/architectures.h"

namespace webnn::inline v0_1::lm {

void build_gemma3(Network& n) {
  MLOperand x = n.embedding();
  for (std::uint32_t i = 0; i < n.hyperparameters().layers; ++i) {
    const MLOperand row = n.rms_norm(x, Network::name(i, "attn_norm"));
    const MLOperand seen = n.attention(row, i, {.head_norms = true});
    x = n.builder().add(x, n.rms_norm(seen, Network::name(i, "post_attention_norm")));
    const MLOperand mixed = n.rms_norm(x, Network::name(i, "ffn_norm"));
    const MLOperand added = n.gated(mixed, i, "gelu_tanh");
    x = n.builder().add(x, n.rms_norm(added, Network::name(i, "post_ffw_norm")));
  }
  n.finish_with_logits(n.rms_norm(x, "output_norm"));
}

}  // namespace webnn::inline v0_1::lm
