#include "src/builder/trials.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "src/builder/local_shape_trials.h"
#include "src/builder/open_dimensions.h"
#include "src/builder/trial_limits.h"
#include "src/graph/failure.h"
#include "src/graph/resolve.h"

namespace webnn::inline v0_1 {
namespace {

constexpr std::size_t patterns = 8;
constexpr std::size_t few = 3;                  // trials below which more are looked for
constexpr std::size_t max_summed = 6;           // names of which one may be the sum of two others
constexpr std::size_t max_tries = 3000;         // of sizes for an operator, where none are left
constexpr std::size_t max_operators = 400'000;  // and of operators at these sizes

/// A size of the i-th name: small, odd, equal, and divisible by much, as networks ask for.
std::uint32_t pattern(std::size_t which, std::size_t i, const MLDynamicDimension& d) {
  constexpr std::uint32_t odd[] = {29, 23, 17, 13, 11, 7, 5, 3};  // others grow from name to name
  switch (which) {
    case 0: return bounded(64 * (i + 1), d);
    case 1: return bounded(odd[i % std::size(odd)], d);
    case 2: return bounded(32, d);
    case 3: return bounded(1, d);
    case 4: return bounded(7, d);
    case 5: return bounded(224, d);
    case 6: return bounded(640 + 128 * i, d);
    default: return bounded(2, d);
  }
}

DimensionSizes pattern(std::size_t which, const std::vector<MLDynamicDimension>& dimensions) {
  DimensionSizes sizes;
  for (const MLDynamicDimension& d : dimensions) sizes.push_back(pattern(which, sizes.size(), d));
  return sizes;
}

}  // namespace

std::optional<Failure> open_dimensions_left_out() { return std::nullopt; }

Trials::Trials(const GraphData& open, Evaluate evaluate) : open_(open), evaluate_(evaluate) {
  restart();
}

void Trials::restart() {
  trials_.clear();
  attempts_.clear();
  for (std::size_t which = 0; which < patterns; ++which) {
    DimensionSizes sizes = pattern(which, open_.dimensions);
    if (has(sizes)) continue;
    if (auto trial = replay(std::move(sizes), nullptr)) trials_.push_back(std::move(*trial));
  }
  if (trials_.empty())
    if (auto trial = with_a_sum()) trials_.push_back(std::move(*trial));
  if (trials_.empty()) look_for_more(nullptr, {pattern(0, open_.dimensions)}, 1, tries());
}

void Trials::keep_within_bounds() {
  std::erase_if(trials_, [&](const Trial& t) {
    const DimensionSizes& sizes = t.graph->sizes();
    for (std::size_t i = 0; i < sizes.size(); ++i)
      if (sizes[i] != bounded(sizes[i], open_.dimensions[i])) return true;
    return false;
  });
  if (trials_.empty()) restart();
}

/// Sizes of which one is the sum of two others: of keys, those of a cache and the new ones.
std::optional<Trials::Trial> Trials::with_a_sum() const {
  const std::size_t n = open_.dimensions.size();
  if (n < 3 || n > max_summed) return std::nullopt;
  DimensionSizes base;
  for (const MLDynamicDimension& d : open_.dimensions) base.push_back(bounded(base.size() + 2, d));
  for (std::size_t sum = 0; sum < n; ++sum)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        if (i == sum || j == sum) continue;
        DimensionSizes sizes = base;
        sizes[sum] = bounded(std::uint64_t{base[i]} + base[j], open_.dimensions[sum]);
        if (auto trial = replay(std::move(sizes), nullptr)) return trial;
      }
  return std::nullopt;
}

/// All small sizes of few names, at which what is refused may be right.
std::optional<Trials::Trial> Trials::with_small_sizes(const Op& op) const {
  constexpr std::uint32_t largest[] = {0, 64, 8, 4};
  const std::size_t n = open_.dimensions.size();
  if (n == 0 || n >= std::size(largest) || replay_cost() * 64 > max_operators) return std::nullopt;
  std::uint32_t all = 1;
  for (std::size_t i = 0; i < n; ++i) all *= largest[n];
  for (std::uint32_t which = 0; which < all; ++which) {
    DimensionSizes sizes;
    for (std::uint32_t rest = which; sizes.size() < n; rest /= largest[n])
      sizes.push_back(bounded(1 + rest % largest[n], open_.dimensions[sizes.size()]));
    if (auto trial = replay(std::move(sizes), &op)) return trial;
  }
  return std::nullopt;
}

