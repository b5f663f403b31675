// THE lists: the sections of the spec, in its order, and behind them extensions; operators on
// shapes.
#pragma once

#include "webnn/ops/arg_min_max.h"
#include "webnn/ops/batch_normalization.h"
#include "webnn/ops/binary.h"
#include "webnn/ops/cast.h"
#include "webnn/ops/clamp.h"
#include "webnn/ops/concat.h"
#include "webnn/ops/conv2d.h"
#include "webnn/ops/conv_transpose2d.h"
#include "webnn/ops/cumulative_sum.h"
#include "webnn/ops/custom.h"
#include "webnn/ops/dequantize_linear.h"
#include "webnn/ops/elu.h"
#include "webnn/ops/expand.h"
#include "webnn/ops/expand_dynamic.h"
#include "webnn/ops/gather.h"
#include "webnn/ops/gather_elements.h"
#include "webnn/ops/gather_nd.h"
#include "webnn/ops/gelu.h"
#include "webnn/ops/gemm.h"
#include "webnn/ops/gru.h"
#include "webnn/ops/gru_cell.h"
#include "webnn/ops/hard_sigmoid.h"
#include "webnn/ops/hard_swish.h"
#include "webnn/ops/instance_normalization.h"
#include "webnn/ops/layer_normalization.h"
#include "webnn/ops/leaky_relu.h"
#include "webnn/ops/linear.h"
#include "webnn/ops/logical.h"
#include "webnn/ops/lstm.h"
#include "webnn/ops/lstm_cell.h"
#include "webnn/ops/matmul.h"
#include "webnn/ops/modulus.h"
#include "webnn/ops/pad.h"
#include "webnn/ops/pad_dynamic.h"
#include "webnn/ops/pool2d.h"
#include "webnn/ops/prelu.h"
#include "webnn/ops/quantize_linear.h"
#include "webnn/ops/range.h"
#include "webnn/ops/reduce.h"
#include "webnn/ops/relu.h"
#include "webnn/ops/resample2d.h"
#include "webnn/ops/resample2d_dynamic.h"
#include "webnn/ops/reshape.h"
#include "webnn/ops/reshape_dynamic.h"
#include "webnn/ops/reshape_to_2d.h"
#include "webnn/ops/reverse.h"
#include "webnn/ops/scatter_elements.h"
#include "webnn/ops/scatter_nd.h"
#include "webnn/ops/section_list.h"
#include "webnn/ops/shape.h"
#include "webnn/ops/sigmoid.h"
#include "webnn/ops/slice.h"
#include "webnn/ops/slice_dynamic.h"
#include "webnn/ops/softmax.h"
#include "webnn/ops/softplus.h"
#include "webnn/ops/softsign.h"
#include "webnn/ops/split.h"
#include "webnn/ops/split_dynamic.h"
#include "webnn/ops/squeeze.h"
#include "webnn/ops/tanh.h"
#include "webnn/ops/tile.h"
#include "webnn/ops/tile_dynamic.h"
#include "webnn/ops/transpose.h"
#include "webnn/ops/triangular.h"
#include "webnn/ops/unary.h"
#include "webnn/ops/unsqueeze.h"
#include "webnn/ops/where.h"

namespace webnn::inline v0_1::ops {

using Sections = SectionList<
    ArgMinMaxSection, BatchNormalizationSection, CastSection, ClampSection, ConcatSection,
    Conv2dSection, ConvTranspose2dSection, CumulativeSumSection, BinarySection, LogicalSection,
    UnarySection, DequantizeLinearSection, QuantizeLinearSection, EluSection, ExpandSection,
    GatherSection, GatherElementsSection, GatherNdSection, GeluSection, GemmSection, GruSection,
    GruCellSection, HardSigmoidSection, HardSwishSection, InstanceNormalizationSection,
    LayerNormalizationSection, LeakyReluSection, LinearSection, LstmSection, LstmCellSection,
    MatmulSection, PadSection, Pool2dSection, PreluSection, ReduceSection, ReluSection,
    Resample2dSection, ReshapeSection, ReverseSection, ScatterElementsSection, ScatterNdSection,
    SigmoidSection, SliceSection, SoftmaxSection, SoftplusSection, SoftsignSection, SplitSection,
    TanhSection, TileSection, TransposeSection, TriangularSection, WhereSection, ModulusSection>;

using AllOps = Sections::Operators;
static_assert(AllOps::size == 97);

/// Operators on shapes. In a graph whose sizes are known they are constants, or operators of the
/// list above.
using ShapeSections = SectionList<ShapeSection, RangeSection, SqueezeSection, UnsqueezeSection,
                                  ReshapeTo2dSection, ReshapeDynamicSection, ExpandDynamicSection,
                                  TileDynamicSection, SliceDynamicSection, PadDynamicSection,
                                  SplitDynamicSection, Resample2dDynamicSection>;
using ShapeOps = ShapeSections::Operators;
static_assert(ShapeOps::size == 14);

/// Every operator of the library that programs can use.
using DeclaredOps = Join<AllOps, ShapeOps>::type;

/// Every operator that a graph may have. The last one stands for custom operators.
using GraphOps = Join<DeclaredOps, OpList<custom>>::type;

}  // namespace webnn::inline v0_1::ops
