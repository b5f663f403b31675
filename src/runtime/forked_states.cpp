// States with the same rows as others, which share pages with them.
#include <algorithm>
#include <cstring>
#include <new>

#include "src/graph/failure.h"
#include "src/runtime/context_state.h"
#include "src/runtime/tensor.h"
#include "webnn/state.h"

namespace webnn::inline v0_1 {
namespace {

constexpr std::string_view method = "forkStates";

/// The memory of a state that is forked, and of the fork.
class Fork {
 public:
  /// `file`: for states whose pages are in none yet; it is made where it is needed.
  Fork(const Growth& growth, std::uint32_t rows, TensorMemory& from, TensorMemory& to,
       std::shared_ptr<PageFile>& file)
      : growth_(growth), rows_(rows), from_(from), to_(to), file_(file) {}

  void run() {
    const std::uint32_t shared = shared_rows();
    for (std::size_t i = 0; i < growth_.outer; ++i) {
      PageRange own = rows_of(i, rows_);
      const PageRange pages = pages_of(i, shared);
      if (pages.begin < pages.end && to_.pages->map(pages, *from_.region->file, from_.region->at)) {
        copy({own.begin, pages.begin});
        own.begin = pages.end;
      }
      copy(own);
    }
    if (shared == 0) return;
    to_.region = from_.region;
    to_.shared_rows = shared;
  }

 private:
  PageRange rows_of(std::size_t block, std::uint32_t rows) const {
    const std::size_t begin = block * growth_.capacity * growth_.row;
    return {begin, begin + rows * growth_.row};
  }
  PageRange pages_of(std::size_t block, std::uint32_t rows) const {
    return SharedPages::whole_pages(rows_of(block, rows));
  }
  void copy(const PageRange& r) const {
    if (r.begin < r.end) std::memcpy(to_.get() + r.begin, from_.get() + r.begin, r.end - r.begin);
  }

  /// How many rows are in the region of `from`, which may be a new one. A few that are not are
  /// copied.
  std::uint32_t shared_rows() {
    constexpr std::size_t least = 16 << 10;  // bytes
    constexpr std::uint32_t few = 4;         // one of so many rows
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < growth_.outer; ++i) {
      const PageRange pages = pages_of(i, rows_);
      bytes += pages.end - pages.begin;
    }
    if (bytes < least || !from_.pages || !from_.pages->can_map() || !to_.pages ||
        !to_.pages->can_map())
      return 0;
    const std::uint32_t have = from_.region ? std::min(from_.shared_rows, rows_) : 0;
    if (have > 0 && rows_ - have <= rows_ / few) return have;
    if (have > 0 && have == from_.region->rows && put(*from_.region, have)) return rows_;
    return put_in_new_region() ? rows_ : have;
  }
  bool put_in_new_region() {
    if (!file_) file_ = PageFile::make();
    if (!file_) return false;
    const auto region =
        std::make_shared<SharedRegion>(SharedRegion{file_, file_->reserve(from_.size), 0});
    if (!put(*region, 0)) return false;
    from_.region = region;
    return true;
  }
  /// Writes the pages of the rows behind those that are there, which then are those of the file.
  bool put(SharedRegion& region, std::uint32_t have) {
    for (std::size_t i = 0; i < growth_.outer; ++i) {
      const PageRange pages = fresh(i, have);
      if (!region.file->write(region.at + pages.begin,
                              {from_.get() + pages.begin, pages.end - pages.begin}))
        return false;
    }
    region.rows = rows_;
    for (std::size_t i = 0; i < growth_.outer; ++i)
      from_.pages->map(fresh(i, have), *region.file, region.at);
    from_.shared_rows = rows_;
    return true;
  }
  PageRange fresh(std::size_t block, std::uint32_t have) const {
    PageRange pages = pages_of(block, rows_);
    if (have > 0)
      pages.begin = std::max(pages.begin, std::min(pages_of(block, have).end, pages.end));
    return pages;
  }

