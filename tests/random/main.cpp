// webnn_random N SEED: N random graphs from that seed on, in every way there is to run them.
// webnn_random --open N SEED: the same graphs with open dimensions, beside static ones.
// webnn_random --levels N SEED: other graphs, with wide operands, at the accuracy levels.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/random/levels.h"
#include "tests/random/opened.h"
#include "tests/random/print_code.h"
#include "tests/random/reduce.h"

using namespace webnn;
using namespace webnn::test;

namespace {

constexpr std::uint64_t most_reduced = 20;  // each takes seconds

volatile std::sig_atomic_t crashed = 0;
std::uint64_t current = 0;

void on_crash(int signal) {
  if (!crashed) {
    crashed = 1;
    std::fprintf(stderr, "\nseed %llu: signal %d\n", static_cast<unsigned long long>(current),
                 signal);
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

double seconds() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

void print(std::uint64_t seed, const Mismatch& mismatch) {
  std::printf("seed %llu: %s:%s\n", static_cast<unsigned long long>(seed), mismatch.variant.c_str(),
              mismatch.text.c_str());
  std::fflush(stdout);
}

int run_opened(std::uint64_t count, std::uint64_t first) {
  Comparison comparison;
  OpenedStatistics statistics;
  const MLContext context({.threads = 1});
  std::uint64_t mismatches = 0;
  const double start = seconds();
  double told = start;
  for (std::uint64_t i = 0; i < count; ++i) {
    current = first + i;
    std::optional<Mismatch> mismatch;
    const auto c = comparison.generate(current, mismatch);
    if (c) mismatch = check_opened(context, *c, current, statistics);
    if (mismatch) {
      ++mismatches;
      print(current, *mismatch);
    }
    if (seconds() - told < 10 && i + 1 < count) continue;
    told = seconds();
    std::fprintf(stderr,
                 "%llu graphs, %llu open, %.0f/s, %llu runs, %llu refused, %llu not found, %llu "
                 "mismatches\n",
                 static_cast<unsigned long long>(i + 1),
                 static_cast<unsigned long long>(statistics.graphs),
                 static_cast<double>(i + 1) / (told - start),
                 static_cast<unsigned long long>(statistics.runs),
                 static_cast<unsigned long long>(statistics.refused),
                 static_cast<unsigned long long>(statistics.unfound),
                 static_cast<unsigned long long>(mismatches));
  }
  std::fprintf(stderr, "not found in files: %llu; runs through files:",
               static_cast<unsigned long long>(statistics.unfound_in_files));
  for (const auto& [format, runs] : statistics.by_format)
    std::fprintf(stderr, " %s %llu", std::string(format).c_str(),
                 static_cast<unsigned long long>(runs));
  std::fputs("\n", stderr);
  return mismatches ? 1 : 0;
}

void print_counts(const Oracle::Counts& e) {
  std::fprintf(stderr, "%llu had to be equal, %llu within bounds, %llu unknown\n",
               static_cast<unsigned long long>(e.equal), static_cast<unsigned long long>(e.bounded),
               static_cast<unsigned long long>(e.unknown));
}

void print_levels(const Comparison& comparison) {
  for (const Level& level : comparison.levels()) {
    const Level::Statistics& s = level.statistics();
    std::fprintf(stderr, "%s: %llu graphs with its kernels; of their elements ",
                 level.name().c_str(), static_cast<unsigned long long>(s.graphs));
    print_counts(s.elements);
    for (const auto& [kernel, count] : s.kernels)
      std::fprintf(stderr, "  %s %llu\n", kernel.c_str(), static_cast<unsigned long long>(count));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool opened = argc > 1 && std::strcmp(argv[1], "--open") == 0,
             levels = argc > 1 && std::strcmp(argv[1], "--levels") == 0;
  if (opened || levels) --argc, ++argv;
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: webnn_random [--open | --levels] N [SEED]\n");
    return 2;
  }
  const std::uint64_t count = std::strtoull(argv[1], nullptr, 10);
  const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  std::signal(SIGSEGV, on_crash);
  std::signal(SIGABRT, on_crash);
  std::signal(SIGFPE, on_crash);
  if (opened) return run_opened(count, first);
  Comparison comparison(levels ? Ways::levels : Ways::all);
  std::uint64_t mismatches = 0;
  const double start = seconds();
  double told = start;
  for (std::uint64_t i = 0; i < count; ++i) {
    current = first + i;
    std::optional<Mismatch> mismatch;
    const auto c = comparison.generate(current, mismatch);
    if (c) mismatch = comparison.check(*c);
    if (mismatch) {
      ++mismatches;
      print(current, *mismatch);
      if (c && mismatches <= most_reduced) {
        const Case small = reduced(comparison, *c, *mismatch);
        std::printf("which is, reduced,%s\n%s\n%s\n", mismatch->text.c_str(),
                    to_text(small.graph).c_str(), code_of(small).c_str());
      }
      std::fflush(stdout);
    }
    const double now = seconds();
    if (now - told > 10 || i + 1 == count) {
      told = now;
      std::fprintf(
          stderr, "%llu graphs, %.0f/s, %llu mismatches\n", static_cast<unsigned long long>(i + 1),
          static_cast<double>(i + 1) / (now - start), static_cast<unsigned long long>(mismatches));
    }
  }
  if (levels) {
    print_levels(comparison);
    return mismatches ? 1 : 0;
  }
  const auto& s = comparison.statistics();
  std::fprintf(stderr, "%llu operators, %llu runs; of the elements that differed or not: ",
               static_cast<unsigned long long>(s.operators),
               static_cast<unsigned long long>(s.runs));
  print_counts(s.elements);
  std::fputs("through files:", stderr);
  for (const auto& [format, graphs] : s.by_format)
    std::fprintf(stderr, " %s %llu", std::string(format).c_str(),
                 static_cast<unsigned long long>(graphs));
  std::fputs("\n", stderr);
  return mismatches ? 1 : 0;
}
