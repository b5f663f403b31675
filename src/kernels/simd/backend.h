// The operators that a chain may begin with, and an overload of lower() for each, which is defined
// in the file of its section.
#pragma once

#include "src/kernels/simd/elementwise.h"
#include "src/kernels/simd/options.h"
#include "src/kernels/simd/quantized/lower.h"
#include "webnn/backend.h"

namespace webnn::inline v0_1::simd {

/// The other operators that a chain may begin with.
using Others =
    ops::OpList<ops::argMax, ops::argMin, ops::averagePool2d, ops::batchNormalization, ops::conv2d,
                ops::convTranspose2d, ops::gemm, ops::gru, ops::gruCell, ops::instanceNormalization,
                ops::l2Pool2d, ops::layerNormalization, ops::lstm, ops::lstmCell, ops::matmul,
                ops::maxPool2d, ops::pad, ops::reduceMax, ops::reduceMean, ops::reduceMin,
                ops::reduceSum, ops::reduceSumSquare, ops::resample2d, ops::softmax, ops::transpose,
                fused::attention, fused::rmsNormalization, fused::rotaryEmbedding>;

std::shared_ptr<const Backend> make_backend(const Options& options = {});
/// As WEBNN_WINOGRAD (on, off) says. Throws OperationError for another value.
Options options();

Lowering lower(const ops::argMax&, Chain);
Lowering lower(const ops::argMin&, Chain);
Lowering lower(const ops::averagePool2d&, Chain);
Lowering lower(const ops::batchNormalization&, Chain);
Lowering lower_conv2d(Chain, const Options&);
inline Lowering lower(const ops::conv2d&, Chain chain) { return lower_conv2d(chain, {}); }
Lowering lower(const ops::convTranspose2d&, Chain);
Lowering lower_gemm(Chain, const Options&);
inline Lowering lower(const ops::gemm&, Chain chain) { return lower_gemm(chain, {}); }
Lowering lower(const ops::gru&, Chain);
Lowering lower(const ops::gruCell&, Chain);
Lowering lower(const ops::instanceNormalization&, Chain);
Lowering lower(const ops::l2Pool2d&, Chain);
Lowering lower(const ops::layerNormalization&, Chain);
Lowering lower(const ops::lstm&, Chain);
Lowering lower(const ops::lstmCell&, Chain);
Lowering lower_matmul(Chain, const Options&);
inline Lowering lower(const ops::matmul&, Chain chain) { return lower_matmul(chain, {}); }
Lowering lower(const ops::maxPool2d&, Chain);
Lowering lower(const ops::pad&, Chain);
Lowering lower(const ops::reduceMax&, Chain);
Lowering lower(const ops::reduceMean&, Chain);
Lowering lower(const ops::reduceMin&, Chain);
Lowering lower(const ops::reduceSum&, Chain);
Lowering lower(const ops::reduceSumSquare&, Chain);
Lowering lower(const ops::resample2d&, Chain);
Lowering lower(const ops::softmax&, Chain);
Lowering lower(const ops::transpose&, Chain);
Lowering lower_attention(Chain, const Options&);
inline Lowering lower(const fused::attention&, Chain chain) { return lower_attention(chain, {}); }
Lowering lower(const fused::rmsNormalization&, Chain);
Lowering lower(const fused::rotaryEmbedding&, Chain);

Lowering lower_elementwise(Chain);
template <class Op>
requires(ops::contains<Op>(Elementwises{})) Lowering lower(const Op&, Chain chain) {
  return lower_elementwise(chain);
}

using Lowers = ops::Join<Elementwises, Others>::type;

template <class T>
concept Lowered = requires(const T& op, Chain chain) {
  { lower(op, chain) } -> std::same_as<Lowering>;
};
template <class... T> constexpr bool all_lowered(ops::OpList<T...>) { return (Lowered<T> && ...); }
static_assert(all_lowered(Lowers{}), "an operator in Lowers has no overload of lower()");

}  // namespace webnn::inline v0_1::simd
