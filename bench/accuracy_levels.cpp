// Whole networks at the accuracy levels: the time of a run and that of float32, turn by turn, and
// how far the results are from those of float32. Prints a table in Markdown. The time is the sum of
// the least times of all steps, so that other work on the machine does not count.
//   accuracy_levels [--threads N] [--rounds N] [--inputs N] [--level LEVEL]
//                   [--products | --direct] [NAME...]
// NAME: a network of networks/networks.cpp; without names all of them.
// --inputs: how many random inputs are compared. --products measures single products and
// convolutions in place of networks; --direct 3x3 convolutions, which the level computes without
// Winograd's method and float32 as it chooses. With them, NAME is a part of the names of the rows.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <random>

#include "bench/graph_memory.h"
#include "bench/networks/networks.h"
#include "webnn/webnn.h"

using namespace webnn;

namespace {

struct Arguments {
  int threads = 1, rounds = 15, inputs = 8;
  AccuracyLevel level = AccuracyLevel::bfloat16;
  bool products = false, direct = false;
  std::vector<std::string_view> names{};
};

/// A graph at a level, with numbers for its inputs.
class Program {
 public:
  Program(const Arguments& a, AccuracyLevel level,
          const std::function<NamedOperands(MLGraphBuilder&)>& build)
      : context_({.threads = a.threads, .accuracyLevel = level}) {
    MLGraphBuilder b(context_);
    graph_ = b.build(build(b));
    memory_ = bench::GraphMemory(graph_);
  }

  void fill(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<float> normal;
    for (std::size_t i = 0; i < memory_.inputs.size(); ++i) {
      const MLOperandDescriptor& d = graph_.inputs()[i].descriptor;
      if (d.dataType == float32) {
        auto* values = reinterpret_cast<float*>(memory_.inputs[i].data());
        for (std::size_t k = 0; k < element_count(d.shape); ++k) values[k] = normal(random);
      } else if (d.dataType == int32 || d.dataType == int64) {
        const std::size_t size = d.dataType == int32 ? 4 : 8;
        for (std::size_t k = 0; k < element_count(d.shape); ++k)
          memory_.inputs[i][k * size] = static_cast<std::byte>(random() % 100);
      }
    }
  }
  void run() { memory_.compute(context_, graph_); }
  void measure() {
    const std::vector<double> steps = context_.profile(graph_);
    least_.resize(steps.size(), std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < steps.size(); ++i) least_[i] = std::min(least_[i], steps[i]);
  }
  double microseconds() const { return std::accumulate(least_.begin(), least_.end(), 0.0); }
  const MLGraph& graph() const { return graph_; }
  std::span<const float> output(std::size_t i) const {
    const std::vector<std::byte>& y = memory_.outputs[i];
    return {reinterpret_cast<const float*>(y.data()), y.size() / sizeof(float)};
  }

 private:
  MLContext context_;
  MLGraph graph_;
  bench::GraphMemory memory_{};
  std::vector<double> least_{};  // by step
};

/// How alike the results of two programs are, over all runs.
struct Likeness {
  double signal = 0, noise = 0;
  std::size_t rows = 0, same = 0;

  void add(const Program& a, const Program& b) {
    const auto& outputs = a.graph().outputs();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const MLOperandDescriptor& d = outputs[i].descriptor;
      if (d.dataType != float32) continue;
      const auto x = a.output(i), y = b.output(i);
      for (std::size_t k = 0; k < x.size(); ++k) {
        signal += double{x[k]} * x[k];
        noise += (double{x[k]} - y[k]) * (double{x[k]} - y[k]);
      }
      const std::size_t n = d.shape.empty() ? 1 : d.shape.back();
      if (n < 2) continue;
      const auto place = [n](auto row) { return std::max_element(row, row + n) - row; };
      for (std::size_t k = 0; k < x.size(); k += n, ++rows)
        same += place(x.data() + k) == place(y.data() + k);
    }
  }
  double decibels() const { return 10 * std::log10(signal / noise); }
};

void compare(const std::string& name, const Arguments& a,
             const std::function<NamedOperands(MLGraphBuilder&)>& build) {
  const auto is_in_name = [&](std::string_view part) { return name.find(part) != name.npos; };
  if (!a.names.empty() && std::ranges::none_of(a.names, is_in_name)) return;
  Program floats(a, AccuracyLevel::float32, build);
  if (a.direct) setenv("WEBNN_WINOGRAD", "off", 1);
  Program other(a, a.level, build);
  if (a.direct) unsetenv("WEBNN_WINOGRAD");
  Likeness alike;
  for (int i = 0; i < a.inputs; ++i) {
    floats.fill(static_cast<std::uint64_t>(i) + 1);
    other.fill(static_cast<std::uint64_t>(i) + 1);
    floats.run();
    other.run();
    alike.add(floats, other);
  }
  for (int i = 0; i < a.rounds; ++i) {
    floats.measure();
    other.measure();
  }
  const double plain = floats.microseconds(), fast = other.microseconds();
  const auto packed = [](const Program& p) {
    return static_cast<double>(p.graph().report().packed) / 1e6;
  };
  std::printf("| %s | %.2f | %.2f | %.2f | %.1f | %zu of %zu | %.1f | %.1f |\n", name.c_str(),
              plain / 1000, fast / 1000, fast / plain, alike.decibels(), alike.same, alike.rows,
              packed(floats), packed(other));
  std::fflush(stdout);
}

