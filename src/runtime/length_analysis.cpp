#include "src/runtime/length_analysis.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "src/graph/failure.h"
#include "src/graph/narrow_floats.h"
#include "src/graph/recipe.h"
#include "src/graph/resolve.h"
#include "src/graph/text.h"
#include "src/kernels/reference/evaluate.h"
#include "src/runtime/length_operators.h"

namespace webnn::inline v0_1 {
namespace {

std::uint32_t id(const MLOperand& x) { return x.record().id; }
bool is_result(const MLOperand& x) { return x.record().kind == OperandKind::result; }

/// An operand of the open graph.
struct Traced {
  bool light = false;     ///< it can be computed for each run: no weights, no state, exact
  bool known = false;     ///< it follows from shapes and constants alone
  bool depends = false;   ///< its values follow from the length
  bool apart = false;     ///< the graph that is left cannot have it
  bool value = false;     ///< the graph that is left needs its values
  bool shape = false;     ///< its shape has to be right for all lengths
  bool computed = false;  ///< it is computed for each run
};

class Analysis {
 public:
  Analysis(const GraphData& open, const std::vector<NamedUpdate>& updates, AtLength longer,
           AtLength shorter)
      : open_(open),
        updates_(updates),
        longer_(longer),
        shorter_(shorter),
        traced_(open.operands.size()) {}

  std::optional<LengthParts> run() {
    for (const OperandRecord& r : open_.operands) trace_source(r);
    for (const NodeData& node : open_.nodes) trace(node);
    for (const auto& [name, x] : open_.outputs) {
      if (of(x).apart) return std::nullopt;
      of(x).value = true;
    }
    for (std::size_t i = open_.nodes.size(); i-- > 0;)
      if (!divide(static_cast<std::uint32_t>(i))) return std::nullopt;
    if (!check_inputs()) return std::nullopt;
    put_steps();
    put_results();
    return std::move(parts_);
  }

 private:
  Traced& of(const MLOperand& x) { return traced_[id(x)]; }
  const Dims& shape(const MLOperand& x) { return longer_.graph.at(x).record().descriptor.shape; }
  const Dims& shorter(const MLOperand& x) { return shorter_.graph.at(x).record().descriptor.shape; }
  bool varies(const MLOperand& x) { return shape(x) != shorter(x); }

  Extents extents_of(const Dims& a, const Dims& b) const {
    Extents all;
    for (std::size_t d = 0; d < a.size(); ++d)
      if (d >= b.size()) all.push_back({Extent::Kind::any});
      else if (a[d] == b[d]) all.push_back({Extent::Kind::fixed, a[d]});
      else if (a[d] == longer_.lengths.total && b[d] == shorter_.lengths.total)
        all.push_back({Extent::Kind::total});
      else if (a[d] == longer_.lengths.past && b[d] == shorter_.lengths.past)
        all.push_back({Extent::Kind::past});
      else all.push_back({Extent::Kind::any});
    return all;
  }
  std::optional<Extents> extents_of(const MLOperand& x) {
    if (shape(x).size() != shorter(x).size()) return std::nullopt;
    Extents all = extents_of(shape(x), shorter(x));
    const bool any =
        std::ranges::any_of(all, [](const Extent& e) { return e.kind == Extent::Kind::any; });
    return any ? std::nullopt : std::optional(std::move(all));
  }

  // Forward: what can be computed for each run.

  void trace_source(const OperandRecord& r) {
    Traced& t = traced_[r.id];
    if (r.kind == OperandKind::constant) t.light = t.known = true;
    if (r.kind == OperandKind::input)
      t.light = std::ranges::find(updates_, r.name, &NamedUpdate::input) == updates_.end();
  }

  void trace(const NodeData& node) {
    Traced t{.light = true, .known = true};
    const auto operands = operands_of(node.op.kind(), node.op.get());
    const bool reads_shape = reads_shape_alone(node.op.kind());
    bool any_varies = false;
    for (const MLOperand* x : operands) {
      any_varies = any_varies || varies(*x);
      if (reads_shape) continue;
      t.light = t.light && of(*x).light;
      t.known = t.known && of(*x).known;
      t.depends = t.depends || of(*x).depends;
    }
    if (reads_shape) t.depends = any_varies;
    t.light = t.light && is_light(node, t.known);
    t.known = t.known && t.light;
    t.depends = t.depends || any_varies;
    for (const MLOperand& y : node.outputs) {
      Traced& to = of(y) = t;
      to.depends = t.depends || varies(y);
      to.apart = t.light && ((t.known && to.depends) || any_varies || varies(y));
    }
  }

