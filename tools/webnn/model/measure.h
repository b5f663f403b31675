// The times of a compiled graph's runs.
#pragma once

#include "tools/webnn/model/execute.h"

namespace webnn::inline v0_1::tool {

struct MeasureOptions {
  double seconds = 1, warmup = 0.2;
  int runs = 0;     ///< how many each caller makes; 0: as many as the seconds allow, and at least 5
  int callers = 1;  ///< threads that run the graph at the same time
  bool progress = false;
};

struct Timings {
  double first = 0;             ///< microseconds of the very first run
  std::vector<double> times{};  ///< microseconds of each later run, sorted
  double seconds = 0;           ///< that the measured runs took together
  bool interrupted = false;     ///< by Ctrl-C: there are fewer runs, and at least one
};

/// `runner` does the first run and the warm-up, and is one of the callers. Throws CommandError when
/// the system does not start as many threads as there are callers.
Timings measure(const MLContext& context, const MLGraph& graph, const Feeds& feeds, Runner& runner,
                const MeasureOptions& options);

/// Between the two nearest of sorted values.
double percentile(const std::vector<double>& sorted, double share);
double mean(const std::vector<double>& all);

/// The most memory that this process has held, in bytes.
double peak_memory();

}  // namespace webnn::inline v0_1::tool
