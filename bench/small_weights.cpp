// Weights of fewer bits beside float32, in turn, and activations of 8 bits with them: one step of a
// decoder of 135 million parameters (networks/transformer.h), products of 2048 x 2048 and 4096 x
// 4096 weights with 1, 64 and 128 rows, and convolutions of 3x3.
//   small_weights [--explain] [threads...]      2 threads by default
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "bench/arguments.h"
#include "bench/networks/transformer.h"
#include "bench/timing.h"
#include "webnn/float16.h"
#include "webnn/passes.h"
#include "webnn/quantize_weights.h"
#include "webnn/webnn.h"

using namespace webnn;
using bench::median, bench::now_us;

namespace {

/// Values that look random and are never equal in two matrices.
class Values {
 public:
  MLOperand operator()(MLGraphBuilder& b, const std::string&, std::uint32_t, std::uint32_t k,
                       std::uint32_t columns) {
    std::vector<float> v(std::size_t{k} * columns);
    const float range = std::sqrt(3.f / static_cast<float>(k));
    for (float& x : v) {
      state_ = state_ * 6364136223846793005u + 1442695040888963407u;
      x = range * (static_cast<float>(state_ >> 40) * 0x1p-23f - 1);
    }
    return b.constant({float32, {k, columns}}, v);
  }

 private:
  std::uint64_t state_ = 1;
};

/// int8 weights have a scale for each column, int4 for each 32 terms.
struct Variant {
  MLOperandDataType type;
  AccuracyLevel level;
  const char* name;
};
constexpr Variant variants[] = {
    {float32, AccuracyLevel::float32, "float32"}, {float16, AccuracyLevel::float32, "float16"},
    {int8, AccuracyLevel::float32, "int8"},       {int8, AccuracyLevel::int8, "int8 x int8"},
    {int4, AccuracyLevel::float32, "int4"},       {int4, AccuracyLevel::int8, "int8 x int4"}};

/// With float32 weights, which become those of the variant, or with those of the variant.
using Build = std::function<NamedOperands(MLGraphBuilder&, const Variant&)>;

class Network {
 public:
  Network(const Build& build, const Variant& v, int threads)
      : context_({.threads = threads, .accuracyLevel = v.level}) {
    MLContext any({.threads = 1, .backends = {"reference"}, .keepConstants = true});
    MLGraphBuilder b(any);
    const MLGraph floats = b.build(build(b, v));
    graph_ = build_graph(
        context_, v.type == float32
                      ? floats.graph()
                      : quantize_weights(floats.graph(),
                                         {.type = v.type, .block = v.type == int8 ? 0u : 32u}));
    for (const auto& [name, d] : graph_.inputs()) {
      auto& x = memory_.emplace_back(element_count(d.shape));
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(0.37f * static_cast<float>(i));
      in_.push_back({name, x});
    }
    for (const auto& [name, d] : graph_.outputs())
      out_.push_back({name, memory_.emplace_back(element_count(d.shape))});
  }
  double run_us() {
    const double t = now_us();
    context_.compute(graph_, in_, out_);
    return now_us() - t;
  }
  double packed_mb() const { return static_cast<double>(graph_.memory().packed) / 1e6; }
  std::string explain() { return graph_.explain(context_.profile(graph_, 20)); }

