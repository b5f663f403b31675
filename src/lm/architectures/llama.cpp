// Llama, and what has its network: Mistral, SmolLM, TinyLlama.
// https://arxiv.org/abs/2302.13971
#include "src/lm/architectures/architectures.h"

namespace webnn::inline v0_1::lm {

void build_llama(Network& n) {
  MLOperand x = n.embedding();
  for (std::uint32_t i = 0; i < n.hyperparameters().layers; ++i) {
    const MLOperand row = n.rms_norm(x, Network::name(i, "attn_norm"));
    x = n.builder().add(x, n.attention(row, i, {}));
    const MLOperand mixed = n.rms_norm(x, Network::name(i, "ffn_norm"));
    x = n.builder().add(x, n.gated(mixed, i, "silu"));
  }
  n.finish_with_logits(n.rms_norm(x, "output_norm"));
}

}  // namespace webnn::inline v0_1::lm
