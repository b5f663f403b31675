// Attributes and elements of custom operators as values of JavaScript.
#pragma once

#include <span>

#include "convert.h"
#include "webnn/custom.h"

namespace webnn::inline v0_1::node {

/// A record. Numbers that are integers, and BigInts, are integers; `{float: 1}` is a number.
CustomAttributes attributes_from(const Napi::Value& value, const Where& where);
Napi::Object to_script(Napi::Env env, const CustomAttributes& attributes);

/// {dataType, shape}
Napi::Object to_script(Napi::Env env, const MLOperandDescriptor& d);
/// Sets `data`, a typed array of a new buffer with these bytes, or with zeros.
Napi::ArrayBuffer set_data(Napi::Object& to, const MLOperandDescriptor& d,
                           std::span<const std::byte> bytes);

}  // namespace webnn::inline v0_1::node
