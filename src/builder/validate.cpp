// Binds the rows of each operator to its members and runs the checks in order.
#include "src/builder/validate.h"

#include <bit>
#include <cmath>

#include "src/graph/counted.h"
#include "src/graph/custom.h"
#include "src/graph/failure.h"
#include "src/graph/graph_data.h"
#include "src/graph/known.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1 {
namespace {

using Descriptors = std::vector<MLOperandDescriptor>;

template <class Op> std::vector<BoundOperand> bind(const Op& op) {
  std::vector<BoundOperand> bound;
  bound.reserve(4);  // few operators have more
  ops::for_each_operand(op, [&]<class V>(const auto& row, const V& value) {
    int index = std::same_as<V, std::vector<MLOperand>> ? 0 : -1;
    ops::each(value, [&](const MLOperand& x) {
      bound.push_back({row.name, &row.limits, index < 0 ? -1 : index++, x});
    });
  });
  return bound;
}

/// A plain `double` or `float` of the spec is finite; an MLNumber need not be.
void check_finite(std::string_view name, double value, shape::Check& bad) {
  if (!bad && !std::isfinite(value)) bad = fail("{} ({}) is not finite", name, value);
}
void check_finite(std::string_view name, const std::vector<float>& list, shape::Check& bad) {
  for (std::size_t i = 0; i < list.size(); ++i)
    check_finite(std::string(name) + '[' + std::to_string(i) + ']', list[i], bad);
}
template <class T> void check_finite(std::string_view, const T&, shape::Check&) {}

/// A caller can make any number an enumerator.
template <class T> void check_enumerator(std::string_view name, const T& value, shape::Check& bad) {
  if constexpr (NamedEnum<T>)
    if (!bad && static_cast<std::size_t>(value) >= enum_names<T>.size())
      bad = fail("{} ({}) is not an enumerator", name, static_cast<int>(value));
}

struct ResultType {
  std::string_view name;
  MLOperandDataType type;
  bool list;
};

/// The data type of a result: an attribute's value, another row's, or the only one allowed.
template <class Op, auto M>
Result<ResultType> result_type(const Op& op, const ops::Output<M>& row,
                               std::span<const BoundOperand> operands) {
  if constexpr (requires { ops::get(op, M); }) {
    const MLOperandDataType type = ops::get(op, M);
    std::string_view attribute;
    ops::for_each_attribute(
        op, [&]<auto A>(const ops::Attribute<A>& a, const auto&) {
          if constexpr (std::same_as<ops::Attribute<A>, ops::Attribute<M>>) attribute = a.name;
        });
    if (!row.limits.types.contains(type))
      return fail("{} ({}) is not a data type of {}", attribute, type, row.name);
    return ResultType{row.name, type, row.list};
  } else {
    for (const BoundOperand& x : operands)
      if (x.row == row.limits.type_row) return ResultType{row.name, x.operand.dataType(), row.list};
    const int only = std::countr_zero(row.limits.types.bits);
    return ResultType{row.name, static_cast<MLOperandDataType>(only), row.list};
  }
}

bool is_empty(const ops::Sizes& shape) { return std::ranges::find(shape, 0u) != shape.end(); }

Result<Descriptors> descriptors(const ops::Shapes& shapes, std::span<const ResultType> types,
                                bool empty_results = false) {
  Descriptors all;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const ResultType& r = types[std::min(i, types.size() - 1)];
    if (!empty_results || !is_empty(shapes[i]))
      if (auto bad = r.list ? check_dimensions(std::string(r.name) + '[' + std::to_string(i) + ']',
                                               r.type, shapes[i])
                            : check_dimensions(r.name, r.type, shapes[i]))
        return *bad;
    all.push_back({r.type, Dims(shapes[i].begin(), shapes[i].end())});
  }
  return all;
}

/// infer() gets the rules where an operator depends on them.
template <class Op> Result<ops::Shapes> infer_by(Rules rules, const Op& op) {
  if constexpr (std::same_as<Op, fused::quantizedOperator>)
    return infer(op, [&](std::size_t kind, const void* inner, const GraphData* graph) {
      return validate(kind, inner, graph, rules);
    });
  else if constexpr (requires { infer(op, rules); }) return infer(op, rules);
  else return infer(op);
}

/// What infer() of a custom operator says, if it can be.
Result<Descriptors> custom_descriptors(const ops::custom& op, bool empty_results) {
  constexpr std::size_t most = 1024;
  auto results = inferred_results(op);
  if (!results) return results.failure();
  if (results->empty() || results->size() > most)
    return fail("its infer() returns {} results, not 1 to {}", results->size(), most);
  for (std::size_t i = 0; i < results->size(); ++i) {
    const auto& [type, shape] = (*results)[i];
    const ops::Sizes sizes(shape.begin(), shape.end());
    if (empty_results && is_data_type(type) && is_empty(sizes)) continue;
    if (auto bad = check_dimensions("outputs[" + std::to_string(i) + ']', type, sizes)) return *bad;
  }
  return results;
}

