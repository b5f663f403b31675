#include "src/runtime/packed_weights.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <thread>

#include "src/graph/constant_facts.h"
#include "src/graph/derived_constants.h"
#include "src/graph/failure.h"
#include "src/graph/mapped_memory.h"
#include "src/graph/text.h"
#include "webnn/error.h"

namespace webnn::inline v0_1 {
namespace {

constexpr std::size_t batch_bytes = 64 << 20;  // that are packed between two reports

bool is_own(const WeightBlock& block) { return block.layout.empty(); }

/// A block to be packed.
struct Task {
  const Choice* choice;
  const WeightBlock* wanted;
  BlockKey key;  // of no layout for memory of the kernel
  std::shared_ptr<PackedBlock> block{};
  std::byte* to = nullptr;
  std::shared_ptr<const PackedBlock> result{};  // the block, or an equal one
};

/// A kernel that waits for a task.
struct Use {
  Choice* choice;
  std::size_t block, task;
};

struct Work {
  std::vector<Task> tasks{};
  std::vector<Use> uses{};  // in the order of the kernels
  std::unordered_map<BlockKey, std::size_t, HashBlockKey> task_of{};
  std::size_t bytes = 0;

  void add(Choice& c, std::size_t i, BlockKey key) {
    const WeightBlock& wanted = c.kernel->weights[i];
    std::size_t task = tasks.size();
    bool is_new = true;
    if (!is_own(wanted)) {
      const auto [found, added] = task_of.try_emplace(key, task);
      task = found->second, is_new = added;
    }
    uses.push_back({&c, i, task});
    if (!is_new) return;
    tasks.push_back({&c, &wanted, std::move(key)});
    bytes += wanted.bytes;
  }
  /// The tasks from the first on that are done between two reports, with memory.
  std::span<Task> next(std::size_t first, const MemorySource& memory) {
    std::size_t end = first;
    for (std::size_t n = 0; end < tasks.size() && n < batch_bytes; ++end) {
      Task& t = tasks[end];
      n += t.wanted->bytes;
      if (is_own(*t.wanted)) {
        t.block = std::make_shared<PackedBlock>();
        t.block->size = t.wanted->bytes;
      } else {
        t.block = new_block(t.wanted->bytes, t.to, memory);
      }
    }
    return std::span(tasks).subspan(first, end - first);
  }
};

/// Fills all parts of some blocks, on all threads.
class Filling {
 public:
  explicit Filling(std::span<Task> tasks) : caller_(std::this_thread::get_id()) {
    for (Task& t : tasks) {
      bytes_ += t.wanted->bytes;
      for (int part = 0; part < t.wanted->parts; ++part) parts_.push_back({&t, part});
    }
  }

  void run(ThreadPool& pool) {
    constexpr std::size_t few_bytes = 128 << 10;  // that are packed before other threads are there
    pool_ = &pool;
    if (bytes_ < few_bytes) work(0);
    else pool.run([](void* self, int worker) { static_cast<Filling*>(self)->work(worker); }, this);
    if (!failure_) return;
    try {
      std::rethrow_exception(failure_);
    } catch (const std::bad_alloc&) { throw; } catch (const std::exception& e) {
      refuse(e.what());
    } catch (...) { refuse("it threw an exception that is not a std::exception"); }
  }

 private:
  struct Part {
    Task* task;
    int part;
  };

  void work(int worker) {
    const bool may_leave = std::this_thread::get_id() != caller_;
    while (!(may_leave && pool_->should_leave(worker))) {
      const std::size_t i = next_.fetch_add(1, std::memory_order_relaxed);
      if (i >= parts_.size()) return;
      const auto [task, part] = parts_[i];
      try {
        if (task->wanted->fill) task->wanted->fill(task->to, part);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception(), failed_ = task;
        next_ = parts_.size();
      }
    }
  }
  [[noreturn]] void refuse(const char* why) const {
    const Choice& c = *failed_->choice;
    raise({format("the weights of {} for {} are not packed: {}",
                  {Arg(name_and_label(c.chain.front())), Arg(c.backend), Arg(std::string(why))}),
           ErrorName::OperationError},
          "build");
  }

