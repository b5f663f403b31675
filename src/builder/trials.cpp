#include "src/builder/trials.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "src/graph/failure.h"

namespace webnn::inline v0_1 {
namespace {

constexpr std::size_t patterns = 8;
constexpr std::size_t few = 3;                 // trials below which more are looked for
constexpr std::size_t max_replays = 4000;      // of one graph ...
constexpr std::size_t max_replayed = 400'000;  // ... and of operators

std::uint32_t bounded(std::uint64_t size, const MLDynamicDimension& d) {
  const std::uint32_t least = std::max<std::uint32_t>(d.minSize, 1);
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(size, least, std::max(least, d.maxSize)));
}

/// A size of the i-th name: small, odd, equal, and divisible by much, as networks ask for.
std::uint32_t pattern(std::size_t which, std::size_t i, const MLDynamicDimension& d) {
  constexpr std::uint32_t odd[] = {5, 11, 3, 17, 7, 23, 13, 29};
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

void append_sizes(std::set<std::uint32_t>& to, std::span<const std::uint32_t> shape) {
  std::uint64_t product = 1;
  for (const std::uint32_t size : shape) {
    to.insert(size);
    product = std::min<std::uint64_t>(product * std::max(1u, size), std::uint64_t{1} << 40);
  }
  if (product <= shape::max_dimension) to.insert(static_cast<std::uint32_t>(product));
}

/// The numbers of attributes that are lists of sizes, and their products.
void append_attributes(std::set<std::uint32_t>& to, const Op& op) {
  visit(
      [&](const auto& o) {
        ops::for_each_attribute(o, [&](const auto&, const auto& value) {
          using V = std::remove_cvref_t<decltype(value)>;
          if constexpr (std::is_same_v<V, Dims>) append_sizes(to, value);
          else if constexpr (std::is_same_v<V, OptionalList<std::uint32_t>>) {
            if (value) append_sizes(to, *value);
          } else if constexpr (std::is_same_v<V, MLSplits>) {
            if (const auto* list = std::get_if<Dims>(&value)) append_sizes(to, *list);
          }
        });
      },
      op);
}

}  // namespace

Trials::Trials(const GraphData& open, Evaluate evaluate) : open_(open), evaluate_(evaluate) {
  restart();
}

void Trials::restart() {
  trials_.clear();
  for (std::size_t which = 0; which < patterns; ++which) {
    DimensionSizes sizes;
    for (std::size_t i = 0; i < open_.dimensions.size(); ++i)
      sizes.push_back(pattern(which, i, open_.dimensions[i]));
    if (has(sizes)) continue;
    if (auto trial = replay(std::move(sizes), nullptr)) trials_.push_back(std::move(*trial));
  }
  if (!trials_.empty() || open_.nodes.empty()) return;
  for (const DimensionSizes& sizes : others())
    if (auto trial = replay(sizes, nullptr)) return trials_.push_back(std::move(*trial));
}

void Trials::add_input(const MLOperand& x) {
  const bool first_names = trials_.empty() || trials_.front().graph->sizes().empty();
  std::vector<Trial> kept;
  std::size_t which = 0;
  for (Trial& t : trials_) {
    while (t.graph->sizes().size() < open_.dimensions.size()) {
      const std::size_t i = t.graph->sizes().size();
      t.graph->add_size(pattern(which, i, open_.dimensions[i]));
    }
    ++which;
    if (!t.graph->add_input(x)) kept.push_back(std::move(t));
  }
  trials_ = std::move(kept);
  if (first_names || trials_.empty()) restart();
}

bool Trials::has(const DimensionSizes& sizes) const {
  return std::ranges::any_of(trials_, [&](const Trial& t) { return t.graph->sizes() == sizes; });
}

std::optional<Trials::Trial> Trials::replay(DimensionSizes sizes, const Op* last) const {
  Trial trial{std::make_unique<SizedGraph>(open_, std::move(sizes), evaluate_)};
  if (trial.graph->add_all()) return std::nullopt;
  if (!last) return trial;
  auto results = trial.graph->add(*last);
  if (!results) return std::nullopt;
  trial.results = std::move(*results);
  return trial;
}

/// Sizes that an operator refuses, with one of them changed to a number that occurs in its operands
/// or attributes.
Trials::Candidates Trials::repairs(const Op& op, std::span<const Trial> refused) const {
  std::set<std::size_t> names;
  for (const MLOperand* x : operands_of(op.kind(), op.get())) {
    const auto& open = x->record().open;
    if (!open) continue;
    for (const MLDimension& d : open->dimensions)
      for (std::size_t i = 0; d.is_open() && i < open_.dimensions.size(); ++i)
        if (open_.dimensions[i].name == d.dynamic().name) names.insert(i);
  }
  if (names.empty())
    for (std::size_t i = 0; i < open_.dimensions.size(); ++i) names.insert(i);
  Candidates all;
  for (const Trial& t : refused) {
    std::set<std::uint32_t> numbers;
    for (const MLOperand* x : operands_of(op.kind(), op.get()))
      append_sizes(numbers, t.graph->at(*x).shape());
    append_attributes(numbers, op);
    for (const std::size_t i : names)
      for (const std::uint32_t number : numbers) {
        DimensionSizes sizes = t.graph->sizes();
        sizes[i] = bounded(number, open_.dimensions[i]);
        if (sizes != t.graph->sizes()) all.push_back(std::move(sizes));
      }
  }
  return all;
}

/// Sizes to be tried when no others are left: all small ones of each name beside the patterns of
/// the others, then all small ones of two names.
Trials::Candidates Trials::others() const {
  constexpr std::size_t count = max_replays;
  Candidates all;
  const auto& names = open_.dimensions;
  const auto sizes_of = [&](std::size_t which) {
    DimensionSizes sizes;
    for (std::size_t i = 0; i < names.size(); ++i) sizes.push_back(pattern(which, i, names[i]));
    return sizes;
  };
  for (std::size_t which = 0; which < patterns; ++which) all.push_back(sizes_of(which));
  for (std::uint32_t size = 1; size <= 160; ++size)  // all names alike
    all.push_back(DimensionSizes(names.size(), size));
  for (std::size_t a = 0; a < names.size(); ++a)
    for (std::size_t b = a + 1; b < names.size() && all.size() < count; ++b)
      for (std::uint32_t x = 1; x <= 24; ++x)
        for (std::uint32_t y = 1; y <= 24; ++y)
          for (const std::size_t which : {0u, 3u}) {
            DimensionSizes sizes = sizes_of(which);
            sizes[a] = x, sizes[b] = y;
            all.push_back(std::move(sizes));
          }
  for (std::uint32_t size = 1; size <= 512 && all.size() < count; ++size)
    for (std::size_t i = 0; i < names.size(); ++i)
      for (const std::size_t which : {0u, 3u}) {
        DimensionSizes sizes = sizes_of(which);
        sizes[i] = size;
        all.push_back(std::move(sizes));
      }
  for (DimensionSizes& sizes : all)
    for (std::size_t i = 0; i < names.size(); ++i) sizes[i] = bounded(sizes[i], names[i]);
  if (all.size() > count) all.resize(count);
  return all;
}

void Trials::try_some(const Candidates& candidates, const Op& op, std::size_t enough) {
  for (const DimensionSizes& sizes : candidates) {
    if (trials_.size() >= enough) return;
    if (replays_ >= max_replays || replays_ * open_.nodes.size() >= max_replayed) return;
    if (has(sizes)) continue;
    ++replays_;
    if (auto trial = replay(sizes, &op)) trials_.push_back(std::move(*trial));
  }
}

Result<std::vector<Trials::Shape>> Trials::add(const Op& op) {
  if (trials_.empty())
    return fail("no sizes of the inputs are known that the operators before take");
  std::vector<Failure> failures;
  std::vector<Trial> accepted, refused;
  for (Trial& t : trials_) {
    auto results = t.graph->add(op);
    if (results) t.results = std::move(*results);
    else failures.push_back(results.failure());
    (results ? accepted : refused).push_back(std::move(t));
  }
  trials_ = std::move(accepted);
  if (trials_.empty() && !search(op, failures, refused)) {
    trials_ = std::move(refused);
    return failures.front();
  }
  if (trials_.size() < few && !refused.empty()) try_some(repairs(op, refused), op, few);
  std::vector<Shape> shapes;
  for (std::size_t k = 0; k < trials_.front().results.size(); ++k)
    shapes.push_back(shape_of(k, op));
  return shapes;
}

/// Looks for sizes that the operator accepts, which has refused all others. A failure that is the
/// same at all sizes does not come from them.
bool Trials::search(const Op& op, std::vector<Failure>& failures, std::span<const Trial> refused) {
  const auto same = [&](const Failure& f) { return f.message == failures.front().message; };
  if (failures.size() > 1 && std::ranges::all_of(failures, same)) return false;
  const std::size_t before = replays_;
  try_some(repairs(op, refused), op, few);
  if (trials_.empty()) try_some(others(), op, 1);
  if (!trials_.empty()) return true;
  replays_ = before;  // of a mistake of the caller, who may go on
  failures.front().message += ", with " + text_of(open_, refused.front().graph->sizes(), &op);
  return false;
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

Trials::Shape Trials::shape_of(std::size_t k, const Op& op) {
  const MLOperandDescriptor& first = trials_.front().results[k].descriptor();
  Shape shape{first};
  const auto differs = [&](auto&& f) {
    return std::ranges::any_of(
        trials_, [&](const Trial& t) { return f(t.results[k].shape()) != f(first.shape); });
  };
  if (differs([](const Dims& s) { return s.size(); })) {
    shape.descriptor.shape.clear();
    shape.open = std::make_shared<OpenShape>(OpenShape{{}, false});
    return shape;
  }
  if (!differs([](const Dims& s) { return s; })) return shape;
  OpenShape open;
  for (std::size_t d = 0; d < first.shape.size(); ++d) {
    if (differs([&](const Dims& s) { return s[d]; })) {
      open.dimensions.push_back(dimension_of(k, d, op));
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
MLDimension Trials::dimension_of(std::size_t k, std::size_t d, const Op& op) {
  std::string from;
  for (const MLOperand* x : operands_of(op.kind(), op.get())) {
    const auto& shape = x->record().open;
    if (!shape || !shape->ranked) continue;
    for (std::size_t e = 0; e < shape->dimensions.size(); ++e) {
      const MLDimension& dimension = shape->dimensions[e];
      if (!dimension.is_open()) continue;
      if (std::ranges::all_of(trials_, [&](const Trial& t) {
            return t.graph->at(*x).shape()[e] == t.results[k].shape()[d];
          }))
        return dimension;
      if (from.empty() || e == d) from = dimension.dynamic().name;
    }
  }
  for (std::size_t i = 0; i < open_.dimensions.size(); ++i)
    if (std::ranges::all_of(trials_, [&](const Trial& t) {
          return t.graph->sizes()[i] == t.results[k].shape()[d];
        }))
      return open_.dimensions[i];
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
