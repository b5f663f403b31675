// What MLContextOptions::trace gets.
#pragma once

#include "webnn/language.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace webnn::inline v0_1 {

/// That a thread has run a step of a graph, or some of its tiles: several threads have an event
/// each, and one that helps others several. Texts are valid until the call returns.
struct TraceEvent {
  std::string_view kernel;     ///< with its backend: "simd conv2d 3x3"
  std::string_view operators;  ///< those that it runs, the first one first: "conv2d+relu"
  std::string_view label;      ///< of the first operator
  std::size_t step = 0;        ///< the place in MLGraph::report().steps
  int worker = 0;              ///< of the threads of the context; 0 is the one that calls
  int tiles = 1;               ///< that it has run ...
  int tiles_of_step = 1;       ///< ... of so many in all
  std::int64_t start = 0;      ///< in nanoseconds of std::chrono::steady_clock
  std::int64_t duration = 0;   ///< in nanoseconds
  std::uint64_t bytes = 0;     ///< that these tiles read and write, about: the share of the step
};

}  // namespace webnn::inline v0_1
