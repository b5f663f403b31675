// The arguments that programs of this folder share.
#pragma once

#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

namespace webnn::inline v0_1::bench {

/// [--explain] [threads...]
struct ThreadArguments {
  std::vector<int> threads{};
  bool explain = false;
};

inline ThreadArguments thread_arguments(int argc, char** argv, std::vector<int> by_default) {
  ThreadArguments a;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--explain") a.explain = true;
    else a.threads.push_back(std::atoi(argv[i]));
  }
  if (a.threads.empty()) a.threads = std::move(by_default);
  return a;
}

}  // namespace webnn::inline v0_1::bench
