// The types that JSON schemas have for values. Private.
#pragma once

#include <string_view>

#include "src/formats/common/value.h"

namespace webnn::inline v0_1::lm {

/// Whether a number has no fraction.
bool is_integer(const formats::Value& v);
/// `type` is a name that the keyword "type" may have.
bool has_type(const formats::Value& v, std::string_view type);
/// Whether the keyword "type" of a schema, if there is one, accepts the value.
bool accepts_type(const formats::Value& schema, const formats::Value& v);

}  // namespace webnn::inline v0_1::lm
