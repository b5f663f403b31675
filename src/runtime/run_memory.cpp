#include "src/runtime/run_memory.h"

#include <algorithm>

namespace webnn::inline v0_1 {
namespace {

/// The size of a block in place of a smaller one: so much more that sizes which grow by one from
/// run to run need a new one rarely.
std::size_t grown(std::size_t from, std::size_t bytes) { return std::max(bytes, from + from / 8); }

}  // namespace

RunMemory::Block& RunMemory::taken(RunBytes bytes, const std::byte* last, Lock& lock) {
  const std::size_t size = std::max<std::size_t>(bytes.total(), 1);
  Block *best = nullptr, *smaller = nullptr;
  for (Block& b : blocks_) {
    if (b.taken) continue;
    if (b.size < size) {
      if (!smaller || b.size > smaller->size) smaller = &b;
    } else if (!best || b.size < best->size || b.memory.get() == last) {
      best = &b;
      if (b.memory.get() == last) break;
    }
  }
  if (!best) best = smaller ? smaller : &blocks_.emplace_back(Block{Pages(source_)});
  best->taken = true;
  best->scratch = bytes.scratch;
  if (best->size >= size) return *best;
  const std::size_t larger = grown(best->size, size);
  best->size = 0;
  Pages memory = std::move(best->memory);
  lock.unlock();  // others need not wait for the system
  try {
    memory.grow(larger);
  } catch (...) {
    lock.lock();
    best->taken = false;
    throw;
  }
  lock.lock();
  best->memory = std::move(memory);
  best->size = larger;
  return *best;
}

void RunMemory::use(MemorySource source) {
  const Lock lock(mutex_);
  source_ = std::move(source);
}

void RunMemory::reserve(RunBytes bytes) {
  Lock lock(mutex_);
  const auto fits = [&](const Block& b) { return b.size >= bytes.total(); };
  if (std::ranges::any_of(blocks_, fits)) return;
  taken(bytes, nullptr, lock).taken = false;
}

std::byte* RunMemory::take(RunBytes bytes, const std::byte* last) {
  Lock lock(mutex_);
  return taken(bytes, last, lock).memory.get();
}

void RunMemory::give(const std::byte* block) {
  const Lock lock(mutex_);
  for (Block& b : blocks_)
    if (b.memory.get() == block) b.taken = false;
}

void RunMemory::trim(std::size_t bytes) {
  std::list<Block> dropped;  // freed after the lock
  const Lock lock(mutex_);
  for (auto b = blocks_.begin(); b != blocks_.end();) {
    const auto next = std::next(b);
    if (!b->taken && b->size > grown(bytes, bytes)) dropped.splice(dropped.end(), blocks_, b);
    b = next;
  }
}

std::size_t RunMemory::missing(RunBytes bytes) const {
  const Lock lock(mutex_);
  std::size_t largest = 0;
  for (const Block& b : blocks_)
    if (!b.taken) largest = std::max(largest, b.size);
  return largest >= bytes.total() ? 0 : grown(largest, bytes.total()) - largest;
}

RunMemory::Held RunMemory::held() const {
  const Lock lock(mutex_);
  Held all;
  for (const Block& b : blocks_) {
    const std::size_t scratch = std::min(b.size, b.scratch);
    all.bytes.arena += b.size - scratch;
    all.bytes.scratch += scratch;
    ++all.blocks;
  }
  return all;
}

}  // namespace webnn::inline v0_1
