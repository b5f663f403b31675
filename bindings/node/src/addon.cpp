// The module: the interfaces of the spec, and `ml`.
#include "object.h"

namespace webnn::inline v0_1::node {

Instance::Instance(Napi::Env env) : settler(std::make_shared<Settler>(env)) {
  const Napi::Object global = env.Global();
  const auto function = [](const Napi::Object& from, const char* name) {
    return Napi::Persistent(from.Get(name).As<Napi::Function>());
  };
  define_property = function(global.Get("Object").As<Napi::Object>(), "defineProperty");
  dom_exception = function(global, "DOMException");
  promise = function(global, "Promise");
  shared_array_buffer = function(global, "SharedArrayBuffer");
  structured_clone = function(global, "structuredClone");
  uint8_array = function(global, "Uint8Array");
  const auto map = global.Get("WeakMap").As<Napi::Function>().New({});
  weak_map = Napi::Persistent(map);
  weak_map_get = function(map, "get");
  weak_map_set = function(map, "set");
}

Napi::Object start(Napi::Env env, Napi::Object exports) {
  env.SetInstanceData(new Instance(env));
  exports.Set("ML", define_ml(env));
  exports.Set("MLActivation", define_activation(env));
  exports.Set("MLContext", define_context(env));
  exports.Set("MLGraph", define_graph(env));
  exports.Set("MLGraphBuilder", define_builder(env));
  exports.Set("MLOperand", define_operand(env));
  exports.Set("MLTensor", define_tensor(env));
  exports.Set("ml", make(env, ML{}));
  define_lm(env, exports);
  return exports;
}

}  // namespace webnn::inline v0_1::node

static Napi::Object start(Napi::Env env, Napi::Object exports) {
  return webnn::node::start(env, exports);
}
NODE_API_MODULE(webnn, start)
