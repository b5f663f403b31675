// In builds without language models, lm.cjs says so.
#include "object.h"

namespace webnn::inline v0_1::node {

void define_lm(Napi::Env, Napi::Object) {}

}  // namespace webnn::inline v0_1::node
