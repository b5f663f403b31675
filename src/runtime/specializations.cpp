#include "src/runtime/specializations.h"

#include <algorithm>
#include <cmath>

#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "src/kernels/reference/evaluate.h"
#include "src/runtime/compile.h"

namespace webnn::inline v0_1 {
namespace {

/// "float32 [1, sequence]"
std::string text_of(const OperandRecord& r) {
  std::vector<std::string> parts;
  for (std::size_t d = 0; d < r.descriptor.shape.size(); ++d) {
    const bool open = r.open && r.open->dimensions[d].is_open();
    parts.push_back(open ? escaped(r.open->dimensions[d].dynamic().name)
                         : std::to_string(r.descriptor.shape[d]));
  }
  return format("{} [{}]", {Arg(r.descriptor.dataType), Arg(joined(parts))});
}

/// Works out the sizes of open dimensions from the shapes and the byte lengths of inputs.
class Sizes {
 public:
  Sizes(const GraphData& graph, std::string_view method)
      : graph_(graph), method_(method), sizes_(graph.dimensions.size()) {}

  void set_shape(const OperandRecord& r, std::span<const std::uint32_t> shape) {
    const Dims& known = r.descriptor.shape;
    bool fits = shape.size() == known.size();
    for (std::size_t d = 0; fits && d < shape.size(); ++d)
      if (const auto name = place_of(r, d)) set(r, *name, shape[d]);
      else fits = shape[d] == known[d];
    if (!fits)
      raise(fail("the shape ({}) of input {} is not {}", shape, in_quotes(r.name), text_of(r)),
            method_);
  }

  /// Whether the byte length says all sizes.
  bool set_bytes(const OperandRecord& r, std::size_t bytes) {
    const auto bits = static_cast<std::uint64_t>(bits_of(r.descriptor.dataType));
    std::uint64_t known = 1, times = 0;
    std::optional<std::size_t> unknown;
    for (std::size_t d = 0; d < r.descriptor.shape.size(); ++d) {
      const auto name = place_of(r, d);
      const std::optional<std::uint64_t> size =
          name ? sizes_[*name] : std::optional<std::uint64_t>(r.descriptor.shape[d]);
      if (size) known *= *size;
      else if (unknown && *unknown != *name) return false;
      else unknown = name, ++times;
    }
    if (!unknown) return true;
    const std::uint64_t elements = std::uint64_t{bytes} * 8 / bits;
    const auto size = static_cast<std::uint64_t>(std::llround(std::pow(
        static_cast<double>(known ? elements / known : 0), 1.0 / static_cast<double>(times))));
    std::uint64_t product = known;
    for (std::uint64_t i = 0; i < times; ++i) product *= size;
    if (product != elements || (product * bits + 7) / 8 != bytes || size > shape::max_dimension)
      raise(fail("the byte length ({}) of input {} is not that of {} with any size of {}", bytes,
                 in_quotes(r.name), text_of(r), in_quotes(graph_.dimensions[*unknown].name)),
            method_);
    set(r, *unknown, static_cast<std::uint32_t>(size));
    return true;
  }

  /// All sizes; those of names that no operator needs are the least.
  DimensionSizes finish(std::span<const GivenShape> given) const {
    DimensionSizes all;
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      const MLDynamicDimension& d = graph_.dimensions[i];
      if (sizes_[i]) {
        all.push_back(*sizes_[i]);
        continue;
      }
      for (const auto& [name, x] : graph_.inputs) refuse_unknown(x.record(), i, given);
      all.push_back(std::max(d.minSize, 1u));
    }
    return all;
  }

 private:
  std::optional<std::size_t> place_of(const OperandRecord& r, std::size_t d) const {
    return r.open ? webnn::place_of(graph_, r.open->dimensions[d]) : std::nullopt;
  }

  void set(const OperandRecord& r, std::size_t name, std::uint32_t size) {
    auto& known = sizes_[name];
    if (known && *known != size)
      raise(fail("the size ({}) of dimension {} of input {} is not that of input {} ({})", size,
                 in_quotes(graph_.dimensions[name].name), in_quotes(r.name),
                 in_quotes(*from_[name]), *known),
            method_);
    known = size;
    from_[name] = &r.name;
  }

  void refuse_unknown(const OperandRecord& r, std::size_t name,
                      std::span<const GivenShape> given) const {
    for (std::size_t d = 0; d < r.descriptor.shape.size(); ++d)
      if (place_of(r, d) == name) {
        const bool there =
            std::ranges::any_of(given, [&](const GivenShape& g) { return g.name == r.name; });
        if (there)
          raise(fail("the byte length of input {}, {}, does not say its shape: give it with the "
                     "view, or give a tensor",
                     in_quotes(r.name), text_of(r)),
                method_);
        raise(fail("input {}, {}, is missing", in_quotes(r.name), text_of(r)), method_);
      }
  }

  const GraphData& graph_;
  std::string_view method_;
  std::vector<std::optional<std::uint64_t>> sizes_;
  std::vector<const std::string*> from_ = std::vector<const std::string*>(sizes_.size());
};

}  // namespace

