// Ctrl-C, while something is measured or generated.
#pragma once

#include <csignal>

namespace webnn::inline v0_1::tool {

/// While it lives, the first SIGINT is only noted; the next one ends the process as usual.
class Interrupt {
 public:
  Interrupt();
  Interrupt(const Interrupt&) = delete;
  ~Interrupt();

  static bool came();

 private:
  struct sigaction before_ {};
};

}  // namespace webnn::inline v0_1::tool
