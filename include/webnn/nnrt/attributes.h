// The attributes of a node of NNRt: one structure for each operator of v2_1.
#pragma once

#include <utility>
#include <variant>

#include "webnn/nnrt/elementwise.h"
#include "webnn/nnrt/layers.h"
#include "webnn/nnrt/movement.h"

namespace webnn::inline v0_1::nnrt {

using AnyAttributes = std::variant<
    Abs, Activation, AddFusion, All, ArgMaxFusion, Assert, AvgPoolFusion, BatchToSpaceND, BiasAdd,
    BroadcastTo, Cast, Ceil, Clip, Concat, Conv2DFusion, Conv2dTransposeFusion, Cos,
    ConstantOfShape, Crop, DetectionPostProcess, DepthToSpace, DivFusion, Eltwise, Equal, ExpFusion,
    ExpandDims, Flatten, Floor, Fill, FullConnection, FusedBatchNorm, Gather, GatherNd, Greater,
    GreaterEqual, InstanceNorm, LayerNormFusion, LeakyRelu, Less, LessEqual, Log, LogicalAnd,
    LogicalNot, LogicalOr, LRN, L2NormalizeFusion, LSTM, MatMulFusion, Maximum, MaxPoolFusion,
    Minimum, Mod, MulFusion, Neg, NotEqual, OneHot, PadFusion, PowFusion, PReLUFusion,
    QuantDTypeCast, Rank, Range, Reciprocal, RealDiv, ReduceFusion, Reshape, Resize, Round, Rsqrt,
    ScaleFusion, ScatterNd, Shape, Sin, SliceFusion, Softmax, SpaceToBatchND, SpaceToDepth,
    SparseToDense, Split, Sqrt, Squeeze, Square, SquaredDifference, Stack, StridedSlice, SubFusion,
    TileFusion, TopKFusion, Transpose, Unsqueeze, Unstack, Where, Select, Erf, LogSoftmax,
    QuantDTypeCastV2>;

/// The alternative decides which NodeType the node has. Visited as AnyAttributes. A structure, so
/// that not every file that copies one compiles the copies of all alternatives.
struct Attributes : AnyAttributes {
  Attributes();
  Attributes(const Attributes&);
  Attributes(Attributes&&) noexcept;
  Attributes& operator=(const Attributes&);
  Attributes& operator=(Attributes&&) noexcept;
  ~Attributes();
  template <class A>
  requires requires { A::nodeType; }
  Attributes(A attributes) : AnyAttributes(std::in_place_type<A>, std::move(attributes)) {}
  bool operator==(const Attributes&) const;
};

}  // namespace webnn::inline v0_1::nnrt
