// Joins sections: their operators in one list, their methods in one class.
#pragma once

#include "webnn/ops/operator.h"

namespace webnn::inline v0_1::ops {

template <class... Lists> struct Join;
template <class... A> struct Join<OpList<A...>> { using type = OpList<A...>; };
template <class... A, class... B, class... Rest>
struct Join<OpList<A...>, OpList<B...>, Rest...> : Join<OpList<A..., B...>, Rest...> {};

template <class... Sections> struct SectionList {
  using Operators = typename Join<typename Sections::Operators...>::type;
  /// The methods of all operators for Self, which has `call<Op>(arguments...)`. They return Out.
  /// First is the type of an operator's first operand, or nothing where Self stands for it
  /// (webnn/fluent.h).
  template <class Self, class Out, class... First>
  struct Methods : Sections::template Methods<Self, Out, First...>... {};
};

}  // namespace webnn::inline v0_1::ops
