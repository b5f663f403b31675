// Attributes of NNRt's operators: layers, reductions, normalizations, quantization.
#pragma once

#include "webnn/nnrt/field.h"

namespace webnn::inline v0_1::nnrt {

struct Activation {
  ActivationType activationType{};
  float alpha = 0;
  float minVal = 0;
  float maxVal = 0;
  bool approximate = false;
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_ACTIVATION;
  static constexpr auto fields = std::tuple(
      field("activationType", &Activation::activationType), field("alpha", &Activation::alpha),
      field("minVal", &Activation::minVal), field("maxVal", &Activation::maxVal),
      field("approximate", &Activation::approximate));
  bool operator==(const Activation&) const = default;
};

struct All {
  std::int64_t keepDims = 0;
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_ALL;
  static constexpr auto fields = std::tuple(field("keepDims", &All::keepDims));
  bool operator==(const All&) const = default;
};

struct ArgMaxFusion {
  std::int64_t axis = 0;
  std::int64_t topK = 1;
  bool keepDims = false;
  bool outMaxValue = false;
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_ARGMAX_FUSION;
  static constexpr auto fields = std::tuple(
      field("axis", &ArgMaxFusion::axis), field("topK", &ArgMaxFusion::topK),
      field("keepDims", &ArgMaxFusion::keepDims), field("outMaxValue", &ArgMaxFusion::outMaxValue));
  bool operator==(const ArgMaxFusion&) const = default;
};

struct Assert {
  std::int64_t summarize = 0;
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_ASSERT;
  static constexpr auto fields = std::tuple(field("summarize", &Assert::summarize));
  bool operator==(const Assert&) const = default;
};

struct AvgPoolFusion {
  List kernelSize{};
  List strides{};
  List pad{};
  PadMode padMode{};
  RoundMode roundMode{};
  Format format{};
  bool global = false;
  ActivationType activationType{};
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_AVGPOOL_FUSION;
  static constexpr auto fields = std::tuple(
      field("kernelSize", &AvgPoolFusion::kernelSize), field("strides", &AvgPoolFusion::strides),
      field("pad", &AvgPoolFusion::pad), field("padMode", &AvgPoolFusion::padMode),
      field("roundMode", &AvgPoolFusion::roundMode), field("format", &AvgPoolFusion::format),
      field("global", &AvgPoolFusion::global),
      field("activationType", &AvgPoolFusion::activationType));
  bool operator==(const AvgPoolFusion&) const = default;
};

struct BatchToSpaceND {
  List blockShape{};
  std::vector<List> crops{};
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_BATCH_TO_SPACE_ND;
  static constexpr auto fields = std::tuple(field("blockShape", &BatchToSpaceND::blockShape),
                                            field("crops", &BatchToSpaceND::crops));
  bool operator==(const BatchToSpaceND&) const = default;
};

struct Conv2DFusion {
  List kernelSize{};
  List stride{};
  List dilation{};
  PadMode padMode{};
  List padList{};
  std::int64_t group = 1;
  std::int64_t inChannel = 0;
  std::int64_t outChannel = 0;
  ActivationType activationType{};
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_CONV2D_FUSION;
  static constexpr auto fields = std::tuple(
      field("kernelSize", &Conv2DFusion::kernelSize), field("stride", &Conv2DFusion::stride),
      field("dilation", &Conv2DFusion::dilation), field("padMode", &Conv2DFusion::padMode),
      field("padList", &Conv2DFusion::padList), field("group", &Conv2DFusion::group),
      field("inChannel", &Conv2DFusion::inChannel), field("outChannel", &Conv2DFusion::outChannel),
      field("activationType", &Conv2DFusion::activationType));
  bool operator==(const Conv2DFusion&) const = default;
};

struct Conv2dTransposeFusion {
  List kernelSize{};
  List stride{};
  List dilation{};
  PadMode padMode{};
  List padList{};
  std::int64_t group = 1;
  std::int64_t inChannel = 0;
  std::int64_t outChannel = 0;
  ActivationType activationType{};
  List outputPaddings{};
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_CONV2D_TRANSPOSE_FUSION;
  static constexpr auto fields =
      std::tuple(field("kernelSize", &Conv2dTransposeFusion::kernelSize),
                 field("stride", &Conv2dTransposeFusion::stride),
                 field("dilation", &Conv2dTransposeFusion::dilation),
                 field("padMode", &Conv2dTransposeFusion::padMode),
                 field("padList", &Conv2dTransposeFusion::padList),
                 field("group", &Conv2dTransposeFusion::group),
                 field("inChannel", &Conv2dTransposeFusion::inChannel),
                 field("outChannel", &Conv2dTransposeFusion::outChannel),
                 field("activationType", &Conv2dTransposeFusion::activationType),
                 field("outputPaddings", &Conv2dTransposeFusion::outputPaddings));
  bool operator==(const Conv2dTransposeFusion&) const = default;
};

struct DetectionPostProcess {
  Format format{};
  std::int64_t inputSize = 0;
  std::vector<float> scale{};
  float nmsIoUThreshold = 0;
  float nmsScoreThreshold = 0;
  std::int64_t maxDetections = 0;
  std::int64_t detectionsPerClass = 0;
  std::int64_t maxClassesPerDetection = 0;
  std::int64_t numClasses = 0;
  bool useRegularNms = false;
  bool outQuantized = false;
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_DETECTION_POST_PROCESS;
  static constexpr auto fields =
      std::tuple(field("format", &DetectionPostProcess::format),
                 field("inputSize", &DetectionPostProcess::inputSize),
                 field("scale", &DetectionPostProcess::scale),
                 field("nmsIoUThreshold", &DetectionPostProcess::nmsIoUThreshold),
                 field("nmsScoreThreshold", &DetectionPostProcess::nmsScoreThreshold),
                 field("maxDetections", &DetectionPostProcess::maxDetections),
                 field("detectionsPerClass", &DetectionPostProcess::detectionsPerClass),
                 field("maxClassesPerDetection", &DetectionPostProcess::maxClassesPerDetection),
                 field("numClasses", &DetectionPostProcess::numClasses),
                 field("useRegularNms", &DetectionPostProcess::useRegularNms),
                 field("outQuantized", &DetectionPostProcess::outQuantized));
  bool operator==(const DetectionPostProcess&) const = default;
};

struct DepthToSpace {
  std::int64_t blockSize = 0;
  Format format{};
  std::string mode{};
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_DEPTH_TO_SPACE;
  static constexpr auto fields =
      std::tuple(field("blockSize", &DepthToSpace::blockSize),
                 field("format", &DepthToSpace::format), field("mode", &DepthToSpace::mode));
  bool operator==(const DepthToSpace&) const = default;
};

struct FullConnection {
  bool hasBias = false;
  bool useAxis = false;
  std::int64_t axis = 0;
  ActivationType activationType{};
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_FULL_CONNECTION;
  static constexpr auto fields =
      std::tuple(field("hasBias", &FullConnection::hasBias),
                 field("useAxis", &FullConnection::useAxis), field("axis", &FullConnection::axis),
                 field("activationType", &FullConnection::activationType));
  bool operator==(const FullConnection&) const = default;
};

struct FusedBatchNorm {
  float epsilon = 1e-5f;
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_FUSED_BATCH_NORM;
  static constexpr auto fields = std::tuple(field("epsilon", &FusedBatchNorm::epsilon));
  bool operator==(const FusedBatchNorm&) const = default;
};

struct InstanceNorm {
  float epsilon = 1e-5f;
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_INSTANCE_NORM;
  static constexpr auto fields = std::tuple(field("epsilon", &InstanceNorm::epsilon));
  bool operator==(const InstanceNorm&) const = default;
};

struct LayerNormFusion {
  std::int64_t beginNormAxis = 0;
  float epsilon = 1e-5f;
  bool elementwiseAffine = false;
  std::int64_t beginParamsAxis = 0;
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_LAYER_NORM_FUSION;
  static constexpr auto fields =
      std::tuple(field("beginNormAxis", &LayerNormFusion::beginNormAxis),
                 field("epsilon", &LayerNormFusion::epsilon),
                 field("elementwiseAffine", &LayerNormFusion::elementwiseAffine),
                 field("beginParamsAxis", &LayerNormFusion::beginParamsAxis));
  bool operator==(const LayerNormFusion&) const = default;
};

struct LRN {
  std::int64_t depthRadius = 0;
  float bias = 0;
  float alpha = 0;
  float beta = 0;
  std::string normRegion{};
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_LRN;
  static constexpr auto fields =
      std::tuple(field("depthRadius", &LRN::depthRadius), field("bias", &LRN::bias),
                 field("alpha", &LRN::alpha), field("beta", &LRN::beta),
                 field("normRegion", &LRN::normRegion));
  bool operator==(const LRN&) const = default;
};

struct L2NormalizeFusion {
  List axis{};
  float epsilon = 1e-4f;
  ActivationType activationType{};
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_L2_NORMALIZE_FUSION;
  static constexpr auto fields = std::tuple(
      field("axis", &L2NormalizeFusion::axis), field("epsilon", &L2NormalizeFusion::epsilon),
      field("activationType", &L2NormalizeFusion::activationType));
  bool operator==(const L2NormalizeFusion&) const = default;
};

struct LSTM {
  bool bidirectional = false;
  bool hasBias = false;
  std::int64_t inputSize = 0;
  std::int64_t hiddenSize = 0;
  std::int64_t numLayers = 1;
  std::int64_t numDirections = 1;
  float dropout = 0;
  float zoneoutCell = 0;
  float zoneoutHidden = 0;
  std::int64_t projSize = 0;
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_LSTM;
  static constexpr auto fields =
      std::tuple(field("bidirectional", &LSTM::bidirectional), field("hasBias", &LSTM::hasBias),
                 field("inputSize", &LSTM::inputSize), field("hiddenSize", &LSTM::hiddenSize),
                 field("numLayers", &LSTM::numLayers), field("numDirections", &LSTM::numDirections),
                 field("dropout", &LSTM::dropout), field("zoneoutCell", &LSTM::zoneoutCell),
                 field("zoneoutHidden", &LSTM::zoneoutHidden), field("projSize", &LSTM::projSize));
  bool operator==(const LSTM&) const = default;
};

struct MatMulFusion {
  bool transposeA = false;
  bool transposeB = false;
  ActivationType activationType{};
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_MATMUL_FUSION;
  static constexpr auto fields = std::tuple(field("transposeA", &MatMulFusion::transposeA),
                                            field("transposeB", &MatMulFusion::transposeB),
                                            field("activationType", &MatMulFusion::activationType));
  bool operator==(const MatMulFusion&) const = default;
};

struct MaxPoolFusion {
  List kernelSize{};
  List strides{};
  List pad{};
  PadMode padMode{};
  Format format{};
  RoundMode roundMode{};
  bool global = false;
  ActivationType activationType{};
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_MAX_POOL_FUSION;
  static constexpr auto fields = std::tuple(
      field("kernelSize", &MaxPoolFusion::kernelSize), field("strides", &MaxPoolFusion::strides),
      field("pad", &MaxPoolFusion::pad), field("padMode", &MaxPoolFusion::padMode),
      field("format", &MaxPoolFusion::format), field("roundMode", &MaxPoolFusion::roundMode),
      field("global", &MaxPoolFusion::global),
      field("activationType", &MaxPoolFusion::activationType));
  bool operator==(const MaxPoolFusion&) const = default;
};

struct PReLUFusion {
  bool channelShared = false;
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_PRELU_FUSION;
  static constexpr auto fields = std::tuple(field("channelShared", &PReLUFusion::channelShared));
  bool operator==(const PReLUFusion&) const = default;
};

struct QuantDTypeCast {
  std::int64_t srcT = 0;
  std::int64_t dstT = 0;
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_QUANT_DTYPE_CAST;
  static constexpr auto fields =
      std::tuple(field("srcT", &QuantDTypeCast::srcT), field("dstT", &QuantDTypeCast::dstT));
  bool operator==(const QuantDTypeCast&) const = default;
};

struct ReduceFusion {
  bool keepDims = false;
  ReduceMode mode{};
  bool reduceToEnd = false;
  float coeff = 1;
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_REDUCE_FUSION;
  static constexpr auto fields = std::tuple(
      field("keepDims", &ReduceFusion::keepDims), field("mode", &ReduceFusion::mode),
      field("reduceToEnd", &ReduceFusion::reduceToEnd), field("coeff", &ReduceFusion::coeff));
  bool operator==(const ReduceFusion&) const = default;
};

struct Resize {
  ResizeMethod method{};
  std::int64_t newHeight = 0;
  std::int64_t newWidth = 0;
  bool preserveAspectRatio = false;
  CoordinateTransformMode coordinateTransformMode{};
  float cubicCoeff = 0;
  std::int64_t excludeOutside = 0;
  float extrapolationValue = 0;
  NearestMode nearestMode{};
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_RESIZE;
  static constexpr auto fields = std::tuple(
      field("method", &Resize::method), field("newHeight", &Resize::newHeight),
      field("newWidth", &Resize::newWidth),
      field("preserveAspectRatio", &Resize::preserveAspectRatio),
      field("coordinateTransformMode", &Resize::coordinateTransformMode),
      field("cubicCoeff", &Resize::cubicCoeff), field("excludeOutside", &Resize::excludeOutside),
      field("extrapolationValue", &Resize::extrapolationValue),
      field("nearestMode", &Resize::nearestMode));
  bool operator==(const Resize&) const = default;
};

struct ScaleFusion {
  std::int64_t axis = 0;
  ActivationType activationType{};
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_SCALE_FUSION;
  static constexpr auto fields = std::tuple(field("axis", &ScaleFusion::axis),
                                            field("activationType", &ScaleFusion::activationType));
  bool operator==(const ScaleFusion&) const = default;
};

struct Softmax {
  List axis{};
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_SOFTMAX;
  static constexpr auto fields = std::tuple(field("axis", &Softmax::axis));
  bool operator==(const Softmax&) const = default;
};

struct SpaceToBatchND {
  List blockShape{};
  std::vector<List> paddings{};
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_SPACE_TO_BATCH_ND;
  static constexpr auto fields = std::tuple(field("blockShape", &SpaceToBatchND::blockShape),
                                            field("paddings", &SpaceToBatchND::paddings));
  bool operator==(const SpaceToBatchND&) const = default;
};

struct SpaceToDepth {
  std::int64_t blockSize = 0;
  Format format{};
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_SPACE_TO_DEPTH;
  static constexpr auto fields = std::tuple(field("blockSize", &SpaceToDepth::blockSize),
                                            field("format", &SpaceToDepth::format));
  bool operator==(const SpaceToDepth&) const = default;
};

struct TopKFusion {
  bool sorted = false;
  std::int64_t axis = 0;
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_TOPK_FUSION;
  static constexpr auto fields =
      std::tuple(field("sorted", &TopKFusion::sorted), field("axis", &TopKFusion::axis));
  bool operator==(const TopKFusion&) const = default;
};

struct LogSoftmax {
  std::int64_t axis = 0;
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_LOG_SOFTMAX;
  static constexpr auto fields = std::tuple(field("axis", &LogSoftmax::axis));
  bool operator==(const LogSoftmax&) const = default;
};

struct QuantDTypeCastV2 {
  std::int64_t srcT = 0;
  std::int64_t dstT = 0;
  std::int64_t axis = 0;
  static constexpr NodeType nodeType = NodeType::NODE_TYPE_QUANT_DTYPE_CAST_V2;
  static constexpr auto fields =
      std::tuple(field("srcT", &QuantDTypeCastV2::srcT), field("dstT", &QuantDTypeCastV2::dstT),
                 field("axis", &QuantDTypeCastV2::axis));
  bool operator==(const QuantDTypeCastV2&) const = default;
};

}  // namespace webnn::inline v0_1::nnrt
