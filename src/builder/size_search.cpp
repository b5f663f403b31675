#include "src/builder/size_search.h"

#include <algorithm>
#include <queue>
#include <set>

#include "src/graph/failure.h"
#include "src/graph/known.h"

namespace webnn::inline v0_1 {
namespace {

constexpr std::size_t max_numbers = 160;  // that a dimension is changed to
constexpr std::uint64_t largest = 1 << 20;

std::uint64_t product(const Dims& list) {
  std::uint64_t p = 1;
  for (const std::uint32_t n : list)
    p = std::min<std::uint64_t>(p * std::max(1u, n), std::uint64_t{1} << 40);
  return p;
}

Dims products(const Dims& a, const Dims& b) {
  Dims all;
  for (std::size_t i = 0; i < a.size(); ++i)
    all.push_back(static_cast<std::uint32_t>(std::min(std::uint64_t{a[i]} * b[i], largest)));
  return all;
}

/// Those of the attributes of a custom operator that may be sizes.
void append_numbers(std::vector<Dims>& to, const CustomAttributes& attributes) {
  const auto as_size = [](std::int64_t n) {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(n, 0, largest));
  };
  for (const auto& [name, value] : attributes) {
    if (const auto* n = std::get_if<std::int64_t>(&value)) to.push_back({as_size(*n)});
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value))
      std::ranges::transform(*list, std::back_inserter(to.emplace_back()), as_size);
  }
}

/// The lists of sizes among the attributes of an operator, the products of those of one length,
/// such as windows and their dilations, and its other numbers, each as a list.
void append_attributes(std::vector<Dims>& to, const Op& op) {
  const std::size_t first = to.size();
  Dims numbers;
  visit_known(
      [&](const auto& o) {
        ops::for_each_attribute(o, [&](const auto&, const auto& value) {
          using V = std::remove_cvref_t<decltype(value)>;
          if constexpr (std::is_same_v<V, Dims>) to.push_back(value);
          else if constexpr (std::is_same_v<V, std::uint32_t>) numbers.push_back(value);
          else if constexpr (std::is_same_v<V, OptionalList<std::uint32_t>>) {
            if (value) to.push_back(*value);
          } else if constexpr (std::is_same_v<V, MLSplits>) {
            if (const auto* list = std::get_if<Dims>(&value)) to.push_back(*list);
            else numbers.push_back(std::get<std::uint32_t>(value));
          } else if constexpr (std::is_same_v<V, CustomAttributes>) {
            append_numbers(to, value);
          }
        });
      },
      op);
  const std::size_t end = to.size();
  for (std::size_t i = first; i < end; ++i)
    for (std::size_t k = i + 1; k < end; ++k)
      if (to[i].size() == to[k].size()) to.push_back(products(to[i], to[k]));
  for (const std::uint32_t n : numbers)
    for (const std::uint32_t times : {1u, 2u, 3u, 4u}) to.push_back({n * times});
}

/// The numbers of the lists, their products, and what a number of one list has to be for its
/// product to be that of another.
std::vector<std::uint32_t> numbers_in(const std::vector<Dims>& lists) {
  std::vector<std::uint32_t> all;
  const auto add = [&](std::uint64_t n) {
    if (n < 1 || n > largest || all.size() >= max_numbers) return;
    const auto number = static_cast<std::uint32_t>(n);
    if (std::ranges::find(all, number) == all.end()) all.push_back(number);
  };
  for (const Dims& list : lists)
    for (const std::uint32_t n : list) add(n);
  for (const Dims& a : lists)
    for (const Dims& b : lists)
      for (const std::uint32_t n : b)
        if (const std::uint64_t p = product(a) * n, q = product(b); p % q == 0) add(p / q);
  for (const Dims& list : lists) add(product(list));
  for (std::uint32_t n = 1; n <= 12; ++n) add(n);
  return all;
}

/// The numbers that a message says, such as the sizes that an operator expects, and its lists of
/// them.
void append_numbers(std::vector<Dims>& to, std::string_view message) {
  Dims list;
  bool listed = false;
  for (std::size_t i = 0; i < message.size(); ++i) {
    if (message[i] == '[') listed = true, list.clear();
    if (message[i] == ']' && std::exchange(listed, false) && !list.empty()) to.push_back(list);
    if (message[i] < '0' || message[i] > '9') continue;
    std::uint64_t number = 0;
    for (; i < message.size() && message[i] >= '0' && message[i] <= '9'; ++i)
      number = std::min(10 * number + static_cast<std::uint64_t>(message[i] - '0'), largest);
    --i;
    list.push_back(static_cast<std::uint32_t>(number));
    if (!listed) to.push_back({list.back()});
  }
}

std::string without_numbers(std::string text) {
  std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
  return text;
}

}  // namespace

std::uint32_t bounded(std::uint64_t size, const MLDynamicDimension& d) {
  const std::uint32_t least = std::max<std::uint32_t>(d.minSize, 1);
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(size, least, std::max(least, d.maxSize)));
}

