// What an MLTensor stands for. Private.
#pragma once

#include <atomic>
#include <exception>

#include "src/graph/access.h"
#include "src/kernels/common/aligned_bytes.h"
#include "src/runtime/growing_tensor.h"
#include "src/runtime/shared_pages.h"
#include "src/runtime/use_count.h"
#include "webnn/context.h"
#include "webnn/error.h"

namespace webnn::inline v0_1 {

/// A part of a file in which several states have rows; touched on the timeline alone.
struct SharedRegion {
  std::shared_ptr<PageFile> file;
  std::size_t at = 0;
  std::uint32_t rows = 0;  ///< of which the whole pages are there
};

/// The values of a tensor, and of snapshots that outlive its next write.
struct TensorMemory {
  /// Of a context's source: memory_of().
  TensorMemory(std::size_t n, MemorySource from)
      : source(std::move(from)), bytes(aligned_bytes(n, source)), size(n) {}
  /// Of a state that grows.
  struct Growing {};
  TensorMemory(std::size_t n, MemorySource from, Growing)
      : source(std::move(from)), pages(std::make_unique<SharedPages>(n, source)), size(n) {}
  const MemorySource source;
  AlignedBytes bytes{};
  std::unique_ptr<SharedPages> pages{};  ///< of a state that grows, instead of `bytes`
  std::size_t size;
  std::atomic<int> snapshots{0};
  std::shared_ptr<SharedRegion> region{};  ///< where the first rows are, too ...
  std::uint32_t shared_rows = 0;           ///< ... as many as that

  std::byte* get() const { return pages ? pages->get() : bytes.get(); }
  /// Zeroed memory of this size.
  std::shared_ptr<TensorMemory> another() const;
};

/// The memory of a tensor as it was at some time: later writes do not change it.
struct Snapshot {
  std::shared_ptr<TensorMemory> memory{};

  Snapshot() = default;
  Snapshot(const Snapshot&) = delete;
  ~Snapshot() {
    if (memory) memory->snapshots.fetch_sub(1, std::memory_order_release);
  }
};

struct TensorState {
  MLOperandDescriptor descriptor{};
  /// When it grows; the size is that of the next job. ContextState::states guards it.
  std::optional<Growth> growth{};
  bool readable = false, writable = false, constant = false;
  std::weak_ptr<ContextState> context{};
  std::shared_ptr<TensorMemory> memory{};  // touched on the timeline alone
  std::optional<Constant> value{};         // a constant tensor has it instead of memory
  /// States that this one stands for, one after the other along dimension 0, and which have the
  /// memory.
  std::vector<std::shared_ptr<TensorState>> parts{};
  std::exception_ptr failure{};  // why a job has not written it; read on the timeline
  UseCount uses{};               // who uses the memory: queued jobs, calls that are under way

  bool destroyed() const { return uses.destroyed(); }
  void destroy() {
    if (uses.destroy()) free_memory();
  }
  void free_memory() {
    memory.reset();
    value.reset();
    failure = nullptr;
  }
  const std::byte* values() const { return memory->get(); }
  /// Memory to be written as a whole: other memory when a snapshot holds the old one.
  std::byte* overwrite();
  /// Memory with the values, to be changed in part: likewise. So many rows of a state that grows
  /// stay as they are.
  std::byte* change(std::uint32_t intact_rows = 0);
  /// The values as they are now. Allocates nothing: the snapshot was made before.
  Constant take(std::shared_ptr<Snapshot> snapshot) const;
};

/// The tensor, or TypeError when empty, of another context or destroyed.
Use<TensorState> usable(const MLTensor& tensor, const ContextState& context,
                        std::string_view method);

/// The bytes of a constant tensor of that context.
Result<Constant> constant_of(const MLTensor& tensor, const MLContext& context);

}  // namespace webnn::inline v0_1
