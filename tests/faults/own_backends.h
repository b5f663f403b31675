// Contexts with the backends whose memory is ours: what the libraries keep for themselves, and what
// oneDNN allocates when it executes, does not count.
#pragma once

#include <algorithm>

#include "webnn/context.h"

namespace webnn::inline v0_1::test {

inline std::vector<BackendChoice> backends_without(std::initializer_list<std::string> libraries) {
  std::vector<BackendChoice> all;
  for (const std::string& name : MLContext({.threads = 1}).backends())
    if (std::find(libraries.begin(), libraries.end(), name) == libraries.end()) all.push_back(name);
  return all;
}

}  // namespace webnn::inline v0_1::test
