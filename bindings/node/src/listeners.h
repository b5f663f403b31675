// The options log and trace of a context: functions of JavaScript that get what threads say.
#pragma once

#include <napi.h>

#include <functional>

#include "convert.h"
#include "webnn/context.h"

namespace webnn::inline v0_1::node {

/// They are called some time after what they are told, on JavaScript's thread, and not at all once
/// the environment has ended. What they throw is an uncaught exception.
void convert(const Napi::Value& value, std::function<void(LogLevel, std::string_view)>& out,
             const Where& where);
void convert(const Napi::Value& value, std::function<void(const TraceEvent&)>& out,
             const Where& where);

}  // namespace webnn::inline v0_1::node
