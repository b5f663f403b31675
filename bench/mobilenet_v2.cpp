// A whole MobileNetV2: the median time of a run.
//   mobilenet_v2 [--threads N] [--layout nchw|nhwc] [--seconds S] [--explain] [--export FOLDER]
// --export writes weights.safetensors, input.bin and output.bin, so that another runtime can run
// the same network on the same numbers.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "bench/networks/mobilenet_v2.h"
#include "bench/timing.h"
#include "webnn/safetensors.h"

using namespace webnn;

namespace {

struct Arguments {
  int threads = 0;
  MLInputOperandLayout layout = MLInputOperandLayout::nchw;
  double seconds = 1;
  bool explain = false;
  std::filesystem::path folder{};
};

Arguments parse(int argc, char** argv) {
  Arguments a;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    const auto value = [&] { return i + 1 < argc ? argv[++i] : ""; };
    if (name == "--threads") a.threads = std::atoi(value());
    else if (name == "--layout") a.layout = *enum_from<MLInputOperandLayout>(value());
    else if (name == "--seconds") a.seconds = std::atof(value());
    else if (name == "--explain") a.explain = true;
    else if (name == "--export") a.folder = value();
  }
  return a;
}

double now_ms() { return bench::now_us() / 1000; }

void write(const std::filesystem::path& path, std::span<const float> values) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size_bytes()));
}

}  // namespace

int main(int argc, char** argv) try {
  const Arguments args = parse(argc, argv);
  MLContext context({.threads = args.threads});
  MLGraphBuilder b(context);
  struct Weight {
    std::string name;
    MLOperandDescriptor descriptor;
    std::vector<float> values;
  };
  std::vector<Weight> weights;
  const double start = now_ms();
  const MLOperand y = bench::mobilenet_v2(
      b, args.layout, 7, [&](const std::string& name, const auto& d, std::span<const float> v) {
        if (!args.folder.empty()) weights.push_back({name, d, {v.begin(), v.end()}});
      });
  const MLGraph graph = b.build({{"logits", y}});
  const double build_ms = now_ms() - start;

  std::vector<float> in(3 * 224 * 224), out(1000);
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] =
        std::sin(0.37f * static_cast<float>(i)) + 0.3f * std::cos(0.0011f * static_cast<float>(i));
  const auto run = [&] { context.compute(graph, {{"input", in}}, {{"logits", out}}); };
  for (int i = 0; i < 5; ++i) run();
  std::vector<double> times;
  for (const double from = now_ms(); now_ms() - from < 1000 * args.seconds;) {
    const double t = now_ms();
    run();
    times.push_back(now_ms() - t);
  }
  std::sort(times.begin(), times.end());
  std::printf(
      "{\"runner\":\"webnn\",\"threads\":%d,\"median_ms\":%.4f,\"min_ms\":%.4f,\"runs\":%zu,"
      "\"build_ms\":%.1f}\n",
      context.threads(), times[times.size() / 2], times.front(), times.size(), build_ms);
  if (args.explain) std::printf("%s", graph.explain(context.profile(graph, 100)).c_str());
  if (!args.folder.empty()) {
    std::filesystem::create_directories(args.folder);
    std::vector<safetensors::NamedValues> named;
    for (const Weight& w : weights) named.push_back({w.name, w.descriptor, w.values});
    safetensors::write(args.folder / "weights.safetensors", named);
    write(args.folder / "input.bin", in);
    write(args.folder / "output.bin", out);
  }
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