void Trials::add_input(const MLOperand& x) {
  const bool first_names = trials_.empty() || trials_.front().graph->sizes().empty();
  std::vector<Trial> kept;
  std::size_t which = 0;
  for (Trial& t : trials_) {
    const DimensionSizes before = t.graph->sizes();
    const auto with_pattern = [&](std::size_t p) {
      DimensionSizes sizes = before;
      while (sizes.size() < open_.dimensions.size())
        sizes.push_back(pattern(p, sizes.size(), open_.dimensions[sizes.size()]));
      return sizes;
    };
    const DimensionSizes sizes = with_pattern(which++);
    for (std::size_t i = before.size(); i < sizes.size(); ++i) t.graph->add_size(sizes[i]);
    if (!t.graph->add_input(x)) {
      kept.push_back(std::move(t));
      continue;
    }
    // Such an input may be too large, or two of its names are one.
    for (const std::size_t smaller : {1, 4, 7})
      if (auto trial = replay(with_pattern(smaller), nullptr)) {
        kept.push_back(std::move(*trial));
        break;
      }
  }
  trials_ = std::move(kept);
  if (first_names || trials_.empty()) restart();
}

bool Trials::has(const DimensionSizes& sizes) const {
  return std::ranges::any_of(trials_, [&](const Trial& t) { return t.graph->sizes() == sizes; });
}

std::optional<Trials::Trial> Trials::replay(DimensionSizes sizes, const Op* last) const {
  Trial trial{std::make_unique<SizedGraph>(open_, std::move(sizes), evaluate_)};
  trial.graph->set_shapes_alone();
  if (trial.graph->add_all()) return std::nullopt;
  if (!last) return trial;
  auto results = trial.graph->add(*last);
  if (!results) return std::nullopt;
  trial.results = std::move(*results);
  return trial;
}

/// The inputs and operators that a trial begins with.
std::size_t Trials::replay_cost() const {
  const auto loops = std::ranges::count_if(
      open_.nodes, [](const NodeData& node) { return node.op.as<control::loop>() != nullptr; });
  return open_.inputs.size() + open_.nodes.size() + 1 +
         static_cast<std::size_t>(loops) * SizedGraph::max_tried_unrolled;
}

std::size_t Trials::tries() const {
  return std::clamp<std::size_t>(max_operators / replay_cost(), 50, max_tries);
}

/// Adds trials at other sizes, at which the operator is refused no more.
void Trials::look_for_more(const Op* op, const std::vector<DimensionSizes>& starts,
                           std::size_t enough, std::size_t tries) {
  SizeSearch search(open_, evaluate_);
  while (trials_.size() < enough && searched_ < max_searched) {
    std::vector<DimensionSizes> known;
    for (const Trial& t : trials_) known.push_back(t.graph->sizes());
    searched_ += tries * replay_cost() / 4;
    auto sizes = search.find(op, starts, known, tries);
    if (!sizes) return;
    if (auto trial = replay(std::move(*sizes), op)) trials_.push_back(std::move(*trial));
    else return;
  }
}

