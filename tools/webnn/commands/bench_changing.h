// webnn bench --dim sequence=1..512: runs whose sizes change.
#pragma once

#include "tools/webnn/model/changing.h"

namespace webnn::inline v0_1::tool {

struct ChangingSizes {
  std::vector<SizeRange> ranges{};
  bool random = false;  ///< sizes are drawn anew for each run, else they come in turn
  SizesByName fixed{};  ///< of the other open dimensions
};

/// Measures and prints; the exit code.
int bench_changing(const ModelOptions& options, const MLContext& context, ChangingSizes sizes,
                   std::uint64_t seed, const MeasureOptions& measure, bool json);

}  // namespace webnn::inline v0_1::tool