DimensionSizes sizes_of(const Graph& open, std::span<const GivenShape> given,
                        std::string_view method) {
  const GraphData& graph = data_of(open);
  Sizes sizes(graph, method);
  std::vector<std::pair<const OperandRecord*, std::size_t>> unsure;
  for (const GivenShape& g : given) {
    const auto input = std::ranges::find(graph.inputs, g.name, &NamedOperand::name);
    if (input == graph.inputs.end())
      raise(fail("no input named {}; the graph has {}", in_quotes(g.name),
                 joined(graph.inputs, ", ",
                        [](const NamedOperand& x) {
                          return in_quotes(x.name) + ' ' + text_of(x.operand.record());
                        })),
            method);
    const OperandRecord& r = input->operand.record();
    if (g.ranked) sizes.set_shape(r, g.shape);
    else if (r.open) unsure.push_back({&r, g.bytes});
  }
  for (bool progress = true; progress && !unsure.empty();)
    progress = std::erase_if(
                   unsure, [&](const auto& x) { return sizes.set_bytes(*x.first, x.second); }) > 0;
  return sizes.finish(given);
}

void check_shape(const Graph& open, const GivenShape& given, std::string_view method) {
  const GraphData& graph = data_of(open);
  const auto input = std::ranges::find(graph.inputs, given.name, &NamedOperand::name);
  const OperandRecord& r = input->operand.record();
  Sizes(graph, method).set_shape(r, given.shape);
  for (std::size_t d = 0; d < given.shape.size(); ++d) {
    const auto name = r.open ? place_of(graph, r.open->dimensions[d]) : std::nullopt;
    if (!name) continue;
    const MLDynamicDimension& x = graph.dimensions[*name];
    if (given.shape[d] < x.minSize || given.shape[d] > x.maxSize)
      raise(fail("the size ({}) of dimension {} of input {} is not between {} and {}",
                 given.shape[d], in_quotes(x.name), in_quotes(r.name), x.minSize, x.maxSize),
            method);
  }
}

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
                                                  const GrowingForm* form) const {
  derived_->start_graph();
  const auto sized = [&](bool with_bytes) {
    auto graph = form ? graph_left(open_.graph, form->parts, sizes, {derived_, with_bytes})
                      : webnn::graph_at(open_.graph, sizes, &evaluate, {derived_, with_bytes});
    if (!graph) raise(graph.failure(), method);
    return *graph;
  };
  const auto compiled = [&](Graph graph) {
    return compile(std::move(graph), detail::make<MLContext>(context.self.lock()), open_.passes,
                   options ? *options : BuildOptions(), open_.updates, memory_, form, open_.stored);
  };
  if (!options && !context.options.keepConstants && !context.tuning.active()) {
    Graph graph = sized(false);
    const ReleasedReads reads;
    try {
      if (auto made = compiled(std::move(graph)); !reads.any()) return made;
    } catch (const std::exception&) {}  // another one, of the same cause, comes from what follows
  }
  return compiled(sized(true));
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
  const GraphMemory memory = made->memory();
  std::list<Entry> dropped;  // freed after the lock
  lock.lock();
  entry->graph = made;
  entry->bytes = memory.arena + memory.scratch + memory.constants;
  entry->run_bytes = made->executor->run_bytes().total();
  evict(dropped);
  made_.notify_all();
  lock.unlock();
  return made;
}

std::shared_ptr<GraphState> Specializations::make_growing(ContextState& context,
                                                          const DimensionSizes& sizes) const {
  const auto form = growing_form(open_.graph, open_.updates, sizes);
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
                                                     const DimensionSizes& sizes) {
  constexpr std::size_t max_graphs = 16, max_failures = 64;
  std::unique_lock lock(mutex_);
  for (const auto& g : growing_)
    if (g->growing->matches(data_of(open_.graph), sizes)) return last_growing_ = g;
  if (not_growing_.size() >= max_failures) return nullptr;
  if (!past_ || sizes[*past_] == 0) return nullptr;
  DimensionSizes others = sizes;
  const std::vector<bool> totals = possible_totals(open_.graph, open_.updates);
  for (std::size_t i = 0; i < others.size(); ++i)
    if (i == *past_ || (totals[i] && sizes[i] > sizes[*past_])) others[i] = 0;
  if (std::ranges::find(not_growing_, others) != not_growing_.end()) return nullptr;
  lock.unlock();
  auto made = make_growing(context, sizes);
  lock.lock();
  if (!made) {
    not_growing_.push_back(std::move(others));
    return nullptr;
  }
  if (growing_.size() == max_graphs) growing_.erase(growing_.begin());
  growing_.push_back(made);
  if (!made->growing->matches(data_of(open_.graph), sizes)) return nullptr;
  return last_growing_ = made;
}

/// Takes out what was not used for the longest time, but never the newest.
void Specializations::evict(std::list<Entry>& dropped) {
  constexpr std::size_t max_entries = 1024;
  std::size_t bytes = 0, count = 0;
  for (auto e = entries_.begin(); e != entries_.end();) {
    const auto next = std::next(e);
    bytes += e->bytes;
    if (e->graph && count > 0 && (bytes > open_.max_bytes || count >= max_entries)) {
      bytes -= e->bytes;
      dropped.splice(dropped.end(), entries_, e);
    }
    ++count;
    e = next;
  }
  if (dropped.empty()) return;
  std::size_t run_bytes = 0;
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
    if (e->graph) dropped.splice(dropped.end(), entries_, e);
    e = next;
  }
  memory_->trim(0);
}

}  // namespace webnn::inline v0_1
