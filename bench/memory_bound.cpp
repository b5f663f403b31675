// Operators that move more than they compute, against plain loops over the same bytes: a copy, two
// streams added into a third, or one that is only read. Both run as kernels of one runtime,
// alternating, so that both times contain the cost of a dispatch.
//   memory_bound [rounds]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bench/timing.h"
#include "webnn/backend.h"
#include "webnn/webnn.h"

using namespace webnn;
using bench::median, bench::now_us;

namespace {

/// A part of the concatenation of several pieces of memory: f(pointer, bytes) for each of them.
template <class P, class F>
void for_pieces(std::span<P const> all, std::span<const std::size_t> sizes, std::size_t begin,
                std::size_t end, F f) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < all.size(); at += sizes[i++]) {
    const std::size_t from = std::max(begin, at), to = std::min(end, at + sizes[i]);
    if (from < to) f(all[i] + (from - at), to - from);
  }
}

/// Runs any chain as a loop over its bytes.
struct Limit final : Backend {
  std::string_view name() const override { return "limit"; }
  Lowering lower(Chain chain) const override {
    std::vector<std::size_t> in, out;
    for (const MLOperand& x : inputs_of(chain)) in.push_back(byte_length(x.descriptor()));
    for (const MLOperand& y : chain.back().outputs()) out.push_back(byte_length(y.descriptor()));
    std::size_t read = 0, written = 0;
    for (std::size_t n : in) read += n;
    for (std::size_t n : out) written += n;
    const bool sums = in.size() == 2 && out.size() == 1 && in[0] == out[0] && in[1] == out[0];
    const bool only_reads = written < read / 4;
    const std::size_t bytes = only_reads ? read : std::min(read, written);
    constexpr std::size_t each = 65536;
    return Candidate{
        .name = sums         ? "three streams"
                : only_reads ? "read"
                             : "copy",
        .tiles = static_cast<int>((bytes + each - 1) / each),
        .run = [=](Range r, const Buffers& b, std::byte*) {
          const std::size_t begin = static_cast<std::size_t>(r.begin) * each;
          const std::size_t end = std::min(bytes, static_cast<std::size_t>(r.end) * each);
          if (sums) {
            const float *a = b.in<float>(0), *c = b.in<float>(1);
            float* y = b.out<float>();
            for (std::size_t i = begin / 4; i < end / 4; ++i) y[i] = a[i] + c[i];
          } else if (only_reads) {
            const auto* x = b.in<std::uint32_t>();
            std::uint32_t all[32] = {};  // several vectors, which do not wait for one another
            for (std::size_t i = begin / 4; i + 32 <= end / 4; i += 32)
              for (std::size_t l = 0; l < 32; ++l) all[l] |= x[i + l];
            if (r.begin == 0) std::memcpy(b.outputs[0], all, std::min(sizeof all, written));
          } else {
            std::size_t at = begin;
            for_pieces<const std::byte*>(b.inputs, in, begin, end,
                                         [&](const std::byte* x, std::size_t n) {
                                           std::size_t done = 0;
                                           for_pieces<std::byte*>(b.outputs, out, at, at + n,
                                                                  [&](std::byte* y, std::size_t k) {
                                                                    std::memcpy(y, x + done, k);
                                                                    done += k;
                                                                  });
                                           at += n;
                                         });
          }
        }};
  }
};

struct Case {
  const char* name;
  std::vector<Dims> inputs;
  std::function<std::vector<MLOperand>(MLGraphBuilder&, std::span<const MLOperand>)> build;
};
using Operands = std::span<const MLOperand>;
using List = std::vector<MLOperand>;

