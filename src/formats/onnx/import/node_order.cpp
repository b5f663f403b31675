#include "src/formats/onnx/import/node_order.h"

namespace webnn::inline v0_1::onnx {
namespace {

using Names = std::vector<std::string_view>;

/// Adds the names that subgraphs of a node read from the graphs around them.
void captured(const Import& import, const Node& node, Names& names, Limits& limits, int depth) {
  if (depth > max_depth) refuse(import.file, fail("subgraphs are deeper than {}", max_depth));
  for (const Attribute& a : node.attributes) {
    if (a.type != AttributeType::graph) continue;
    const GraphProto graph = graph_of(a, limits);
    Names read;
    std::unordered_set<std::string_view> own;
    for (const Tensor& t : graph.initializers) own.insert(t.name);
    for (const ValueInfo& input : graph.inputs) own.insert(input.name);
    for (const Node& inner : graph.nodes) {
      own.insert(inner.outputs.begin(), inner.outputs.end());
      read.insert(read.end(), inner.inputs.begin(), inner.inputs.end());
      captured(import, inner, read, limits, depth + 1);
    }
    for (const ValueInfo& output : graph.outputs) read.push_back(output.name);
    for (std::string_view name : read)
      if (!own.count(name)) names.push_back(name);
  }
}

bool casts_to_float(const Import& import, const Node& node) {
  if (node.op_type != "Cast" || !node.domain.empty()) return false;
  for (const Function& f : import.model.functions)
    if (f.domain.empty() && f.name == node.op_type) return false;
  return std::any_of(node.attributes.begin(), node.attributes.end(), [](const Attribute& a) {
    return a.name == "to" && a.type == AttributeType::integer && a.reference.empty() &&
           integer_of(a) == static_cast<std::int64_t>(ElementType::FLOAT);
  });
}

class Sorter {
 public:
  Sorter(const Import& import, std::span<const Node> nodes, std::span<const OpsetImport> opsets)
      : import_(import), nodes_(nodes), opsets_(opsets), read_(nodes.size()), state_(nodes.size()) {
    if (nodes.data() == import.model.graph.nodes.data())
      for (const NamedOperand& x : import.options.inputs) given_.insert(x.name);
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (std::string_view output : nodes[i].outputs)
        if (!output.empty() && !given_.contains(output) && !writers_.emplace(output, i).second)
          again_.emplace(output, i);
  }

  NodeOrder sorted(std::span<const std::string_view> outputs) {
    find_needed(outputs);
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (state_[i] == State::needed) place(i);
    for (std::string_view name : given_) order_.names.erase(name);  // nothing writes them
    return std::move(order_);
  }

 private:
  enum class State : std::uint8_t { unused, needed, open, placed };
  struct Frame {
    std::size_t node, next = 0;  // the next of its names
  };

  /// The node that writes a value; nothing for what is no result of this graph.
  std::optional<std::size_t> writer(std::string_view name) const {
    const auto found = writers_.find(name);
    return found == writers_.end() ? std::nullopt : std::optional(found->second);
  }
  std::string text(std::size_t i) const {
    return name_of_node(nodes_[i], i, version_of(opsets_, nodes_[i].domain));
  }

  void find_needed(std::span<const std::string_view> outputs) {
    std::vector<std::size_t> open;
    const auto need = [&](std::string_view name) {
      if (name.empty() || !order_.names.insert(name).second) return;
      if (const auto twice = again_.find(name); twice != again_.end())
        refuse(import_.file,
               fail("{}: the value {} is defined twice", text(twice->second), in_quotes(name)));
      const auto i = writer(name);
      if (!i || state_[*i] == State::needed) return;
      state_[*i] = State::needed;
      open.push_back(*i);
    };
    Limits limits;
    for (std::string_view name : outputs) need(name);
    order_.read_as_they_are.insert(outputs.begin(), outputs.end());
    while (!open.empty()) {
      const std::size_t i = open.back();
      open.pop_back();
      read_[i] = nodes_[i].inputs;
      captured(import_, nodes_[i], read_[i], limits, 0);
      for (std::string_view name : read_[i]) need(name);
      if (!casts_to_float(import_, nodes_[i]))
        order_.read_as_they_are.insert(read_[i].begin(), read_[i].end());
    }
  }

  /// A node, and before it those that it needs and that do not stand before it in the file.
  void place(std::size_t first) {
    stack_.push_back({first});
    state_[first] = State::open;
    while (!stack_.empty()) {
      Frame& top = stack_.back();
      if (top.next == read_[top.node].size()) {
        state_[top.node] = State::placed;
        order_.nodes.push_back(top.node);
        stack_.pop_back();
        continue;
      }
      const auto i = writer(read_[top.node][top.next++]);
      if (!i || state_[*i] == State::placed) continue;
      if (state_[*i] == State::open) refuse_cycle(*i);
      state_[*i] = State::open;
      stack_.push_back({*i});
    }
  }

  /// The nodes on the stack from `first` on read results of the next one, the last one of `first`.
  [[noreturn]] void refuse_cycle(std::size_t first) const {
    constexpr std::size_t shown = 8;
    std::size_t begin = 0;
    while (stack_[begin].node != first) ++begin;
    std::string list = text(first);
    for (std::size_t k = begin; k < stack_.size(); ++k) {
      const Frame& f = stack_[k];
      const bool last = k + 1 == stack_.size();
      if (!last && k - begin == shown) {
        list += format(", and so on through {} more nodes", {stack_.size() - 1 - k});
        break;
      }
      list += format(
          "{} reads {} of {}",
          {k == begin ? "" : ", which", in_quotes(read_[f.node][f.next - 1]),
           last ? (k == begin ? std::string("itself") : text(first)) : text(stack_[k + 1].node)});
    }
    refuse(import_.file, fail("the nodes form a cycle: {}", list));
  }

  const Import& import_;
  std::span<const Node> nodes_;
  std::span<const OpsetImport> opsets_;
  std::unordered_set<std::string_view> given_{};  // by the options, in place of results
  std::unordered_map<std::string_view, std::size_t> writers_{}, again_{};
  std::vector<Names> read_;
  std::vector<State> state_;
  std::vector<Frame> stack_{};
  NodeOrder order_{};
};

}  // namespace

NodeOrder order_of(const Import& import, std::span<const Node> nodes,
                   std::span<const OpsetImport> opsets, std::span<const std::string_view> outputs) {
  return Sorter(import, nodes, opsets).sorted(outputs);
}

}  // namespace webnn::inline v0_1::onnx
