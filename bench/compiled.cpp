// Compiled graphs: the time to build a network, and to load it from a .webnnc file.
//   compiled NAME... [--threads N] [--loads N] [--verify]
// NAME: networks of networks/networks.cpp. The file is in the system's cache, as it is when a
// program is started again. --verify also measures loads with all checksums.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "bench/networks/networks.h"
#include "bench/timing.h"
#include "webnn/compiled.h"
#include "webnn/webnn.h"

using namespace webnn;

namespace {

struct Arguments {
  std::vector<const bench::Network*> networks{};
  int threads = 0, loads = 20;
  bool verify = false;
};

Arguments parse(int argc, char** argv) {
  Arguments a;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    const auto number = [&] { return i + 1 < argc ? std::atoi(argv[++i]) : 0; };
    if (name == "--threads") a.threads = number();
    else if (name == "--loads") a.loads = number();
    else if (name == "--verify") a.verify = true;
    else
      for (const bench::Network& n : bench::networks())
        if (n.name == name) a.networks.push_back(&n);
  }
  return a;
}

using Values = std::vector<std::vector<float>>;

/// The outputs for some numbers, and how long the run took.
double run(MLContext& context, const MLGraph& graph, Values& results) {
  Values values;
  std::vector<NamedInput> inputs;
  std::vector<NamedOutput> outputs;
  results.clear();
  for (const auto& [name, d] : graph.inputs()) {
    std::vector<float>& v = values.emplace_back(element_count(d.shape));
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = std::sin(0.37f * static_cast<float>(i));
  }
  for (const auto& [name, d] : graph.outputs()) results.emplace_back(element_count(d.shape));
  for (std::size_t i = 0; i < values.size(); ++i)
    inputs.push_back({graph.inputs()[i].name, values[i]});
  for (std::size_t i = 0; i < results.size(); ++i)
    outputs.push_back({graph.outputs()[i].name, results[i]});
  const double start = bench::now_us();
  context.compute(graph, std::span<const NamedInput>(inputs),
                  std::span<const NamedOutput>(outputs));
  return (bench::now_us() - start) / 1000;
}

template <class F> double median_ms(int times, F f) {
  std::vector<double> all;
  for (int i = 0; i < times; ++i) {
    const double start = bench::now_us();
    f();
    all.push_back((bench::now_us() - start) / 1000);
  }
  return bench::median(all);
}

void measure(const bench::Network& network, const Arguments& a) {
  const std::string path =
      (std::filesystem::temp_directory_path() / (std::string(network.name) + ".webnnc")).string();
  MLContext context({.threads = a.threads});
  MLGraphBuilder b(context);
  const NamedOperands results = network.build(b, MLInputOperandLayout::nchw, {});
  const double start = bench::now_us();
  const MLGraph graph = b.build(results);
  const double build_ms = (bench::now_us() - start) / 1000;
  compiled::save(graph, path);
  MLGraph loaded;
  const double load_ms = median_ms(a.loads, [&] { loaded = compiled::load(context, path); });
  double full_ms = 0;
  if (a.verify)
    full_ms = median_ms(a.loads,
                        [&] { compiled::load(context, path, {.verify = compiled::Verify::full}); });
  Values expected, got;
  const double first_of_built = run(context, graph, expected);
  const double first_of_loaded = run(context, loaded, got);
  std::printf(
      "{\"network\":\"%s\",\"build_ms\":%.1f,\"load_ms\":%.2f,\"load_all_verified_ms\":%.2f,"
      "\"file_mb\":%.1f,\"first_run_built_ms\":%.2f,\"first_run_loaded_ms\":%.2f,"
      "\"packed_mb\":%.1f,\"packed_loaded_mb\":%.1f,\"same_bits\":%s}\n",
      std::string(network.name).c_str(), build_ms, load_ms, full_ms,
      static_cast<double>(std::filesystem::file_size(path)) / 1e6, first_of_built, first_of_loaded,
      static_cast<double>(graph.memory().packed) / 1e6,
      static_cast<double>(loaded.memory().packed) / 1e6, expected == got ? "true" : "false");
  std::filesystem::remove(path);
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments a = parse(argc, argv);
  if (a.networks.empty() || a.loads < 1) {
    std::fprintf(stderr, "usage: compiled NAME... [--threads N] [--loads N] [--verify]\n");
    return 2;
  }
  for (const bench::Network* n : a.networks) measure(*n, a);
}
