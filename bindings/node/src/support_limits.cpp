#include "support_limits.h"

namespace webnn::inline v0_1::node {
namespace {

Napi::Object to_js(Napi::Env env, const MLTensorLimits& limits) {
  Napi::Array types = Napi::Array::New(env);
  for (std::size_t i = 0; i < enum_names<MLOperandDataType>.size(); ++i)
    if (const auto type = static_cast<MLOperandDataType>(i); limits.dataTypes.contains(type))
      types.Set(types.Length(), std::string(name_of(type)));
  Napi::Object ranks = Napi::Object::New(env);
  ranks.Set("min", limits.rankRange.min);
  ranks.Set("max", limits.rankRange.max);
  Napi::Object object = Napi::Object::New(env);
  object.Set("dataTypes", types);
  object.Set("rankRange", ranks);
  return object;
}

}  // namespace

Napi::Value to_js(Napi::Env env, const MLOpSupportLimits& limits) {
  Napi::Object all = Napi::Object::New(env);
  all.Set("preferredInputLayout", std::string(name_of(limits.preferredInputLayout)));
  all.Set("maxTensorByteLength", static_cast<double>(limits.maxTensorByteLength));
  all.Set("input", to_js(env, limits.input));
  all.Set("constant", to_js(env, limits.constant));
  all.Set("output", to_js(env, limits.output));
  for (const auto& entry : limits.entries()) {
    Napi::Object op = Napi::Object::New(env);
    for (const auto& row : entry.rows) {
      op.Set(std::string(row.name), to_js(env, row.limits));
      // In earlier revisions one entry describes all results; ONNX Runtime reads it.
      if (row.name == "output0") op.Set("outputs", to_js(env, row.limits));
    }
    all.Set(std::string(entry.op), op);
  }
  return all;
}

}  // namespace webnn::inline v0_1::node