  const std::thread::id caller_;
  ThreadPool* pool_ = nullptr;
  std::size_t bytes_ = 0;
  std::vector<Part> parts_{};
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_{};
  std::exception_ptr failure_{};
  const Task* failed_ = nullptr;
};

/// Whether one of the constants that a block is made of is released.
bool are_released(const WeightBlock& block, const std::vector<MLOperand>& inputs) {
  return std::any_of(block.inputs.begin(), block.inputs.end(), [&](int i) {
    return inputs[static_cast<std::size_t>(i)].constant()->released();
  });
}

/// The constants of a block were read, and are not read again but for another layout.
void give_inputs_back(const WeightBlock& block, const std::vector<MLOperand>& inputs) {
  for (const int i : block.inputs) {
    const Constant& c = *inputs[static_cast<std::size_t>(i)].constant();
    give_pages_back(c);
    ConstantFacts& facts = *facts_of(c);
    const std::lock_guard lock(facts.mutex);
    facts.factors = nullptr;  // other layouts find them in the values
  }
}

[[noreturn]] void refuse_released(const Choice& c, const WeightBlock& block) {
  ReleasedReads::add();
  raise(
      {format("the constants of {}, which {} wants in the layout {}, are released",
              {Arg(name_and_label(c.chain.front())), Arg(c.backend), Arg(in_quotes(block.layout))}),
       ErrorName::OperationError},
      "build");
}

}  // namespace

std::size_t packed_bytes(const Candidate& kernel) {
  std::size_t bytes = 0;
  for (const WeightBlock& block : kernel.weights) bytes += block.bytes;
  return bytes;
}

std::vector<bool> inputs_read(const Candidate& kernel, std::size_t inputs) {
  std::vector<bool> read(inputs, true);
  for (const WeightBlock& block : kernel.weights)
    for (const int i : block.inputs) read[static_cast<std::size_t>(i)] = false;
  for (const WeightBlock& block : kernel.weights)
    for (const int i : block.kept) read[static_cast<std::size_t>(i)] = true;
  return read;
}

std::shared_ptr<const PackedBlock> PackedWeights::find(const BlockKey& key) const {
  if (const auto found = by_key_.find(key); found != by_key_.end()) return found->second;
  return others_ ? others_->find(key) : nullptr;
}

void PackedWeights::keep(const std::shared_ptr<const PackedBlock>& block) {
  if (!blocks_.insert(block).second) return;
  if (!block->mapped) bytes_ += block->size;
  if (holds_) block->graphs.fetch_add(1, std::memory_order_relaxed);
}

void PackedWeights::add(const BlockKey& key, std::shared_ptr<const PackedBlock> block) {
  keep(block);
  by_key_.insert_or_assign(key, std::move(block));
}

void PackedWeights::add(const Choice& choice) {
  if (choice.blocks.empty()) return;
  const std::vector<MLOperand> own =
      choice.known_inputs ? std::vector<MLOperand>() : inputs_of(choice.chain);
  const std::vector<MLOperand>& inputs = choice.known_inputs ? *choice.known_inputs : own;
  for (std::size_t i = 0; i < choice.blocks.size(); ++i)
    if (const WeightBlock& wanted = choice.kernel->weights[i]; is_own(wanted))
      keep(choice.blocks[i]);
    else add(BlockKey(choice.backend, wanted, inputs), choice.blocks[i]);
}

const WeightBlock* PackedWeights::missing(const Choice& choice) const {
  const std::vector<MLOperand> inputs = inputs_of(choice.chain);
  for (const WeightBlock& wanted : choice.kernel->weights) {
    if (are_released(wanted, inputs) &&
        (is_own(wanted) || !find(BlockKey(choice.backend, wanted, inputs))))
      return &wanted;
  }
  return nullptr;
}

void PackedWeights::pack(std::span<Choice> choices, ThreadPool& pool,
                         const PackObserver& observer) {
  Work work;
  for (Choice& c : choices) {
    if (!c.blocks.empty() || c.kernel->weights.empty()) continue;
    const std::vector<MLOperand>& inputs = c.inputs();
    c.blocks.resize(c.kernel->weights.size());
    for (std::size_t i = 0; i < c.blocks.size(); ++i) {
      const WeightBlock& wanted = c.kernel->weights[i];
      BlockKey key = is_own(wanted) ? BlockKey() : BlockKey(c.backend, wanted, inputs);
      if (!is_own(wanted)) c.blocks[i] = find(key);
      if (!is_own(wanted) && !c.blocks[i]) c.blocks[i] = find_shared(key);
      if (!is_own(wanted) && !c.blocks[i] && observer.stored) c.blocks[i] = observer.stored(key);
      if (c.blocks[i]) {
        add(key, c.blocks[i]);
        continue;
      }
      if (are_released(wanted, inputs) && observer.restore) observer.restore(wanted, inputs);
      if (are_released(wanted, inputs)) refuse_released(c, wanted);
      work.add(c, i, std::move(key));
    }
  }

  auto use = work.uses.begin();
  auto next = choices.begin();
  const auto report = [&](std::size_t tasks) {  // so many are done
    for (; use != work.uses.end() && use->task < tasks; ++use)
      use->choice->blocks[use->block] = work.tasks[use->task].result;
    for (; next != choices.end() && (use == work.uses.end() || use->choice != &*next); ++next)
      if (observer.packed) observer.packed(*next);
  };
  report(0);
  for (std::size_t done = 0, bytes = 0; done < work.tasks.size();) {
    const std::span<Task> batch = work.next(done, observer.memory);
    Filling(batch).run(pool);
    for (Task& t : batch) {
      give_inputs_back(*t.wanted, inputs_of(t.choice->chain));
      bytes += t.wanted->bytes;
      new_bytes_ += t.wanted->bytes;
      if (is_own(*t.wanted)) keep(t.result = std::move(t.block));
      else add(t.key, t.result = share(std::exchange(t.block, nullptr), t.key));
    }
    done += batch.size();
    report(done);
    if (observer.progress) observer.progress(bytes, work.bytes);
  }
}

void PackedWeights::hold() {
  if (std::exchange(holds_, true)) return;
  for (const auto& block : blocks_) block->graphs.fetch_add(1, std::memory_order_relaxed);
}

void PackedWeights::clear() {
  if (std::exchange(holds_, false))
    for (const auto& block : blocks_) block->graphs.fetch_sub(1, std::memory_order_relaxed);
  by_key_.clear();
  blocks_.clear();
  bytes_ = 0;
}

std::size_t PackedWeights::shared() const {
  std::size_t bytes = 0;
  for (const auto& block : blocks_)
    if (!block->mapped && block->graphs.load(std::memory_order_relaxed) > 1) bytes += block->size;
  return bytes;
}

}  // namespace webnn::inline v0_1
