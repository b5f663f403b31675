// MLOpSupportLimits as a JavaScript object.
#pragma once

#include <napi.h>

#include "webnn/support_limits.h"

namespace webnn::inline v0_1::node {

Napi::Value to_js(Napi::Env env, const MLOpSupportLimits& limits);

}  // namespace webnn::inline v0_1::node
