#include "src/runtime/specializations.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "src/kernels/reference/evaluate.h"
#include "src/runtime/affine_sizes.h"
#include "src/runtime/compile.h"
#include "src/runtime/fill.h"

namespace webnn::inline v0_1 {
namespace {

/// Sizes on the line through two combinations of them, around the second one: at most so many on
/// each side, of which those below are not less than half.
SizeSteps steps_around(const GraphData& open, const DimensionSizes& from, const DimensionSizes& to,
                       std::int64_t reach) {
  SizeSteps steps{.first = to, .step = std::vector<std::int64_t>(to.size())};
  std::int64_t common = 0;
  for (std::size_t i = 0; i < to.size(); ++i) {
    steps.step[i] = std::int64_t{to[i]} - std::int64_t{from[i]};
    common = std::gcd(common, steps.step[i]);
  }
  std::int64_t before = reach, after = reach;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const std::int64_t size = to[i], step = steps.step[i] /= common,
                       least = std::max<std::int64_t>({2, open.dimensions[i].minSize, size / 2}),
                       most = open.dimensions[i].maxSize;
    if (step == 0) continue;
    if (size < least || size > most) return steps;
    std::int64_t below = (size - least) / std::abs(step), above = (most - size) / std::abs(step);
    if (step < 0) std::swap(below, above);
    before = std::min(before, below);
    after = std::min(after, above);
  }
  steps.first = steps.at(-before);
  steps.count = before + after;
  return steps;
}

/// Where tests run, what follows from other sizes is compared with what the passes make.
void check(const InterpolatedGraph& known, const OptimizedGraph& expected) {
  if (!Interpolation::are_same(known.source(), expected.source) ||
      !Interpolation::are_same(known.graph, expected.graph))
    raise({"internal error: the graph that was derived from those of other sizes differs from the "
           "one that the passes make",
           ErrorName::OperationError},
          "prepare");
}

}  // namespace

Graph Specializations::graph_at(const DimensionSizes& sizes, std::string_view method) const {
  auto graph = webnn::graph_at(open_.graph, sizes, &evaluate);
  if (!graph) raise(graph.failure(), method);
  return *graph;
}

/// Passes and kernels read no large constants, for what follows from them is known. Where they do,
/// the graph is made once more, with all constants there.
std::shared_ptr<GraphState> Specializations::make(ContextState& context,
                                                  const DimensionSizes& sizes,
                                                  std::string_view method,
                                                  const BuildOptions* options,
                                                  const GrowingForm* form) {
  derived_->start_graph();
  const auto sized = [&](bool with_bytes) {
    auto graph = form ? graph_left(open_.graph, form->parts, sizes, {derived_, with_bytes})
                      : webnn::graph_at(open_.graph, sizes, &evaluate, {derived_, with_bytes});
    if (!graph) raise(graph.failure(), method);
    return *graph;
  };
  const Use<GraphState> other = made_last();
  const auto compiled = [&](Graph graph, std::optional<InterpolatedGraph> interpolated = {}) {
    const Use<GraphState> like = interpolated ? made_of(*interpolated->of) : Use<GraphState>();
    return compile(std::move(graph), detail::make<MLContext>(context.self.lock()), open_.passes,
                   options ? *options : BuildOptions(), open_.updates,
                   {.memory = memory_,
                    .growing = form,
                    .interpolated = std::move(interpolated),
                    .like = like ? &*like : nullptr,
                    .kept = open_.kept,
                    .weights = other ? &other->weights : nullptr,
                    .stored = open_.stored});
  };
  if (!options && !context.options.keepConstants && !context.tuning.active()) {
    if (auto known = form ? std::nullopt : interpolated(sizes)) {
      if (fills_memory()) check(*known, optimized_graph(sized(false), open_.passes));
      const ReleasedReads reads;
      try {
        Graph none = detail::make<Graph>(std::shared_ptr<const GraphData>());
        if (auto made = compiled(std::move(none), std::move(known)); !reads.any()) return made;
      } catch (const std::exception&) {}  // what follows says why
    }
    Graph graph = sized(false);
    const ReleasedReads reads;
    try {
      if (auto made = compiled(std::move(graph)); !reads.any()) return made;
    } catch (const std::exception&) {}  // another one, of the same cause, comes from what follows
  }
  return compiled(sized(true));
}

Use<GraphState> Specializations::made_last() const {
  const std::lock_guard lock(mutex_);
  for (const Entry& e : entries_)
    if (e.graph) return Use<GraphState>(e.graph);
  return {};
}

/// One whose graph is as the interpolation has it.
Use<GraphState> Specializations::made_of(const Interpolation& of) const {
  const std::lock_guard lock(mutex_);
  for (const Entry& e : entries_)
    if (Use<GraphState> use = e.graph ? Use<GraphState>(e.graph) : Use<GraphState>();
        use && use->of.get() == &of && !use->has_expanded)
      return use;
  return {};
}

