// Writes the networks with open dimensions as .onnx files, such as for open_models.mjs.
//   open_networks FOLDER [NAME...]
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <span>

#include "bench/networks/open.h"
#include "webnn/onnx.h"
#include "webnn/webnn.h"

using namespace webnn;

namespace {

void write(const bench::OpenNetwork& network, const std::filesystem::path& folder) {
  MLContext context;
  MLGraphBuilder b(context);
  const MLGraph graph = b.build(network.build(b));
  const std::filesystem::path path = folder / (std::string(network.name) + ".onnx");
  onnx::export_model(graph, path);
  std::printf("%s\n", path.string().c_str());
}

}  // namespace

int main(int argc, char** argv) try {
  const std::span<char*> names(argv + std::min(argc, 2), argv + argc);
  if (argc < 2) {
    std::fprintf(stderr, "usage: open_networks FOLDER [NAME...]\n");
    return 2;
  }
  for (const bench::OpenNetwork& network : bench::open_networks())
    if (names.empty() || std::ranges::find(names, network.name) != names.end())
      write(network, argv[1]);
} catch (const std::exception& e) {
  std::fprintf(stderr, "open_networks: %s\n", e.what());
  return 1;
}
