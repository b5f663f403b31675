// THE list: the sections of the spec, in its order.
#pragma once

#include "webnn/ops/arg_min_max.h"
#include "webnn/ops/batch_normalization.h"
#include "webnn/ops/binary.h"
#include "webnn/ops/cast.h"
#include "webnn/ops/clamp.h"
#include "webnn/ops/concat.h"
#include "webnn/ops/conv2d.h"
#include "webnn/ops/dequantize_linear.h"
#include "webnn/ops/gather.h"
#include "webnn/ops/gemm.h"
#include "webnn/ops/lstm.h"
#include "webnn/ops/matmul.h"
#include "webnn/ops/pool2d.h"
#include "webnn/ops/quantize_linear.h"
#include "webnn/ops/reduce.h"
#include "webnn/ops/relu.h"
#include "webnn/ops/resample2d.h"
#include "webnn/ops/section_list.h"
#include "webnn/ops/slice.h"
#include "webnn/ops/softmax.h"
#include "webnn/ops/split.h"
#include "webnn/ops/unary.h"
#include "webnn/ops/where.h"

namespace webnn::ops {

using Sections =
    SectionList<ArgMinMaxSection, BatchNormalizationSection, CastSection, ClampSection,
                ConcatSection, Conv2dSection, BinarySection, UnarySection, DequantizeLinearSection,
                QuantizeLinearSection, GatherSection, GemmSection, LstmSection, MatmulSection,
                Pool2dSection, ReduceSection, ReluSection, Resample2dSection, SliceSection,
                SoftmaxSection, SplitSection, WhereSection>;

using AllOps = Sections::Operators;

}  // namespace webnn::ops
