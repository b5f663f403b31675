// Qwen3: queries and keys of each head are normalized.
// https://arxiv.org/abs/2505.09388
#include "src/lm/architectures/architectures.h"

namespace webnn::inline v0_1::lm {

void build_qwen3(Network& n) {
  MLOperand x = n.embedding();
  for (std::uint32_t i = 0; i < n.hyperparameters().layers; ++i) {
    const MLOperand row = n.rms_norm(x, Network::name(i, "attn_norm"));
    x = n.builder().add(x, n.attention(row, i, {.head_norms = true}));
    const MLOperand mixed = n.rms_norm(x, Network::name(i, "ffn_norm"));
    x = n.builder().add(x, n.gated(mixed, i, "silu"));
  }
  n.finish_with_logits(n.rms_norm(x, "output_norm"));
}

}  // namespace webnn::inline v0_1::lm
