// Qwen2 and Qwen2.5: the network of Llama, with a bias for queries, keys and values.
// https://arxiv.org/abs/2407.10671
#include "src/lm/architectures/architectures.h"

namespace webnn::inline v0_1::lm {

void build_qwen2(Network& n) { build_llama(n); }

}  // namespace webnn::inline v0_1::lm
