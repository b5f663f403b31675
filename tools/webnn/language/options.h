// The options that generate and chat have in common.
#pragma once

#include "tools/webnn/common/options.h"
#include "tools/webnn/language/language.h"

namespace webnn::inline v0_1::tool {

void add_language_options(CLI::App& app, LanguageOptions& options);

}  // namespace webnn::inline v0_1::tool
