// A model in the words of its file, as text and as JSON.
#pragma once

#include "src/formats/common/file_view.h"
#include "tools/webnn/common/options.h"
#include "tools/webnn/common/output.h"

namespace webnn::inline v0_1::tool {

using formats::FileGraph;
using formats::FileOperator;
using formats::FileValue;
using formats::FileView;

/// The view of a file; nothing where its format has none. Throws the library's errors.
std::optional<FileView> file_view(const ModelOptions& options);
/// The same; nothing also where the file cannot be read.
std::optional<FileView> file_view_if_readable(const ModelOptions& options);

/// The same, but no input has a value.
std::optional<FileView> file_view_without_values(const ModelOptions& options);

/// "Conv of the file: it has no WebNN counterpart", one line for all operators with that reason.
std::vector<std::string> refusals_of(const FileView& view);
/// How many operators the import refuses.
std::size_t refused_operators(const FileView& view);

/// What `webnn info` prints of the file: properties, inputs, outputs, kinds of operators, and with
/// `all` each operator.
std::string text_of(const FileView& view, bool all);
Json json_of(const FileView& view);

/// A value in a line: "x: float32 [1, 3]".
std::string value_text(const FileValue& value);

}  // namespace webnn::inline v0_1::tool
