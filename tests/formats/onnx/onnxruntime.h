// Models and their inputs as files, which tests/formats/onnx/onnxruntime.mjs runs.
#pragma once

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/catch.h"
#include "tests/support/source_dir.h"
#include "tests/support/tensor.h"

namespace webnn::inline v0_1::onnx::test {

namespace fs = std::filesystem;
using webnn::test::Tensor;

struct Folder {
  fs::path path = fs::temp_directory_path() / "webnn_onnxruntime";
  Folder() {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~Folder() {
    if (!std::getenv("WEBNN_KEEP_FILES")) fs::remove_all(path);
  }
};

inline void write(const fs::path& file, std::span<const std::byte> bytes) {
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}
inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}
inline std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
inline fs::path file_of(const Folder& folder, std::size_t n, const std::string& ending) {
  return folder.path / (std::to_string(n) + '.' + ending);
}

/// All cases in one process; after one that ends it in another.
inline void run_all(const Folder& folder, std::size_t count) {
  const std::string command =
      "node '" + (webnn::test::source_dir() / "tests/formats/onnx/onnxruntime.mjs").string() +
      "' '" + std::string(std::getenv("WEBNN_ONNXRUNTIME_NODE")) + "' '" + folder.path.string() +
      "' ";
  std::string plain;
  for (std::size_t first = 0; first < count;) {
    const std::string range = std::to_string(first) + ' ' + std::to_string(count) + ' ' + plain;
    if (std::system((command + range + " >/dev/null 2>&1").c_str()) == 0) break;
    const std::string at = text_of(folder.path / "at");
    REQUIRE(!at.empty());  // else there is no onnxruntime-node
    first = std::stoul(at) + (at == plain ? 1 : 0);
    if (at == plain) write(file_of(folder, first - 1, "error"), bytes_of("the process ended"));
    plain = at;
  }
}

/// Sums in another order, and functions that are less exact: within 2e-6 of the largest element.
inline bool is_near(const Tensor& a, const Tensor& b) {
  if (!webnn::is_float(a.type)) return false;
  double largest = 1;
  for (std::size_t i = 0; i < b.size(); ++i) largest = std::max(largest, std::abs(b[i]));
  for (std::size_t i = 0; i < b.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= 2e-6 * largest)) return false;
  return true;
}

}  // namespace webnn::inline v0_1::onnx::test
