// Attributes of custom operators as values. Private; a shared library of a format has its own copy
// and does not show it.
#pragma once

#include "src/formats/common/value.h"
#include "webnn/ops/custom.h"

namespace webnn::inline v0_1::formats {

/// Numbers that are not integers have a point or an exponent. What has no digits, and a text that
/// cannot be written as it is, are objects: `{"number": "NaN"}`, `{"base64": "AP8="}`.
[[gnu::visibility("hidden")]] Value to_value(const CustomValue& value);
[[gnu::visibility("hidden")]] Bad from_value(const Value& value, CustomValue& out);

/// An object with a key for each.
[[gnu::visibility("hidden")]] Value to_value(const CustomAttributes& attributes);
[[gnu::visibility("hidden")]] Bad from_value(const Value& value, CustomAttributes& out);

/// The name and the version of an operator; what is read stands for the one that is to be found.
[[gnu::visibility("hidden")]] Value to_value(const std::shared_ptr<const CustomOperator>& o);
[[gnu::visibility("hidden")]] Bad from_value(const Value& value,
                                             std::shared_ptr<const CustomOperator>& out);

}  // namespace webnn::inline v0_1::formats
