// Memory for runs that the sizes of an open graph have in common.
#pragma once

#include <cstddef>
#include <list>
#include <mutex>

#include "src/runtime/pages.h"

namespace webnn::inline v0_1 {

/// What a run needs, in bytes.
struct RunBytes {
  std::size_t arena = 0, scratch = 0;

  std::size_t total() const { return arena + scratch; }
};

/// Blocks of memory, as many as there were runs at the same time. Each is as large as the largest
/// run that it has served: a new size takes memory that is there and touches no new pages. Safe
/// from any number of threads.
class RunMemory {
 public:
  RunMemory() = default;
  RunMemory(const RunMemory&) = delete;

  /// From now on blocks come from there.
  void use(MemorySource source);
  /// Makes sure that there is a block for such a run. Throws std::bad_alloc, as take().
  void reserve(RunBytes bytes);
  /// A block of at least so many bytes for one run, which gives it back: the block `last` where
  /// that is free and large enough.
  std::byte* take(RunBytes bytes, const std::byte* last);
  void give(const std::byte* block);
  /// Frees what is not in use and larger than runs of so many bytes need.
  void trim(std::size_t bytes);

  struct Held {
    RunBytes bytes;
    std::size_t blocks = 0;
  };
  Held held() const;
  /// How many bytes more one run takes from the system.
  std::size_t missing(RunBytes bytes) const;

 private:
  struct Block {
    Pages memory;  // not there while a thread makes it larger
    std::size_t size = 0, scratch = 0;
    bool taken = false;
  };
  using Lock = std::unique_lock<std::mutex>;
  /// A free block that is large enough, which is taken then; a new or a larger one where there is
  /// none.
  Block& taken(RunBytes bytes, const std::byte* last, Lock& lock);

  mutable std::mutex mutex_{};
  MemorySource source_{};
  std::list<Block> blocks_{};
};

}  // namespace webnn::inline v0_1
