// Models in files for the bindings: the formats of the command, found by name or by extension.
#pragma once

#include <span>

#include "tools/webnn/formats/format.h"

namespace webnn::inline v0_1::tool {
/// Those that were built in.
std::span<const Format> formats();
}  // namespace webnn::inline v0_1::tool

namespace webnn::inline v0_1::bindings {

/// `format` is a name, or empty: by the extension of the path. Throws NotSupportedError where no
/// format fits, and what the reader throws.
tool::Imported import_model(MLGraphBuilder& builder, const std::string& path,
                            const std::string& format, const tool::ReadOptions& options);
/// Writes the files of a graph. Throws OperationError when the system refuses.
void export_model(const MLGraph& graph, const std::string& path, const std::string& format);

/// Whether this build reads such a file as a compiled graph.
bool is_compiled(const std::string& path, const std::string& format);
/// A compiled graph, whatever the extension of the path. `all`: all checksums are compared. Throws
/// NotSupportedError in a build without compiled graphs.
tool::Loaded load_graph(const MLContext& context, const std::string& path, bool all);
/// Writes a compiled graph. Throws NotSupportedError in a build without compiled graphs.
void save_graph(const tool::Loaded& graph, const std::string& path);

}  // namespace webnn::inline v0_1::bindings