Result<std::vector<Trials::Shape>> Trials::add(const Op& op) {
  if (trials_.empty())
    return fail("no sizes of the inputs were found that all earlier operators accept");
  std::vector<Failure> failures;
  std::vector<Trial> accepted, refused;
  for (Trial& t : trials_) {
    auto results = t.graph->add(op);
    if (results) t.results = std::move(*results);
    else failures.push_back(results.failure());
    (results ? accepted : refused).push_back(std::move(t));
  }
  trials_ = std::move(accepted);
  std::vector<DimensionSizes> starts;
  for (const Trial& t : refused) starts.push_back(t.graph->sizes());
  if (trials_.empty()) {
    const bool may_help = depends_on_sizes(op, failures, refused);
    const std::size_t before = searched_;
    const bool many = may_help && !op.as<control::loop>();
    look_for_more(&op, starts, 1, many ? tries() : guided_tries);
    if (trials_.empty())
      if (auto trial = with_small_sizes(op)) trials_.push_back(std::move(*trial));
    if (trials_.empty()) {
      searched_ = before;  // a mistake of the caller, who may go on
      if (may_help) failures.front().message += ", with " + text_of(open_, starts.front(), &op);
    }
  }
  if (trials_.empty()) {
    trials_ = std::move(refused);
    return failures.front();
  }
  if (trials_.size() < few && !starts.empty()) look_for_more(&op, starts, few, tries() / 8);
  if (!starts.empty()) vary(op);
  std::vector<Shape> shapes;
  const std::vector<LocalTrial> around = local(op);
  for (std::size_t k = 0; k < trials_.front().results.size(); ++k)
    shapes.push_back(shape_of(k, op, around));
  return shapes;
}

/// Whether other sizes are likely to help: not where every open dimension that the operator reads
/// had several sizes, and all were refused in the same words.
bool Trials::depends_on_sizes(const Op& op, std::span<const Failure> failures,
                              std::span<const Trial> refused) const {
  for (const Failure& f : failures)
    if (f.message != failures.front().message) return true;
  if (refused.size() < few) return true;  // what seems to be known may follow from sizes
  bool all_differ = true, any_open = is_shape_op(op.kind());
  for (const MLOperand* x : operands_of(op.kind(), op.get())) {
    const auto& open = x->record().open;
    if (!open) continue;
    any_open = true;
    const auto shape = [&](const Trial& t) { return t.graph->at(*x).record().descriptor.shape; };
    const Dims first = shape(refused.front());
    for (std::size_t d = 0; d < first.size(); ++d) {
      if (open->ranked && !open->dimensions[d].is_open()) continue;
      std::set<std::uint32_t> sizes;
      for (const Trial& t : refused)
        if (const Dims other = shape(t); d < other.size()) sizes.insert(other[d]);
      all_differ = all_differ && sizes.size() >= few;
    }
  }
  return any_open && !all_differ;
}

DimensionSizes Trials::sizes() const {
  const auto product = [](const Trial& t) {
    const DimensionSizes& sizes = t.graph->sizes();
    const double p = std::accumulate(sizes.begin(), sizes.end(), 1.0, std::multiplies<>());
    return p > 1 ? p : 1e300;  // all of 1 say least of what others need
  };
  const auto least = std::ranges::min_element(trials_, {}, product);
  return least == trials_.end() ? DimensionSizes() : least->graph->sizes();
}

void Trials::set_results(const std::vector<MLOperand>& results) {
  for (Trial& t : trials_)
    for (std::size_t i = 0; i < results.size(); ++i) t.graph->set(results[i], t.results[i]);
}

namespace {

/// Whether a dimension of a result has the same size in all trials.
bool seems_known(const auto& trials) {
  const auto& first = trials.front().results;
  for (std::size_t k = 0; k < first.size(); ++k)
    for (std::size_t d = 0; d < first[k].shape().size(); ++d)
      if (std::ranges::all_of(trials, [&](const auto& t) {
            const Dims& shape = t.results[k].shape();
            return d < shape.size() && shape[d] == first[k].shape()[d];
          }))
        return true;
  return false;
}

}  // namespace

/// The operator alone at sizes that no trial of the graph has.
std::vector<LocalTrial> Trials::local(const Op& op) const {
  if (is_shape_op(op.kind())) {
    if (!seems_known(trials_)) return {};
    return local_shape_trials(op, open_, evaluate_, [&](const MLOperand& x) -> const Dims& {
      return trials_.front().graph->at(x).shape();
    });
  }
  std::vector<std::vector<Dims>> shapes;
  for (const Trial& t : trials_) {
    std::vector<Dims>& operands = shapes.emplace_back();
    for (const MLOperand* x : operands_of(op.kind(), op.get()))
      operands.push_back(t.graph->at(*x).shape());
  }
  return local_trials(op, shapes);
}

