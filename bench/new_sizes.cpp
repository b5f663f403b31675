// Networks with open dimensions: what sizes cost that were not run before, beside a run.
//   new_sizes [NAME] [--threads N] [--sizes N] [--list]
// A row has the medians of the time in which prepare() makes a new size ready and of the time of a
// run of such a size, and how far the packed weights grow with these sizes.
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string_view>

#include "bench/networks/open.h"
#include "bench/timing.h"
#include "webnn/webnn.h"

using namespace webnn;

namespace {

struct Arguments {
  std::string_view name{};
  int threads = 2;
  std::uint32_t sizes = 20;
  bool list = false;
};
Arguments parse(int argc, char** argv) {
  Arguments a;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    const auto value = [&] { return i + 1 < argc ? std::atoi(argv[++i]) : 0; };
    if (name == "--threads") a.threads = value();
    else if (name == "--sizes") a.sizes = static_cast<std::uint32_t>(value());
    else if (name == "--list") a.list = true;
    else a.name = name;
  }
  return a;
}

/// The memory of all inputs and outputs at some sizes.
class Run {
 public:
  Run(MLContext& context, const MLGraph& sized) : context_(context) {
    for (const auto& [name, d] : sized.inputs())
      inputs_.push_back({name, values_.emplace_back(element_count(d.shape), 0.5f)});
    for (const auto& [name, d] : sized.outputs())
      outputs_.push_back({name, values_.emplace_back(element_count(d.shape))});
  }
  double microseconds(const MLGraph& graph) {
    const double t = bench::now_us();
    context_.compute(graph, inputs_, outputs_);
    return bench::now_us() - t;
  }

 private:
  MLContext& context_;
  std::deque<std::vector<float>> values_{};
  std::vector<NamedInput> inputs_{};
  std::vector<NamedOutput> outputs_{};
};

void measure(const bench::OpenNetwork& c, const Arguments& args) {
  MLContext context({.threads = args.threads});
  MLGraphBuilder b(context);
  const NamedOperands results = c.build(b);
  std::vector<std::pair<std::string, MLDimensions>> inputs;
  const double start = bench::now_us();
  const MLGraph graph = b.build(results);
  const double build_us = bench::now_us() - start;
  for (const auto& [name, x] : graph.graph().inputs()) inputs.emplace_back(name, *x.dimensions());
  const std::size_t packed = graph.memory().packed;
  std::vector<double> prepare, run;
  for (std::uint32_t i = 0; i < args.sizes; ++i) {
    const bench::Sizes sizes = c.sizes(i);
    std::vector<NamedShape> shapes;
    for (const auto& [name, dimensions] : inputs) {
      Dims shape;
      for (const MLDimension& d : dimensions)
        shape.push_back(d.is_open() ? sizes.at(d.dynamic().name) : d.size());
      shapes.push_back({name, shape});
    }
    const double t = bench::now_us();
    const MLGraph sized = graph.prepare(shapes);
    prepare.push_back(bench::now_us() - t);
    Run at(context, sized);
    at.microseconds(sized);
    run.push_back(std::min(at.microseconds(sized), at.microseconds(sized)));
  }
  std::printf(
      "%-14s %d threads   build %8.1f ms   new size %8.3f ms   run %8.3f ms   ratio %.3f   "
      "packed %7.1f MB, then %7.1f MB\n",
      std::string(c.name).c_str(), context.threads(), build_us / 1000,
      bench::median(prepare) / 1000, bench::median(run) / 1000,
      bench::median(prepare) / bench::median(run), static_cast<double>(packed) / 1e6,
      static_cast<double>(graph.memory().packed) / 1e6);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) try {
  const Arguments args = parse(argc, argv);
  for (const bench::OpenNetwork& c : bench::open_networks())
    if (args.list) std::printf("%s\n", std::string(c.name).c_str());
    else if (args.name.empty() || args.name == c.name) measure(c, args);
} catch (const std::exception& e) {
  std::fprintf(stderr, "new_sizes: %s\n", e.what());
  return 1;
}
