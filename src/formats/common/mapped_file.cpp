#include "src/formats/common/mapped_file.h"

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#include <sys/stat.h>

#include "src/formats/common/descriptor.h"
#else
#include <fstream>
#include <vector>
#endif

#include "src/formats/common/failures.h"
#include "src/graph/failure.h"
#include "src/graph/mapped_memory.h"

namespace webnn::inline v0_1::formats {

#if __has_include(<sys/mman.h>)

Result<MappedFile> map_open_file(const Descriptor& file) {
  struct stat status {};
  if (fstat(file.number(), &status) != 0) return refused("examined");
  if (!S_ISREG(status.st_mode)) return data_error(fail("not a regular file"));
  if (status.st_size == 0) return MappedFile{};
  const auto size = static_cast<std::size_t>(status.st_size);
  void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (address == MAP_FAILED) return refused("mapped");
  std::shared_ptr<const void> owner(static_cast<const void*>(address), Unmap{size});
  return MappedFile{std::move(owner), {static_cast<const std::byte*>(address), size}};
}

Result<MappedFile> map_file(const std::filesystem::path& path) {
  const Descriptor file(open(path.c_str(), read_flags));
  if (!file) return refused("opened");
  return map_open_file(file);
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

#endif

}  // namespace webnn::inline v0_1::formats
