#include "src/runtime/interpolation.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "src/builder/validate.h"
#include "src/graph/derived_constants.h"
#include "src/graph/graph_data.h"
#include "src/graph/known.h"
#include "src/graph/same.h"
#include "src/runtime/memory.h"

namespace webnn::inline v0_1 {
namespace {

/// f(sizes of a, sizes of b) for the attributes of two operators of a kind that are lists of sizes;
/// whether the others and the operands are the same.
template <class F> bool same_but_for_sizes(const Op& a, const Op& b, F f) {
  return visit_known(
      [&]<class T>(const T& x) {
        const T& y = *b.as<T>();
        bool result = true;
        ops::for_each_operand(
            x, [&]<auto M>(const ops::Operand<M>&, const auto& value) {
              result = result && same(value, ops::get(y, M));
            });
        ops::for_each_attribute(
            x, [&]<auto M>(const ops::Attribute<M>&, const auto& value) {
              using Value = std::remove_cvref_t<decltype(value)>;
              if (!result) return;
              if constexpr (std::same_as<Value, Dims>) result = f(value, ops::get(y, M));
              else result = same_value(value, ops::get(y, M));
            });
        return result;
      },
      a);
}

/// f(sizes) for the same attributes of an operator that is to be changed.
template <class F> void for_sizes(Op& op, F f) {
  visit_known(
      [&]<class T>(const T& x) {
        ops::for_each_attribute(const_cast<T&>(x), [&](const auto&, auto& value) {
          if constexpr (std::same_as<std::remove_cvref_t<decltype(value)>, Dims>) f(value);
        });
      },
      op);
}

bool same_constant(const Constant& a, const Constant& b) {
  if (facts_of(a) == facts_of(b)) return true;
  if (a.released() || b.released()) return false;
  return std::ranges::equal(a.bytes(), b.bytes());
}

template <class T> void make_unique(std::vector<T>& list) {
  std::ranges::sort(list);
  const auto behind = std::ranges::unique(list);
  list.erase(behind.begin(), behind.end());
}

/// What the graph keeps alive of large constants that are made of others, and can be made again.
void release_derived(const Graph& graph) {
  const GraphData& data = data_of(graph);
  if (!data.derivation.constants) return;
  for (OwnedRecord& r : const_cast<GraphData&>(data).operands)
    if (r.constant && !r.constant->released() && is_large(*r.constant) &&
        data.derivation.constants->makes_again(*r.constant))
      detail::Access::release(*r.constant);
}

}  // namespace

DimensionSizes SizeSteps::at(std::int64_t i) const {
  DimensionSizes sizes = first;
  for (std::size_t d = 0; d < sizes.size(); ++d)
    sizes[d] = static_cast<std::uint32_t>(std::int64_t{first[d]} + i * step[d]);
  return sizes;
}

std::optional<std::int64_t> SizeSteps::place_of(const DimensionSizes& sizes) const {
  std::optional<std::int64_t> place;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const std::int64_t distance = std::int64_t{sizes[d]} - std::int64_t{first[d]};
    if (step[d] == 0 ? distance != 0 : distance % step[d] != 0) return std::nullopt;
    if (step[d] == 0) continue;
    const std::int64_t i = distance / step[d];
    if (i < 0 || i > count || (place && *place != i)) return std::nullopt;
    place = i;
  }
  return place;
}

/// A size is a number times one without a common factor of its values.
void Interpolation::Product::multiply(Affine size) {
  const std::uint64_t common =
      std::gcd(size.first, static_cast<std::uint64_t>(std::abs(size.step)));
  times *= common;
  size.first /= common;
  size.step /= static_cast<std::int64_t>(common);
  sizes.insert(std::ranges::upper_bound(sizes, size), size);
}

std::uint64_t Interpolation::Product::at(std::int64_t i) const {
  std::uint64_t value = times;
  for (const Affine& size : sizes) value *= size.at(i);
  return value;
}

std::optional<Interpolation::Affine> Interpolation::affine(std::uint64_t first,
                                                           std::uint64_t last) const {
  const auto change = static_cast<std::int64_t>(last - first);
  if (change % sizes_.count != 0) return std::nullopt;
  return Affine{first, change / sizes_.count};
}

