// Which file generates which operators. An operator that no family has does not compile here; one
// that its family's file forgets does not compile there.
#pragma once

#include "webnn/ops/sections.h"

namespace webnn::inline v0_1::test {

using ElementwiseFamily =
    ops::Join<ops::UnarySection::Operators, ops::BinarySection::Operators,
              ops::LogicalSection::Operators, ops::ModulusSection::Operators,
              ops::OpList<ops::cast, ops::clamp, ops::elu, ops::gelu, ops::hardSigmoid,
                          ops::hardSwish, ops::leakyRelu, ops::linear, ops::prelu, ops::relu,
                          ops::sigmoid, ops::softplus, ops::softsign, ops::tanh, ops::where>>::type;
using MovementFamily =
    ops::OpList<ops::concat, ops::expand, ops::pad, ops::reshape, ops::reverse, ops::slice,
                ops::split, ops::tile, ops::transpose, ops::triangular>;
using IndexFamily = ops::OpList<ops::gather, ops::gatherElements, ops::gatherND,
                                ops::scatterElements, ops::scatterND>;
using ImageFamily = ops::Join<ops::Pool2dSection::Operators,
                              ops::OpList<ops::conv2d, ops::convTranspose2d,
                                          ops::instanceNormalization, ops::resample2d>>::type;
using ProductFamily = ops::OpList<ops::gemm, ops::matmul>;
using ReductionFamily = ops::Join<ops::ReduceSection::Operators, ops::ArgMinMaxSection::Operators,
                                  ops::OpList<ops::batchNormalization, ops::cumulativeSum,
                                              ops::layerNormalization, ops::softmax>>::type;
using RecurrentFamily = ops::OpList<ops::gru, ops::gruCell, ops::lstm, ops::lstmCell>;
using QuantizationFamily = ops::OpList<ops::dequantizeLinear, ops::quantizeLinear>;

template <class... Families> struct FamilyList {
  /// f(family) for the family of an operator.
  template <class Op, class F> static void with_family_of(F&& f) {
    (
        [&] {
          if constexpr (ops::contains<Op>(Families{})) f(Families{});
        }(),
        ...);
  }
  template <class Op> static constexpr int count_of() {
    return (ops::contains<Op>(Families{}) + ... + 0);
  }
};
using Families = FamilyList<ElementwiseFamily, MovementFamily, IndexFamily, ImageFamily,
                            ProductFamily, ReductionFamily, RecurrentFamily, QuantizationFamily>;

template <class... Op> constexpr bool each_has_one_family(ops::OpList<Op...>) {
  static_assert(((Families::count_of<Op>() == 1) && ...), "an operator without a generator");
  return true;
}
static_assert(each_has_one_family(ops::AllOps{}));

/// f(std::type_identity<Op>) for the operator of that kind, its index in ops::AllOps.
template <class F, class... Op> void with_kind(ops::OpList<Op...>, std::size_t kind, F&& f) {
  const auto one = [&]<class T>(std::type_identity<T> of) {
    if (kind == ops::AllOps::index_of<T>()) f(of);
  };
  (one(std::type_identity<Op>{}), ...);
}

}  // namespace webnn::inline v0_1::test
