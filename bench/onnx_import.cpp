// The import of a model with external data: time, and resident memory besides the mapped file, in a
// process of its own.
//   onnx_import FOLDER        writes a model of 500 MB there, unless it is there already
//   onnx_import MODEL.onnx
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "webnn/onnx.h"
#include "webnn/webnn.h"

using namespace webnn;
namespace fs = std::filesystem;

namespace {

/// Anonymous memory in MB.
double anonymous() {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("RssAnon:")) return std::atof(line.c_str() + 8) * 1024 / 1e6;
  return 0;
}

/// 125 layers of 1000 x 1000 weights.
void write_model(const std::string& path) {
  constexpr std::uint32_t size = 1000;
  MLGraphBuilder b(MLContext({.threads = 1, .backends = {"reference"}}));
  MLOperand x = b.input("x", {float32, {1, size}});
  const std::vector<float> bias(size);
  for (int layer = 0; layer < 125; ++layer) {
    std::vector<float> weights(std::size_t{size} * size);
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] =
          static_cast<float>((i * 7919 + static_cast<std::size_t>(layer)) % 1003) * 1e-4f - 0.05f;
    x = b.relu(b.gemm(x, b.constant({float32, {size, size}}, std::as_bytes(std::span(weights))),
                      {.c = b.constant({float32, {size}}, std::as_bytes(std::span(bias))),
                       .label = "layer" + std::to_string(layer)}));
  }
  onnx::export_model(b.build({{"y", x}}), path, {.external_above = 1 << 20});
}

void measure(const std::string& path) {
  const MLContext context;
  const double before = anonymous();
  const auto start = std::chrono::steady_clock::now();
  MLGraphBuilder b(context);
  const onnx::Model model = onnx::import_model(b, path);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  std::printf("%s: imported in %.3f s, %.1f MB besides the mapped file, %zu outputs\n",
              path.c_str(), time.count(), anonymous() - before, model.outputs.size());
}

template <class F> void in_child(F&& f) {
  const pid_t child = fork();
  if (child == 0) {
    f();
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  if (waitpid(child, &status, 0) < 0 || status != 0) std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "argument: a folder, or an .onnx file\n");
    return 2;
  }
  std::string path = argv[1];
  if (fs::is_directory(path)) {
    path = (fs::path(path) / "webnn_500MB.onnx").string();
    if (!fs::exists(path)) in_child([&] { write_model(path); });
  }
  for (int round = 0; round < 3; ++round) in_child([&] { measure(path); });
}
