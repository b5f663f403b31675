// Graphs through files.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "webnn/context.h"
#include "webnn/graph.h"

namespace webnn::inline v0_1::test {

struct FileFormat {
  std::string_view name;
  /// The graph written as a file, and what is read from that; nothing where the file cannot say it.
  std::optional<MLGraph> (*through)(const MLGraph& graph, const MLContext& context);
};

/// Those that were built in.
std::span<const FileFormat> file_formats();

}  // namespace webnn::inline v0_1::test
