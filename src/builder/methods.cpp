// The code behind the operator methods of MLGraphBuilder, for every operator that programs use.
#include "webnn/graph_builder.h"

namespace webnn::inline v0_1 {

// "used", because a compiler that inlines or clones every instance would emit no symbol that a
// user's file could link with.
template <class Op, class... A>
[[gnu::used]] typename ops::Returned<Op>::type MLGraphBuilder::call(A&&... arguments) {
  return append(Op{std::forward<A>(arguments)...});
}

namespace {

template <class... T> struct Types {};
template <class... Lists> struct Concat;
template <class... A> struct Concat<Types<A...>> { using type = Types<A...>; };
template <class... A, class... B, class... Rest>
struct Concat<Types<A...>, Types<B...>, Rest...> : Concat<Types<A..., B...>, Rest...> {};

/// How every method passes an argument to call(): an operand by const reference, a scalar by
/// reference, anything else moved.
template <class T> struct Passed { using type = T; };
template <> struct Passed<MLOperand> { using type = const MLOperand&; };
template <class T>
requires std::is_scalar_v<T>
struct Passed<T> {
  using type = T&;
};

/// The argument that a row stands for; none for a result or a member of the options.
template <class Op, class Row> struct Argument { using type = Types<>; };
template <class Op, auto M>
requires(ops::is_required<Op>(M)) struct Argument<Op, ops::Operand<M>> {
  using type = Types<typename Passed<typename ops::MemberPointer<decltype(M)>::Type>::type>;
};
template <class Op, auto M>
requires(ops::is_required<Op>(M)) struct Argument<Op, ops::Attribute<M>> {
  using type = Types<typename Passed<typename ops::MemberPointer<decltype(M)>::Type>::type>;
};

template <class Op, class... Rows>
typename Concat<typename Argument<Op, Rows>::type..., Types<decltype(Op::options)>>::type
arguments_of(const ops::Declaration<Rows...>&);

template <class Op, class... A> void instantiate(Types<A...>) {
  (void)&MLGraphBuilder::template call<Op, A...>;
}
[[gnu::used]] void instantiate_all() {
  []<class... Op>(ops::OpList<Op...>) {
    (instantiate<Op>(decltype(arguments_of<Op>(Op::declaration)){}), ...);
  }(ops::DeclaredOps{});
}

}  // namespace
}  // namespace webnn::inline v0_1
