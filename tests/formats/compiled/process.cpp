// compiled_process FILE: loads a compiled graph and does what lines on the standard input say, with
// a line as the answer. "run N": a checksum of the results of N runs. "map": the KiB of the file
// that are mapped, as /proc says, one number for each of `counted`.
#include <fstream>
#include <iostream>
#include <sstream>

#include "src/kernels/common/checksum.h"
#include "tests/formats/compiled/mapping.h"
#include "tests/formats/compiled/networks.h"

using namespace webnn;
using namespace webnn::test;

namespace {

std::uint64_t checksum_of_runs(const MLContext& context, const MLGraph& graph, int runs) {
  Checksum sum;
  for (int i = 0; i < runs; ++i)
    for (const auto& output : results(context, graph)) sum.add(output);
  return sum.value();
}

/// The sum over all mappings of the file.
Mapping mapping_of(const std::string& path) {
  std::ifstream smaps("/proc/self/smaps");
  Mapping kib{};
  bool of_file = false;
  for (std::string line; std::getline(smaps, line);) {
    std::istringstream words(line);
    std::string first;
    words >> first;
    if (first.find('-') != std::string::npos) {
      of_file = line.size() > path.size() && line.ends_with(path);
      continue;
    }
    for (std::size_t i = 0; of_file && i < counted.size(); ++i) {
      std::uint64_t n = 0;
      if (first == std::string(counted[i]) + ':' && words >> n) kib[i] += n;
    }
  }
  return kib;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const MLContext context({.threads = 1});
  const MLGraph graph = compiled::load(context, argv[1]);
  std::cout << "loaded" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    if (line == "map")
      for (const std::uint64_t kib : mapping_of(argv[1])) std::cout << kib << ' ';
    else std::cout << checksum_of_runs(context, graph, std::stoi(line.substr(4)));
    std::cout << std::endl;
  }
}
