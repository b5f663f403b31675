// Runs of a graph with open dimensions whose sizes change from run to run.
#pragma once

#include "tools/webnn/model/measure.h"
#include "tools/webnn/model/sizes.h"

namespace webnn::inline v0_1::tool {

/// Sizes from `first` to `last` in steps: "sequence=1..512", "height=160..640:32".
struct SizeRange {
  std::string name{};
  std::uint32_t first = 1, last = 1, step = 1;

  std::uint32_t count() const { return (last - first) / step + 1; }
};
/// Takes the ranges out of the --dim options. Throws Usage for those that are none.
std::vector<SizeRange> take_ranges(ModelOptions& options);

struct ChangingTimings {
  std::vector<double> all{};    ///< microseconds of each run with sizes as they came, sorted
  std::vector<double> fresh{};  ///< those of them whose sizes came for the first time, sorted
  std::vector<double> known{};  ///< the others, and a second run of all new sizes, sorted
  std::vector<double> extra{};  ///< by how much the first run of new sizes was slower, sorted
  bool interrupted = false;     ///< by Ctrl-C
};

/// Runs the graph at sizes of the ranges: in their order, or drawn anew for each run, by the seed
/// of the inputs. Inputs are random, and computing the shapes of outputs is not measured. The other
/// open dimensions have the sizes of `fixed`. Throws CommandError for sizes that the graph refuses.
ChangingTimings measure_changing(const Model& model, const SizesByName& fixed,
                                 std::span<const SizeRange> ranges, bool random, std::uint64_t seed,
                                 const MeasureOptions& options);

}  // namespace webnn::inline v0_1::tool
