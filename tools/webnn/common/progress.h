// A progress bar on the standard error, where that is a terminal.
#pragma once

#include <chrono>
#include <string>

namespace webnn::inline v0_1::tool {

class Progress {
 public:
  /// Draws nothing unless `wanted` and the standard error is a terminal.
  Progress(std::string what, bool wanted);
  Progress(const Progress&) = delete;
  ~Progress();  ///< clears the line

  /// From 0 to 1; draws some times a second.
  void at(double share);

 private:
  std::string what_;
  bool drawn_ = false, on_;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace webnn::inline v0_1::tool
