// Files that a command writes, beside those of the model that it reads.
#pragma once

#include <filesystem>

#include "tools/webnn/common/options.h"

namespace webnn::inline v0_1::tool {

/// Throws Usage for a file that is the model, by whatever name, or that may have weights of it.
/// `hint` ends the message: what the user can do.
void keep_model(const ModelOptions& model, const std::filesystem::path& output,
                std::string_view hint = "give another name");

}  // namespace webnn::inline v0_1::tool
