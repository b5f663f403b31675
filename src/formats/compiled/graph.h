// The graph of a file, and what its compilation has found out. Private.
#pragma once

#include <functional>

#include "src/formats/compiled/file.h"
#include "src/formats/compiled/stream.h"
#include "src/runtime/compile.h"
#include "webnn/compiled.h"

namespace webnn::inline v0_1::compiled {

/// An array in a section of the file.
struct Place {
  Part part = Part::small;
  std::uint64_t offset = 0, size = 0;
};

/// Nothing for a constant whose values are not in the file.
using PlaceOf = std::function<std::optional<Place>(const MLOperand& constant)>;
void write_graph(Writer& to, const Graph& graph, const PlaceOf& place_of);
/// Gives bytes of the file at a place that is inside of it.
using BytesAt = std::function<Constant(const Place& place)>;
/// Reads a graph, which is checked as a builder checks it. Throws DataError, and TypeError for an
/// operator. Constants that are not in the file are released ones. Without a context, for what does
/// not run, custom operators have a name, and the results that the file says.
Graph read_graph(Reader& from, const BytesAt& bytes_at, const MLContext* context);

using BlockPlace = std::function<Place(const PackedBlock& block)>;
void write_plan(Writer& to, const GraphState& graph, const BlockPlace& place_of,
                const Metadata& metadata);
using BlockAt = std::function<std::shared_ptr<const PackedBlock>(const Place& place)>;
/// Completes what has a graph.
void read_plan(Reader& from, const BlockAt& block_at, Compiled& to, Metadata& metadata);

/// The place of an operator in its graph.
inline std::size_t place_of(const Node& node) { return node.output().record().producer; }

}  // namespace webnn::inline v0_1::compiled