std::vector<DimensionSizes> SizeSearch::aligned(const SizedGraph& graph, const Op& op,
                                                const std::vector<Dims>& lists) const {
  std::vector<DimensionSizes> all;
  for (const MLOperand* x : operands_of(op.kind(), op.get())) {
    const auto& open = x->record().open;
    if (!open || !open->ranked) continue;
    const MLDimensions& dimensions = open->dimensions;
    for (const Dims& list : lists)
      for (const bool last : {true, false}) {  // the last dimensions together, or the first
        DimensionSizes sizes = graph.sizes();
        const std::size_t n = std::min(list.size(), dimensions.size());
        for (std::size_t k = 0; k < n; ++k) {
          const std::size_t d = last ? dimensions.size() - 1 - k : k;
          const std::uint32_t size = list[last ? list.size() - 1 - k : k];
          if (const auto i = place_of(open_, dimensions[d]); i && size > 0)
            sizes[*i] = bounded(size, open_.dimensions[*i]);
        }
        if (sizes != graph.sizes() && std::ranges::find(all, sizes) == all.end())
          all.push_back(std::move(sizes));
      }
  }
  return all;
}

std::vector<DimensionSizes> SizeSearch::changed(SizedGraph& graph, const Op& op,
                                                std::string_view message) const {
  std::set<std::size_t> names;
  std::vector<Dims> lists;
  bool derived = false;
  for (const MLOperand* x : operands_of(op.kind(), op.get())) {
    lists.push_back(graph.at(*x).record().descriptor.shape);
    if (auto values = graph.values_of(*x)) {
      lists.push_back(std::move(*values));
      derived = derived || x->record().kind != OperandKind::constant;
    }
    const auto& open = x->record().open;
    if (!open) continue;
    derived = derived || !open->ranked;
    for (const MLDimension& d : open->dimensions)
      if (const auto i = place_of(open_, d)) names.insert(*i);
      else derived = derived || d.is_open();
  }
  append_attributes(lists, op);
  append_numbers(lists, message);
  std::vector<DimensionSizes> all = aligned(graph, op, lists);
  const std::vector<std::uint32_t> numbers = numbers_in(lists);
  const auto change = [&](std::size_t i) {
    for (const std::uint32_t number : numbers) {
      DimensionSizes sizes = graph.sizes();
      sizes[i] = bounded(number, open_.dimensions[i]);
      if (sizes == graph.sizes()) continue;
      all.push_back(sizes);
      // Operators before may need that names have one size.
      for (std::size_t k = 0; k < sizes.size(); ++k)
        if (graph.sizes()[k] == graph.sizes()[i]) sizes[k] = bounded(number, open_.dimensions[k]);
      if (sizes != all.back()) all.push_back(std::move(sizes));
    }
  };
  for (const std::size_t i : names) change(i);
  if (derived || names.empty())
    for (std::size_t i = 0; i < open_.dimensions.size(); ++i)
      if (!names.contains(i)) change(i);
  return all;
}

SizeSearch::Outcome SizeSearch::try_sizes(const DimensionSizes& sizes, const Op* last) const {
  SizedGraph graph(open_, sizes, evaluate_);
  graph.set_shapes_alone();
  Outcome outcome;
  for (const auto& [name, x] : open_.inputs)
    if (graph.add_input(x)) return outcome;
  const auto refused = [&](const Op& op, const Failure& failure) {
    outcome.rule = without_numbers(failure.message);
    outcome.next = changed(graph, op, failure.message);
  };
  for (const NodeData& node : open_.nodes) {
    if (const auto bad = graph.add(node)) {
      refused(node.op, *bad);
      return outcome;
    }
    ++outcome.operators;
  }
  if (last)
    if (const auto results = graph.add(*last); !results) {
      refused(*last, results.failure());
      return outcome;
    }
  outcome.accepted = true;
  return outcome;
}

std::optional<DimensionSizes> SizeSearch::find(const Op* last,
                                               const std::vector<DimensionSizes>& starts,
                                               const std::vector<DimensionSizes>& known,
                                               std::size_t tries) {
  struct Candidate {
    std::size_t operators;  // that took the sizes before the change
    bool other_rule;        // than the sizes before those: the change before helped
    std::size_t order;
    std::string rule;
    DimensionSizes sizes;
    bool operator<(const Candidate& other) const {
      return std::tuple(operators, other_rule, other.order) <
             std::tuple(other.operators, other.other_rule, order);
    }
  };
  std::priority_queue<Candidate> queue;
  std::set<DimensionSizes> seen(known.begin(), known.end());
  std::size_t order = 0;
  for (const DimensionSizes& sizes : starts)
    queue.push({open_.nodes.size() + 1, true, order++, "", sizes});
  for (; tries > 0 && !queue.empty(); --tries) {
    const Candidate c = queue.top();
    queue.pop();
    if (order > starts.size() && !seen.insert(c.sizes).second) continue;
    Outcome outcome = try_sizes(c.sizes, last);
    if (outcome.accepted) return c.sizes;
    for (DimensionSizes& next : outcome.next)
      if (!seen.contains(next))
        queue.push(
            {outcome.operators, outcome.rule != c.rule, order++, outcome.rule, std::move(next)});
  }
  return std::nullopt;
}

}  // namespace webnn::inline v0_1