bool Interpolation::compare_operands(Ends& ends) const {
  const GraphData &a = data_of(ends.first), &b = data_of(ends.last);
  if (a.operands.size() != b.operands.size()) return false;
  for (std::size_t id = 0; id < a.operands.size(); ++id) {
    const OperandRecord &x = a.operands[id], &y = b.operands[id];
    const Dims &first = x.descriptor.shape, &last = y.descriptor.shape;
    if (x.kind != y.kind || x.name != y.name || x.descriptor.dataType != y.descriptor.dataType ||
        x.producer != y.producer || x.output != y.output || first.size() != last.size() ||
        x.constant.has_value() != y.constant.has_value())
      return false;
    if (x.constant && (first != last || !same_constant(*x.constant, *y.constant))) return false;
    bool grows = false, shrinks = false;
    for (std::size_t d = 0; d < first.size(); ++d) {
      if (first[d] == last[d]) continue;
      const auto size = affine(first[d], last[d]);
      // Sizes of 1 are special. A product of one that grows and one that shrinks may have its
      // largest value between the ends.
      (first[d] < last[d] ? grows : shrinks) = true;
      if (!size || std::min(first[d], last[d]) < 2 || (grows && shrinks)) return false;
      ends.dimensions.push_back({id, d, *size});
    }
  }
  return true;
}

bool Interpolation::compare_nodes(Ends& ends) const {
  const GraphData &a = data_of(ends.first), &b = data_of(ends.last);
  if (a.nodes.size() != b.nodes.size()) return false;
  std::vector<bool> depends(a.operands.size());
  for (const Dimension& d : ends.dimensions) depends[d.operand] = true;
  ends.changed.assign(a.nodes.size(), false);
  std::vector<const MLOperand*> operands;
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    const NodeData &x = a.nodes[i], &y = b.nodes[i];
    if (x.op.kind() != y.op.kind() || !same(x.outputs, y.outputs)) return false;
    bool changed = false;
    const bool alike = same_but_for_sizes(x.op, y.op, [&](const Dims& first, const Dims& last) {
      if (first.size() != last.size()) return false;
      for (std::size_t d = 0; d < first.size(); ++d) {
        changed = changed || first[d] != last[d];
        if (!affine(first[d], last[d])) return false;
      }
      return true;
    });
    if (!alike) return false;
    operands.clear();
    append_operands(x.op.kind(), x.op.get(), operands);
    for (const MLOperand* o : operands) changed = changed || depends[id_of(*o)];
    ends.changed[i] = changed;
  }
  return true;
}

bool Interpolation::compare(Ends& ends) const {
  const auto alike = [](const NamedOperands& a, const NamedOperands& b) {
    return std::ranges::equal(a, b, [](const NamedOperand& x, const NamedOperand& y) {
      return x.name == y.name && same(x.operand, y.operand);
    });
  };
  const GraphData &a = data_of(ends.first), &b = data_of(ends.last);
  return alike(a.inputs, b.inputs) && alike(a.outputs, b.outputs) &&
         a.folding_budget == b.folding_budget && compare_operands(ends) && compare_nodes(ends);
}

/// f(operand, first dimension, behind the last one, product) for all neighboring dimensions.
template <class F> void Interpolation::for_products(const Ends& ends, F f) {
  auto change = ends.dimensions.begin();
  for (const OwnedRecord& r : data_of(ends.first).operands) {
    const Dims& shape = r.descriptor.shape;
    std::vector<const Affine*> changes(shape.size());
    for (; change != ends.dimensions.end() && change->operand == r.id; ++change)
      changes[change->axis] = &change->size;
    for (std::size_t begin = 0; begin < shape.size(); ++begin) {
      Product product;
      for (std::size_t d = begin; d < shape.size(); ++d) {
        if (changes[d]) product.multiply(*changes[d]);
        else product.times *= shape[d];
        f(r, begin, d + 1, product);
      }
    }
  }
}

/// All sizes of the graphs, and products of those of neighboring dimensions.
void Interpolation::note_products(const Ends& ends) {
  for_products(ends, [&](const OwnedRecord&, std::size_t, std::size_t, const Product& product) {
    if (product.sizes.empty()) fixed_.push_back(product.times);
    else changing_.push_back(product);
  });
}

/// Whether operators that keep the number of elements keep it at all places.
bool Interpolation::compare_reshapes(const Ends& ends) const {
  const GraphData& data = data_of(ends.first);
  std::vector<Product> elements(data.operands.size());
  for_products(ends,
               [&](const OwnedRecord& r, std::size_t begin, std::size_t end, const Product& p) {
                 if (begin == 0 && end == r.descriptor.shape.size()) elements[r.id] = p;
               });
  return std::ranges::all_of(data.nodes, [&](const NodeData& node) {
    const auto* reshape = node.op.as<ops::reshape>();
    return !reshape || elements[id_of(reshape->input)] == elements[id_of(node.outputs.front())];
  });
}

