#include "src/runtime/length_values.h"

#include <algorithm>
#include <cstring>

#include "src/graph/failure.h"
#include "src/kernels/reference/evaluate.h"
#include "webnn/error.h"
#include "webnn/shape/values.h"

namespace webnn::inline v0_1 {
namespace {

/// Whether integers are 0, 1, 2 and so on.
template <class T> bool count_up(std::span<const std::byte> bytes) {
  for (std::size_t i = 0; i < bytes.size() / sizeof(T); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    if (value < 0 || static_cast<std::uint64_t>(value) != i) return false;
  }
  return true;
}
bool is_consecutive(const MLOperand& x) {
  const auto bytes = x.constant()->bytes();
  switch (x.dataType()) {
    case int32: return count_up<std::int32_t>(bytes);
    case uint32: return count_up<std::uint32_t>(bytes);
    case int64: return count_up<std::int64_t>(bytes);
    case uint64: return count_up<std::uint64_t>(bytes);
    default: return false;
  }
}

class Run {
 public:
  Run(const LengthValues& all, const GraphData& open, SizedGraph& empty,
      const StateLengths& lengths)
      : all_(all), open_(open), lengths_(lengths), graph_(empty) {}

  bool add(std::span<const Constant> values) {
    for (std::size_t i = 0; i < all_.inputs.size(); ++i)
      if (!add_input(operand(all_.inputs[i]), values[i])) return false;
    for (const auto& [id, shape] : all_.read_shapes)
      graph_.set_shape(operand(id), dims_at(shape, lengths_));
    return std::ranges::all_of(all_.steps, [&](const LengthValues::Step& s) { return add(s); });
  }

  bool is_right() {
    return std::ranges::all_of(all_.shapes, [&](const auto& s) { return has_shape(s); }) &&
           std::ranges::all_of(all_.lists, [&](const auto& s) { return is_list(s); }) &&
           std::ranges::all_of(all_.same, [&](const auto& f) { return is_same(f); }) &&
           std::ranges::all_of(all_.consecutive, [&](std::uint32_t id) {
             const auto x = value(id);
             return x && is_consecutive(*x);
           });
  }

  std::optional<std::vector<Constant>> results() {
    std::vector<Constant> values;
    for (const auto& r : all_.results) {
      const auto x = value(r.operand);
      if (!x || x->shape() != dims_at(r.shape, lengths_)) return std::nullopt;
      values.push_back(*x->constant());
    }
    return values;
  }

 private:
  MLOperand operand(std::uint32_t id) const { return borrowed(open_.operands[id]); }

  bool add_input(const MLOperand& x, const Constant& value) {
    if (graph_.add_input(x)) return false;
    const MLOperandDescriptor d = graph_.at(x).record().descriptor;
    if (value.bytes().size() != byte_length(d)) return false;
    graph_.set_value(x, d, value);
    return true;
  }
  bool add(const LengthValues::Step& step) {
    const NodeData& node = open_.nodes[step.node];
    if (!step.same) return !graph_.add(node);
    const NodeData& other = open_.nodes[*step.same];
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
      graph_.set(node.outputs[i], graph_.at(other.outputs[i]));
    return true;
  }
  std::optional<MLOperand> value(std::uint32_t id) {
    const auto x = graph_.value_of(operand(id));
    return x ? std::optional(*x) : std::nullopt;
  }

  bool has_shape(const LengthValues::Shape& s) {
    return are(graph_.at(operand(s.operand)).record().descriptor.shape, s.sizes, lengths_);
  }
  bool is_list(const LengthValues::Shape& s) {
    const auto x = value(s.operand);
    if (!x) return false;
    const auto sizes = shape::values(*x, "");
    return sizes && are(*sizes, s.sizes, lengths_);
  }
  bool is_same(const LengthValues::Fixed& f) {
    const auto x = value(f.operand);
    return x && std::ranges::equal(x->constant()->bytes(), f.value.bytes());
  }

  const LengthValues& all_;
  const GraphData& open_;
  const StateLengths lengths_;
  SizedGraph& graph_;
};

}  // namespace

Dims dims_at(const Extents& extents, const StateLengths& lengths) {
  Dims dims;
  for (const Extent& e : extents) dims.push_back(e.at(lengths));
  return dims;
}

bool are(const Dims& sizes, const Extents& extents, const StateLengths& lengths) {
  return std::ranges::equal(sizes, extents, [&](std::uint32_t size, const Extent& e) {
    return e.kind == Extent::Kind::any || e.at(lengths) == size;
  });
}

const LengthValues::Result* LengthValues::find(const std::string& name) const {
  const auto found = std::ranges::find(results, name, &Result::name);
  return found == results.end() ? nullptr : &*found;
}

std::optional<std::vector<Constant>> compute(const LengthValues& all, const GraphData& open,
                                             const DimensionSizes& sizes,
                                             const StateLengths& lengths,
                                             std::span<const Constant> values,
                                             std::unique_ptr<SizedGraph>& graph) {
  try {
    if (graph) graph->restart(sizes);
    else graph = std::make_unique<SizedGraph>(open, sizes, &evaluate);
    Run run(all, open, *graph, lengths);
    if (!run.add(values) || !run.is_right()) return std::nullopt;
    return run.results();
  } catch (const Error&) {
    return std::nullopt;
  }  // at the sizes of the run, it is what the program sees
}

}  // namespace webnn::inline v0_1
