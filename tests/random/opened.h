// Random graphs with open dimensions, beside static graphs of the same sizes.
#pragma once

#include "tests/random/compare.h"

namespace webnn::inline v0_1::test {

struct OpenedStatistics {
  std::uint64_t graphs = 0;   ///< with at least one open dimension
  std::uint64_t runs = 0;     ///< that agreed, bit for bit
  std::uint64_t refused = 0;  ///< sizes that the static builder refuses, and the open graph too
  std::uint64_t unfound =
      0;  ///< graphs that the builder refuses: it found no sizes for an operator
  /// Runs of open graphs that went through files, and of such that were refused as before.
  std::map<std::string_view, std::uint64_t> by_format{};
  /// Files that the importer refuses, for the builder finds no sizes for what the format inserted.
  std::uint64_t unfound_in_files = 0;
};

/// Opens some of the dimensions of a graph's inputs, as the seed says, and some of the shapes that
/// its operators have as attributes. Runs it at three combinations of sizes: the same bits as the
/// static graph, or refused as that is.
std::optional<Mismatch> check_opened(const MLContext& context, const Case& c, std::uint64_t seed,
                                     OpenedStatistics& statistics);

}  // namespace webnn::inline v0_1::test
