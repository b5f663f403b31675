// Whole networks: the median time of a run, and the least time that this machine could need.
//   networks NAME [--threads N] [--layout nchw|nhwc] [--seconds S] [--limit] [--explain]
//            [--export FOLDER]
//   networks --list
// NAME: a network of networks/networks.cpp. --limit measures what the machine can compute and move,
// and adds up the larger of the two times of each step. --export writes weights, inputs and outputs
// as .safetensors files, so that another runtime can run the same network on the same numbers.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "bench/networks/networks.h"
#include "bench/timing.h"
#include "src/graph/cost.h"
#include "tools/webnn/model/limits.h"
#include "webnn/safetensors.h"
#include "webnn/webnn.h"

using namespace webnn;

namespace {

struct Arguments {
  const bench::Network* network = nullptr;
  int threads = 0;
  MLInputOperandLayout layout = MLInputOperandLayout::nchw;
  double seconds = 1;
  bool list = false, limit = false, explain = false;
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
    else if (name == "--list") a.list = true;
    else if (name == "--limit") a.limit = true;
    else if (name == "--explain") a.explain = true;
    else if (name == "--export") a.folder = value();
    else
      for (const bench::Network& n : bench::networks())
        if (n.name == name) a.network = &n;
  }
  return a;
}

struct Tensor {
  std::string name;
  MLOperandDescriptor descriptor;
  std::vector<float> values;
};
std::vector<Tensor> tensors_of(const NamedDescriptors& all) {
  std::vector<Tensor> tensors;
  for (const auto& [name, d] : all)
    tensors.push_back({name, d, std::vector<float>(element_count(d.shape))});
  return tensors;
}

void write(const std::filesystem::path& path, const std::vector<Tensor>& tensors) {
  std::vector<safetensors::NamedValues> named;
  for (const Tensor& t : tensors) named.push_back({t.name, t.descriptor, t.values});
  safetensors::write(path, named);
}

/// Microseconds: of each step the larger of the times for its arithmetic and for its memory.
double least_time(const MLContext& context, const MLGraph& graph) {
  const GraphReport report = graph.report();
  const tool::Limits limits =
      tool::measure_limits(context.threads(), report.arena + std::uint64_t{report.packed});
  double sum = 0;
  for (const StepReport& step : report.steps)
    sum += tool::least_microseconds(cost_of(step.operators), tool::is_quantized(step.operators),
                                    step.kernel, limits);
  return sum;
}

void measure(const Arguments& args) {
  MLContext context({.threads = args.threads});
  MLGraphBuilder b(context);
  std::vector<Tensor> weights;
  const double start = bench::now_us();
  const NamedOperands results = args.network->build(
      b, args.layout, [&](const std::string& name, const auto& d, std::span<const float> v) {
        if (!args.folder.empty()) weights.push_back({name, d, {v.begin(), v.end()}});
      });
  const MLGraph graph = b.build(results);
  const double build_us = bench::now_us() - start;
  std::vector<Tensor> in = tensors_of(graph.inputs()), out = tensors_of(graph.outputs());
  for (Tensor& t : in)
    for (std::size_t i = 0; i < t.values.size(); ++i)
      t.values[i] = std::sin(0.37f * static_cast<float>(i)) +
                    0.3f * std::cos(0.0011f * static_cast<float>(i));
  std::vector<NamedInput> inputs;
  std::vector<NamedOutput> outputs;
  for (const Tensor& t : in) inputs.push_back({t.name, t.values});
  for (Tensor& t : out) outputs.push_back({t.name, t.values});
  const auto run = [&] { context.compute(graph, inputs, outputs); };
  for (int i = 0; i < 3; ++i) run();
  std::vector<double> times;
  for (const double from = bench::now_us();
       times.empty() || bench::now_us() - from < 1e6 * args.seconds;) {
    const double t = bench::now_us();
    run();
    times.push_back(bench::now_us() - t);
  }
  std::printf(
      "{\"runner\":\"webnn\",\"network\":\"%s\",\"kind\":\"%s\",\"threads\":%d,"
      "\"median_ms\":%.4f,\"min_ms\":%.4f,\"runs\":%zu,\"build_ms\":%.1f",
      std::string(args.network->name).c_str(), std::string(args.network->kind).c_str(),
      context.threads(), bench::median(times) / 1000,
      *std::min_element(times.begin(), times.end()) / 1000, times.size(), build_us / 1000);
  if (args.limit) std::printf(",\"limit_ms\":%.4f", least_time(context, graph) / 1000);
  std::printf("}\n");
  if (args.explain) std::printf("%s", graph.explain(context.profile(graph, 20)).c_str());
  if (args.folder.empty()) return;
  std::filesystem::create_directories(args.folder);
  write(args.folder / "weights.safetensors", weights);
  write(args.folder / "inputs.safetensors", in);
  write(args.folder / "outputs.safetensors", out);
}

}  // namespace

int main(int argc, char** argv) try {
  const Arguments args = parse(argc, argv);
  if (args.list) {
    for (const bench::Network& n : bench::networks())
      std::printf("%s\n", std::string(n.name).c_str());
    return 0;
  }
  if (!args.network) {
    std::fprintf(stderr, "networks: the first argument is the name of a network:");
    for (const bench::Network& n : bench::networks())
      std::fprintf(stderr, " %s", std::string(n.name).c_str());
    std::fprintf(stderr, "\n");
    return 2;
  }
  measure(args);
} catch (const std::exception& e) {
  std::fprintf(stderr, "networks: %s\n", e.what());
  return 1;
}
