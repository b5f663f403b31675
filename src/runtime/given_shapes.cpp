// The sizes of the open dimensions of a graph that shapes and byte lengths of inputs say.
#include <algorithm>
#include <cmath>

#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "src/runtime/specializations.h"

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
      raise(fail("the byte length ({}) of input {} does not fit {} with any size of {}", bytes,
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
          raise(fail("the byte length of input {}, {}, does not determine its shape: give the "
                     "shape with the view, or give a tensor",
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

}  // namespace webnn::inline v0_1