Trials::Shape Trials::shape_of(std::size_t k, const Op& op, const std::vector<LocalTrial>& local) {
  const MLOperandDescriptor& first = trials_.front().results[k].descriptor();
  Shape shape{first};
  const auto differs_in_graph = [&](auto&& f) {
    return std::ranges::any_of(
        trials_, [&](const Trial& t) { return f(t.results[k].shape()) != f(first.shape); });
  };
  const auto differs = [&](auto&& f) {
    return differs_in_graph(f) || std::ranges::any_of(local, [&](const LocalTrial& t) {
             return t.results[k].size() == first.shape.size() && f(t.results[k]) != f(first.shape);
           });
  };
  if (differs_in_graph([](const Dims& s) { return s.size(); })) {
    shape.descriptor.shape.clear();
    shape.open = std::make_shared<OpenShape>(OpenShape{{}, false});
    return shape;
  }
  if (!differs([](const Dims& s) { return s; })) return shape;
  OpenShape open;
  for (std::size_t d = 0; d < first.shape.size(); ++d) {
    if (differs([&](const Dims& s) { return s[d]; })) {
      open.dimensions.push_back(dimension_of(k, d, op, local));
      shape.descriptor.shape[d] = 0;
    } else {
      open.dimensions.push_back(first.shape[d]);
    }
  }
  shape.open = std::make_shared<OpenShape>(std::move(open));
  return shape;
}

/// A dimension that has different sizes: that of an operand which passes unchanged, that of an
/// input, or a new one.
MLDimension Trials::dimension_of(std::size_t k, std::size_t d, const Op& op,
                                 const std::vector<LocalTrial>& local) {
  std::string from;
  const auto operands = operands_of(op.kind(), op.get());
  const std::size_t rank = trials_.front().results[k].shape().size();
  for (const bool at_same_place : {true, false})  // of several that have its sizes
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const auto& shape = operands[i]->record().open;
      if (!shape || !shape->ranked) continue;
      for (std::size_t e = 0; e < shape->dimensions.size(); ++e) {
        const MLDimension& dimension = shape->dimensions[e];
        if (!dimension.is_open()) continue;
        if (from.empty() || e == d) from = dimension.dynamic().name;
        if (at_same_place != (e + rank == d + shape->dimensions.size())) continue;
        if (std::ranges::all_of(trials_,
                                [&](const Trial& t) {
                                  return t.graph->at(*operands[i]).shape()[e] ==
                                         t.results[k].shape()[d];
                                }) &&
            std::ranges::all_of(local, [&](const LocalTrial& t) {
              return t.results[k].size() > d && t.operands[i][e] == t.results[k][d];
            }))
          return dimension;
      }
    }
  const auto is_read = [&](const std::string& name) {  // and was not the right one
    return std::ranges::any_of(operands, [&](const MLOperand* x) {
      const auto& shape = x->record().open;
      return shape && std::ranges::any_of(shape->dimensions, [&](const MLDimension& e) {
               return e.is_open() && e.dynamic().name == name;
             });
    });
  };
  for (std::size_t name = 0; name < open_.dimensions.size(); ++name)
    if (varies(name) && !is_read(open_.dimensions[name].name) &&
        std::ranges::all_of(trials_, [&](const Trial& t) {
          return t.graph->sizes()[name] == t.results[k].shape()[d];
        }))
      return open_.dimensions[name];
  return fresh_name(from.empty() ? "dimension" : from);
}

/// "height" becomes "height_1", "height_2" and so on.
std::string Trials::fresh_name(const std::string& from) {
  std::string stem = from;
  if (const auto end = from.rfind('_');
      end != std::string::npos && fresh_.contains(from.substr(0, end)))
    stem = from.substr(0, end);
  for (;;) {
    std::string name = stem + '_' + std::to_string(++fresh_[stem]);
    if (std::ranges::find(open_.dimensions, name, &MLDynamicDimension::name) ==
        open_.dimensions.end())
      return name;
  }
}

}  // namespace webnn::inline v0_1
