#include "src/formats/common/write_file.h"

#include <fstream>
#include <system_error>

namespace webnn::formats {
namespace {

/// A file beside the one to replace; removed unless it took its place.
class PartialFile {
 public:
  explicit PartialFile(std::filesystem::path path) : path_(std::move(path)) {}
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;
  ~PartialFile() {
    file_.close();
    std::error_code ignored;
    if (opened_) std::filesystem::remove(path_, ignored);
  }

  void put(std::span<const std::byte> bytes) {
    open();
    file_.write(reinterpret_cast<const char*>(bytes.data()),
                static_cast<std::streamsize>(bytes.size()));
  }
  bool finish() {
    open();
    file_.close();
    return !file_.fail();
  }
  std::error_code move_to(const std::filesystem::path& path) {
    std::error_code error;
    std::filesystem::rename(path_, path, error);
    if (!error) opened_ = false;
    return error;
  }

 private:
  /// Not before there is something to write: the contents may be refused.
  void open() {
    if (!opened_) file_.open(path_, std::ios::binary);
    opened_ = true;
  }

  std::filesystem::path path_;
  std::ofstream file_;
  bool opened_ = false;
};

Failure operation_error(std::string message) {
  return {std::move(message), ErrorName::OperationError};
}

}  // namespace

std::optional<Failure> write_file(const std::filesystem::path& path,
                                  const std::function<void(const Put&)>& parts) {
  PartialFile partial(std::filesystem::path(path) += ".partial");
  parts([&](std::span<const std::byte> bytes) { partial.put(bytes); });
  if (!partial.finish()) return operation_error("the file cannot be written");
  if (const std::error_code error = partial.move_to(path))
    return operation_error("the file cannot be replaced: " + error.message());
  return std::nullopt;
}

}  // namespace webnn::formats
