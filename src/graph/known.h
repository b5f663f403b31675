// The operators that this build knows: with WEBNN_SMALL, those whose kernels it has. Private.
#pragma once

#include "build_options.h"  // generated
#include "left_out.h"       // generated
#include "src/graph/op.h"
#include "webnn/error.h"

namespace webnn::inline v0_1 {

/// Whether there is code for an operator besides its name. In other libraries, operators without
/// kernels can be described and validated all the same. A fused operator is known with what its
/// composition needs.
template <class T> inline constexpr bool is_known = !small_library || !ops::contains<T>(LeftOut{});
template <> inline constexpr bool is_known<fused::attention> = is_known<ops::softmax>;
template <> inline constexpr bool is_known<fused::rmsNormalization> = is_known<ops::reduceMean>;
template <> inline constexpr bool is_known<fused::rotaryEmbedding> = is_known<ops::concat>;
template <> inline constexpr bool is_known<fused::swish> = is_known<ops::sigmoid>;
template <>
inline constexpr bool is_known<fused::quantizedOperator> =
    is_known<ops::dequantizeLinear> || is_known<ops::quantizeLinear>;
template <>
inline constexpr bool is_known<fused::dynamicQuantizeLinear> = is_known<ops::reduceMin> &&
                                                               (is_known<ops::cast> ||
                                                                is_known<ops::quantizeLinear>);

/// Why an operator that this build does not know is refused.
Failure not_known();
/// Throws not_known() with the name and the label of the operator.
[[noreturn]] void refuse_unknown(std::size_t kind, const void* op);

/// visit() for code that small libraries have: there is none for operators that they do not know,
/// and these are refused.
template <class List = EveryOp, class F> auto visit_known(F&& f, std::size_t kind, const void* op) {
  using First = std::remove_reference_t<F>;
  using R = decltype(f(std::declval<const ops::reshape&>()));
  using Entry = R (*)(First&, const void*);
  static constexpr auto table = []<class... T>(ops::OpList<T...>) {
    const auto entry = []<class Known>(std::type_identity<Known>) -> Entry {
      if constexpr (is_known<Known>)
        return [](First& g, const void* p) -> R { return g(*static_cast<const Known*>(p)); };
      else return nullptr;
    };
    return std::array<Entry, sizeof...(T)>{entry(std::type_identity<T>{})...};
  }(List{});
  if constexpr (List::size < EveryOp::size)
    if (kind >= List::size) refuse_kind(kind, op);
  if (!table[kind]) refuse_unknown(kind, op);
  return table[kind](f, op);
}
template <class List = EveryOp, class F> auto visit_known(F&& f, const Op& op) {
  return visit_known<List>(f, op.kind(), op.get());
}

}  // namespace webnn::inline v0_1