  const Growth& growth_;
  std::uint32_t rows_;
  TensorMemory &from_, &to_;
  std::shared_ptr<PageFile>& file_;
};

/// A tensor like this one, whose rows it has as soon as the job has run.
std::shared_ptr<TensorState> state_like(const TensorState& t, ContextState& context) {
  auto other = std::make_shared<TensorState>();
  other->descriptor = t.descriptor;
  other->growth = t.growth;
  other->context = t.context;
  other->readable = other->writable = true;
  try {
    MLOperandDescriptor whole = t.descriptor;
    whole.shape[t.growth->axis] = std::max(t.growth->capacity, 1u);
    other->memory = std::make_shared<TensorMemory>(
        byte_length(whole), memory_of(context, MemoryPurpose::tensors), TensorMemory::Growing());
  } catch (const std::bad_alloc&) { raise({"out of memory", ErrorName::UnknownError}, method); }
  const std::lock_guard lock(context.registry);
  if (context.lost) raise({"the context is lost", ErrorName::InvalidStateError}, method);
  remember(context.tensors, other);
  return other;
}

struct Pair {
  Use<TensorState> from, to;
  std::uint32_t rows;
};

void fail_with(TensorState& t, std::exception_ptr failure) {
  t.failure = std::move(failure);
  t.growth->intact = 0;
}

void run(const std::vector<Pair>& pairs, const std::exception_ptr& destroyed) {
  std::shared_ptr<PageFile> file;
  for (const Pair& p : pairs) {
    if (p.to->destroyed()) continue;
    try {
      if (p.from->destroyed()) std::rethrow_exception(destroyed);
      if (p.from->failure && p.rows > p.from->growth->intact)
        std::rethrow_exception(p.from->failure);
      Fork(*p.from->growth, p.rows, *p.from->memory, *p.to->memory, file).run();
    } catch (const std::bad_alloc&) {  // pages of both may be lost
      for (TensorState* t : {p.from.get(), p.to.get()}) fail_with(*t, std::current_exception());
    } catch (...) { fail_with(*p.to, std::current_exception()); }
  }
}

}  // namespace

std::vector<MLTensor> forkStates(const std::vector<MLTensor>& states) {
  if (states.empty()) return {};
  if (!states.front()) raise(fail("states[0] is empty"), method);
  const auto context = detail::state_of(states.front())->context.lock();
  if (!context) raise({"the context is gone", ErrorName::InvalidStateError}, method);
  const std::lock_guard lock(context->states);
  std::vector<Use<TensorState>> uses;
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (!states[i]) raise(fail("states[{}] is empty", i), method);
    const TensorState& t = *detail::state_of(states[i]);
    if (!same(t.context, *context))
      raise(fail("states[{}] belongs to another context than states[0]", i), method);
    if (!uses.emplace_back(detail::state_of(states[i])))
      raise(fail("states[{}] is destroyed", i), method);
    if (!t.growth) raise(fail("states[{}] is not a state that grows", i), method);
    if (!t.parts.empty()) raise(fail("states[{}] is joined", i), method);
  }
  std::vector<MLTensor> forks;
  const auto pairs = std::make_shared<std::vector<Pair>>();
  for (Use<TensorState>& use : uses) {
    const std::uint32_t rows = use->descriptor.shape[use->growth->axis];
    auto other = state_like(*use, *context);
    pairs->push_back({std::move(use), Use<TensorState>(other), rows});
    forks.push_back(detail::make<MLTensor>(std::move(other)));
  }
  auto job = context->timeline.take();
  job->kind = Job::Kind::call;
  job->call = [pairs, destroyed = context->failures.destroyed] {
    const std::vector<Pair> all = std::move(*pairs);
    run(all, destroyed);
  };
  push(context, std::move(job));
  return forks;
}

}  // namespace webnn::inline v0_1
