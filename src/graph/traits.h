// The traits of operators by kind, which their declarations give. Private.
#pragma once

#include "src/graph/fused/operators.h"
#include "webnn/graph.h"

namespace webnn::inline v0_1 {

inline constexpr auto traits_by_kind = []<class... T>(ops::OpList<T...>) {
  return std::array{ops::traits_of<T>()...};
}(EveryOp{});

constexpr const ops::Traits& traits_of(std::size_t kind) { return traits_by_kind[kind]; }
inline const ops::Traits& traits_of(const Node& node) { return traits_of(node.kind()); }

/// Traits that contradict each other or the rows of their operator do not compile.
template <class Op> constexpr bool consistent_traits() {
  constexpr ops::Traits t = ops::traits_of<Op>();
  constexpr bool one_result = !ops::returns_list<Op>();
  constexpr bool input = requires(Op op) { op.input; };
  constexpr bool inputs = requires(Op op) { op.inputs; };
  return (!t.element_wise || one_result) && (!t.activation || (t.element_wise && input)) &&
         (!t.rearranges || (t.moves && (input || inputs)));
}
static_assert([]<class... T>(ops::OpList<T...>) {
  return (consistent_traits<T>() && ...);
}(EveryOp{}));

}  // namespace webnn::inline v0_1
