#include "tools/webnn/model/limits.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "tools/webnn/model/arithmetic.h"
#include "webnn/backend.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::tool {
namespace {

/// What one tile does with its part of an input and of an output.
using TileLoop = std::function<float(const std::byte* in, std::byte* out, std::size_t bytes)>;

/// Runs any operator as that loop.
struct LimitBackend final : Backend {
  LimitBackend(TileLoop loop, int tiles) : loop_(std::move(loop)), tiles_(tiles) {}
  std::string_view name() const override { return "limit"; }
  Lowering lower(Chain chain) const override {
    const std::size_t bytes = byte_length(chain.back().output().descriptor());
    const std::size_t part = bytes / static_cast<std::size_t>(tiles_);
    return Candidate{.name = "loop",
                     .tiles = tiles_,
                     .run = [loop = loop_, part](Range r, const Buffers& b, std::byte*) {
                       for (int i = r.begin; i < r.end; ++i) {
                         const std::size_t at = static_cast<std::size_t>(i) * part;
                         const float result = loop(b.inputs[0] + at, b.outputs[0] + at, part);
                         std::memcpy(b.outputs[0] + at, &result, sizeof result);
                       }
                     }};
  }

 private:
  TileLoop loop_;
  int tiles_;
};

/// The best of several runs, in microseconds: other processes only make runs slower.
double best_time(int threads, TileLoop loop, int tiles, std::size_t bytes) {
  MLContext context(
      {.threads = threads,
       .backends = {std::make_shared<LimitBackend>(std::move(loop), tiles), "reference"}});
  MLGraphBuilder b(context);
  const auto elements = static_cast<std::uint32_t>(bytes / 4);
  const MLOperand x = b.input("x", {float32, {elements}});
  const MLGraph graph = b.build({{"y", b.neg(x)}});
  const std::vector<float> in(elements);
  std::vector<float> out(elements);
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  double best = 1e30;
  for (int i = 0; i < 5 || Clock::now() - begin < std::chrono::milliseconds(25); ++i) {
    const auto start = Clock::now();
    context.compute(graph, {{"x", in}}, {{"y", out}});
    const std::chrono::duration<double, std::micro> took = Clock::now() - start;
    best = std::min(best, took.count());
  }
  return best;
}

double rate(int threads, Loop loop) {
  if (!loop.run) return 0;
  constexpr int rounds = 2000;
  const int tiles = 8 * threads;
  const double operations = loop.operations * rounds * tiles;
  const TileLoop compute = [loop](const std::byte*, std::byte*, std::size_t) {
    return loop.run(rounds);
  };
  return operations /
         best_time(threads, compute, tiles, std::size_t{64} * static_cast<std::size_t>(tiles));
}

/// Parts of a small size are repeated, so that a run is much longer than its beginning and end.
MemoryRate memory_rate(int threads, std::size_t size) {
  constexpr std::size_t least_moved = std::size_t{1} << 22;
  const int tiles = 4 * threads;
  const std::size_t part = size / static_cast<std::size_t>(tiles) / 1024 * 1024;
  const std::size_t bytes = part * static_cast<std::size_t>(tiles);
  const std::size_t rounds = std::max<std::size_t>(1, least_moved / bytes);
  const TileLoop read = [rounds](const std::byte* in, std::byte*, std::size_t n) {
    float sum = 0;
    for (std::size_t i = 0; i < rounds; ++i) sum += read_loop()(in, n);
    return sum;
  };
  const TileLoop write = [rounds](const std::byte*, std::byte* out, std::size_t n) {
    for (std::size_t i = 0; i < rounds; ++i) {
      std::memset(out, static_cast<int>(i & 1), n);
      asm volatile("" : : "r"(out) : "memory");  // each time, not only the last
    }
    return 0.f;
  };
  const auto moved = static_cast<double>(bytes * rounds);
  return {static_cast<double>(bytes), moved / best_time(threads, read, tiles, bytes),
          moved / best_time(threads, write, tiles, bytes)};
}

/// An algorithm of fewer multiplications than the operator has.
double multiplications_saved(std::string_view kernel) {
  if (kernel.find("winograd 4x4") != std::string_view::npos) return 4;     // 36 for 144
  if (kernel.find("winograd 2x2") != std::string_view::npos) return 2.25;  // 16 for 36
  return 1;
}

}  // namespace

MemoryRate Limits::at(double bytes) const {
  MemoryRate best;
  for (std::size_t i = memory.size(); i-- > 0;) {
    // More memory is never faster: a larger size may have had the luckier measurement.
    best = {memory[i].size, std::max(best.read, memory[i].read),
            std::max(best.write, memory[i].write)};
    if (memory[i].size <= bytes) break;
  }
  return best;
}

Limits measure_limits(int threads, std::uint64_t working_set) {
  Limits l{rate(threads, float_loop()), rate(threads, int8_loop()), {}};
  constexpr std::size_t most = std::size_t{1} << 26;
  for (std::size_t size = std::size_t{1} << 15; size <= most; size *= 8) {
    l.memory.push_back(memory_rate(threads, size * static_cast<std::size_t>(threads)));
    if (size * static_cast<std::size_t>(threads) >= working_set) break;
  }
  return l;
}

Limits best_of(const Limits& a, const Limits& b) {
  Limits l = a;
  l.float_operations = std::max(a.float_operations, b.float_operations);
  l.int8_operations = std::max(a.int8_operations, b.int8_operations);
  for (std::size_t i = 0; i < std::min(a.memory.size(), b.memory.size()); ++i) {
    l.memory[i].read = std::max(a.memory[i].read, b.memory[i].read);
    l.memory[i].write = std::max(a.memory[i].write, b.memory[i].write);
  }
  return l;
}

double least_microseconds(const Cost& c, bool quantized, std::string_view kernel, const Limits& l) {
  const double rate =
      quantized ? std::max(l.int8_operations, l.float_operations) : l.float_operations;
  const MemoryRate m = l.at(c.read + c.written);
  return std::max({rate > 0 ? 2 * c.products / multiplications_saved(kernel) / rate : 0,
                   m.read > 0 ? c.read / m.read : 0, m.write > 0 ? c.written / m.write : 0});
}

bool is_quantized(std::span<const Node> chain) {
  for (const Node& n : chain)
    if (n.as<ops::quantizeLinear>() || (n.as<ops::dequantizeLinear>() && !n.input(0).constant()))
      return true;
  return false;
}

}  // namespace webnn::inline v0_1::tool
