// Runs of one graph, for the programs of this folder.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/timing.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::bench {

/// The shortest of the runs that half a second has, in milliseconds.
inline double fastest_run(MLContext& context, const MLGraph& graph) {
  std::vector<std::vector<std::byte>> memory;
  std::vector<NamedInput> inputs;
  std::vector<NamedOutput> outputs;
  memory.reserve(graph.inputs().size() + graph.outputs().size());
  for (const NamedDescriptor& d : graph.inputs())
    inputs.push_back({d.name, memory.emplace_back(byte_length(d.descriptor))});
  for (const NamedDescriptor& d : graph.outputs())
    outputs.push_back({d.name, memory.emplace_back(byte_length(d.descriptor))});
  double best = 1e9;
  for (const double end = now_us() + 5e5; now_us() < end;) {
    const double start = now_us();
    context.compute(graph, inputs, outputs);
    best = std::min(best, (now_us() - start) / 1000);
  }
  return best;
}

}  // namespace webnn::inline v0_1::bench