bool Interpolation::are_same(const Graph& a, const Graph& b) {
  const Interpolation one({.count = 1}, {a, a}, {b, b});
  Ends ends{a, b};
  return one.compare(ends) && ends.dimensions.empty() &&
         std::ranges::none_of(ends.changed, std::identity());
}

std::shared_ptr<const Interpolation> Interpolation::between(const SizeSteps& sizes,
                                                            const Make& make) {
  const OptimizedGraph first = make(sizes.at(0)), last = make(sizes.at(sizes.count));
  const std::shared_ptr<Interpolation> made(new Interpolation(sizes, first, last));
  for (Ends* ends : {&made->source_, &made->optimized_}) {
    if (!made->compare(*ends) || !made->compare_reshapes(*ends)) return nullptr;
    made->note_products(*ends);
    for (const Graph* graph : {&ends->first, &ends->last}) release_derived(*graph);
  }
  make_unique(made->fixed_);
  make_unique(made->changing_);
  return made;
}

/// Whether sizes are equal at this place that are not so everywhere, or the order of a product of
/// several that change and another value is that of neither end.
bool Interpolation::coincide(std::int64_t place) const {
  std::vector<std::uint64_t> values;
  for (const Product& p : changing_) {
    values.push_back(p.at(place));
    if (std::ranges::binary_search(fixed_, values.back())) return true;
  }
  for (std::size_t i = 0; i < changing_.size(); ++i) {
    if (changing_[i].sizes.size() < 2) continue;
    const auto order = [&](std::size_t k, std::int64_t at) {
      return changing_[i].at(at) <=> changing_[k].at(at);
    };
    for (std::size_t k = 0; k < changing_.size(); ++k)
      if (const auto now = values[i] <=> values[k];
          now != order(k, 0) && now != order(k, sizes_.count))
        return true;
  }
  std::ranges::sort(values);
  return std::ranges::adjacent_find(values) != values.end();
}

Graph Interpolation::at(const Ends& ends, std::int64_t place, const Derivation& derivation) const {
  const GraphData &first = data_of(ends.first), &last = data_of(ends.last);
  auto to = std::make_shared<GraphData>();
  to->folding_budget = first.folding_budget;
  to->requantization = first.requantization;
  to->derivation = derivation;
  for (const OwnedRecord& r : first.operands) to->operands.push_back({r, to.get()});
  for (const Dimension& d : ends.dimensions)
    to->operands[d.operand].descriptor.shape[d.axis] = static_cast<std::uint32_t>(d.size.at(place));
  const auto now = [&](const MLOperand& x) { return borrowed(to->operands[id_of(x)]); };
  std::vector<const MLOperand*> operands;
  for (std::size_t i = 0; i < first.nodes.size(); ++i) {
    const NodeData& node = first.nodes[i];
    Op op = node.op.clone();
    operands.clear();
    append_operands(op.kind(), op.get(), operands);
    for (const MLOperand* x : operands) *const_cast<MLOperand*>(x) = now(*x);  // a member of `op`
    if (ends.changed[i]) {
      std::vector<const Dims*> others;
      for_sizes(const_cast<Op&>(last.nodes[i].op), [&](Dims& sizes) { others.push_back(&sizes); });
      auto other = others.begin();
      for_sizes(op, [&](Dims& sizes) {
        for (std::size_t d = 0; d < sizes.size(); ++d)
          sizes[d] = static_cast<std::uint32_t>(affine(sizes[d], (**other)[d])->at(place));
        ++other;
      });
    }
    NodeData& made = to->nodes.emplace_back(NodeData{std::move(op), {}});
    made.valid = node.valid && !ends.changed[i];
    made.outputs.reserve(node.outputs.size());
    for (const MLOperand& y : node.outputs) made.outputs.push_back(now(y));
  }
  for (const auto& [name, x] : first.inputs) to->inputs.push_back({name, now(x)});
  for (const auto& [name, x] : first.outputs) to->outputs.push_back({name, now(x)});
  return graph_of(std::move(to));
}

/// What the operators of the source ask of sizes are equations and bounds, as what passes ask of
/// them is. They hold at both ends.
std::optional<InterpolatedGraph> Interpolation::at(const DimensionSizes& sizes,
                                                   const Derivation& derivation) const {
  const auto place = sizes_.place_of(sizes);
  if (!place || coincide(*place)) return std::nullopt;
  InterpolatedGraph made{at(optimized_, *place, derivation), shared_from_this(), *place};
  if (check_graph(made.graph)) return std::nullopt;
  return made;
}

Graph Interpolation::source_at(std::int64_t place) const { return at(source_, place, {}); }

Graph InterpolatedGraph::source() const { return of->source_at(place); }

}  // namespace webnn::inline v0_1
