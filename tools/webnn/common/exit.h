// Exit codes of the command, and the exceptions that lead to them.
#pragma once

#include <stdexcept>
#include <string>

namespace webnn::inline v0_1::tool {

enum Exit : int {
  ok = 0,
  wrong = 1,          ///< the model or the data is wrong, or cannot be read, written or run
  usage = 2,          ///< the command line is wrong
  differs = 3,        ///< diff, verify, and golden outputs: the results differ
  interrupted = 130,  ///< Ctrl-C; what was measured until then is printed
};

/// Ends the command with Exit::wrong.
struct CommandError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// Ends the command with Exit::usage.
struct Usage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace webnn::inline v0_1::tool
