// Writes the network as an .onnx file, which examples/install/digits.cpp reads.
//   webnn_digits_onnx FILE.onnx
#include <webnn/onnx.h>

#include <cstdio>

#include "network.h"

int main(int argc, char** argv) try {
  if (argc != 2) throw std::runtime_error("argument: FILE.onnx");
  const auto weights = webnn::safetensors::File::open(DIGITS_FOLDER "/digits.safetensors");
  webnn::onnx::export_model(digits::build(webnn::MLContext(), weights), argv[1],
                            {.name = "digits"});
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
