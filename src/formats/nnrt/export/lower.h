// WebNN's operators in terms of NNRt's nodes: an overload of lower() for each, in the file of its
// family. Private.
#pragma once

#include "src/formats/common/lowering.h"
#include "src/formats/nnrt/export/emitter.h"

namespace webnn::nnrt::exporter {

using Values = formats::Values<Value>;
using LoweringContext = formats::LoweringContext<Emitter, Value>;

inline const Dims to_nhwc{0, 2, 3, 1}, to_nchw{0, 3, 1, 2};

/// Of 8-bit elements.
Values written_out(LoweringContext&, const ops::dequantizeLinear&);
Values written_out(LoweringContext&, const ops::quantizeLinear&);

Values lower(LoweringContext&, const ops::argMin&);
Values lower(LoweringContext&, const ops::argMax&);
Values lower(LoweringContext&, const ops::batchNormalization&);
Values lower(LoweringContext&, const ops::cast&);
Values lower(LoweringContext&, const ops::clamp&);
Values lower(LoweringContext&, const ops::concat&);
Values lower(LoweringContext&, const ops::conv2d&);
Values lower(LoweringContext&, const ops::convTranspose2d&);
Values lower(LoweringContext&, const ops::add&);
Values lower(LoweringContext&, const ops::sub&);
Values lower(LoweringContext&, const ops::mul&);
Values lower(LoweringContext&, const ops::div&);
Values lower(LoweringContext&, const ops::max&);
Values lower(LoweringContext&, const ops::min&);
Values lower(LoweringContext&, const ops::pow&);
Values lower(LoweringContext&, const ops::equal&);
Values lower(LoweringContext&, const ops::notEqual&);
Values lower(LoweringContext&, const ops::greater&);
Values lower(LoweringContext&, const ops::greaterOrEqual&);
Values lower(LoweringContext&, const ops::lesser&);
Values lower(LoweringContext&, const ops::lesserOrEqual&);
Values lower(LoweringContext&, const ops::logicalAnd&);
Values lower(LoweringContext&, const ops::logicalOr&);
Values lower(LoweringContext&, const ops::logicalXor&);
Values lower(LoweringContext&, const ops::logicalNot&);
Values lower(LoweringContext&, const ops::isNaN&);
Values lower(LoweringContext&, const ops::isInfinite&);
Values lower(LoweringContext&, const ops::abs&);
Values lower(LoweringContext&, const ops::ceil&);
Values lower(LoweringContext&, const ops::cos&);
Values lower(LoweringContext&, const ops::erf&);
Values lower(LoweringContext&, const ops::exp&);
Values lower(LoweringContext&, const ops::floor&);
Values lower(LoweringContext&, const ops::identity&);
Values lower(LoweringContext&, const ops::log&);
Values lower(LoweringContext&, const ops::neg&);
Values lower(LoweringContext&, const ops::reciprocal&);
Values lower(LoweringContext&, const ops::roundEven&);
Values lower(LoweringContext&, const ops::sign&);
Values lower(LoweringContext&, const ops::sin&);
Values lower(LoweringContext&, const ops::sqrt&);
Values lower(LoweringContext&, const ops::tan&);
Values lower(LoweringContext&, const ops::elu&);
Values lower(LoweringContext&, const ops::expand&);
Values lower(LoweringContext&, const ops::gather&);
Values lower(LoweringContext&, const ops::gatherElements&);
Values lower(LoweringContext&, const ops::gatherND&);
Values lower(LoweringContext&, const ops::gelu&);
Values lower(LoweringContext&, const ops::gemm&);
Values lower(LoweringContext&, const ops::hardSigmoid&);
Values lower(LoweringContext&, const ops::hardSwish&);
Values lower(LoweringContext&, const ops::instanceNormalization&);
Values lower(LoweringContext&, const ops::layerNormalization&);
Values lower(LoweringContext&, const ops::leakyRelu&);
Values lower(LoweringContext&, const ops::linear&);
Values lower(LoweringContext&, const ops::lstm&);
Values lower(LoweringContext&, const ops::lstmCell&);
Values lower(LoweringContext&, const ops::matmul&);
Values lower(LoweringContext&, const ops::pad&);
Values lower(LoweringContext&, const ops::averagePool2d&);
Values lower(LoweringContext&, const ops::l2Pool2d&);
Values lower(LoweringContext&, const ops::maxPool2d&);
Values lower(LoweringContext&, const ops::prelu&);
Values lower(LoweringContext&, const ops::reduceL1&);
Values lower(LoweringContext&, const ops::reduceL2&);
Values lower(LoweringContext&, const ops::reduceLogSum&);
Values lower(LoweringContext&, const ops::reduceLogSumExp&);
Values lower(LoweringContext&, const ops::reduceMax&);
Values lower(LoweringContext&, const ops::reduceMean&);
Values lower(LoweringContext&, const ops::reduceMin&);
Values lower(LoweringContext&, const ops::reduceProduct&);
Values lower(LoweringContext&, const ops::reduceSum&);
Values lower(LoweringContext&, const ops::reduceSumSquare&);
Values lower(LoweringContext&, const ops::relu&);
Values lower(LoweringContext&, const ops::resample2d&);
Values lower(LoweringContext&, const ops::reshape&);
Values lower(LoweringContext&, const ops::reverse&);
Values lower(LoweringContext&, const ops::scatterElements&);
Values lower(LoweringContext&, const ops::scatterND&);
Values lower(LoweringContext&, const ops::sigmoid&);
Values lower(LoweringContext&, const ops::slice&);
Values lower(LoweringContext&, const ops::softmax&);
Values lower(LoweringContext&, const ops::softplus&);
Values lower(LoweringContext&, const ops::softsign&);
Values lower(LoweringContext&, const ops::split&);
Values lower(LoweringContext&, const ops::tanh&);
Values lower(LoweringContext&, const ops::tile&);
Values lower(LoweringContext&, const ops::transpose&);
Values lower(LoweringContext&, const ops::triangular&);
Values lower(LoweringContext&, const ops::where&);

}  // namespace webnn::nnrt::exporter