template <class Op>
Result<Descriptors> validate_one(const void* p, const GraphData* owner, Rules rules,
                                 bool empty_results) {
  const Op& op = *static_cast<const Op*>(p);
  const auto operands = bind(op);
  shape::Check bad;
  ops::for_each_attribute(op, [&](const auto& row, const auto& v) {
    check_finite(row.name, v, bad);
    check_enumerator(row.name, v, bad);
  });
  if (!bad) bad = check_owner(operands, owner);
  if (!bad) bad = check_limits(operands, rules);
  if (bad) return *bad;
  if constexpr (std::same_as<Op, ops::custom>) return custom_descriptors(op, empty_results);
  auto shapes = infer_by(rules, op);
  if (!shapes) return shapes.failure();
  std::vector<ResultType> types;
  ops::for_each_row<Op>([&]<class Row>(const Row& row) {
    if constexpr (ops::is_output<Row>) {
      if (bad) return;
      auto type = result_type(op, row, operands);
      if (type) types.push_back(*type);
      else bad = type.failure();
    }
  });
  if (bad) return *bad;
  return descriptors(*shapes, types, empty_results);
}

/// The same names, data types and shapes in the same order. `what` is "input" or "output".
shape::Check check_same(std::string_view what, const NamedOperands& before,
                        const NamedOperands& after) {
  if (before.size() != after.size())
    return fail("a graph with {}, not {}", counted(after.size(), what), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    const auto& [name, x] = before[i];
    const auto& [other, y] = after[i];
    if (name != other) return fail("{} {} {}, not {}", what, i, in_quotes(other), in_quotes(name));
    if (!(x.descriptor() == y.descriptor()))
      return fail("{} {} {} {}, not {} {}", what, in_quotes(name), y.dataType(), y.shape(),
                  x.dataType(), x.shape());
  }
  return {};
}

/// What an operator of a graph makes, under the rules that allow it. The rules of the W3C's tests
/// add reshapes to zero points of 4 bits (rules.h), a type that reshape does not take.
Result<Descriptors> results_of(const Node& node, const GraphData& data) {
  if (const auto* op = node.as<ops::reshape>(); op && bits_of(op->input.dataType()) == 4) {
    auto shapes = infer(*op);
    if (!shapes) return shapes.failure();
    const ResultType type{"output", op->input.dataType(), false};
    return descriptors(*shapes, std::span(&type, 1));
  }
  auto made = validate(node.kind(), node.op(), &data, Rules::specification);
  if (!made) made = validate(node.kind(), node.op(), &data, Rules::tests2025);
  return made;
}

}  // namespace

Result<Descriptors> validate(std::size_t kind, const void* op, const GraphData* owner, Rules rules,
                             bool empty_results) {
  using Entry = Result<Descriptors> (*)(const void*, const GraphData*, Rules, bool);
  static constexpr auto table = []<class... T>(ops::OpList<T...>) {
    const auto entry = []<class Known>(std::type_identity<Known>) -> Entry {
      if constexpr (is_known<Known>) return &validate_one<Known>;
      else return nullptr;
    };
    return std::array<Entry, sizeof...(T)>{entry(std::type_identity<T>{})...};
  }(EveryOp{});
  return table[kind] ? table[kind](op, owner, rules, empty_results) : not_known();
}

shape::Check check_graph(const Graph& graph) {
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (data_of(graph).nodes[i].valid) continue;
    const Node node = graph.node(i);
    Result<Descriptors> made = results_of(node, data_of(graph));
    if (!made) return fail("{}: {}", name_and_label(node), made.failure().message);
    if (made->size() != node.outputs().size())
      return fail("{}: it has {} results, not {}", name_and_label(node), node.outputs().size(),
                  made->size());
    for (std::size_t k = 0; k < node.outputs().size(); ++k) {
      const MLOperandDescriptor &y = node.output(k).descriptor(), &expected = (*made)[k];
      if (!(y == expected))
        return fail("{}: result {} is {} {}, but its operands make {} {}", name_and_label(node), k,
                    y.dataType, y.shape, expected.dataType, expected.shape);
    }
  }
  return {};
}

shape::Check check_replacement(const Graph& before, const Graph& after) {
  if (detail::state_of(before) == detail::state_of(after)) return {};
  if (auto bad = check_same("input", before.inputs(), after.inputs())) return bad;
  if (auto bad = check_same("output", before.outputs(), after.outputs())) return bad;
  if (auto bad = check_graph(after)) return bad;
  if (detail::state_of(after).use_count() == 1)  // no other thread has it
    for (const NodeData& node : data_of(after).nodes) const_cast<NodeData&>(node).valid = true;
  return {};
}

}  // namespace webnn::inline v0_1
