// Whole networks, built by hand and read from the .onnx file that they are written to, turn by
// turn.
//   onnx_networks [--threads N] [--layout nchw|nhwc] [--rounds N] [NAME...]
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "bench/graph_memory.h"
#include "bench/networks/networks.h"
#include "bench/timing.h"
#include "webnn/onnx.h"
#include "webnn/webnn.h"

using namespace webnn;
using bench::median, bench::now_us;

namespace {

struct Arguments {
  int threads = 0, rounds = 15;
  MLInputOperandLayout layout = MLInputOperandLayout::nchw;
  std::vector<std::string_view> names{};
};

/// A graph with numbers for its inputs.
class Program {
 public:
  Program(const MLContext& context, MLGraph graph)
      : context_(context), graph_(std::move(graph)), memory_(graph_) {
    for (std::size_t n = 0; n < memory_.inputs.size(); ++n) {
      const MLOperandDescriptor& d = graph_.inputs()[n].descriptor;
      if (d.dataType != float32) continue;
      auto* values = reinterpret_cast<float*>(memory_.inputs[n].data());
      for (std::size_t i = 0; i < element_count(d.shape); ++i)
        values[i] = std::sin(static_cast<float>(i));
    }
  }

  double run() {
    const double start = now_us();
    memory_.compute(context_, graph_);
    return now_us() - start;
  }
  bool same_as(const Program& other) const { return memory_.outputs == other.memory_.outputs; }
  const MLGraph& graph() const { return graph_; }

 private:
  MLContext context_;
  MLGraph graph_;
  bench::GraphMemory memory_;
};

void measure(const bench::Network& network, const Arguments& a) {
  const MLContext context({.threads = a.threads, .keepConstants = true});
  MLGraphBuilder by_hand(context), imported(context);
  Program first(context, by_hand.build(network.build(by_hand, a.layout, {})));
  const auto file = onnx::export_model(first.graph(), {.external_above = ~std::uint64_t{0}});
  Program second(context, imported.build(onnx::import_model(imported, file).outputs));
  std::vector<double> hand, read, ratios;
  for (int i = 0; i <= a.rounds; ++i) {
    const double x = first.run(), y = second.run();
    if (i == 0) continue;
    hand.push_back(x);
    read.push_back(y);
    ratios.push_back(y / x);
  }
  std::printf("%-22s %7zu KB  by hand %8.2f ms  from the file %8.2f ms  ratio %.3f  %s\n",
              std::string(network.name).c_str(), file.size() / 1000, median(hand) / 1000,
              median(read) / 1000, median(ratios),
              first.same_as(second) ? "same bits" : "other bits");
  std::fflush(stdout);
}

Arguments parse(int argc, char** argv) {
  Arguments a;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    const auto value = [&] { return i + 1 < argc ? argv[++i] : ""; };
    if (name == "--threads") a.threads = std::atoi(value());
    else if (name == "--rounds") a.rounds = std::max(1, std::atoi(value()));
    else if (name == "--layout")
      a.layout = enum_from<MLInputOperandLayout>(value()).value_or(a.layout);
    else a.names.push_back(name);
  }
  return a;
}

}  // namespace

int main(int argc, char** argv) try {
  const Arguments a = parse(argc, argv);
  for (const bench::Network& n : bench::networks())
    if (a.names.empty() || std::find(a.names.begin(), a.names.end(), n.name) != a.names.end())
      measure(n, a);
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
