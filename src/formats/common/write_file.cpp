#include "src/formats/common/write_file.h"

#include <atomic>
#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>

#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace webnn::inline v0_1::formats {
namespace {

namespace fs = std::filesystem;

Failure failed(const char* what, const std::error_code& error) {
  return {std::string(what) + ": " + error.message(), ErrorName::OperationError};
}

/// What the link, and the link that it may lead to, stand for. It need not exist.
fs::path target_of(fs::path path) {
  constexpr int max_links = 40;
  std::error_code error;
  for (int i = 0; i < max_links && fs::is_symlink(path, error); ++i) {
    const fs::path to = fs::read_symlink(path, error);
    if (error) break;
    path = to.is_absolute() ? to : path.parent_path() / to;
  }
  return path;
}

}  // namespace

#if defined(__unix__) || defined(__APPLE__)

namespace {

std::error_code last_error() { return {errno, std::generic_category()}; }

/// An open file, and the first thing that went wrong with it.
class Output {
 public:
  Output() = default;
  Output(const Output&) = delete;
  ~Output() { close(); }

  void open(const fs::path& path, int flags) {
    file_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | flags, 0666);
    error_ = file_ < 0 ? last_error() : std::error_code();
  }
  void put(std::span<const std::byte> bytes) {
    while (!error_ && !bytes.empty()) {
      const ssize_t n = ::write(file_, bytes.data(), bytes.size());
      if (n >= 0) bytes = bytes.subspan(static_cast<std::size_t>(n));
      else if (errno != EINTR) error_ = last_error();
    }
  }
  void set_mode(mode_t mode) {
    if (!error_ && ::fchmod(file_, mode)) error_ = last_error();
  }
  void sync() {
    if (!error_ && ::fsync(file_)) error_ = last_error();
  }
  void close() {
    if (file_ >= 0 && ::close(file_) && !error_) error_ = last_error();
    file_ = -1;
  }
  const std::error_code& error() const { return error_; }

 private:
  int file_ = -1;
  std::error_code error_{};
};

/// Opens a new file beside the target; removes it unless it took the target's place.
class Partial {
 public:
  explicit Partial(const fs::path& target) {
    static std::atomic<unsigned> count{0};
    constexpr int max_tries = 100;
    for (int i = 0; i < max_tries; ++i) {
      path_ = target;
      path_ += ".partial-" + std::to_string(::getpid()) + "-" + std::to_string(count++);
      file.open(path_, O_CREAT | O_EXCL);
      if (file.error() != std::errc::file_exists) break;
    }
    made_ = !file.error();
  }
  Partial(const Partial&) = delete;
  ~Partial() {
    if (made_) ::unlink(path_.c_str());
  }
  std::error_code replace(const fs::path& target) {
    if (::rename(path_.c_str(), target.c_str())) return last_error();
    made_ = false;
    return {};
  }

  Output file{};

 private:
  fs::path path_{};
  bool made_ = false;
};

}  // namespace

std::optional<Failure> write_file(const fs::path& path,
                                  const std::function<void(const Put&)>& parts) {
  const fs::path target = target_of(path);
  struct stat old {};
  const bool exists = ::stat(target.c_str(), &old) == 0;
  if (exists && !S_ISREG(old.st_mode)) {
    Output device;
    device.open(target, 0);
    if (device.error()) return failed("the file cannot be opened", device.error());
    parts([&](std::span<const std::byte> bytes) { device.put(bytes); });
    device.close();
    if (device.error()) return failed("the file cannot be written", device.error());
    return std::nullopt;
  }
  Partial partial(target);
  if (partial.file.error()) return failed("the file cannot be written", partial.file.error());
  parts([&](std::span<const std::byte> bytes) { partial.file.put(bytes); });
  if (exists) partial.file.set_mode(old.st_mode & 07777);
  partial.file.sync();
  partial.file.close();
  if (partial.file.error()) return failed("the file cannot be written", partial.file.error());
  if (const auto error = partial.replace(target))
    return failed("the file cannot be replaced", error);
  return std::nullopt;
}

#else

std::optional<Failure> write_file(const fs::path& path,
                                  const std::function<void(const Put&)>& parts) {
  const fs::path target = target_of(path);
  fs::path partial = target;
  partial += ".partial";
  std::error_code error;
  errno = 0;
  {
    std::ofstream file(partial, std::ios::binary | std::ios::trunc);
    try {
      parts([&](std::span<const std::byte> bytes) {
        file.write(reinterpret_cast<const char*>(bytes.data()),
                   static_cast<std::streamsize>(bytes.size()));
      });
    } catch (...) {
      file.close();
      fs::remove(partial, error);
      throw;
    }
    file.close();
    if (!file) {
      const std::error_code reason(errno, std::generic_category());
      fs::remove(partial, error);
      return failed("the file cannot be written", reason);
    }
  }
  fs::rename(partial, target, error);
  if (!error) return std::nullopt;
  const std::error_code reason = error;
  fs::remove(partial, error);
  return failed("the file cannot be replaced", reason);
}

#endif

std::optional<FileFailure> write_files(std::span<const NewFile> files) {
  if (files.empty()) return std::nullopt;
  const NewFile& first = files.front();
  struct Stop {};
  std::optional<FileFailure> other;
  const auto parts = [&](const Put& put) {
    first.parts(put);
    other = write_files(files.subspan(1));
    if (other) throw Stop();
  };
  try {
    if (auto bad = write_file(first.path, parts)) return FileFailure{first.path, std::move(*bad)};
  } catch (const Stop&) {}
  return other;
}

}  // namespace webnn::inline v0_1::formats