std::optional<InterpolatedGraph> Specializations::interpolated(const DimensionSizes& sizes) {
  std::shared_ptr<const Interpolation> between;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& i : interpolations_)
      if (i->sizes().place_of(sizes)) between = i;
    if (between) made_last_ = sizes;
  }
  if (!between) between = interpolate(sizes);
  return between ? between->at(sizes, {derived_, false}) : std::nullopt;
}

std::shared_ptr<const Interpolation> Specializations::interpolate(const DimensionSizes& sizes) {
  constexpr std::size_t max_interpolations = 8, max_tries = 4;
  std::vector<bool> changes(sizes.size());
  DimensionSizes last;
  {
    const std::lock_guard lock(mutex_);
    last = std::exchange(made_last_, sizes);
    if (last.empty() || last == sizes || interpolates_) return nullptr;
    for (std::size_t i = 0; i < sizes.size(); ++i) changes[i] = sizes[i] != last[i];
    if (std::ranges::count(not_affine_, changes) >= std::ptrdiff_t{max_tries}) return nullptr;
    interpolates_ = true;
  }
  std::shared_ptr<const Interpolation> made;
  const bool is_affine = has_affine_sizes(open_.graph, changes);
  if (is_affine)
    for (const std::int64_t reach : {4096, 256}) {
      const SizeSteps steps = steps_around(data_of(open_.graph), last, sizes, reach);
      if (steps.count < 2 || made) break;
      const ReleasedReads reads;
      try {
        made = Interpolation::between(steps, [&](const DimensionSizes& at) {
          auto graph = webnn::graph_at(open_.graph, at, &evaluate, {derived_, false});
          if (!graph) raise(graph.failure(), "prepare");
          return optimized_graph(*graph, open_.passes);
        });
      } catch (const std::exception&) {}  // these sizes are not asked for
      if (reads.any()) made = nullptr;
    }
  const std::lock_guard lock(mutex_);
  interpolates_ = false;
  if (!made) {
    not_affine_.insert(not_affine_.end(), is_affine ? 1 : max_tries, changes);
    return nullptr;
  }
  if (interpolations_.size() == max_interpolations) interpolations_.erase(interpolations_.begin());
  interpolations_.push_back(made);
  return made;
}

std::shared_ptr<GraphState> Specializations::at(ContextState& context, const DimensionSizes& sizes,
                                                std::string_view method,
                                                const BuildOptions* options) {
  std::unique_lock lock(mutex_);
  last_growing_.reset();
  const auto find = [&] { return std::ranges::find(entries_, sizes, &Entry::sizes); };
  auto entry = find();
  for (; entry != entries_.end() && !entry->graph; entry = find()) made_.wait(lock);
  if (entry != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, entry);
    return entry->graph;
  }
  entry = entries_.insert(entries_.begin(), Entry{sizes});
  lock.unlock();
  std::shared_ptr<GraphState> made;
  try {
    made = make(context, sizes, method, options);
  } catch (...) {
    lock.lock();
    entries_.erase(entry);
    made_.notify_all();
    throw;
  }
  for (const auto& [name, x] : open_.graph.inputs()) {
    const auto& own = made->inputs;
    if (std::ranges::find(own, name, &NamedDescriptor::name) == own.end())
      made->empty_inputs.push_back(name);
  }
  made->sizes = text_of(data_of(open_.graph), sizes);
  std::list<Entry> dropped;  // freed after the lock
  lock.lock();
  entry->graph = made;
  entry->bytes = made->constants + made->form_bytes();
  entry->run_bytes = made->executor->run_bytes().total();
  for (const auto& block : made->weights.blocks())
    if (!block->mapped) entry->blocks.emplace_back(block.get(), block->size);
  add_blocks(*entry);
  evict(dropped);
  made_.notify_all();
  lock.unlock();
  return made;
}

std::shared_ptr<GraphState> Specializations::make_growing(ContextState& context,
                                                          const DimensionSizes& sizes,
                                                          std::uint32_t joined) {
  const auto form = growing_form(open_.graph, open_.updates, sizes, joined);
  if (!form) return nullptr;
  std::shared_ptr<GraphState> made;
  try {
    made = make(context, form->sizes, "dispatch", nullptr, &*form);
  } catch (const Error&) {
    return nullptr;
  }  // at the sizes of the run, it is what the program sees
  if (made) made->sizes = text_of(data_of(open_.graph), form->sizes);
  return made;
}

