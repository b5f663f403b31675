#include "tools/webnn/common/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace webnn::inline v0_1::tool {

Progress::Progress(std::string what, bool wanted)
    : what_(std::move(what)), on_(wanted && isatty(STDERR_FILENO)) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void Progress::at(double share) {
  const auto now = std::chrono::steady_clock::now();
  if (!on_ || now - last_ < std::chrono::milliseconds(80)) return;
  last_ = now;
  drawn_ = true;
  constexpr int width = 40;
  const int done = std::clamp(static_cast<int>(share * width), 0, width);
  std::fprintf(stderr, "\r%s [%s%s] %3d %%", what_.c_str(),
               std::string(static_cast<std::size_t>(done), '#').c_str(),
               std::string(static_cast<std::size_t>(width - done), '.').c_str(),
               std::clamp(static_cast<int>(share * 100), 0, 100));
  std::fflush(stderr);
}

}  // namespace webnn::inline v0_1::tool
