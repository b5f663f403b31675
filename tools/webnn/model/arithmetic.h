// Loops that do nothing but multiply and add, for the widest vectors that the CPU has.
#pragma once

namespace webnn::tool {

struct Loop {
  float (*run)(int rounds) = nullptr;
  double operations = 0;  ///< of one round; two for a multiplication with accumulation
};
Loop float_loop();
Loop int8_loop();  ///< `run` is null where there is none

}  // namespace webnn::tool
