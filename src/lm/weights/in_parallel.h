// Work on many items by several threads. Private.
#pragma once

#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace webnn::inline v0_1::lm {

/// f(first, last) for parts of [0, count) on up to so many threads, one of which is the caller's.
/// f throws nothing, and its results do not depend on the parts.
template <class F> void in_parallel(int threads, std::size_t count, F f) {
  const auto parts = static_cast<std::size_t>(threads < 1 ? 1 : threads);
  const auto begin = [&](std::size_t part) { return count * part / parts; };
  std::vector<std::jthread> team;
  std::size_t own = 1;  // the end of the parts of the caller
  for (std::size_t part = parts; part-- > 1;) {
    try {
      team.emplace_back([=] { f(begin(part), begin(part + 1)); });
    } catch (const std::system_error&) {  // there are no more threads
      own = part + 1;
      break;
    }
  }
  f(begin(0), begin(own));
}

}  // namespace webnn::inline v0_1::lm
