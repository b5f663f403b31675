// Convolutions of many shapes of kernels on each backend: which one is fastest, and what the choice
// of a context costs where it is another one. Copies of a convolution with other weights alternate,
// and backends take turns.
// With --integers 1, convolutions of uint8 with int8 weights instead, beside those of floats: what
// each takes, the arithmetic, and where floats would be faster.
//   convolution_shapes [--rounds N] [--threads N] [--only TEXT] [--integers 1]
// 12 rounds, one thread by default.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/timing.h"
#include "webnn/webnn.h"

using namespace webnn;
using bench::now_us;

namespace {

struct Size {
  std::uint32_t height, width;
};
struct Shape {
  Size image, kernel;
  std::uint32_t inputs, outputs;
  Size stride{1, 1}, dilation{1, 1};
  std::uint32_t groups = 1;

  Size effective() const {
    return {(kernel.height - 1) * dilation.height + 1, (kernel.width - 1) * dilation.width + 1};
  }
  std::string text() const {
    const auto pair = [](Size s) {
      return std::to_string(s.height) + "x" + std::to_string(s.width);
    };
    std::string s = pair(image) + " " + std::to_string(inputs) + "->" + std::to_string(outputs) +
                    " " + pair(kernel);
    if (stride.height * stride.width > 1) s += " stride " + pair(stride);
    if (dilation.height * dilation.width > 1) s += " dilation " + pair(dilation);
    if (groups > 1)
      s += groups == inputs && outputs == inputs ? " depthwise"
                                                 : " groups " + std::to_string(groups);
    return s;
  }
};

/// Padding before and after, as much as keeps the size of the image at stride 1.
struct Padding {
  std::uint32_t before, after;
};
Padding padding(std::uint32_t size, std::uint32_t effective, std::uint32_t stride) {
  const std::uint32_t covered = (size + stride - 1) / stride * stride - stride + effective;
  const std::uint32_t all = covered > size ? covered - size : 0;
  return {all / 2, all - all / 2};
}

using Shapes = std::vector<Shape>;

/// Square images, and the channels that networks have with so many pixels.
struct Layer {
  std::uint32_t side, channels;
};

void add_dense(Shapes& all) {
  constexpr Size kernels[] = {{2, 2}, {3, 3}, {4, 4}, {5, 5}, {7, 7}, {1, 3},
                              {3, 1}, {1, 5}, {5, 1}, {1, 7}, {7, 1}, {1, 15}};
  for (const Layer l : {Layer{112, 16}, {56, 32}, {56, 64}, {28, 128}, {14, 256}, {7, 512}}) {
    const Size image{l.side, l.side};
    const auto add = [&](Size kernel, Size stride, Size dilation) {
      all.push_back({image, kernel, l.channels, l.channels, stride, dilation});
    };
    for (const Size k : kernels) add(k, {1, 1}, {1, 1});
    for (const std::uint32_t k : {1u, 3u, 5u}) add({k, k}, {2, 2}, {1, 1});
    for (const std::uint32_t dilation : {2u, 4u}) add({3, 3}, {1, 1}, {dilation, dilation});
    for (const std::uint32_t few : {8u, 24u}) all.push_back({image, {3, 3}, l.channels, few});
  }
}

void add_first_layers(Shapes& all) {
  for (const std::uint32_t inputs : {1u, 3u, 4u}) {
    for (const std::uint32_t k : {3u, 4u, 5u, 7u})
      all.push_back({{224, 224}, {k, k}, inputs, 32, {2, 2}});
    all.push_back({{224, 224}, {16, 16}, inputs, 32, {16, 16}});
  }
}

/// Text, sound and signals.
void add_rows_and_columns(Shapes& all) {
  for (const std::uint32_t n : {16u, 32u, 64u, 128u, 256u, 512u})
    for (const std::uint32_t width : {32u, 512u}) {
      for (const std::uint32_t k : {2u, 3u, 5u, 9u}) all.push_back({{1, width}, {1, k}, n, n});
      for (const std::uint32_t k : {3u, 5u}) all.push_back({{width, 1}, {k, 1}, n, n});
      all.push_back({{1, width}, {1, 3}, n, n, {1, 2}});
      all.push_back({{1, width}, {1, 3}, n, n, {1, 1}, {1, 4}});
    }
  all.push_back({{1, 512}, {1, 5}, 512, 256});
  all.push_back({{1, 2048}, {1, 5}, 512, 256});
  all.push_back({{1, 16000}, {1, 10}, 1, 64, {1, 5}});
  all.push_back({{1, 3000}, {1, 3}, 80, 384});
  all.push_back({{1, 3000}, {1, 3}, 384, 384, {1, 2}});
}

void add_groups(Shapes& all) {
  const auto add = [&](Size image, Size kernel, std::uint32_t inputs, std::uint32_t outputs,
                       std::uint32_t groups, Size stride = {1, 1}, Size dilation = {1, 1}) {
    all.push_back({image, kernel, inputs, outputs, stride, dilation, groups});
  };
  for (const std::uint32_t groups : {2u, 4u, 8u, 32u})
    for (const Size k : {Size{3, 3}, {1, 5}, {5, 5}, {1, 1}}) {
      add({28, 28}, k, 128, 128, groups);
      add({14, 14}, k, 256, 256, groups);
    }
  for (const Size k : {Size{3, 3}, {1, 5}}) {
    add({28, 28}, k, 96, 96, 32);
    add({28, 28}, k, 64, 128, 64);
    add({28, 28}, k, 120, 120, 20);
    add({28, 28}, k, 128, 128, 32, {2, 2});
    add({28, 28}, k, 128, 128, 32, {1, 1}, {2, 2});
  }
  add({1, 512}, {1, 9}, 256, 256, 16);
  for (const Layer l : {Layer{112, 32}, {56, 144}, {28, 192}, {14, 384}, {7, 960}})
    for (const Size k : {Size{2, 2}, {3, 3}, {1, 5}, {5, 1}, {5, 5}, {7, 7}, {1, 9}})
      for (const std::uint32_t stride : {1u, 2u})
        add({l.side, l.side}, k, l.channels, l.channels, l.channels, {stride, stride});
  for (const std::uint32_t k : {9u, 31u}) add({1, 512}, {1, k}, 256, 256, 256);
}

Shapes shapes() {
  Shapes all;
  add_dense(all);
  add_first_layers(all);
  add_rows_and_columns(all);
  add_groups(all);
  return all;
}

std::vector<float> values(std::size_t n, float scale) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = scale * std::sin(static_cast<float>(i));
  return v;
}

