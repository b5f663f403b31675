// MobileNetV2 through the builder, and the time of a run:
//   mobilenet_v2 [threads]
#include "bench/networks/mobilenet_v2.h"

#include "bench/sizes/run.h"

using namespace webnn;

int main(int argc, char** argv) {
  MLContext context({.threads = argc > 1 ? std::atoi(argv[1]) : 1});
  MLGraphBuilder b(context);
  const MLOperand y = bench::mobilenet_v2(b, MLInputOperandLayout::nchw);
  const MLGraph graph = b.build({{"y", y}});
  std::printf("%.4f\n", bench::fastest_run(context, graph));
}