 private:
  MLContext context_;
  MLGraph graph_;
  std::vector<std::vector<float>> memory_;
  std::vector<NamedInput> in_;
  std::vector<NamedOutput> out_;
};

double least(const std::vector<double>& v) { return *std::min_element(v.begin(), v.end()); }

void compare(const char* name, const Build& build, int threads, bool explain) {
  std::vector<std::unique_ptr<Network>> networks;
  for (const Variant& v : variants)
    networks.push_back(std::make_unique<Network>(build, v, threads));
  std::vector<std::vector<double>> times(networks.size());
  for (const auto& n : networks) n->run_us();
  for (const double from = now_us(); now_us() - from < 4e6;)
    for (std::size_t i = 0; i < networks.size(); ++i) {
      networks[i]->run_us();  // its weights come back to the caches that are large enough
      times[i].push_back(std::min(networks[i]->run_us(), networks[i]->run_us()));
    }
  for (std::size_t i = 0; i < networks.size(); ++i)
    std::printf(
        "%-18s %d threads   %-11s %9.1f us, at least %9.1f us   %5.2f times as fast   packed %7.2f "
        "MB\n",
        name, threads, variants[i].name, median(times[i]), least(times[i]),
        least(times[0]) / least(times[i]), networks[i]->packed_mb());
  std::fflush(stdout);
  if (explain)
    for (const auto& n : networks) std::printf("%s", n->explain().c_str());
}

Build product(std::uint32_t rows, std::uint32_t size) {
  return [=](MLGraphBuilder& b, const Variant&) -> NamedOperands {
    return {{"y", b.matmul(b.input("x", {float32, {rows, size}}), Values()(b, "", 0, size, size))}};
  };
}

/// A filter [outputs][3][3][inputs] of any values.
MLOperand filter(MLGraphBuilder& b, MLOperandDataType type, std::uint32_t inputs,
                 std::uint32_t outputs) {
  const Dims shape{outputs, 3, 3, inputs};
  const std::size_t count = element_count(shape);
  if (type == float32) return b.constant({type, shape}, std::vector<float>(count, 0.25f));
  if (type == float16)
    return b.cast(b.constant({type, shape}, std::vector<Float16>(count, Float16(0.25f))), float32);
  const auto bytes = [&](const Dims& sizes) {
    return std::vector<std::byte>(byte_length({type, sizes}), std::byte{0x31});
  };
  const Dims scales{outputs, 1, 1, type == int4 ? inputs / 32 : 1};
  return b.dequantizeLinear(
      b.constant({type, shape}, bytes(shape)),
      b.constant({float32, scales}, std::vector<float>(element_count(scales), 0.01f)),
      b.constant({type, scales}, std::vector<std::byte>(byte_length({type, scales}))));
}

struct Filter {
  std::uint32_t size, inputs, outputs, stride;  ///< of the image, then channels
};

Build convolution(const Filter& f) {
  return [=](MLGraphBuilder& b, const Variant& v) -> NamedOperands {
    return {{"y", b.conv2d(b.input("x", {float32, {1, f.size, f.size, f.inputs}}),
                           filter(b, v.type, f.inputs, f.outputs),
                           {.padding = {1, 1, 1, 1},
                            .strides = {f.stride, f.stride},
                            .inputLayout = MLInputOperandLayout::nhwc,
                            .filterLayout = MLConv2dFilterOperandLayout::ohwi})}};
  };
}

}  // namespace

int main(int argc, char** argv) try {
  const auto [threads, explain] = bench::thread_arguments(argc, argv, {2});
  for (int n : threads) {
    compare(
        "decoder of 135M",
        [](MLGraphBuilder& b, const Variant&) {
          return bench::decoder(b, bench::decoder_135m, 1, 64, Values());
        },
        n, explain);
    for (const std::uint32_t size : {2048u, 4096u})
      for (const std::uint32_t rows : {1u, 64u, 128u})
        compare((std::to_string(rows) + " x " + std::to_string(size) + " x " + std::to_string(size))
                    .c_str(),
                product(rows, size), n, explain);
    for (const Filter& f : {Filter{56, 64, 128, 2},
                            {28, 256, 512, 2},
                            {14, 256, 256, 1},
                            {7, 512, 512, 1},
                            {1, 512, 512, 1}})
      compare((std::to_string(f.size) + " x " + std::to_string(f.size) + " x " +
               std::to_string(f.inputs) + " s" + std::to_string(f.stride))
                  .c_str(),
              convolution(f), n, explain);
  }
} catch (const std::exception& e) {
  std::fprintf(stderr, "small_weights: %s\n", e.what());
  return 1;
}
