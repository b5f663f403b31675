// The results of element-wise operators on 8 bits, by the reference kernels.
#pragma once

#include <optional>

#include "webnn/backend.h"

namespace webnn::inline v0_1::simd {

/// Whether an operator may be in such a chain: element-wise functions of numbers, and changes of
/// type to and from 8 bits, and of shape.
template <class Op>
inline constexpr bool is_table_op = (ops::traits_of<Op>().element_wise &&
                                     !ops::contains<Op>(ops::LogicalSection::Operators{}) &&
                                     !ops::contains<Op>(ops::OpList<ops::cast, ops::where>{})) ||
                                    std::is_same_v<Op, ops::reshape>;

/// The results of a chain of element-wise operators for each of the 256 values of x, its only
/// operand of 8 bits that is not constant, by its bits; each as an unsigned byte. All its other
/// operands are constants of one element. Nothing for other chains.
std::optional<std::vector<std::uint8_t>> exact_table(Chain chain, const MLOperand& x);

}  // namespace webnn::inline v0_1::simd
