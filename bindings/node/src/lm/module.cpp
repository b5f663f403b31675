// What lm.cjs stands on.
#include "values.h"

namespace webnn::inline v0_1::node {

void define_lm(Napi::Env env, Napi::Object exports) {
  const Napi::Object lm = Napi::Object::New(env);
  define_lm_text(env, lm);
  define_lm_generation(env);
  define_lm_model(env, lm);
  define_lm_batch(env, lm);
  exports.Set("lm", lm);
}

}  // namespace webnn::inline v0_1::node