std::shared_ptr<GraphState> Specializations::growing(ContextState& context,
                                                     const DimensionSizes& sizes,
                                                     std::uint32_t joined) {
  constexpr std::size_t max_graphs = 16, max_failures = 64;
  std::unique_lock lock(mutex_);
  for (const auto& g : growing_)
    if (g->growing->matches(data_of(open_.graph), sizes, joined)) return last_growing_ = g;
  if (not_growing_.size() >= max_failures) return nullptr;
  if (!past_ || sizes[*past_] == 0) return nullptr;
  DimensionSizes others = sizes;
  const std::vector<bool> totals = possible_totals(open_.graph, open_.updates);
  for (std::size_t i = 0; i < others.size(); ++i)
    if (i == *past_ || (totals[i] && sizes[i] > sizes[*past_])) others[i] = 0;
  others.push_back(joined);
  if (std::ranges::find(not_growing_, others) != not_growing_.end()) return nullptr;
  lock.unlock();
  auto made = make_growing(context, sizes, joined);
  lock.lock();
  if (!made) {
    not_growing_.push_back(std::move(others));
    return nullptr;
  }
  if (growing_.size() == max_graphs) growing_.erase(growing_.begin());
  growing_.push_back(made);
  if (!made->growing->matches(data_of(open_.graph), sizes, joined)) return nullptr;
  return last_growing_ = made;
}

void Specializations::add_blocks(const Entry& entry) {
  for (const auto& [block, bytes] : entry.blocks)
    if (++holders_[block] == 1) block_bytes_ += bytes;
}
void Specializations::remove_blocks(const Entry& entry) {
  for (const auto& [block, bytes] : entry.blocks)
    if (const auto found = holders_.find(block); --found->second == 0) {
      holders_.erase(found);
      block_bytes_ -= bytes;
    }
}

/// Takes out what was not used for the longest time, but never the newest. All together may pack as
/// much in other layouts as the newest has packed.
void Specializations::evict(std::list<Entry>& dropped) {
  constexpr std::size_t max_entries = 1024;
  const auto newest =
      std::ranges::find_if(entries_, [](const Entry& e) { return e.graph != nullptr; });
  const auto drop = [&](std::list<Entry>::iterator e) {
    remove_blocks(*e);
    dropped.splice(dropped.end(), entries_, e);
  };
  std::size_t bytes = 0, run_bytes = 0, count = 0, packed = 0;
  for (const auto& [block, size] : newest->blocks) packed += size;
  for (auto next = newest; next != entries_.end();) {
    const auto e = next++;
    const std::size_t of_runs = std::max(run_bytes, e->run_bytes);
    if (e->graph && count > 0 &&
        (bytes + e->bytes + of_runs > open_.max_bytes || count >= max_entries)) {
      drop(e);
      continue;
    }
    bytes += e->bytes;
    run_bytes = of_runs;
    ++count;
  }
  const bool trims = !dropped.empty();  // else larger sizes come again
  for (auto last = std::prev(entries_.end()); last != newest && block_bytes_ > 2 * packed;)
    if (const auto e = last--; e->graph) drop(e);
  if (!trims) return;
  run_bytes = 0;
  for (const Entry& e : entries_) run_bytes = std::max(run_bytes, e.run_bytes);
  memory_->trim(run_bytes);
}

std::vector<std::shared_ptr<GraphState>> Specializations::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<GraphState>> graphs;
  for (const Entry& e : entries_)
    if (e.graph) graphs.push_back(e.graph);
  graphs.insert(graphs.end(), growing_.begin(), growing_.end());
  return graphs;
}

StoredWeights Specializations::weights() const {
  StoredWeights all = open_.stored ? *open_.stored : StoredWeights();
  for (const auto& g : this->all())
    g->weights.for_each([&](const BlockKey& key, const std::shared_ptr<const PackedBlock>& block) {
      if (auto stored = stored_key(key, *derived_)) all.emplace(std::move(*stored), block);
    });
  return all;
}

std::vector<DimensionSizes> Specializations::sizes() const {
  const std::lock_guard lock(mutex_);
  std::vector<DimensionSizes> all;
  for (const Entry& e : entries_)
    if (e.graph) all.push_back(e.sizes);
  return all;
}

std::shared_ptr<GraphState> Specializations::last() const {
  const std::lock_guard lock(mutex_);
  if (last_growing_) return last_growing_;
  const auto entry =
      std::ranges::find_if(entries_, [](const Entry& e) { return e.graph != nullptr; });
  return entry == entries_.end() ? nullptr : entry->graph;
}

void Specializations::clear() {
  std::list<Entry> dropped;  // freed after the lock
  std::vector<std::shared_ptr<GraphState>> growing;
  const std::lock_guard lock(mutex_);
  growing.swap(growing_);
  growing.push_back(std::move(last_growing_));
  for (auto e = entries_.begin(); e != entries_.end();) {
    const auto next = std::next(e);
    if (e->graph) {
      remove_blocks(*e);
      dropped.splice(dropped.end(), entries_, e);
    }
    e = next;
  }
  memory_->trim(0);
}

}  // namespace webnn::inline v0_1