std::size_t weights_of(const Shape& s) {
  return std::size_t{s.outputs} * s.kernel.height * s.kernel.width * s.inputs / s.groups;
}

/// The convolution with the weights of that number, and relu.
MLOperand append(MLGraphBuilder& b, const MLOperand& x, const Shape& s, int number) {
  const Padding rows = padding(s.image.height, s.effective().height, s.stride.height);
  const Padding columns = padding(s.image.width, s.effective().width, s.stride.width);
  auto filter = values(weights_of(s), 0.1f);
  filter[0] = static_cast<float>(number);
  const Dims dims = {s.outputs, s.kernel.height, s.kernel.width, s.inputs / s.groups};
  return b.relu(b.conv2d(x, b.constant({float32, dims}, filter),
                         {.padding = {rows.before, rows.after, columns.before, columns.after},
                          .strides = {s.stride.height, s.stride.width},
                          .dilations = {s.dilation.height, s.dilation.width},
                          .groups = s.groups,
                          .inputLayout = MLInputOperandLayout::nhwc,
                          .filterLayout = MLConv2dFilterOperandLayout::ohwi,
                          .bias = b.constant({float32, {s.outputs}}, values(s.outputs, 1))}));
}

/// The same between dequantizeLinear and quantizeLinear.
MLOperand append_integers(MLGraphBuilder& b, const MLOperand& x, const Shape& s, int number) {
  const auto numbers = [&](MLOperandDataType type, std::size_t rank, float scale) {
    const Dims ones(rank, 1);
    const MLOperand zero = type == int8 ? b.constant({int8, ones}, std::vector<std::int8_t>{0})
                                        : b.constant({uint8, ones}, std::vector<std::uint8_t>{0});
    return std::pair(b.constant({float32, ones}, std::vector<float>{scale}), zero);
  };
  const Padding rows = padding(s.image.height, s.effective().height, s.stride.height);
  const Padding columns = padding(s.image.width, s.effective().width, s.stride.width);
  std::vector<std::int8_t> filter(weights_of(s));
  for (std::size_t i = 0; i < filter.size(); ++i)
    filter[i] = static_cast<std::int8_t>(100 * std::sin(static_cast<float>(i)));
  filter[0] = static_cast<std::int8_t>(number);
  const Dims dims = {s.outputs, s.kernel.height, s.kernel.width, s.inputs / s.groups};
  const auto [x_scale, x_zero] = numbers(uint8, 4, 0.02f);
  const auto [w_scale, w_zero] = numbers(int8, 4, 0.01f);
  const auto [y_scale, y_zero] = numbers(uint8, 4, 0.05f);
  const MLOperand y =
      b.conv2d(b.dequantizeLinear(x, x_scale, x_zero),
               b.dequantizeLinear(b.constant({int8, dims}, filter), w_scale, w_zero),
               {.padding = {rows.before, rows.after, columns.before, columns.after},
                .strides = {s.stride.height, s.stride.width},
                .dilations = {s.dilation.height, s.dilation.width},
                .groups = s.groups,
                .inputLayout = MLInputOperandLayout::nhwc,
                .filterLayout = MLConv2dFilterOperandLayout::ohwi,
                .bias = b.constant({float32, {s.outputs}}, values(s.outputs, 1))});
  return b.quantizeLinear(b.relu(y), y_scale, y_zero);
}

