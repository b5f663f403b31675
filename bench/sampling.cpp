// The choice of a token, in tokens per second: how long the logits of a vocabulary take.
//   sampling [size...]      49152 and 262144 by default
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "bench/timing.h"
#include "webnn/lm/sampling.h"

using namespace webnn;

int main(int argc, char** argv) {
  std::vector<std::size_t> sizes;
  for (int i = 1; i < argc; ++i) sizes.push_back(std::strtoul(argv[i], nullptr, 10));
  if (sizes.empty()) sizes = {49'152, 262'144};
  struct Variant {
    const char* name;
    lm::SamplingOptions options;
  };
  const Variant variants[] = {
      {"greedy", {.logProbability = false}},
      {"temperature 1", {.temperature = 1, .logProbability = false}},
      {"temperature 0.7, topP 0.9", {.temperature = 0.7f, .topP = 0.9f, .logProbability = false}},
      {"temperature 0.7, topK 40", {.temperature = 0.7f, .topK = 40, .logProbability = false}},
      {"temperature 0.7, topK 40, topP 0.9, minP 0.05",
       {.temperature = 0.7f, .topK = 40, .topP = 0.9f, .minP = 0.05f, .logProbability = false}},
      {"temperature 0.7, minP 0.05", {.temperature = 0.7f, .minP = 0.05f, .logProbability = false}},
  };
  for (const std::size_t size : sizes) {
    // As a network has them: most tokens are improbable, a few are not.
    std::mt19937 random(1);
    std::normal_distribution<float> normal(0, 3);
    std::vector<float> logits(size);
    for (float& x : logits) x = normal(random);
    for (const std::size_t i : {5u, 77u, 1000u}) logits[i % size] = 17;
    for (const Variant& v : variants) {
      lm::Sampler sampler(v.options);
      std::vector<double> times;
      for (int i = 0; i < 60; ++i) {
        const double begin = bench::now_us();
        sampler.sample(logits);
        times.push_back(bench::now_us() - begin);
      }
      const double least = *std::min_element(times.begin(), times.end());
      std::printf("%7zu tokens, %-46s %9.0f tokens/s (%.3f ms)\n", size, v.name, 1e6 / least,
                  least / 1e3);
    }
  }
}
