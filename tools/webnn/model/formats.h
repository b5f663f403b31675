// The file formats of this build.
#pragma once

#include "tools/webnn/formats/format.h"

namespace webnn::inline v0_1::tool {

/// Those that were built in.
std::span<const Format> formats();
// By its name, or if that is empty by the extension of the path. Throws Usage, naming those that
// there are.

const Format& readable(const std::filesystem::path& path, const std::string& name);
const Format& writable(const std::filesystem::path& path, const std::string& name);

}  // namespace webnn::inline v0_1::tool