MLOperand random_constant(MLGraphBuilder& b, Dims shape) {
  std::vector<float> values(element_count(shape));
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0, 0.05f);
  for (float& v : values) v = normal(random);
  return b.constant({float32, std::move(shape)}, std::span<const float>(values));
}

struct Conv {
  std::uint32_t size, channels, outputs, kernel, stride;
};
void compare(const Arguments& a, const Conv& c) {
  const auto text = [](auto... n) { return ((std::to_string(n) + 'x') + ...); };
  compare(
      text(c.size, c.size) + std::to_string(c.channels) + ' ' + text(c.kernel) +
          std::to_string(c.kernel) + '/' + std::to_string(c.stride) + " -> " +
          std::to_string(c.outputs),
      a, [&](MLGraphBuilder& b) -> NamedOperands {
        const std::uint32_t pad = c.kernel / 2;
        const MLOperand x = b.input("x", {float32, {1, c.size, c.size, c.channels}});
        return {{"y", b.conv2d(x, random_constant(b, {c.outputs, c.kernel, c.kernel, c.channels}),
                               {.padding = {pad, pad, pad, pad},
                                .strides = {c.stride, c.stride},
                                .inputLayout = MLInputOperandLayout::nhwc,
                                .filterLayout = MLConv2dFilterOperandLayout::ohwi})}};
      });
}

/// Those of ResNet, of the network unet, and of style transfer.
void compare_direct(const Arguments& a) {
  for (const auto& [size, channels, outputs] : std::vector<std::array<std::uint32_t, 3>>{
           {56, 64, 64},   {28, 128, 128}, {14, 256, 256}, {7, 512, 512}, {128, 3, 32},
           {128, 32, 32},  {64, 32, 64},   {64, 64, 64},   {32, 64, 128}, {32, 128, 128},
           {16, 128, 256}, {16, 256, 256}, {8, 256, 512},  {8, 512, 512}, {16, 512, 256},
           {32, 256, 128}, {64, 128, 64},  {128, 64, 32},  {12, 64, 64},  {40, 96, 96}})
    compare(a, {size, channels, outputs, 3, 1});
}

void compare_products(const Arguments& a) {
  for (const auto& [rows, k, columns] : std::vector<std::array<std::uint32_t, 3>>{{384, 768, 768},
                                                                                  {384, 768, 3072},
                                                                                  {384, 3072, 768},
                                                                                  {128, 768, 768},
                                                                                  {128, 768, 3072},
                                                                                  {128, 3072, 768},
                                                                                  {128, 576, 1536},
                                                                                  {128, 1536, 576},
                                                                                  {512, 2048, 2048},
                                                                                  {16, 768, 768},
                                                                                  {4, 768, 3072},
                                                                                  {1, 768, 3072}})
    compare(std::to_string(rows) + "x" + std::to_string(k) + "x" + std::to_string(columns), a,
            [&](MLGraphBuilder& b) -> NamedOperands {
              const MLOperand x = b.input("x", {float32, {rows, k}});
              return {{"y", b.matmul(x, random_constant(b, {k, columns}))}};
            });
  for (const Conv& c : std::vector<Conv>{{56, 64, 64, 3, 1},
                                         {28, 128, 128, 3, 1},
                                         {14, 256, 256, 3, 1},
                                         {7, 512, 512, 3, 1},
                                         {56, 128, 128, 3, 2},
                                         {28, 256, 256, 3, 2},
                                         {14, 512, 512, 3, 2},
                                         {224, 3, 64, 7, 2},
                                         {56, 64, 256, 1, 1},
                                         {56, 256, 64, 1, 1},
                                         {14, 1024, 256, 1, 1},
                                         {7, 512, 2048, 1, 1},
                                         {56, 256, 512, 1, 2},
                                         {28, 64, 64, 5, 1}})
    compare(a, c);
}

Arguments parse(int argc, char** argv) {
  Arguments a;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    const auto value = [&] { return i + 1 < argc ? argv[++i] : ""; };
    if (name == "--threads") a.threads = std::atoi(value());
    else if (name == "--rounds") a.rounds = std::max(1, std::atoi(value()));
    else if (name == "--inputs") a.inputs = std::max(1, std::atoi(value()));
    else if (name == "--level") a.level = enum_from<AccuracyLevel>(value()).value_or(a.level);
    else if (name == "--products") a.products = true;
    else if (name == "--direct") a.direct = true;
    else a.names.push_back(name);
  }
  return a;
}

}  // namespace

int main(int argc, char** argv) try {
  const Arguments a = parse(argc, argv);
  const std::string level(name_of(a.level));
  std::printf(
      "| network, %d thread%s | float32 (ms) | %s (ms) | ratio | signal to noise (dB) | "
      "rows with the same largest element | packed float32 (MB) | packed %s (MB) |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- |\n",
      a.threads, a.threads == 1 ? "" : "s", level.c_str(), level.c_str());
  if (a.products) return compare_products(a), 0;
  if (a.direct) return compare_direct(a), 0;
  for (const bench::Network& n : bench::networks())
    if (a.names.empty() || std::find(a.names.begin(), a.names.end(), n.name) != a.names.end())
      compare(std::string(n.name), a,
              [&](MLGraphBuilder& b) { return n.build(b, MLInputOperandLayout::nhwc, {}); });
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