  bool is_light(const NodeData& node, bool known) {
    const bool half = std::ranges::any_of(
        operands_of(node.op.kind(), node.op.get()),
        [](const MLOperand* x) { return is_narrow_float(x->record().descriptor.dataType); });
    const MLOperand& y = node.outputs.front();
    const bool floats = is_float(y.record().descriptor.dataType);
    if (is_exact(node.op.kind(), floats, half)) return true;
    // A static graph has it folded.
    constexpr std::uint64_t max_bytes = 1 << 18;
    return known && !half && is_folded(node.op.kind()) && node.outputs.size() == 1 &&
           byte_length(longer_.graph.at(y).record().descriptor) <= max_bytes;
  }

  // Backward: what is needed, and where.

  bool divide(std::uint32_t i) {
    const NodeData& node = open_.nodes[i];
    bool left = false, needed_values = false;
    for (const MLOperand& y : node.outputs) {
      Traced& t = of(y);
      if (t.apart && t.value && !put_apart(y)) return false;
      if (t.apart && t.shape && !put_shape(y)) return false;
      left = left || (!t.apart && (t.value || t.shape));
      needed_values = needed_values || (!t.apart && t.value);
    }
    if (left && !leave(node, needed_values)) return false;
    const bool computed =
        std::ranges::any_of(node.outputs, [&](const MLOperand& y) { return of(y).computed; });
    if (computed) need_operands(node);
    return true;
  }

  /// Values that the graph that is left reads and cannot have: they are the same for all lengths,
  /// or become an input.
  bool put_apart(const MLOperand& y) {
    of(y).computed = true;
    if (of(y).known && !varies(y)) {
      const auto a = longer_.graph.value_of(y), b = shorter_.graph.value_of(y);
      if (!a || !b) return false;
      if (std::ranges::equal((*a).constant()->bytes(), (*b).constant()->bytes())) {
        parts_.values.same.push_back({id(y), *(*a).constant()});
        return true;
      }
    }
    auto extents = extents_of(y);
    if (!extents) return false;
    for (std::size_t d = 0; d < extents->size(); ++d) {
      const Extent::Kind kind = (*extents)[d].kind;
      const bool is_last = d + 1 == extents->size();
      if (kind == Extent::Kind::past || (kind == Extent::Kind::total && !is_last)) return false;
    }
    if (bits_of(y.record().descriptor.dataType) % 8 != 0) return false;
    results_.push_back({id(y), std::move(*extents)});
    return true;
  }
  bool put_shape(const MLOperand& y) {
    of(y).computed = true;
    auto extents = extents_of(y);
    if (extents) parts_.values.shapes.push_back({id(y), std::move(*extents)});
    return extents.has_value();
  }

  /// An operator of the graph that is left. `values`: more than the shapes of its results is
  /// needed.
  bool leave(const NodeData& node, bool values) {
    const std::size_t kind = node.op.kind();
    if (reads_shape_alone(kind)) return true;
    if (const MLOperand* same = cache_of(node)) return replace(node, *same, values);
    Op op = node.op.clone();
    std::vector<ShapeOperand> lists;
    if (is_shape_op(kind)) lists = shape_operands(op);
    for (const auto& [row, x] : lists)
      if (of(*x).depends && !put_list(*x, says_shape(row))) return false;
    bool any_varies = false;
    for (const MLOperand* x : operands_of(kind, node.op.get())) {
      if (std::ranges::any_of(lists, [&](const ShapeOperand& s) { return s.operand->is(*x); }))
        continue;
      any_varies = any_varies || varies(*x);
      need(*x, values);
      if (values && !may_read(node, *x)) return false;
    }
    for (const MLOperand& y : node.outputs) {
      any_varies = any_varies || varies(y);
      if (!extents_of(y)) return false;
    }
    if (any_varies && !treats_rows_alike(kind) && !gathers_in_rows(node)) return false;
    if (values && any_varies && keeps_shape(node))
      parts_.replaced.push_back({id(node.outputs.front()), id(first_operand(node))});
    return true;
  }
  /// A gather of elements of each row, whatever the length.
  bool gathers_in_rows(const NodeData& node) {
    const auto* gather = node.op.as<ops::gather>();
    if (!gather || varies(gather->indices) || of(gather->indices).depends) return false;
    const std::size_t axis = gather->options.axis;
    return shape(gather->input)[axis] == shorter(gather->input)[axis];
  }
  void need(const MLOperand& x, bool values) {
    (values ? of(x).value : of(x).shape) = true;
    if (of(x).apart && varies(x)) of(x).shape = true;
  }

