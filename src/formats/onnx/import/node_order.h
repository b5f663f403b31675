// The order in which the nodes of a graph are imported. Private.
#pragma once

#include <unordered_set>

#include "src/formats/onnx/import/importer.h"

namespace webnn::inline v0_1::onnx {

struct NodeOrder {
  std::vector<std::size_t> nodes{};              // indices
  std::unordered_set<std::string_view> names{};  // that these nodes and the outputs read
  /// Those of them that anything but a Cast to FLOAT reads.
  std::unordered_set<std::string_view> read_as_they_are{};
};

/// The nodes that the outputs need, each after those whose results it or one of its subgraphs
/// reads, else in the order of the file. Takes time in proportion to the number of names. Raises
/// for nodes that need each other's results, and where two nodes write a value that is needed.
NodeOrder order_of(const Import&, std::span<const Node>, std::span<const OpsetImport>,
                   std::span<const std::string_view> outputs);

}  // namespace webnn::inline v0_1::onnx
