// Many callers of one graph: calls per second of so many callers beside those of as many callers as
// threads, turn by turn, and how long a call takes.
//   callers [callers] [size of the matrices] [rounds] [seconds of each]
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "bench/timing.h"
#include "webnn/webnn.h"

using namespace webnn;

namespace {

/// y = x w on matrices of that size.
MLGraph product(MLContext& context, std::uint32_t size) {
  MLGraphBuilder b(context);
  std::vector<float> w(std::size_t{size} * size);
  for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i % 13) * 0.01f;
  const MLOperand x = b.input("x", {float32, {size, size}});
  return b.build({{"y", b.matmul(x, b.constant({float32, {size, size}}, w))}});
}

struct Sample {
  double calls_per_second = 0, p50 = 0, p99 = 0, longest = 0;  // milliseconds
  double fewest = 0, switches = 0, busy = 0;  // of a caller beside the mean; of a call; cores
};

double cpu_seconds(const rusage& u) {
  const auto s = [](const timeval& t) { return double(t.tv_sec) + 1e-6 * double(t.tv_usec); };
  return s(u.ru_utime) + s(u.ru_stime);
}

Sample measure(MLContext& context, const MLGraph& graph, int callers, std::size_t elements,
               double seconds) {
  std::vector<std::vector<double>> times(static_cast<std::size_t>(callers));
  std::atomic<int> ready{0};
  std::atomic<bool> go{false}, stop{false};
  std::vector<std::thread> threads;
  for (auto& mine : times)
    threads.emplace_back([&] {
      std::vector<float> x(elements, 1.f), y(elements);
      mine.reserve(1 << 16);
      ++ready;
      go.wait(false);
      while (!stop) {
        const double begin = bench::now_us();
        context.compute(graph, {{"x", x}}, {{"y", y}});
        mine.push_back(1e-3 * (bench::now_us() - begin));
      }
    });
  while (ready < callers) std::this_thread::yield();
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  const double begin = bench::now_us();
  go = true;
  go.notify_all();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  stop = true;
  for (std::thread& t : threads) t.join();
  const double took = 1e-6 * (bench::now_us() - begin);
  getrusage(RUSAGE_SELF, &after);
  std::vector<double> all;
  std::size_t fewest = times[0].size();
  for (const auto& t : times) {
    all.insert(all.end(), t.begin(), t.end());
    fewest = std::min(fewest, t.size());
  }
  std::sort(all.begin(), all.end());
  const auto calls = static_cast<double>(all.size());
  const auto at = [&](double share) { return all[static_cast<std::size_t>(share * (calls - 1))]; };
  return {.calls_per_second = calls / took,
          .p50 = at(.5),
          .p99 = at(.99),
          .longest = all.back(),
          .fewest = static_cast<double>(fewest) * callers / calls,
          .switches =
              double(after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw) / calls,
          .busy = (cpu_seconds(after) - cpu_seconds(before)) / took};
}

template <class Member> double median_of(const std::vector<Sample>& all, Member Sample::*member) {
  std::vector<double> v;
  for (const Sample& s : all) v.push_back(s.*member);
  return bench::median(v);
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int i, double otherwise) {
    return argc > i ? std::atof(argv[i]) : otherwise;
  };
  const int many = static_cast<int>(argument(1, 64));
  const auto size = static_cast<std::uint32_t>(argument(2, 128));
  const int rounds = static_cast<int>(argument(3, 5));
  MLContext context;
  const MLGraph graph = product(context, size);
  const int few = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<Sample> of_few, of_many;
  for (int r = 0; r < rounds; ++r)
    for (const bool all : {false, true})
      (all ? of_many : of_few)
          .push_back(
              measure(context, graph, all ? many : few, std::size_t{size} * size, argument(4, 1)));
  std::printf(
      "callers  calls/s    p50 ms    p99 ms  longest ms  fewest/mean  switches/call  cores\n");
  for (const bool all : {false, true}) {
    const auto& s = all ? of_many : of_few;
    std::printf("%7d %8.0f %9.3f %9.3f %11.3f %12.2f %14.3f %6.2f\n", all ? many : few,
                median_of(s, &Sample::calls_per_second), median_of(s, &Sample::p50),
                median_of(s, &Sample::p99), median_of(s, &Sample::longest),
                median_of(s, &Sample::fewest), median_of(s, &Sample::switches),
                median_of(s, &Sample::busy));
  }
  std::vector<double> ratios;
  for (std::size_t i = 0; i < of_few.size(); ++i)
    ratios.push_back(of_many[i].calls_per_second / of_few[i].calls_per_second);
  std::printf("calls/s of %d callers beside %d: %.3f\n", many, few, bench::median(ratios));
}
