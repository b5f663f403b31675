// Phi-3 and Phi-4-mini: the network of Llama, whose files have queries, keys and values in one
// matrix, and gate and up in another.
// https://arxiv.org/abs/2404.14219
#include "src/lm/architectures/architectures.h"

namespace webnn::inline v0_1::lm {

void build_phi3(Network& n) { build_llama(n); }

}  // namespace webnn::inline v0_1::lm
