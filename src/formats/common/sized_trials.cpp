#include "src/formats/common/sized_trials.h"

#include <algorithm>
#include <set>

#include "src/builder/size_search.h"
#include "src/graph/failure.h"
#include "src/graph/resolve.h"
#include "src/graph/text.h"
#include "src/kernels/reference/evaluate.h"

namespace webnn::inline v0_1::formats {
namespace {

constexpr std::size_t enough = 4;  // combinations of sizes

/// Nothing when an operator refuses the sizes, or a result has no elements.
std::optional<Graph> at_sizes(const GraphData& data, const DimensionSizes& sizes) {
  SizedGraph sized(data, sizes, &evaluate);
  if (sized.add_all()) return std::nullopt;
  auto to = std::make_shared<GraphData>();
  std::vector<MLOperand> made;
  const auto set = [&](const MLOperand& x, MLOperand y) {
    if (made.size() <= x.record().id) made.resize(x.record().id + 1);
    made[x.record().id] = std::move(y);
  };
  for (const OwnedRecord& record : data.operands) {
    if (record.kind == OperandKind::result) continue;
    const MLOperand x = borrowed(record);
    OperandRecord copied{.descriptor = {record.descriptor.dataType, sized.at(x).shape()}};
    copied.kind = record.kind;
    copied.name = record.name;
    copied.constant = record.constant;
    if (element_count(copied.descriptor.shape) == 0) return std::nullopt;
    set(x, to->add(std::move(copied)));
  }
  for (const NodeData& node : data.nodes) {
    Op op = node.op.clone();
    for (MLOperand* x : op.operands()) *x = made[x->record().id];
    set_open_steps(op, node.op);
    std::vector<MLOperandDescriptor> results;
    for (const MLOperand& y : node.outputs) {
      results.push_back(sized.at(y).descriptor());
      if (element_count(results.back().shape) == 0) return std::nullopt;
    }
    const std::vector<MLOperand> outputs = to->add(std::move(op), results);
    for (std::size_t i = 0; i < outputs.size(); ++i) set(node.outputs[i], outputs[i]);
  }
  to->inputs.clear();  // in their order
  for (const auto& [name, x] : data.inputs) to->inputs.push_back({name, made[x.record().id]});
  for (const auto& [name, y] : data.outputs) to->outputs.push_back({name, made[y.record().id]});
  return graph_of(to);
}

class Search {
 public:
  explicit Search(const GraphData& data) : data_(data) {}

  /// Sizes that are rarely among the numbers of a model, all different and all alike, and such that
  /// networks on images take.
  void try_usual() {
    try_usual([&] { return found_.size() >= enough && !fixed(); });
  }
  template <class F> void try_usual(F&& is_enough) {
    for (const std::uint32_t size : {13, 23, 37, 64, 96, 160, 224, 320, 5, 3, 2})
      for (const std::uint32_t step : {6, 32, 1, 0}) {
        if (is_enough()) return;
        DimensionSizes sizes;
        for (std::size_t i = 0; i < data_.dimensions.size(); ++i)
          sizes.push_back(bounded(size + step * i, data_.dimensions[i]));
        try_sizes(sizes);
      }
  }
  /// Sizes that follow those that were found: what is rounded, such as the padding that windows
  /// need, differs from one size to the next.
  void try_next() {
    constexpr std::size_t most = 2;  // of those that were found
    const std::vector<DimensionSizes> from(
        found_.begin(),
        found_.begin() + static_cast<std::ptrdiff_t>(std::min(most, found_.size())));
    for (const DimensionSizes& found : from)
      for (const std::uint32_t more : {1, 2, 3}) {
        DimensionSizes sizes;
        for (std::size_t i = 0; i < found.size(); ++i)
          sizes.push_back(bounded(std::uint64_t{found[i]} + more, data_.dimensions[i]));
        try_sizes(sizes);
      }
  }
  void try_sizes(const DimensionSizes& sizes) {
    if (!seen_.insert(sizes).second) return;
    if (auto graph = at_sizes(data_, sizes)) {
      found_.push_back(sizes);
      graphs_.push_back(std::move(*graph));
    }
  }
  /// From sizes that are known, towards others of the dimension.
  void look_for(std::size_t dimension) {
    constexpr std::size_t tries = 60;
    std::vector<DimensionSizes> starts = found_;
    if (starts.empty()) starts.push_back(data_.typical);
    for (DimensionSizes start : {starts.front(), starts.back()})
      for (const std::uint32_t size : {2u, 3u, 4u, 8u, 1u, 16u, start[dimension] * 2}) {
        if (!fixed() || *fixed() != dimension) return;
        start[dimension] = bounded(size, data_.dimensions[dimension]);
        if (!seen_.contains(start)) try_sizes(start);
        SizeSearch search(data_, &evaluate);
        if (const auto sizes = search.find(nullptr, {start}, found_, tries)) try_sizes(*sizes);
      }
  }
  /// A dimension that has one size in all that were found, though its bounds admit others.
  std::optional<std::size_t> fixed() const {
    for (std::size_t i = 0; i < data_.dimensions.size(); ++i) {
      const auto same = [&](const DimensionSizes& s) { return s[i] == found_.front()[i]; };
      if (data_.dimensions[i].minSize < data_.dimensions[i].maxSize &&
          std::ranges::all_of(found_, same))
        return i;
    }
    return std::nullopt;
  }
  /// What says the same of a dimension of a result: its name, and where it is.
  std::optional<std::string> fixed_result() const {
    for (const NodeData& node : data_.nodes)
      for (const MLOperand& y : node.outputs) {
        const auto& open = y.record().open;
        if (!open || !open->ranked) continue;
        for (std::size_t d = 0; d < open->dimensions.size(); ++d) {
          const auto size = [&](const Graph& g) { return g.operand(y.record().id).shape()[d]; };
          const std::uint32_t first = size(graphs_.front());
          if (open->dimensions[d].is_open() &&
              std::ranges::all_of(graphs_, [&](const Graph& g) { return size(g) == first; }))
            return format(
                "dimension {} ({}) of {} is {} at all sizes that are tried, though it is open",
                {d, in_quotes(open->dimensions[d].dynamic().name),
                 name_and_label(name_of_kind(node.op.kind()),
                                label_of_kind(node.op.kind(), node.op.get())),
                 first});
        }
      }
    return std::nullopt;
  }
  std::vector<Graph> graphs() && { return std::move(graphs_); }

 private:
  const GraphData& data_;
  std::vector<DimensionSizes> found_{};
  std::vector<Graph> graphs_{};
  std::set<DimensionSizes> seen_{};
};

}  // namespace

std::optional<Graph> least_trial(const Graph& open) {
  const GraphData& data = data_of(open);
  DimensionSizes sizes;
  for (const MLDynamicDimension& d : data.dimensions) sizes.push_back(bounded(1, d));
  return at_sizes(data, sizes);
}

Result<std::vector<Graph>> sized_trials(const Graph& open) {
  const GraphData& data = data_of(open);
  Search search(data);
  search.try_usual();
  if (data.typical.size() == data.dimensions.size()) search.try_sizes(data.typical);
  for (std::size_t i = 0; i < data.dimensions.size(); ++i)
    if (search.fixed() == i) search.look_for(i);
  if (const auto fixed = search.fixed())
    return fail("no two sizes of dimension {} were found that all operators accept",
                in_quotes(data.dimensions[*fixed].name));
  search.try_next();
  search.try_usual([&] { return !search.fixed_result(); });
  if (auto fixed = search.fixed_result()) return fail("{}", *fixed);
  return std::move(search).graphs();
}

}  // namespace webnn::inline v0_1::formats
