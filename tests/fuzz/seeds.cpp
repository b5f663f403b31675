// Writes the seeds of a fuzzer: webnn_fuzz_<format>_seeds FOLDER
#include "tests/fuzz/seeds.h"

#include <cstdio>
#include <fstream>
#include <stdexcept>

void webnn::fuzz::write_seed(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::runtime_error("cannot be written: " + path.string());
}

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  std::filesystem::create_directories(argv[1]);
  webnn::fuzz::write_seeds(argv[1]);
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
