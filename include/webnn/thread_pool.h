// The interface for threads of the caller.
#pragma once

#include "webnn/language.h"

namespace webnn::inline v0_1 {

/// Threads that a context works with. By default a context has a team of its own
/// (MLContextOptions::threads); a program that already has threads can lend them instead.
struct ThreadPool {
  virtual ~ThreadPool() = default;
  /// The largest number of workers, at least 1. It never changes.
  virtual int threads() const = 0;
  /// Calls body(argument, worker) with distinct workers from [0, threads()), one of them on the
  /// calling thread, and returns when all of these calls have returned. It need not call all
  /// workers: a single call does all the work. May be called from several threads at once. Must not
  /// throw.
  virtual void run(void (*body)(void* argument, int worker), void* argument) = 0;
  /// Whether a worker other than the calling thread should return from its body although there may
  /// be work left, which the others then do: other callers need its core. Asked between steps.
  virtual bool should_leave(int worker) const {
    (void)worker;
    return false;
  }
};

}  // namespace webnn::inline v0_1
