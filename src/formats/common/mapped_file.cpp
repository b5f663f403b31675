#include "src/formats/common/mapped_file.h"

#if __has_include(<sys/mman.h>)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#else
#include <fstream>
#include <vector>
#endif

#include "src/formats/common/failures.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::formats {
namespace {

std::optional<Failure> check_relative(std::string_view name) {
  if (name.empty() || name[0] == '/' || name.find('\0') != std::string_view::npos ||
      name.find('\\') != std::string_view::npos)
    return data_error(fail("not the name of a file in this folder or below"));
  for (std::string_view part : split(name, '/'))
    if (part.empty() || part == "." || part == "..")
      return data_error(fail("not the name of a file in this folder or below"));
  return std::nullopt;
}

}  // namespace

#if __has_include(<sys/mman.h>)

namespace {

Failure refused(std::string_view what) {
  const std::string reason = std::generic_category().message(errno);
  return data_error(fail("the file cannot be {}: {}", what, reason));
}

struct Descriptor {
  int number;
  explicit Descriptor(int n) : number(n) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number, other.number);
    return *this;
  }
  ~Descriptor() {
    if (number >= 0) close(number);
  }
};

Result<MappedFile> map(const Descriptor& file, bool one_link) {
  struct stat status {};
  if (fstat(file.number, &status) != 0) return refused("examined");
  if (!S_ISREG(status.st_mode)) return data_error(fail("not a regular file"));
  if (one_link && status.st_nlink != 1)
    return data_error(fail("the file has {} hard links, not one", status.st_nlink));
  if (status.st_size == 0) return MappedFile{};
  const auto size = static_cast<std::size_t>(status.st_size);
  void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
  if (address == MAP_FAILED) return refused("mapped");
  std::shared_ptr<const void> owner(address,
                                    [size](const void* p) { munmap(const_cast<void*>(p), size); });
  return MappedFile{std::move(owner), {static_cast<const std::byte*>(address), size}};
}

}  // namespace

Result<MappedFile> map_file(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a pipe must not wait for its writer.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number < 0) return refused("opened");
  return map(file, false);
}

Result<MappedFile> map_file_below(const std::filesystem::path& folder, std::string_view name) {
  if (auto bad = check_relative(name)) return *bad;
  const auto parts = split(name, '/');
  Descriptor at(open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY));
  for (std::size_t i = 0; at.number >= 0 && i < parts.size(); ++i) {
    const int kind = i + 1 < parts.size() ? O_DIRECTORY : O_NONBLOCK;
    at = Descriptor(
        openat(at.number, std::string(parts[i]).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | kind));
  }
  if (at.number < 0 && errno == ELOOP) return data_error(fail("a symbolic link is not followed"));
  if (at.number < 0) return refused("opened");
  return map(at, true);
}

#else

Result<MappedFile> map_file(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return data_error(fail("not a regular file"));
  const auto size = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) return data_error(fail("the file cannot be opened"));
  auto bytes = std::make_shared<std::vector<std::byte> >(static_cast<std::size_t>(size));
  if (size > 0 &&
      !file.read(reinterpret_cast<char*>(bytes->data()), static_cast<std::streamsize>(size)))
    return data_error(fail("the file cannot be read"));
  const std::span<const std::byte> view(*bytes);
  return MappedFile{std::move(bytes), view};
}

Result<MappedFile> map_file_below(const std::filesystem::path& folder, std::string_view name) {
  if (auto bad = check_relative(name)) return *bad;
  std::filesystem::path path = folder;
  for (std::string_view part : split(name, '/')) {
    path /= part;
    std::error_code error;
    if (std::filesystem::is_symlink(path, error))
      return data_error(fail("a symbolic link is not followed"));
  }
  return map_file(path);
}

#endif

}  // namespace webnn::inline v0_1::formats
