#include "src/runtime/length_operators.h"

#include "src/graph/op.h"
#include "src/graph/resolve.h"
#include "src/graph/traits.h"

namespace webnn::inline v0_1 {
namespace {

template <class... T> bool is_any(std::size_t kind, ops::OpList<T...>) {
  return ((kind == kind_of<T>) || ...);
}

using ShapeReaders = ops::OpList<ops::shapeOf, ops::rank, ops::dimension>;
using Compares = ops::OpList<ops::equal, ops::notEqual, ops::greater, ops::greaterOrEqual,
                             ops::lesser, ops::lesserOrEqual, ops::logicalAnd, ops::logicalOr,
                             ops::logicalXor, ops::logicalNot, ops::isNaN, ops::isInfinite>;
using Moves = ops::OpList<ops::identity, ops::where, ops::concat, ops::expand, ops::gather,
                          ops::gatherElements, ops::gatherND, ops::pad, ops::reshape, ops::reverse,
                          ops::scatterElements, ops::scatterND, ops::slice, ops::split, ops::tile,
                          ops::transpose, ops::triangular>;
/// One rounding, which IEEE 754 says.
using Rounds = ops::OpList<ops::add, ops::sub, ops::mul, ops::div, ops::max, ops::min, ops::abs,
                           ops::neg, ops::sign, ops::floor, ops::ceil, ops::cast, ops::clamp>;
using Sums = ops::OpList<ops::reduceSum, ops::cumulativeSum, ops::reduceProduct>;
using Selects = ops::OpList<ops::reduceMax, ops::reduceMin>;

using Products =
    ops::OpList<ops::matmul, ops::gemm, ops::conv2d, ops::convTranspose2d, ops::batchNormalization,
                ops::instanceNormalization, ops::layerNormalization, ops::linear>;
/// What passes recognize as a normalization has them, and takes the factors behind it.
using Means =
    ops::OpList<ops::reduceMean, ops::reduceSum, ops::reduceSumSquare, ops::reduceL2, ops::softmax>;
using Quantizes = ops::OpList<ops::quantizeLinear, ops::dequantizeLinear>;

}  // namespace

bool reads_shape_alone(std::size_t kind) { return is_any(kind, ShapeReaders{}); }

bool is_exact(std::size_t kind, bool floats, bool half) {
  if (is_any(kind, ShapeReaders{}) || is_any(kind, Moves{})) return true;
  if (is_shape_op(kind)) return kind != kind_of<ops::resample2dDynamic>;
  if (half) return false;
  if (is_any(kind, Compares{}) || is_any(kind, Rounds{}) || is_any(kind, Selects{})) return true;
  return !floats && is_any(kind, Sums{});
}

bool is_folded(std::size_t kind) {
  if (is_any(kind, Quantizes{})) return false;
  return traits_of(kind).element_wise || is_any(kind, Sums{}) || kind == kind_of<ops::matmul>;
}

bool treats_rows_alike(std::size_t kind) {
  return is_any(
      kind,
      ops::OpList<ops::concat, ops::cast, ops::identity, ops::transpose, ops::matmul,
                  ops::unsqueeze, ops::add, ops::sub, ops::mul, ops::div, ops::where, ops::softmax,
                  ops::reshapeDynamic, ops::expandDynamic, ops::sliceDynamic>{});
}

bool moves_within(std::size_t kind) {
  return is_any(kind, ops::OpList<ops::reshapeDynamic, ops::expandDynamic, ops::sliceDynamic>{});
}

bool reads_as_input(std::size_t kind) {
  return is_any(kind, Compares{}) || is_any(kind, Moves{}) || is_any(kind, Rounds{}) ||
         is_any(kind, ShapeReaders{}) || moves_within(kind) || kind == kind_of<ops::unsqueeze>;
}

bool has_weights(std::size_t kind) {
  return is_any(kind, Products{}) || is_any(kind, Means{}) || is_any(kind, Quantizes{});
}

bool passes_factors(std::size_t kind) {
  return traits_of(kind).element_wise || kind == kind_of<ops::identity> ||
         kind == kind_of<ops::cast>;
}

bool reshapes_alone(std::size_t kind) {
  return is_any(kind, ops::OpList<ops::reshape, ops::reshapeDynamic, ops::squeeze, ops::unsqueeze,
                                  ops::reshapeTo2d, ops::expand, ops::expandDynamic>{});
}

}  // namespace webnn::inline v0_1