/// Copies of a convolution with other weights, on one backend or on those of a context.
class Measured {
 public:
  Measured(const Shape& s, const std::string& backend, int threads, bool integers = false)
      : context_(options(backend, threads)), x_(element_count(shape_of(s)) * (integers ? 1 : 4)) {
    fill(integers);
    const double macs = static_cast<double>(weights_of(s)) * (s.image.height / s.stride.height) *
                        (s.image.width / s.stride.width);
    copies_ = std::clamp(static_cast<int>(16e6 / macs), 1, 8);  // no run takes long
    MLGraphBuilder b(context_);
    const MLOperand x = b.input("x", {integers ? uint8 : float32, shape_of(s)});
    NamedOperands outputs;
    for (int i = 0; i < copies_; ++i)
      outputs.push_back(
          {"y" + std::to_string(i), integers ? append_integers(b, x, s, i) : append(b, x, s, i)});
    graph_ = b.build(outputs);
    const GraphReport report = graph_.report();
    chosen_ = report.steps.front().backend;
    kernel_ = report.steps.front().kernel;
    results_.resize(outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      results_[i].resize(byte_length(graph_.outputs()[i].descriptor));
      named_.push_back({graph_.outputs()[i].name, results_[i]});
    }
  }
  const std::string& chosen() const { return chosen_; }
  const std::string& kernel() const { return kernel_; }
  /// One run, which warms up, and so many more that they take a quarter of a millisecond.
  void measure() {
    context_.compute(graph_, {{"x", x_}}, named_);
    for (const double begin = now_us(); now_us() - begin < 250;) {
      const double t = now_us();
      context_.compute(graph_, {{"x", x_}}, named_);
      least_ = std::min(least_, (now_us() - t) / copies_);
    }
  }
  double microseconds() const { return least_; }

 private:
  static Dims shape_of(const Shape& s) { return {1, s.image.height, s.image.width, s.inputs}; }
  static MLContextOptions options(const std::string& backend, int threads) {
    MLContextOptions o{.threads = threads};
    if (!backend.empty()) o.backends = {backend};
    return o;
  }

  void fill(bool integers) {
    const auto floats = values(x_.size() / (integers ? 1 : 4), 1);
    if (!integers) std::memcpy(x_.data(), floats.data(), x_.size());
    for (std::size_t i = 0; integers && i < x_.size(); ++i)
      x_[i] = static_cast<std::byte>(static_cast<int>(127 * (1 + floats[i])));
  }

  MLContext context_;
  std::vector<std::byte> x_;
  MLGraph graph_;
  std::vector<std::vector<std::byte>> results_;
  std::vector<NamedOutput> named_;
  std::string chosen_, kernel_;
  double least_ = std::numeric_limits<double>::infinity();
  int copies_ = 1;
};

constexpr std::array backends = {"simd", "onednn", "xnnpack"};
/// What is too little to be an error of choice: measurements differ by as much.
constexpr double tolerated = 1.05;

struct Sums {
  int shapes = 0, wrong = 0;
  double lost = 0, lost_by_wrong = 0;  // logarithms

