// What the programs of this folder share: times and their statistics.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace webnn::inline v0_1::bench {

inline double now_us() {
  using namespace std::chrono;
  return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

/// The median; of an even number of values the larger middle one. The list is not empty.
inline double median(std::vector<double> v) {
  const auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
  std::nth_element(v.begin(), middle, v.end());
  return *middle;
}

}  // namespace webnn::inline v0_1::bench
