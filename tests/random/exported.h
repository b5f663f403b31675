// Graphs through files.
#pragma once

#include <span>

#include "tests/random/oracle.h"
#include "webnn/context.h"

namespace webnn::test {

struct FileFormat {
  std::string_view name;
  Rounding rounding;  ///< everywhere, if its reader computes constants or float16 is composed
  /// The graph written as a file, and what is read from that; nothing where the file cannot say it.
  std::optional<MLGraph> (*through)(const Graph& graph, const MLContext& context);
};

/// Those that were built in.
std::span<const FileFormat> file_formats();

}  // namespace webnn::test
