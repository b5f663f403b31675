// What is written to standard error while the object lives.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <iterator>

#include "tests/support/temporary_file.h"

namespace webnn::inline v0_1::test {

class CapturedStderr {
 public:
  CapturedStderr() {
    std::fflush(stderr);
    const int written = ::open(file_.path.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
    ::dup2(written, STDERR_FILENO);
    ::close(written);
  }
  CapturedStderr(const CapturedStderr&) = delete;
  ~CapturedStderr() {
    std::fflush(stderr);
    ::dup2(before_, STDERR_FILENO);
    ::close(before_);
  }
  std::string text() const {
    std::fflush(stderr);
    std::ifstream read(file_.path, std::ios::binary);
    return {std::istreambuf_iterator<char>(read), {}};
  }

 private:
  TemporaryFile file_{};
  int before_ = ::dup(STDERR_FILENO);
};

}  // namespace webnn::inline v0_1::test
