// Networks from images to images: the median time of a run.
//   networks NAME [--threads N] [--layout nchw|nhwc] [--seconds S] [--explain] [--export FOLDER]
// NAME: unet, style_transfer or style_transfer_transposed. --export writes weights.safetensors,
// input.bin and output.bin, so that another runtime can run the same network on the same numbers.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "bench/networks/style_transfer.h"
#include "bench/networks/unet.h"
#include "bench/timing.h"
#include "webnn/safetensors.h"
#include "webnn/webnn.h"

using namespace webnn;

namespace {

struct Network {
  std::string_view name;
  MLOperand (*build)(MLGraphBuilder&, MLInputOperandLayout, const bench::WeightSink&);
};
constexpr Network networks[] = {
    {"unet", [](auto& b, auto layout, auto& sink) { return bench::unet(b, layout, 7, sink); }},
    {"style_transfer",
     [](auto& b, auto layout, auto& sink) {
       return bench::style_transfer(b, layout, bench::Upsampling::nearest, 7, sink);
     }},
    {"style_transfer_transposed",
     [](auto& b, auto layout, auto& sink) {
       return bench::style_transfer(b, layout, bench::Upsampling::transposed, 7, sink);
     }},
};

struct Arguments {
  const Network* network = nullptr;
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
    else if (name == "--layout")
      a.layout = enum_from<MLInputOperandLayout>(value()).value_or(a.layout);
    else if (name == "--seconds") a.seconds = std::atof(value());
    else if (name == "--explain") a.explain = true;
    else if (name == "--export") a.folder = value();
    else
      for (const Network& n : networks)
        if (n.name == name) a.network = &n;
  }
  return a;
}

void write(const std::filesystem::path& path, std::span<const float> values) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size_bytes()));
}

struct Weight {
  std::string name;
  MLOperandDescriptor descriptor;
  std::vector<float> values;
};

void export_to(const std::filesystem::path& folder, const std::vector<Weight>& weights,
               std::span<const float> in, std::span<const float> out) {
  std::filesystem::create_directories(folder);
  std::vector<safetensors::NamedValues> named;
  for (const Weight& w : weights) named.push_back({w.name, w.descriptor, w.values});
  safetensors::write(folder / "weights.safetensors", named);
  write(folder / "input.bin", in);
  write(folder / "output.bin", out);
}

void measure(const Arguments& args) {
  MLContext context({.threads = args.threads});
  MLGraphBuilder b(context);
  std::vector<Weight> weights;
  const double start = bench::now_us();
  const MLOperand y = args.network->build(
      b, args.layout, [&](const std::string& name, const auto& d, std::span<const float> v) {
        if (!args.folder.empty()) weights.push_back({name, d, {v.begin(), v.end()}});
      });
  const MLGraph graph = b.build({{"output", y}});
  const double build_us = bench::now_us() - start;
  std::vector<float> in(element_count(graph.inputs().front().descriptor.shape)),
      out(element_count(y.shape()));
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] =
        std::sin(0.37f * static_cast<float>(i)) + 0.3f * std::cos(0.0011f * static_cast<float>(i));
  const auto run = [&] { context.compute(graph, {{"input", in}}, {{"output", out}}); };
  for (int i = 0; i < 3; ++i) run();
  std::vector<double> times;
  for (const double from = bench::now_us(); bench::now_us() - from < 1e6 * args.seconds;) {
    const double t = bench::now_us();
    run();
    times.push_back(bench::now_us() - t);
  }
  std::printf(
      "{\"runner\":\"webnn\",\"network\":\"%s\",\"threads\":%d,\"median_ms\":%.4f,"
      "\"min_ms\":%.4f,\"runs\":%zu,\"build_ms\":%.1f}\n",
      std::string(args.network->name).c_str(), context.threads(), bench::median(times) / 1000,
      *std::min_element(times.begin(), times.end()) / 1000, times.size(), build_us / 1000);
  if (args.explain) std::printf("%s", graph.explain(context.profile(graph, 20)).c_str());
  if (!args.folder.empty()) export_to(args.folder, weights, in, out);
}

}  // namespace

int main(int argc, char** argv) try {
  const Arguments args = parse(argc, argv);
  if (!args.network) {
    std::fprintf(stderr, "networks: the first argument is the name of a network:");
    for (const Network& n : networks) std::fprintf(stderr, " %s", std::string(n.name).c_str());
    std::fprintf(stderr, "\n");
    return 2;
  }
  measure(args);
} catch (const std::exception& e) {
  std::fprintf(stderr, "networks: %s\n", e.what());
  return 1;
}
