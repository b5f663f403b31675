// The events that MLContextOptions::trace gets.
#pragma once

#include "webnn/language.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace webnn::inline v0_1 {

/// An event: a thread has run a step of a graph, or some of its tiles. Several threads have an
/// event each, and a thread that helps others has several. Texts are valid until the call returns.
struct TraceEvent {
  std::string_view kernel;     ///< with the name of its backend: "simd conv2d 3x3"
  std::string_view operators;  ///< the operators that it runs, in order: "conv2d+relu"
  std::string_view label;      ///< the label of the first operator
  std::size_t step = 0;        ///< the index in MLGraph::report().steps
  int worker = 0;              ///< the index of the thread in the context; 0 is the calling one
  int tiles = 1;               ///< the number of tiles that it has run ...
  int tiles_of_step = 1;       ///< ... and the number of all tiles of the step
  std::int64_t start = 0;      ///< in nanoseconds of std::chrono::steady_clock
  std::int64_t duration = 0;   ///< in nanoseconds
  std::uint64_t bytes = 0;     ///< about how many these tiles read and write
};

}  // namespace webnn::inline v0_1
