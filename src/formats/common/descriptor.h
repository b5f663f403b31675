// A file descriptor that is closed when it is no longer needed. Private, for POSIX systems.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "src/formats/common/failures.h"
#include "src/formats/common/mapped_file.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::formats {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

/// With the reason that errno names.
inline Failure refused(std::string_view what) {
  const std::string reason = std::generic_category().message(errno);
  return data_error(fail("the file cannot be {}: {}", what, reason));
}

/// How a file is opened for reading: opening a pipe must not wait for its writer.
inline constexpr int read_flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;

/// Maps an open file, which may be closed afterwards.
[[gnu::visibility("hidden")]] Result<MappedFile> map_open_file(const Descriptor& file);

}  // namespace webnn::inline v0_1::formats