  void add(double ratio) {
    ++shapes;
    lost += std::log(std::max(1.0, ratio));
    if (ratio <= tolerated) return;
    ++wrong;
    lost_by_wrong += std::log(ratio);
  }
  void print() const {
    std::printf(
        "%d of %d choices are more than 5 %% slower than the best backend, by %.1f %% in the "
        "geometric mean; all choices by %.2f %%\n",
        wrong, shapes, wrong ? 100 * std::expm1(lost_by_wrong / wrong) : 0.0,
        100 * std::expm1(lost / shapes));
  }
};

void compare(const Shape& s, int threads, int rounds, Sums& sums) {
  std::array<std::optional<Measured>, backends.size()> each;
  for (std::size_t i = 0; i < backends.size(); ++i) try {
      each[i].emplace(s, backends[i], threads);
      if (each[i]->chosen() != backends[i]) each[i].reset();
    } catch (const std::exception&) {  // the build has no such backend
    }
  const std::string chosen = Measured(s, {}, threads).chosen();
  const auto ratio = [&] {  // of the chosen backend's time and the least one
    double least = std::numeric_limits<double>::infinity(), its = least;
    for (std::size_t i = 0; i < backends.size(); ++i) {
      if (!each[i]) continue;
      least = std::min(least, each[i]->microseconds());
      if (backends[i] == chosen) its = each[i]->microseconds();
    }
    return its / least;
  };
  // The machine may be busy: what seems wrong is measured longer.
  for (int i = 0; i < rounds || (i < 5 * rounds && ratio() > tolerated); ++i)
    for (auto& m : each)
      if (m) m->measure();
  std::printf("%-48s", s.text().c_str());
  for (const auto& m : each)
    m ? std::printf(" %9.1f", m->microseconds()) : std::printf(" %9s", "-");
  std::printf("   %-8s", chosen.c_str());
  if (std::isfinite(ratio())) {
    std::printf(" %5.2f%s", ratio(), ratio() > tolerated ? " *" : "  ");
    sums.add(ratio());
  }
  std::printf("  %s\n", each[0] ? each[0]->kernel().c_str() : "");
  std::fflush(stdout);
}

double operations(const Shape& s) {
  return 2.0 * static_cast<double>(weights_of(s)) *
         std::ceil(static_cast<double>(s.image.height) / s.stride.height) *
         std::ceil(static_cast<double>(s.image.width) / s.stride.width);
}

void compare_integers(const Shape& s, int threads, int rounds) {
  Measured integers(s, {}, threads, true), floats(s, {}, threads);
  for (int i = 0; i < rounds; ++i) integers.measure(), floats.measure();
  const double us = integers.microseconds(), ratio = us / floats.microseconds();
  std::printf("%-48s %9.1f %9.1f %8.1f   %5.2f%s  %s\n", s.text().c_str(), us,
              floats.microseconds(), operations(s) / us / 1e3, ratio, ratio > 1 ? " *" : "  ",
              integers.kernel().c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) try {
  int threads = 1, rounds = 12;
  bool integers = false;
  std::string only;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    if (name == "--threads") threads = std::atoi(argv[i + 1]);
    else if (name == "--rounds") rounds = std::atoi(argv[i + 1]);
    else if (name == "--only") only = argv[i + 1];
    else if (name == "--integers") integers = std::atoi(argv[i + 1]) != 0;
    else throw std::invalid_argument("unknown option " + std::string(name));
  }
  if (integers) {
    std::printf("%-48s %9s %9s %8s   integers by floats (microseconds, %d threads)\n",
                "convolution", "integers", "floats", "GOP/s", threads);
    for (const Shape& s : shapes())
      if (s.text().find(only) != std::string::npos) compare_integers(s, threads, rounds);
    return 0;
  }
  std::printf("%-48s %9s %9s %9s   chosen, its time by the least (microseconds, %d threads)\n",
              "convolution", backends[0], backends[1], backends[2], threads);
  Sums sums;
  for (const Shape& s : shapes())
    if (s.text().find(only) != std::string::npos) compare(s, threads, rounds, sums);
  if (sums.shapes > 0) sums.print();
} catch (const std::exception& e) {
  std::fprintf(stderr, "convolution_shapes: %s\n", e.what());
  return 1;
}
