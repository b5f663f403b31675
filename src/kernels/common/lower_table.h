// Turns a backend's `Lowers` list and its overloads of lower() into a table by kind of operator.
#pragma once

#include <array>

#include "left_out.h"  // generated
#include "src/graph/fused/operators.h"
#include "webnn/backend.h"

namespace webnn::inline v0_1 {

/// The operators of `List` for which Test<Op>::value.
template <template <class> class Test, class List> struct FilteredOps;
template <template <class> class Test, class... T> struct FilteredOps<Test, ops::OpList<T...>> {
  using type = typename ops::Join<
      ops::OpList<>, std::conditional_t<Test<T>::value, ops::OpList<T>, ops::OpList<>>...>::type;
};

using Lower = Lowering (*)(const void* op, Chain chain);

/// A fused operator is left out with what distinguishes its composition, without which no pass
/// makes it.
template <class Op> inline constexpr bool is_built = !ops::contains<Op>(LeftOut{});
template <> inline constexpr bool is_built<fused::attention> = is_built<ops::softmax>;
template <> inline constexpr bool is_built<fused::rmsNormalization> = is_built<ops::reduceMean>;
template <> inline constexpr bool is_built<fused::rotaryEmbedding> = is_built<ops::concat>;
/// `call(op, chain)` for a chain that begins with an operator of the list; null for others, and for
/// what was left out of the build.
template <class Lowers, class Call> constexpr std::array<Lower, EveryOp::size> lower_table(Call) {
  return []<class... T>(ops::OpList<T...>) {
    const auto entry = []<class Op>(std::type_identity<Op>) -> Lower {
      if constexpr (ops::contains<Op>(Lowers{}) && is_built<Op>)
        return [](const void* op, Chain chain) -> Lowering {
          return Call{}(*static_cast<const Op*>(op), chain);
        };
      else return nullptr;
    };
    return std::array<Lower, sizeof...(T)>{entry(std::type_identity<T>{})...};
  }(EveryOp{});
}

/// For Backend::supported_types(): `types` for an operator of the list, none for others and for
/// what was left out of the build.
template <class Lowers> DataTypes supported_types_of(std::size_t kind, DataTypes types) {
  static constexpr auto listed = []<class... T>(ops::OpList<T...>) {
    return std::array{(ops::contains<T>(Lowers{}) && is_built<T>)...};
  }(EveryOp{});
  return listed[kind] ? types : DataTypes{};
}

}  // namespace webnn::inline v0_1
