// The file formats of this build.
#pragma once

#include "src/formats/registry/format.h"

namespace webnn::inline v0_1::tool {

using registry::Contents;
using registry::Format;
using registry::formats;
using registry::Loaded;
using registry::OutputFile;
using registry::Part;
using registry::Source;
using KnownValue = ImportOptions::Value;
using Quantization = ImportedModel::Quantization;

/// A file, for the functions of a format.
inline Source source_of(const std::filesystem::path& path) {
  return {.path = path.string(), .label = path.string()};
}

// By its name, or if that is empty by the extension of the path, or of a file to be read by its
// content. Throws Usage, naming those that there are.

const Format& readable(const std::filesystem::path& path, const std::string& name);
const Format& writable(const std::filesystem::path& path, const std::string& name);

/// The format whose files are described and not read, such as .gguf, by its name, extension or
/// content; null where the file is of another one.
const Format* described(const std::filesystem::path& path, const std::string& name);

}  // namespace webnn::inline v0_1::tool
