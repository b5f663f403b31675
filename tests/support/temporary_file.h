// A file that goes away with its object.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace webnn::inline v0_1::test {

struct TemporaryFile {
  std::string path = (std::filesystem::temp_directory_path() /
                      ("webnn_test_" + std::to_string(::getpid()) + "_" + std::to_string(next++)))
                         .string();

  TemporaryFile() = default;
  explicit TemporaryFile(const std::string& text) { write(text); }
  TemporaryFile(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code error;
    std::filesystem::remove_all(path, error);
  }
  void write(const std::string& text) const { std::ofstream(path, std::ios::binary) << text; }

 private:
  static inline int next = 0;
};

}  // namespace webnn::inline v0_1::test