const Case cases[] = {
    {"add",
     {{1024, 1024}, {1024, 1024}},
     [](auto& b, Operands x) { return List{b.add(x[0], x[1])}; }},
    {"add [1024]",
     {{1024, 1024}, {1024}},
     [](auto& b, Operands x) { return List{b.add(x[0], x[1])}; }},
    {"add [30]", {{35000, 30}, {30}}, [](auto& b, Operands x) { return List{b.add(x[0], x[1])}; }},
    {"add [1024, 1]",
     {{1024, 1024}, {1024, 1}},
     [](auto& b, Operands x) { return List{b.add(x[0], x[1])}; }},
    {"relu", {{1024, 1024}}, [](auto& b, Operands x) { return List{b.relu(x[0])}; }},
    {"clamp",
     {{1024, 1024}},
     [](auto& b, Operands x) { return List{b.clamp(x[0], {.minValue = 0, .maxValue = 6})}; }},
    {"gelu", {{1024, 1024}}, [](auto& b, Operands x) { return List{b.gelu(x[0])}; }},
    {"hard swish of parts",
     {{1024, 1024}},
     [](auto& b, Operands x) {
       const auto c = [&](double v) { return b.constant(float32, v); };
       return List{
           b.mul(b.clamp(b.add(b.mul(x[0], c(1.5)), c(3)), {.minValue = 0, .maxValue = 6}), c(2))};
     }},
    {"transpose", {{1024, 1024}}, [](auto& b, Operands x) { return List{b.transpose(x[0])}; }},
    {"concat",
     {{1024, 500}, {1024, 524}},
     [](auto& b, Operands x) {
       return List{b.concat({x[0], x[1]}, 1)};
     }},
    {"slice",
     {{1024, 1024}},
     [](auto& b, Operands x) {
       return List{b.slice(x[0], {1, 3}, {1000, 1000})};
     }},
    {"pad",
     {{1024, 1000}},
     [](auto& b, Operands x) {
       return List{b.pad(x[0], {0, 12}, {0, 12})};
     }},
    {"split", {{1024, 1024}}, [](auto& b, Operands x) { return b.split(x[0], 2u, {.axis = 1}); }},
    {"reduceSum",
     {{1024, 1024}},
     [](auto& b, Operands x) { return List{b.reduceSum(x[0], {.axes = std::vector{1u}})}; }},
    {"softmax", {{1024, 1024}}, [](auto& b, Operands x) { return List{b.softmax(x[0], 1)}; }},
    {"layerNormalization",
     {{1024, 1024}, {1024}, {1024}},
     [](auto& b, Operands x) {
       return List{b.layerNormalization(x[0], {.scale = x[1], .bias = x[2]})};
     }},
    {"instanceNormalization",
     {{1, 128, 128, 64}, {64}, {64}},
     [](auto& b, Operands x) {
       return List{b.instanceNormalization(
           x[0], {.scale = x[1], .bias = x[2], .layout = MLInputOperandLayout::nhwc})};
     }},
    {"reflection",
     {{1, 124, 124, 64}},
     [](auto& b, Operands x) {
       return List{b.pad(x[0], {0, 2, 2, 0}, {0, 2, 2, 0}, {.mode = MLPaddingMode::reflection})};
     }},
    {"resample2d nearest",
     {{1, 64, 64, 64}},
     [](auto& b, Operands x) {
       return List{b.resample2d(x[0], {.scales = {2, 2}, .axes = {1, 2}})};
     }},
    {"resample2d linear",
     {{1, 64, 64, 64}},
     [](auto& b, Operands x) {
       return List{b.resample2d(
           x[0], {.mode = MLInterpolationMode::linear, .scales = {2, 2}, .axes = {1, 2}})};
     }},
    {"resample2d nchw",
     {{1, 64, 64, 64}},
     [](auto& b, Operands x) {
       return List{b.resample2d(
           x[0], {.mode = MLInterpolationMode::linear, .scales = {2, 2}, .axes = {2, 3}})};
     }},
    {"mean of images",
     {{1, 128, 128, 64}},
     [](auto& b, Operands x) {
       return List{b.reduceMean(x[0], {.axes = std::vector{1u, 2u}})};
     }},
    {"softmax of columns",
     {{64, 16384}},
     [](auto& b, Operands x) { return List{b.softmax(x[0], 0)}; }},
    {"concat of channels",
     {{1, 128, 128, 32}, {1, 128, 128, 32}},
     [](auto& b, Operands x) {
       return List{b.concat({x[0], x[1]}, 3)};
     }},
    {"pow 0.5",
     {{1024, 1024}},
     [](auto& b, Operands x) { return List{b.pow(x[0], b.constant(float32, 0.5))}; }},
    {"places of rows",
     {{128, 384, 21}},
     [](auto& b, Operands x) { return List{b.cast(b.argMax(x[0], 2), float32)}; }},
    {"places of columns",
     {{21, 50000}},
     [](auto& b, Operands x) { return List{b.cast(b.argMax(x[0], 0), float32)}; }},
    {"greater and where",
     {{1024, 1024}, {1024, 1024}},
     [](auto& b, Operands x) {
       return List{b.where(b.greater(x[0], b.constant(float32, 1)), x[0], x[1])};
     }},
};

class Program {
 public:
  Program(const Case& c, int threads, std::vector<BackendChoice> backends)
      : context_({.threads = threads, .backends = std::move(backends)}) {
    MLGraphBuilder b(context_);
    List x;
    for (std::size_t i = 0; i < c.inputs.size(); ++i)
      x.push_back(b.input("x" + std::to_string(i), {float32, c.inputs[i]}));
    NamedOperands y;
    for (const MLOperand& o : c.build(b, x)) y.emplace_back("y" + std::to_string(y.size()), o);
    graph_ = b.build(y);
    for (const auto& [name, d] : graph_.inputs())
      values_.emplace_back(name, std::vector<float>(element_count(d.shape), 0.5f));
    for (const auto& [name, d] : graph_.outputs())
      results_.emplace_back(name, std::vector<float>(element_count(d.shape)));
  }
  void run() {
    std::vector<NamedInput> in;
    std::vector<NamedOutput> out;
    for (auto& [name, v] : values_) in.push_back({name, v});
    for (auto& [name, v] : results_) out.push_back({name, v});
    context_.compute(graph_, in, out);
  }
  double microseconds() {
    std::vector<double> times;
    for (int i = 0; i < 12; ++i) {
      const double t = now_us();
      run();
      if (i >= 3) times.push_back(now_us() - t);
    }
    return median(std::move(times));
  }

 private:
  MLContext context_;
  MLGraph graph_;
  std::vector<std::pair<std::string, std::vector<float>>> values_, results_;
};

}  // namespace

int main(int argc, char** argv) try {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 15;
  std::printf("float32, 4 MB a tensor; median microseconds, and the median of their ratios\n");
  std::printf("%20s  %7s  %9s  %9s  %6s\n", "", "threads", "operator", "limit", "ratio");
  for (const Case& c : cases)
    for (int threads : {1, 2}) {
      Program ours(c, threads, {}), limit(c, threads, {std::make_shared<Limit>()});
      std::vector<double> a, b, ratios;
      for (int i = 0; i < rounds; ++i) {
        a.push_back(ours.microseconds());
        b.push_back(limit.microseconds());
        ratios.push_back(a.back() / b.back());
      }
      std::printf("%20s  %7d  %9.1f  %9.1f  %6.2f\n", c.name, threads, median(a), median(b),
                  median(ratios));
    }
} catch (const std::exception& e) {
  std::fprintf(stderr, "memory_bound: %s\n", e.what());
  return 1;
}
