// model FOLDER: writes the models of the page's test there and prints their paths, one on a line.
#include <cstdio>
#include <fstream>

#include "tests/tools/models.h"

namespace {

void write(const std::string& path, const std::vector<std::byte>& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  std::puts(path.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = argv[1];
  write(folder + "/colors.tflite", webnn::test::colors_bytes());
  write(folder + "/chain.tflite", webnn::test::chain_bytes({1, 16, 16, 32}, 40));
}