  static const MLOperand& first_operand(const NodeData& node) {
    return *operands_of(node.op.kind(), node.op.get()).front();
  }
  /// A slice of everything, a reshape to the same shape and the like.
  bool keeps_shape(const NodeData& node) {
    if (!moves_within(node.op.kind())) return false;
    const MLOperand &x = first_operand(node), &y = node.outputs.front();
    return shape(x) == shape(y) && shorter(x) == shorter(y);
  }
  /// Whether the row of an operand on shapes has sizes of the result.
  static bool says_shape(std::string_view row) { return row == "newShape" || row == "sizes"; }
  /// A list of which the graph that is left has the values at its own length. Others than sizes of
  /// the result have to be the same for all lengths.
  bool put_list(const MLOperand& x, bool sizes) {
    const auto a = longer_.graph.values_of(x), b = shorter_.graph.values_of(x);
    if (!a || !b || a->size() != b->size() || (!sizes && *a != *b)) return false;
    of(x).computed = true;
    parts_.values.lists.push_back({id(x), extents_of(*a, *b)});
    return true;
  }

  /// Whether it does not matter that an operand is an input and not a constant.
  bool may_read(const NodeData& node, const MLOperand& x) {
    if (!of(x).apart || !of(x).known || varies(x)) return true;
    if (!is_float(x.record().descriptor.dataType)) return true;
    return reads_as_input(node.op.kind()) && !is_behind_product(node, x);
  }
  /// Whether a pass could fold the operand into the weights of a product before it.
  bool is_behind_product(const NodeData& node, const MLOperand& factor) {
    const bool one = element_count(shape(factor)) == 1;
    std::vector<std::pair<const NodeData*, int>> open{{&node, 0}};
    constexpr std::size_t max_operators = 64;
    for (std::size_t k = 0; k < open.size(); ++k) {
      if (k == max_operators) return true;
      const auto [at, reshapes] = open[k];
      for (const MLOperand* x : operands_of(at->op.kind(), at->op.get())) {
        if (!is_result(*x) || x->is(factor)) continue;
        const NodeData& from = open_.nodes[x->record().producer];
        if (has_weights(from.op.kind())) return true;
        if (passes_factors(from.op.kind())) open.push_back({&from, reshapes});
        else if (one && reshapes_alone(from.op.kind())) open.push_back({&from, reshapes + 1});
      }
    }
    return false;
  }

  /// The concat of a cache and new rows that is gathered: all rows in their order, if the indices
  /// are 0, 1, 2 and so on.
  const MLOperand* cache_of(const NodeData& node) {
    const auto* gather = node.op.as<ops::gather>();
    if (!gather || gather->options.axis != 0 || !is_result(gather->input)) return nullptr;
    if (!of(gather->indices).apart || shape(gather->input).size() != 2) return nullptr;
    const MLOperand& y = node.outputs.front();
    const NodeData& reshape = open_.nodes[gather->input.record().producer];
    const auto* dynamic = reshape.op.as<ops::reshapeDynamic>();
    if (!dynamic) return nullptr;
    const MLOperand& x = dynamic->input;
    const bool same = shape(x) == shape(y) && shorter(x) == shorter(y) && !of(x).light;
    return same ? &x : nullptr;
  }
  bool replace(const NodeData& node, const MLOperand& cache, bool values) {
    const auto& gather = *node.op.as<ops::gather>();
    const NodeData& reshape = open_.nodes[gather.input.record().producer];
    const MLOperand& list = reshape.op.as<ops::reshapeDynamic>()->newShape;
    const auto a = longer_.graph.values_of(list), b = shorter_.graph.values_of(list);
    if (!a || !b || a->back() != shape(cache).back() || b->back() != shorter(cache).back())
      return false;
    if (of(list).depends && !put_list(list, true)) return false;
    if (!extents_of(gather.indices) || !put_shape(gather.indices)) return false;
    parts_.values.consecutive.push_back(id(gather.indices));
    need(cache, values);
    parts_.replaced.push_back({id(node.outputs.front()), id(cache)});
    return true;
  }

  /// What an operator reads that is computed for each run.
  void need_operands(const NodeData& node) {
    for (const MLOperand* x : operands_of(node.op.kind(), node.op.get())) {
      Traced& t = of(*x);
      if (reads_shape_alone(node.op.kind()) && (!t.light || !is_result(*x))) t.shape = true;
      else t.computed = true;
    }
  }

  /// Inputs that the graph that is left reads, and those that are read for each run.
  bool check_inputs() {
    for (const auto& [name, x] : open_.inputs) {
      if ((of(x).value || of(x).shape) && !extents_of(x)) return false;
      if (of(x).computed && !of(x).light) return false;
      if (of(x).computed) parts_.values.inputs.push_back(id(x));
    }
    return true;
  }

