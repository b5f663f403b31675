// Attributes of NNRt's operators: what moves and makes elements.
#pragma once

#include "webnn/nnrt/field.h"

namespace webnn::inline v0_1::nnrt {

struct BroadcastTo {
  List shape{};
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_BROADCAST_TO;
  static constexpr auto fields = std::tuple(field("shape", &BroadcastTo::shape));
  bool operator==(const BroadcastTo&) const = default;
};

struct Cast {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_CAST;
  static constexpr std::tuple<> fields{};
  bool operator==(const Cast&) const = default;
};

struct Concat {
  std::int64_t axis = 0;
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_CONCAT;
  static constexpr auto fields = std::tuple(field("axis", &Concat::axis));
  bool operator==(const Concat&) const = default;
};

struct ConstantOfShape {
  std::int64_t dataType = 0;
  std::vector<float> value{};
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_CONSTANT_OF_SHAPE;
  static constexpr auto fields = std::tuple(field("dataType", &ConstantOfShape::dataType),
                                            field("value", &ConstantOfShape::value));
  bool operator==(const ConstantOfShape&) const = default;
};

struct Crop {
  std::int64_t axis = 0;
  List offset{};
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_CROP;
  static constexpr auto fields =
      std::tuple(field("axis", &Crop::axis), field("offset", &Crop::offset));
  bool operator==(const Crop&) const = default;
};

struct ExpandDims {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_EXPAND_DIMS;
  static constexpr std::tuple<> fields{};
  bool operator==(const ExpandDims&) const = default;
};

struct Flatten {
  std::int64_t axis = 0;
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_FLATTEN;
  static constexpr auto fields = std::tuple(field("axis", &Flatten::axis));
  bool operator==(const Flatten&) const = default;
};

struct Fill {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_FILL;
  static constexpr std::tuple<> fields{};
  bool operator==(const Fill&) const = default;
};

struct Gather {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_GATHER;
  static constexpr std::tuple<> fields{};
  bool operator==(const Gather&) const = default;
};

struct GatherNd {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_GATHER_ND;
  static constexpr std::tuple<> fields{};
  bool operator==(const GatherNd&) const = default;
};

struct OneHot {
  std::int64_t axis = 0;
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_ONE_HOT;
  static constexpr auto fields = std::tuple(field("axis", &OneHot::axis));
  bool operator==(const OneHot&) const = default;
};

struct PadFusion {
  std::vector<List> paddings{};
  PaddingMode paddingMode{};
  float constantValue = 0;
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_PAD_FUSION;
  static constexpr auto fields = std::tuple(field("paddings", &PadFusion::paddings),
                                            field("paddingMode", &PadFusion::paddingMode),
                                            field("constantValue", &PadFusion::constantValue));
  bool operator==(const PadFusion&) const = default;
};

struct Rank {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_RANK;
  static constexpr std::tuple<> fields{};
  bool operator==(const Rank&) const = default;
};

struct Range {
  std::int64_t dataType = 0;
  std::int64_t start = 0;
  std::int64_t limit = 0;
  std::int64_t delta = 0;
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_RANGE;
  static constexpr auto fields =
      std::tuple(field("dataType", &Range::dataType), field("start", &Range::start),
                 field("limit", &Range::limit), field("delta", &Range::delta));
  bool operator==(const Range&) const = default;
};

struct Reshape {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_RESHAPE;
  static constexpr std::tuple<> fields{};
  bool operator==(const Reshape&) const = default;
};

struct ScatterNd {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_SCATTER_ND;
  static constexpr std::tuple<> fields{};
  bool operator==(const ScatterNd&) const = default;
};

struct Shape {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_SHAPE;
  static constexpr std::tuple<> fields{};
  bool operator==(const Shape&) const = default;
};

struct SliceFusion {
  List axes{};
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_SLICE_FUSION;
  static constexpr auto fields = std::tuple(field("axes", &SliceFusion::axes));
  bool operator==(const SliceFusion&) const = default;
};

struct SparseToDense {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_SPARSE_TO_DENSE;
  static constexpr std::tuple<> fields{};
  bool operator==(const SparseToDense&) const = default;
};

struct Split {
  std::int64_t outputNum = 0;
  List sizeSplits{};
  std::int64_t axis = 0;
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_SPLIT;
  static constexpr auto fields =
      std::tuple(field("outputNum", &Split::outputNum), field("sizeSplits", &Split::sizeSplits),
                 field("axis", &Split::axis));
  bool operator==(const Split&) const = default;
};

struct Squeeze {
  List axis{};
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_SQUEEZE;
  static constexpr auto fields = std::tuple(field("axis", &Squeeze::axis));
  bool operator==(const Squeeze&) const = default;
};

struct Stack {
  std::int64_t axis = 0;
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_STACK;
  static constexpr auto fields = std::tuple(field("axis", &Stack::axis));
  bool operator==(const Stack&) const = default;
};

struct StridedSlice {
  std::int64_t beginMask = 0;
  std::int64_t endMask = 0;
  std::int64_t ellipsisMask = 0;
  std::int64_t newAxisMask = 0;
  std::int64_t shrinkAxisMask = 0;
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_STRIDED_SLICE;
  static constexpr auto fields = std::tuple(field("beginMask", &StridedSlice::beginMask),
                                            field("endMask", &StridedSlice::endMask),
                                            field("ellipsisMask", &StridedSlice::ellipsisMask),
                                            field("newAxisMask", &StridedSlice::newAxisMask),
                                            field("shrinkAxisMask", &StridedSlice::shrinkAxisMask));
  bool operator==(const StridedSlice&) const = default;
};

struct TileFusion {
  List dims{};
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_TILE_FUSION;
  static constexpr auto fields = std::tuple(field("dims", &TileFusion::dims));
  bool operator==(const TileFusion&) const = default;
};

struct Transpose {
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_TRANSPOSE;
  static constexpr std::tuple<> fields{};
  bool operator==(const Transpose&) const = default;
};

struct Unsqueeze {
  List axis{};
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_UNSQUEEZE;
  static constexpr auto fields = std::tuple(field("axis", &Unsqueeze::axis));
  bool operator==(const Unsqueeze&) const = default;
};

struct Unstack {
  std::int64_t axis = 0;
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_UNSTACK;
  static constexpr auto fields = std::tuple(field("axis", &Unstack::axis));
  bool operator==(const Unstack&) const = default;
};

}  // namespace webnn::inline v0_1::nnrt
