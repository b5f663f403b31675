// The time of a run of each network that is measured beside ONNX Runtime:
//   networks [threads]
#include "bench/networks/networks.h"

#include "bench/sizes/run.h"

using namespace webnn;

int main(int argc, char** argv) {
  for (const bench::Network& network : bench::networks()) {
    MLContext context({.threads = argc > 1 ? std::atoi(argv[1]) : 1});
    MLGraphBuilder b(context);
    const MLGraph graph = b.build(network.build(b, MLInputOperandLayout::nchw, {}));
    std::printf("%s %.4f\n", std::string(network.name).c_str(), bench::fastest_run(context, graph));
    std::fflush(stdout);
  }
}
