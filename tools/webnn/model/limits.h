// What this machine can do at most, measured: with loops on the threads of a context.
#pragma once

#include "src/graph/cost.h"

namespace webnn::inline v0_1::tool {

/// How fast memory of that size can be read or written again and again.
struct MemoryRate {
  double size = 0;   ///< bytes, of all threads together
  double read = 0;   ///< bytes in a microsecond
  double write = 0;  ///< bytes in a microsecond
};

/// On all threads together.
struct Limits {
  double float_operations = 0;  ///< in a microsecond; two for a multiplication with accumulation
  double int8_operations = 0;   ///< those of int8 into int32; 0 where it is not known
  std::vector<MemoryRate> memory{};  ///< by size: caches, then memory

  /// The rates of the largest size that was measured and is not greater.
  MemoryRate at(double bytes) const;
};

/// Runs for some tenths of a second. Caches are looked at up to that working set.
Limits measure_limits(int threads, std::uint64_t working_set_bytes);
/// The better of both in everything: other processes only make a measurement slower.
Limits best_of(const Limits& a, const Limits& b);

/// The least time for that much work: what it multiplies, reads or writes, whichever takes longer.
/// The kernel's name tells algorithms that multiply less.
double least_microseconds(const Cost& cost, bool quantized, std::string_view kernel,
                          const Limits& limits);
/// Whether a chain multiplies quantized numbers.
bool is_quantized(std::span<const Node> chain);

}  // namespace webnn::inline v0_1::tool
