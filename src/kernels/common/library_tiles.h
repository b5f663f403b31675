// How many tiles the calls of a library are cut into.
#pragma once

namespace webnn {

/// By the estimated microseconds on one thread. A call costs some 0.3 microseconds by itself, so
/// short work is cut into few tiles; long work into eight, enough for eight threads.
inline int library_tiles(double microseconds) {
  return microseconds < 4 ? 1 : microseconds < 10 ? 2 : microseconds < 60 ? 4 : 8;
}

// Multiplications and additions that a thread does in a microsecond, by kind of operator.
inline constexpr double dense_rate = 140e3, depthwise_rate = 50e3, pooling_rate = 20e3;

/// Of an m x k by k x n product: arithmetic, and the weights that have to come from memory.
inline double product_microseconds(double m, double n, double k) {
  constexpr double memory_rate = 60e3;  // bytes
  return m * n * k / dense_rate + 4 * n * k / memory_rate;
}

}  // namespace webnn
