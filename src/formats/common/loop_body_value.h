// The bodies of loops in files. Private; a shared library of a format has its own copy and does not
// show it.
#pragma once

#include "src/formats/common/value.h"
#include "src/graph/control/loop_body.h"

namespace webnn::inline v0_1::formats {

[[gnu::visibility("hidden")]] Value to_value(const control::LoopBody& body);
[[gnu::visibility("hidden")]] Bad from_value(const Value& value, control::LoopBody& body);
/// The same for a body that may have custom operators, which have their names alone so far.
[[gnu::visibility("hidden")]] Bad from_value_with_custom(const Value& value,
                                                         control::LoopBody& body);

}  // namespace webnn::inline v0_1::formats
