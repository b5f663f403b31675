// What this machine can do at most, measured: with loops on the threads of a context.
#pragma once

#include "tools/webnn/model/cost.h"

namespace webnn::tool {

/// Per microsecond, on all threads together.
struct Limits {
  double float_operations = 0;  ///< of float32, two for a multiplication with accumulation
  double int8_operations = 0;   ///< the same of int8 into int32; 0 where it is not known
  double bytes = 0;             ///< read and written, of so much memory as was asked for
};

/// Runs for some tens of milliseconds.
Limits measure_limits(int threads, std::uint64_t working_set_bytes);

/// The least time for that much work: what it computes or what it moves, whichever takes longer.
double least_microseconds(const Cost& cost, bool quantized, const Limits& limits);
/// Whether a chain multiplies quantized numbers.
bool is_quantized(std::span<const Node> chain);

}  // namespace webnn::tool
