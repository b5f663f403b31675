// The short names of what makes messages and failures, for the sources of the library. Private.
#pragma once

#include "webnn/error.h"

namespace webnn::inline v0_1 {

using detail::Arg;
using detail::fail;
using detail::format;
using detail::raise;

}  // namespace webnn::inline v0_1
