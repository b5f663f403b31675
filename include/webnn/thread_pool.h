// The hook for a caller's own threads.
#pragma once

namespace webnn {

/// Threads that a context works with. By default a context has a team of its own
/// (MLContextOptions::threads); a program that already has threads can lend them instead.
struct ThreadPool {
  virtual ~ThreadPool() = default;
  /// How many workers may come at most; at least 1. Constant.
  virtual int threads() const = 0;
  /// Calls body(argument, worker) with distinct workers from [0, threads()), one of them on the
  /// calling thread, and returns when all calls made have returned. Nobody waits for a worker that
  /// comes late or not at all: a single call does all the work. May be called from several threads
  /// at once. Must not throw.
  virtual void run(void (*body)(void* argument, int worker), void* argument) = 0;
};

}  // namespace webnn
