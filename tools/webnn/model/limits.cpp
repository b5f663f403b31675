#include "tools/webnn/model/limits.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "tools/webnn/model/arithmetic.h"
#include "webnn/backend.h"
#include "webnn/webnn.h"

namespace webnn::tool {
namespace {

constexpr std::size_t piece = 65536;  // bytes that one tile copies

/// Runs any operator as a loop that computes, or that copies its input.
struct LimitBackend final : Backend {
  explicit LimitBackend(Loop loop, int tiles) : loop_(loop), tiles_(tiles) {}
  std::string_view name() const override { return "limit"; }
  Lowering lower(Chain chain) const override {
    const std::size_t bytes = byte_length(chain.back().output().descriptor());
    if (!loop_.run)
      return Kernel{.name = "copy",
                    .tiles = static_cast<int>((bytes + piece - 1) / piece),
                    .run = [bytes](Range r, const Buffers& b, std::byte*) {
                      const std::size_t from = static_cast<std::size_t>(r.begin) * piece;
                      const std::size_t to =
                          std::min(bytes, static_cast<std::size_t>(r.end) * piece);
                      std::memcpy(b.outputs[0] + from, b.inputs[0] + from, to - from);
                    }};
    return Kernel{.name = "compute",
                  .tiles = tiles_,
                  .run = [loop = loop_](Range r, const Buffers& b, std::byte*) {
                    float result = 0;
                    for (int i = r.begin; i < r.end; ++i) result += loop.run(rounds);
                    if (r.begin == 0) std::memcpy(b.outputs[0], &result, sizeof result);
                  }};
  }
  static constexpr int rounds = 2000;

 private:
  Loop loop_;
  int tiles_;
};

/// The best of several runs, in microseconds: other processes only make runs slower.
double best_time(int threads, Loop loop, int tiles, std::uint32_t elements) {
  MLContext context(
      {.threads = threads, .backends = {std::make_shared<LimitBackend>(loop, tiles), "reference"}});
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {elements}});
  const MLGraph graph = b.build({{"y", b.neg(x)}});
  const std::vector<float> in(elements);
  std::vector<float> out(elements);
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  double best = 1e30;
  for (int i = 0; i < 5 || Clock::now() - begin < std::chrono::milliseconds(30); ++i) {
    const auto start = Clock::now();
    context.compute(graph, {{"x", in}}, {{"y", out}});
    const std::chrono::duration<double, std::micro> took = Clock::now() - start;
    best = std::min(best, took.count());
  }
  return best;
}

double rate(int threads, Loop loop) {
  if (!loop.run) return 0;
  const int tiles = 8 * threads;
  const double operations = loop.operations * LimitBackend::rounds * tiles;
  return operations / best_time(threads, loop, tiles, 16);
}

}  // namespace

Limits measure_limits(int threads, std::uint64_t working_set) {
  const std::uint64_t half =
      std::clamp<std::uint64_t>(working_set, piece * 4, std::uint64_t{1} << 26) / 2;
  const auto elements = static_cast<std::uint32_t>(half / 4);
  return {rate(threads, float_loop()), rate(threads, int8_loop()),
          8.0 * elements / best_time(threads, {}, 0, elements)};
}

double least_microseconds(const Cost& c, bool quantized, const Limits& l) {
  const double rate = quantized && l.int8_operations > 0 ? l.int8_operations : l.float_operations;
  return std::max(rate > 0 ? 2 * c.macs / rate : 0,
                  l.bytes > 0 ? (c.read + c.written) / l.bytes : 0);
}

bool is_quantized(std::span<const Node> chain) {
  for (const Node& n : chain)
    if (n.as<ops::quantizeLinear>() || (n.as<ops::dequantizeLinear>() && !n.input(0).constant()))
      return true;
  return false;
}

}  // namespace webnn::tool
