// What many cores would gain: a SIMULATION. Each chunk of tiles is measured alone, on one core; the
// times are then scheduled on 4, 16 and 64 workers as the executor divides them. The cost of
// starting the workers and of the memory that they share is left out.
//   scaling [--runs N] [NETWORK...]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <queue>

#include "bench/networks/networks.h"
#include "bench/timing.h"
#include "src/kernels/backends.h"
#include "src/runtime/shares.h"
#include "webnn/webnn.h"

using namespace webnn;

namespace {

constexpr int all_workers[] = {1, 4, 16, 64};

struct Chunk {
  int share;
  double us;
};
/// A kernel, and the least time of each of its chunks in the order in which they ran.
struct MeasuredKernel {
  std::string name;
  int tiles = 0, rounds = 1;
  std::map<int, std::vector<std::vector<Chunk>>> chunks{};  // by workers, then by round
};

struct Measurement {
  int workers = 1;
  std::deque<MeasuredKernel> kernels{};
};

/// The kernels of another backend, which note how long their chunks take.
class MeasuredBackend final : public Backend {
 public:
  MeasuredBackend(std::shared_ptr<const Backend> inner, Measurement& measurement)
      : inner_(std::move(inner)), measurement_(measurement) {}

  std::string_view name() const override { return inner_->name(); }
  DataTypes supported_types(std::size_t kind) const override {
    return inner_->supported_types(kind);
  }
  Lowering lower(Chain chain) const override {
    Lowering lowering = inner_->lower(chain);
    auto* kernel = std::get_if<Candidate>(&lowering);
    if (!kernel) return lowering;
    measurement_.kernels.push_back({kernel->name, kernel->tiles, kernel->rounds});
    Candidate divided = *kernel;
    kernel->run = [divided = std::move(divided), &m = measurement_,
                   &noted = measurement_.kernels.back()](Range range, const Buffers& buffers,
                                                         std::byte* scratch) {
      auto& rounds = noted.chunks[m.workers];
      rounds.resize(static_cast<std::size_t>(divided.rounds));
      std::vector<Chunk>& chunks = rounds[static_cast<std::size_t>(range.round)];
      const bool first = chunks.empty();
      const int shares = share_count(divided, m.workers), size = chunk_size(divided, m.workers);
      std::size_t next = 0;
      for (int share = 0; share < shares; ++share) {
        const int end = share_begin(divided.tiles, shares, share + 1);
        for (int t = share_begin(divided.tiles, shares, share); t < end; t += size) {
          const double begin = bench::now_us();
          divided.run({t, std::min(t + size, end), range.round}, buffers, scratch);
          const double us = bench::now_us() - begin;
          if (first) chunks.push_back({share, us});
          else chunks[next].us = std::min(chunks[next].us, us);
          ++next;
        }
      }
    };
    return lowering;
  }

 private:
  std::shared_ptr<const Backend> inner_;
  Measurement& measurement_;
};

/// When the last worker is ready: each takes the chunks of its share, then those that others
/// have not begun.
double makespan(const std::vector<Chunk>& chunks, int shares, int workers) {
  std::vector<std::deque<double>> left(static_cast<std::size_t>(shares));
  for (const Chunk& c : chunks) left[static_cast<std::size_t>(c.share)].push_back(c.us);
  using Free = std::pair<double, int>;  // when, who
  std::priority_queue<Free, std::vector<Free>, std::greater<>> free;
  for (int w = 0; w < workers; ++w) free.push({0, w});
  double last = 0;
  while (!free.empty()) {
    const auto [now, worker] = free.top();
    free.pop();
    const int own = share_begin(shares, workers, worker);
    for (int i = 0; i < shares; ++i) {
      auto& share = left[static_cast<std::size_t>((own + i) % shares)];
      if (share.empty()) continue;
      const double end = now + share.front();
      share.pop_front();
      last = std::max(last, end);
      free.push({end, worker});
      break;
    }
  }
  return last;
}

double makespan(const MeasuredKernel& k, int workers) {
  double sum = 0;
  for (const auto& chunks : k.chunks.at(workers))
    sum += makespan(chunks, std::min(workers, k.tiles), workers);
  return sum;
}

void measure(const bench::Network& network, int runs) {
  Measurement measurement;
  MLContextOptions options{.threads = 1};
  for (const auto& b : backends_for({}))
    options.backends.push_back(
        std::shared_ptr<const Backend>(std::make_shared<MeasuredBackend>(b, measurement)));
  MLContext context(options);
  MLGraphBuilder builder(context);
  const MLGraph graph =
      builder.build(network.build(builder, MLInputOperandLayout::nchw, [](auto&&...) {}));
  std::vector<std::vector<std::byte>> memory;
  std::vector<NamedInput> inputs;
  std::vector<NamedOutput> outputs;
  const auto zeros = [&](const MLOperandDescriptor& d) {
    memory.emplace_back(byte_length(d));
    return std::span<std::byte>(memory.back());
  };
  for (const auto& [name, d] : graph.inputs()) inputs.push_back({name, zeros(d)});
  for (const auto& [name, d] : graph.outputs()) outputs.push_back({name, zeros(d)});
  for (int run = 0; run < runs; ++run)
    for (const int workers : all_workers) {
      measurement.workers = workers;
      context.compute(graph, inputs, outputs);
    }
  std::erase_if(measurement.kernels, [](const auto& k) { return k.chunks.empty(); });

  std::map<int, double> times;
  for (const int workers : all_workers)
    for (const MeasuredKernel& k : measurement.kernels) times[workers] += makespan(k, workers);
  std::printf("%-24.24s %9.2f ms", std::string(network.name).c_str(), times[1] / 1000);
  for (const int workers : all_workers)
    if (workers > 1) std::printf("  %5.1f of %d", times[1] / times[workers], workers);
  std::puts("");
  constexpr int many = 64;
  constexpr std::size_t shown = 3;
  const auto lost = [&](const MeasuredKernel& k) {
    return makespan(k, many) - makespan(k, 1) / many;
  };
  auto& worst = measurement.kernels;
  std::sort(worst.begin(), worst.end(),
            [&](const auto& a, const auto& b) { return lost(a) > lost(b); });
  for (std::size_t i = 0; i < std::min(shown, worst.size()); ++i)
    std::printf("    of the time with %d workers, %2.0f %% is lost by %s: %.0f us in %d tiles\n",
                many, 100 * lost(worst[i]) / times[many], worst[i].name.c_str(),
                makespan(worst[i], 1), worst[i].tiles);
}

}  // namespace

int main(int argc, char** argv) {
  int runs = 5;
  std::vector<std::string_view> names;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--runs" && i + 1 < argc)
      runs = std::max(1, std::atoi(argv[++i]));
    else names.push_back(argv[i]);
  }
  std::puts("simulated: chunks of tiles measured alone on one core, scheduled on many workers");
  for (const bench::Network& n : bench::networks())
    if (names.empty() || std::find(names.begin(), names.end(), n.name) != names.end())
      measure(n, runs);
}
