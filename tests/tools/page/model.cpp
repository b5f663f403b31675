// model FOLDER: writes the model of the page's test there and prints its path.
#include <cstdio>
#include <fstream>

#include "tests/tools/models.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string path = std::string(argv[1]) + "/colors.tflite";
  const std::vector<std::byte> bytes = webnn::test::colors_bytes();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  std::puts(path.c_str());
}