  /// By operand: the first one that is equal, of constants with few bytes, or else itself.
  /// Importers make such constants anew for each layer.
  std::vector<std::uint32_t> equal_constants() const {
    constexpr std::size_t max_bytes = 1024;
    std::vector<std::uint32_t> first(traced_.size());
    std::unordered_map<std::string, std::uint32_t> constants;
    for (std::uint32_t i = 0; i < first.size(); ++i) {
      first[i] = i;
      const OperandRecord& r = open_.operands[i];
      if (r.kind != OperandKind::constant || r.constant->bytes().size() > max_bytes) continue;
      const auto bytes = r.constant->bytes();
      Recipe key("constant");
      key << r.descriptor
          << std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      first[i] = constants.emplace(key.text(), i).first->second;
    }
    return first;
  }

  /// The operators that are computed for each run; what is equal is computed once.
  void put_steps() {
    std::unordered_map<std::string, std::uint32_t> made;
    std::vector<std::uint32_t> first = equal_constants();
    for (std::uint32_t i = 0; i < open_.nodes.size(); ++i) {
      const NodeData& node = open_.nodes[i];
      if (std::ranges::none_of(node.outputs, [&](const MLOperand& y) { return of(y).computed; }))
        continue;
      Recipe key("step");
      key << node.op;
      std::vector<const MLOperand*> read;
      const bool reads_shape = reads_shape_alone(node.op.kind());
      for (const MLOperand* x : operands_of(node.op.kind(), node.op.get())) {
        if (!reads_shape || (of(*x).light && is_result(*x))) {
          key << first[id(*x)];
          continue;
        }
        read.push_back(x);
        key << "shape";
        const Extents sizes = *extents_of(*x);
        key << sizes.size();
        for (const Extent& e : sizes) key << e.kind << e.size;
      }
      const auto [found, is_new] = made.emplace(key.text(), i);
      LengthValues::Step step{i};
      if (is_new) {
        for (const MLOperand* x : read) read_shape(*x);
      } else {
        step.same = found->second;
        for (std::size_t k = 0; k < node.outputs.size(); ++k)
          first[id(node.outputs[k])] = first[id(open_.nodes[*step.same].outputs[k])];
      }
      parts_.values.steps.push_back(step);
    }
    for (LengthValues::Result& r : results_) firsts_.push_back(first[r.operand]);
  }
  void read_shape(const MLOperand& x) {
    auto& all = parts_.values.read_shapes;
    if (x.record().kind == OperandKind::input && of(x).computed) return;
    if (std::ranges::find(all, id(x), &LengthValues::Shape::operand) == all.end())
      all.push_back({id(x), *extents_of(x)});
  }

  void put_results() {
    std::unordered_map<std::uint32_t, std::uint32_t> inputs;  // by the first equal operand
    for (std::size_t i = results_.size(); i-- > 0;) {         // in the order of the operators
      const auto [found, is_new] = inputs.emplace(firsts_[i], results_[i].operand);
      if (!is_new) {
        parts_.replaced.push_back({results_[i].operand, found->second});
        continue;
      }
      results_[i].name = free_name();
      parts_.values.results.push_back(std::move(results_[i]));
    }
  }
  std::string free_name() const {
    std::string name = format("computed {}", {parts_.values.results.size()});
    while (std::ranges::find(open_.inputs, name, &NamedOperand::name) != open_.inputs.end())
      name += '_';
    return name;
  }

  const GraphData& open_;
  const std::vector<NamedUpdate>& updates_;
  AtLength longer_, shorter_;
  std::vector<Traced> traced_;  // by operand
  std::vector<LengthValues::Result> results_{};
  std::vector<std::uint32_t> firsts_{};  // of the results
  LengthParts parts_{};
};

}  // namespace

std::optional<LengthParts> length_parts(const GraphData& open,
                                        const std::vector<NamedUpdate>& updates, AtLength longer,
                                        AtLength shorter) {
  return Analysis(open, updates, longer, shorter).run();
}

Result<Graph> graph_left(const Graph& graph, const LengthParts& parts, const DimensionSizes& sizes,
                         Derivation derivation) {
  const GraphData& open = data_of(graph);
  SizedGraph left(open, sizes, &evaluate);
  left.set_derivation(std::move(derivation));
  std::unordered_map<std::uint32_t, std::uint32_t> replaced;
  for (const auto& [operand, by] : parts.replaced) replaced.emplace(operand, by);
  std::unordered_map<std::uint32_t, std::string> inputs;
  for (const auto& r : parts.values.results) inputs.emplace(r.operand, r.name);
  for (const auto& [name, x] : open.inputs)
    if (auto bad = left.add_input(x)) return *bad;
  for (const NodeData& node : open.nodes) {
    if (auto bad = left.add(node)) return *bad;
    for (const MLOperand& y : node.outputs) {
      if (const auto by = replaced.find(id(y)); by != replaced.end())
        left.set(y, left.at(borrowed(open.operands[by->second])));
      if (const auto name = inputs.find(id(y)); name != inputs.end())
        left.set_input(y, name->second);
    }
  }
  return left.finish();
}

}  // namespace webnn::inline v0_1
