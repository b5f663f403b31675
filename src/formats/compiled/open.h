// Graphs with open dimensions in a file: the general form, and the sizes that were made ready.
// Private.
#pragma once

#include "src/formats/compiled/graph.h"
#include "src/runtime/specializations.h"

namespace webnn::inline v0_1::compiled {

struct OpenContents {
  Graph graph;  ///< with all constants
  std::vector<NamedUpdate> updates{};
  std::size_t max_bytes = 0;               ///< BuildOptions::specializationBytes
  std::vector<DimensionSizes> prepared{};  ///< the one used last first
  StoredWeights weights{};                 ///< packed, of all sizes
};

void write_open(Writer& to, const OpenContents& contents, const PlaceOf& place_of,
                const BlockPlace& place_of_block);
/// Throws DataError. Operators are not checked: compile() does so with the sizes of each run.
OpenContents read_open(Reader& from, const BytesAt& bytes_at, const BlockAt& block_at,
                       const MLContext* context);

/// Compiles the graph, and makes the sizes ready. Throws DataError for operators that do not fit,
/// otherwise as compile() does.
std::shared_ptr<GraphState> restore_open(OpenContents contents, const MLContext& context);

}  // namespace webnn::inline v0_1::compiled
