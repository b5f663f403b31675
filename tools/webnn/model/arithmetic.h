// Loops that do nothing but multiply and add, or read, for the widest vectors that the CPU has.
#pragma once

#include <cstddef>

namespace webnn::inline v0_1::tool {

struct Loop {
  float (*run)(int rounds) = nullptr;
  double operations = 0;  ///< how many one round has; two for a multiplication with accumulation
};
Loop float_loop();
Loop int8_loop();  ///< `run` is null where there is none

/// Reads all of the bytes, a multiple of 1024 of them.
using ReadLoop = float (*)(const std::byte* bytes, std::size_t count);
ReadLoop read_loop();

}  // namespace webnn::inline v0_1::tool
