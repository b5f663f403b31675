// Custom operators that are functions of JavaScript.
#pragma once

#include "object.h"
#include "webnn/custom.h"

namespace webnn::inline v0_1::node {

/// What an MLCustomOperator wraps.
struct ScriptOperator {
  std::shared_ptr<const CustomOperator> definition{};
};
template <>
struct Interface<ScriptOperator> : InterfaceOf<"MLCustomOperator", ClassId::custom_operator> {};

Napi::Function define_custom_operator(Napi::Env env);
/// The method of MLGraphBuilder.
Napi::Value append_custom(const Napi::CallbackInfo& info);

}  // namespace webnn::inline v0_1::node
