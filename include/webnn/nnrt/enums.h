// The enumerations of NNRt's models, as NnrtTypes.idl, interface v2_1, has them:
// https://gitee.com/openharmony/drivers_interface/tree/master/nnrt/v2_1
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace webnn::inline v0_1::nnrt {

/// An enumerator of the interface and its name.
template <class E> struct Named {
  E value;
  std::string_view name;
};

enum class DataType : std::int8_t {
  DATA_TYPE_UNKNOWN = 0,
  DATA_TYPE_BOOL = 30,
  DATA_TYPE_INT8 = 32,
  DATA_TYPE_INT16 = 33,
  DATA_TYPE_INT32 = 34,
  DATA_TYPE_INT64 = 35,
  DATA_TYPE_UINT8 = 37,
  DATA_TYPE_UINT16 = 38,
  DATA_TYPE_UINT32 = 39,
  DATA_TYPE_UINT64 = 40,
  DATA_TYPE_FLOAT16 = 42,
  DATA_TYPE_FLOAT32 = 43,
  DATA_TYPE_FLOAT64 = 44
};
inline constexpr std::array names_of_DataType{
    Named<DataType>{DataType::DATA_TYPE_UNKNOWN, "DATA_TYPE_UNKNOWN"},
    Named<DataType>{DataType::DATA_TYPE_BOOL, "DATA_TYPE_BOOL"},
    Named<DataType>{DataType::DATA_TYPE_INT8, "DATA_TYPE_INT8"},
    Named<DataType>{DataType::DATA_TYPE_INT16, "DATA_TYPE_INT16"},
    Named<DataType>{DataType::DATA_TYPE_INT32, "DATA_TYPE_INT32"},
    Named<DataType>{DataType::DATA_TYPE_INT64, "DATA_TYPE_INT64"},
    Named<DataType>{DataType::DATA_TYPE_UINT8, "DATA_TYPE_UINT8"},
    Named<DataType>{DataType::DATA_TYPE_UINT16, "DATA_TYPE_UINT16"},
    Named<DataType>{DataType::DATA_TYPE_UINT32, "DATA_TYPE_UINT32"},
    Named<DataType>{DataType::DATA_TYPE_UINT64, "DATA_TYPE_UINT64"},
    Named<DataType>{DataType::DATA_TYPE_FLOAT16, "DATA_TYPE_FLOAT16"},
    Named<DataType>{DataType::DATA_TYPE_FLOAT32, "DATA_TYPE_FLOAT32"},
    Named<DataType>{DataType::DATA_TYPE_FLOAT64, "DATA_TYPE_FLOAT64"}};
constexpr const auto& all_names(DataType) { return names_of_DataType; }

enum class Format : std::int8_t { FORMAT_NONE = -1, FORMAT_NCHW = 0, FORMAT_NHWC = 1 };
inline constexpr std::array names_of_Format{Named<Format>{Format::FORMAT_NONE, "FORMAT_NONE"},
                                            Named<Format>{Format::FORMAT_NCHW, "FORMAT_NCHW"},
                                            Named<Format>{Format::FORMAT_NHWC, "FORMAT_NHWC"}};
constexpr const auto& all_names(Format) { return names_of_Format; }

enum class QuantType : std::int8_t { QUANT_TYPE_NONE = 0, QUANT_TYPE_ALL = 1 };
inline constexpr std::array names_of_QuantType{
    Named<QuantType>{QuantType::QUANT_TYPE_NONE, "QUANT_TYPE_NONE"},
    Named<QuantType>{QuantType::QUANT_TYPE_ALL, "QUANT_TYPE_ALL"}};
constexpr const auto& all_names(QuantType) { return names_of_QuantType; }

enum class ResizeMethod : std::int8_t {
  RESIZE_METHOD_UNKNOWN = -1,
  RESIZE_METHOD_LINEAR = 0,
  RESIZE_METHOD_NEAREST = 1,
  RESIZE_METHOD_CUBIC = 2
};
inline constexpr std::array names_of_ResizeMethod{
    Named<ResizeMethod>{ResizeMethod::RESIZE_METHOD_UNKNOWN, "RESIZE_METHOD_UNKNOWN"},
    Named<ResizeMethod>{ResizeMethod::RESIZE_METHOD_LINEAR, "RESIZE_METHOD_LINEAR"},
    Named<ResizeMethod>{ResizeMethod::RESIZE_METHOD_NEAREST, "RESIZE_METHOD_NEAREST"},
    Named<ResizeMethod>{ResizeMethod::RESIZE_METHOD_CUBIC, "RESIZE_METHOD_CUBIC"}};
constexpr const auto& all_names(ResizeMethod) { return names_of_ResizeMethod; }

enum class CoordinateTransformMode : std::int8_t {
  COORDINATE_TRANSFORM_MODE_ASYMMETRIC = 0,
  COORDINATE_TRANSFORM_MODE_ALIGN_CORNERS = 1,
  COORDINATE_TRANSFORM_MODE_HALF_PIXEL = 2
};
inline constexpr std::array names_of_CoordinateTransformMode{
    Named<CoordinateTransformMode>{CoordinateTransformMode::COORDINATE_TRANSFORM_MODE_ASYMMETRIC,
                                   "COORDINATE_TRANSFORM_MODE_ASYMMETRIC"},
    Named<CoordinateTransformMode>{CoordinateTransformMode::COORDINATE_TRANSFORM_MODE_ALIGN_CORNERS,
                                   "COORDINATE_TRANSFORM_MODE_ALIGN_CORNERS"},
    Named<CoordinateTransformMode>{CoordinateTransformMode::COORDINATE_TRANSFORM_MODE_HALF_PIXEL,
                                   "COORDINATE_TRANSFORM_MODE_HALF_PIXEL"}};
constexpr const auto& all_names(CoordinateTransformMode) {
  return names_of_CoordinateTransformMode;
}

enum class NearestMode : std::int8_t {
  NEAREST_MODE_NORMAL = 0,
  NEAREST_MODE_ROUND_HALF_DOWN = 1,
  NEAREST_MODE_ROUND_HALF_UP = 2,
  NEAREST_MODE_FLOOR = 3,
  NEAREST_MODE_CEIL = 4
};
inline constexpr std::array names_of_NearestMode{
    Named<NearestMode>{NearestMode::NEAREST_MODE_NORMAL, "NEAREST_MODE_NORMAL"},
    Named<NearestMode>{NearestMode::NEAREST_MODE_ROUND_HALF_DOWN, "NEAREST_MODE_ROUND_HALF_DOWN"},
    Named<NearestMode>{NearestMode::NEAREST_MODE_ROUND_HALF_UP, "NEAREST_MODE_ROUND_HALF_UP"},
    Named<NearestMode>{NearestMode::NEAREST_MODE_FLOOR, "NEAREST_MODE_FLOOR"},
    Named<NearestMode>{NearestMode::NEAREST_MODE_CEIL, "NEAREST_MODE_CEIL"}};
constexpr const auto& all_names(NearestMode) { return names_of_NearestMode; }

enum class ActivationType : std::int8_t {
  ACTIVATION_TYPE_NO_ACTIVATION = 0,
  ACTIVATION_TYPE_RELU = 1,
  ACTIVATION_TYPE_SIGMOID = 2,
  ACTIVATION_TYPE_RELU6 = 3,
  ACTIVATION_TYPE_ELU = 4,
  ACTIVATION_TYPE_LEAKY_RELU = 5,
  ACTIVATION_TYPE_ABS = 6,
  ACTIVATION_TYPE_RELU1 = 7,
  ACTIVATION_TYPE_SOFTSIGN = 8,
  ACTIVATION_TYPE_SOFTPLUS = 9,
  ACTIVATION_TYPE_TANH = 10,
  ACTIVATION_TYPE_SELU = 11,
  ACTIVATION_TYPE_HSWISH = 12,
  ACTIVATION_TYPE_HSIGMOID = 13,
  ACTIVATION_TYPE_THRESHOLDRELU = 14,
  ACTIVATION_TYPE_LINEAR = 15,
  ACTIVATION_TYPE_HARD_TANH = 16,
  ACTIVATION_TYPE_SIGN = 17,
  ACTIVATION_TYPE_SWISH = 18,
  ACTIVATION_TYPE_GELU = 19,
  ACTIVATION_TYPE_UNKNOWN = 20
};
inline constexpr std::array names_of_ActivationType{
    Named<ActivationType>{ActivationType::ACTIVATION_TYPE_NO_ACTIVATION,
                          "ACTIVATION_TYPE_NO_ACTIVATION"},
    Named<ActivationType>{ActivationType::ACTIVATION_TYPE_RELU, "ACTIVATION_TYPE_RELU"},
    Named<ActivationType>{ActivationType::ACTIVATION_TYPE_SIGMOID, "ACTIVATION_TYPE_SIGMOID"},
    Named<ActivationType>{ActivationType::ACTIVATION_TYPE_RELU6, "ACTIVATION_TYPE_RELU6"},
    Named<ActivationType>{ActivationType::ACTIVATION_TYPE_ELU, "ACTIVATION_TYPE_ELU"},
    Named<ActivationType>{ActivationType::ACTIVATION_TYPE_LEAKY_RELU, "ACTIVATION_TYPE_LEAKY_RELU"},
    Named<ActivationType>{ActivationType::ACTIVATION_TYPE_ABS, "ACTIVATION_TYPE_ABS"},
    Named<ActivationType>{ActivationType::ACTIVATION_TYPE_RELU1, "ACTIVATION_TYPE_RELU1"},
    Named<ActivationType>{ActivationType::ACTIVATION_TYPE_SOFTSIGN, "ACTIVATION_TYPE_SOFTSIGN"},
    Named<ActivationType>{ActivationType::ACTIVATION_TYPE_SOFTPLUS, "ACTIVATION_TYPE_SOFTPLUS"},
    Named<ActivationType>{ActivationType::ACTIVATION_TYPE_TANH, "ACTIVATION_TYPE_TANH"},
    Named<ActivationType>{ActivationType::ACTIVATION_TYPE_SELU, "ACTIVATION_TYPE_SELU"},
    Named<ActivationType>{ActivationType::ACTIVATION_TYPE_HSWISH, "ACTIVATION_TYPE_HSWISH"},
    Named<ActivationType>{ActivationType::ACTIVATION_TYPE_HSIGMOID, "ACTIVATION_TYPE_HSIGMOID"},
    Named<ActivationType>{ActivationType::ACTIVATION_TYPE_THRESHOLDRELU,
                          "ACTIVATION_TYPE_THRESHOLDRELU"},
    Named<ActivationType>{ActivationType::ACTIVATION_TYPE_LINEAR, "ACTIVATION_TYPE_LINEAR"},
    Named<ActivationType>{ActivationType::ACTIVATION_TYPE_HARD_TANH, "ACTIVATION_TYPE_HARD_TANH"},
    Named<ActivationType>{ActivationType::ACTIVATION_TYPE_SIGN, "ACTIVATION_TYPE_SIGN"},
    Named<ActivationType>{ActivationType::ACTIVATION_TYPE_SWISH, "ACTIVATION_TYPE_SWISH"},
    Named<ActivationType>{ActivationType::ACTIVATION_TYPE_GELU, "ACTIVATION_TYPE_GELU"},
    Named<ActivationType>{ActivationType::ACTIVATION_TYPE_UNKNOWN, "ACTIVATION_TYPE_UNKNOWN"}};
constexpr const auto& all_names(ActivationType) { return names_of_ActivationType; }

enum class ReduceMode : std::int8_t {
  REDUCE_MODE_MEAN = 0,
  REDUCE_MODE_MAX = 1,
  REDUCE_MODE_MIN = 2,
  REDUCE_MODE_PROD = 3,
  REDUCE_MODE_SUM = 4,
  REDUCE_MODE_SUM_SQUARE = 5,
  REDUCE_MODE_ASUM = 6,
  REDUCE_MODE_ALL = 7,
  REDUCE_MODE_L2 = 8
};
inline constexpr std::array names_of_ReduceMode{
    Named<ReduceMode>{ReduceMode::REDUCE_MODE_MEAN, "REDUCE_MODE_MEAN"},
    Named<ReduceMode>{ReduceMode::REDUCE_MODE_MAX, "REDUCE_MODE_MAX"},
    Named<ReduceMode>{ReduceMode::REDUCE_MODE_MIN, "REDUCE_MODE_MIN"},
    Named<ReduceMode>{ReduceMode::REDUCE_MODE_PROD, "REDUCE_MODE_PROD"},
    Named<ReduceMode>{ReduceMode::REDUCE_MODE_SUM, "REDUCE_MODE_SUM"},
    Named<ReduceMode>{ReduceMode::REDUCE_MODE_SUM_SQUARE, "REDUCE_MODE_SUM_SQUARE"},
    Named<ReduceMode>{ReduceMode::REDUCE_MODE_ASUM, "REDUCE_MODE_ASUM"},
    Named<ReduceMode>{ReduceMode::REDUCE_MODE_ALL, "REDUCE_MODE_ALL"},
    Named<ReduceMode>{ReduceMode::REDUCE_MODE_L2, "REDUCE_MODE_L2"}};
constexpr const auto& all_names(ReduceMode) { return names_of_ReduceMode; }

enum class EltwiseMode : std::int8_t {
  ELTWISE_MODE_PROD = 0,
  ELTWISE_MODE_SUM = 1,
  ELTWISE_MODE_MAXIMUM = 2,
  ELTWISE_MODE_UNKNOWN = 3
};
inline constexpr std::array names_of_EltwiseMode{
    Named<EltwiseMode>{EltwiseMode::ELTWISE_MODE_PROD, "ELTWISE_MODE_PROD"},
    Named<EltwiseMode>{EltwiseMode::ELTWISE_MODE_SUM, "ELTWISE_MODE_SUM"},
    Named<EltwiseMode>{EltwiseMode::ELTWISE_MODE_MAXIMUM, "ELTWISE_MODE_MAXIMUM"},
    Named<EltwiseMode>{EltwiseMode::ELTWISE_MODE_UNKNOWN, "ELTWISE_MODE_UNKNOWN"}};
constexpr const auto& all_names(EltwiseMode) { return names_of_EltwiseMode; }

enum class PadMode : std::int8_t { PAD_MODE_PAD = 0, PAD_MODE_SAME = 1, PAD_MODE_VALID = 2 };
inline constexpr std::array names_of_PadMode{
    Named<PadMode>{PadMode::PAD_MODE_PAD, "PAD_MODE_PAD"},
    Named<PadMode>{PadMode::PAD_MODE_SAME, "PAD_MODE_SAME"},
    Named<PadMode>{PadMode::PAD_MODE_VALID, "PAD_MODE_VALID"}};
constexpr const auto& all_names(PadMode) { return names_of_PadMode; }

enum class RoundMode : std::int8_t { ROUND_MODE_FLOOR = 0, ROUND_MODE_CEIL = 1 };
inline constexpr std::array names_of_RoundMode{
    Named<RoundMode>{RoundMode::ROUND_MODE_FLOOR, "ROUND_MODE_FLOOR"},
    Named<RoundMode>{RoundMode::ROUND_MODE_CEIL, "ROUND_MODE_CEIL"}};
constexpr const auto& all_names(RoundMode) { return names_of_RoundMode; }

enum class PaddingMode : std::int8_t {
  PADDING_MODE_CONSTANT = 0,
  PADDING_MODE_REFLECT = 1,
  PADDING_MODE_SYMMETRIC = 2,
  PADDING_MODE_RESERVED = 3
};
inline constexpr std::array names_of_PaddingMode{
    Named<PaddingMode>{PaddingMode::PADDING_MODE_CONSTANT, "PADDING_MODE_CONSTANT"},
    Named<PaddingMode>{PaddingMode::PADDING_MODE_REFLECT, "PADDING_MODE_REFLECT"},
    Named<PaddingMode>{PaddingMode::PADDING_MODE_SYMMETRIC, "PADDING_MODE_SYMMETRIC"},
    Named<PaddingMode>{PaddingMode::PADDING_MODE_RESERVED, "PADDING_MODE_RESERVED"}};
constexpr const auto& all_names(PaddingMode) { return names_of_PaddingMode; }

enum class NodeType : std::uint32_t {
  NODE_TYPE_NONE = 0,
  NODE_TYPE_ABS = 1,
  NODE_TYPE_ACTIVATION = 2,
  NODE_TYPE_ADD_FUSION = 5,
  NODE_TYPE_ALL = 9,
  NODE_TYPE_ARGMAX_FUSION = 11,
  NODE_TYPE_ASSERT = 13,
  NODE_TYPE_AVGPOOL_FUSION = 17,
  NODE_TYPE_BATCH_TO_SPACE_ND = 22,
  NODE_TYPE_BIAS_ADD = 23,
  NODE_TYPE_BROADCAST_TO = 27,
  NODE_TYPE_CAST = 28,
  NODE_TYPE_CEIL = 29,
  NODE_TYPE_CLIP = 30,
  NODE_TYPE_CONCAT = 31,
  NODE_TYPE_CONV2D_FUSION = 35,
  NODE_TYPE_CONV2D_TRANSPOSE_FUSION = 36,
  NODE_TYPE_COS = 37,
  NODE_TYPE_CONSTANT_OF_SHAPE = 38,
  NODE_TYPE_CROP = 39,
  NODE_TYPE_DEPTH_TO_SPACE = 45,
  NODE_TYPE_DETECTION_POST_PROCESS = 46,
  NODE_TYPE_DIV_FUSION = 47,
  NODE_TYPE_ELTWISE = 52,
  NODE_TYPE_EQUAL = 53,
  NODE_TYPE_EXPFUSION = 55,
  NODE_TYPE_EXPAND_DIMS = 56,
  NODE_TYPE_FLATTEN = 61,
  NODE_TYPE_FLOOR = 63,
  NODE_TYPE_FILL = 66,
  NODE_TYPE_FULL_CONNECTION = 67,
  NODE_TYPE_FUSED_BATCH_NORM = 68,
  NODE_TYPE_GATHER = 69,
  NODE_TYPE_GATHER_ND = 70,
  NODE_TYPE_GREATER = 71,
  NODE_TYPE_GREATER_EQUAL = 72,
  NODE_TYPE_INSTANCE_NORM = 74,
  NODE_TYPE_LAYER_NORM_FUSION = 75,
  NODE_TYPE_LEAKY_RELU = 76,
  NODE_TYPE_LESS = 77,
  NODE_TYPE_LESS_EQUAL = 78,
  NODE_TYPE_LOG = 79,
  NODE_TYPE_LOGICAL_AND = 81,
  NODE_TYPE_LOGICAL_NOT = 82,
  NODE_TYPE_LOGICAL_OR = 83,
  NODE_TYPE_LRN = 85,
  NODE_TYPE_LSTM = 87,
  NODE_TYPE_L2_NORMALIZE_FUSION = 88,
  NODE_TYPE_MATMUL_FUSION = 89,
  NODE_TYPE_MAXIMUM = 90,
  NODE_TYPE_MAX_POOL_FUSION = 92,
  NODE_TYPE_MINIMUM = 96,
  NODE_TYPE_MOD = 98,
  NODE_TYPE_MUL_FUSION = 99,
  NODE_TYPE_NEG = 101,
  NODE_TYPE_NOT_EQUAL = 103,
  NODE_TYPE_ONE_HOT = 105,
  NODE_TYPE_PAD_FUSION = 107,
  NODE_TYPE_POW_FUSION = 110,
  NODE_TYPE_PRELU_FUSION = 112,
  NODE_TYPE_QUANT_DTYPE_CAST = 113,
  NODE_TYPE_RANK = 114,
  NODE_TYPE_RANGE = 115,
  NODE_TYPE_RECIPROCAL = 116,
  NODE_TYPE_REAL_DIV = 117,
  NODE_TYPE_REDUCE_FUSION = 118,
  NODE_TYPE_RESHAPE = 119,
  NODE_TYPE_RESIZE = 120,
  NODE_TYPE_ROUND = 125,
  NODE_TYPE_RSQRT = 126,
  NODE_TYPE_SCALE_FUSION = 127,
  NODE_TYPE_SCATTER_ND = 128,
  NODE_TYPE_SHAPE = 130,
  NODE_TYPE_SIN = 133,
  NODE_TYPE_SLICE_FUSION = 135,
  NODE_TYPE_SOFTMAX = 138,
  NODE_TYPE_SPACE_TO_BATCH_ND = 141,
  NODE_TYPE_SPACE_TO_DEPTH = 142,
  NODE_TYPE_SPARSE_TO_DENSE = 144,
  NODE_TYPE_SPLIT = 145,
  NODE_TYPE_SQRT = 146,
  NODE_TYPE_SQUEEZE = 147,
  NODE_TYPE_SQUARE = 148,
  NODE_TYPE_SQUARED_DIFFERENCE = 149,
  NODE_TYPE_STACK = 150,
  NODE_TYPE_STRIDED_SLICE = 151,
  NODE_TYPE_SUB_FUSION = 152,
  NODE_TYPE_TILE_FUSION = 160,
  NODE_TYPE_TOPK_FUSION = 161,
  NODE_TYPE_TRANSPOSE = 162,
  NODE_TYPE_UNSQUEEZE = 165,
  NODE_TYPE_UNSTACK = 166,
  NODE_TYPE_WHERE = 168,
  NODE_TYPE_SELECT = 170,
  NODE_TYPE_ERF = 178,
  NODE_TYPE_LOG_SOFTMAX = 189,
  NODE_TYPE_QUANT_DTYPE_CAST_V2 = 999
};
inline constexpr std::array names_of_NodeType{
    Named<NodeType>{NodeType::NODE_TYPE_NONE, "NODE_TYPE_NONE"},
    Named<NodeType>{NodeType::NODE_TYPE_ABS, "NODE_TYPE_ABS"},
    Named<NodeType>{NodeType::NODE_TYPE_ACTIVATION, "NODE_TYPE_ACTIVATION"},
    Named<NodeType>{NodeType::NODE_TYPE_ADD_FUSION, "NODE_TYPE_ADD_FUSION"},
    Named<NodeType>{NodeType::NODE_TYPE_ALL, "NODE_TYPE_ALL"},
    Named<NodeType>{NodeType::NODE_TYPE_ARGMAX_FUSION, "NODE_TYPE_ARGMAX_FUSION"},
    Named<NodeType>{NodeType::NODE_TYPE_ASSERT, "NODE_TYPE_ASSERT"},
    Named<NodeType>{NodeType::NODE_TYPE_AVGPOOL_FUSION, "NODE_TYPE_AVGPOOL_FUSION"},
    Named<NodeType>{NodeType::NODE_TYPE_BATCH_TO_SPACE_ND, "NODE_TYPE_BATCH_TO_SPACE_ND"},
    Named<NodeType>{NodeType::NODE_TYPE_BIAS_ADD, "NODE_TYPE_BIAS_ADD"},
    Named<NodeType>{NodeType::NODE_TYPE_BROADCAST_TO, "NODE_TYPE_BROADCAST_TO"},
    Named<NodeType>{NodeType::NODE_TYPE_CAST, "NODE_TYPE_CAST"},
    Named<NodeType>{NodeType::NODE_TYPE_CEIL, "NODE_TYPE_CEIL"},
    Named<NodeType>{NodeType::NODE_TYPE_CLIP, "NODE_TYPE_CLIP"},
    Named<NodeType>{NodeType::NODE_TYPE_CONCAT, "NODE_TYPE_CONCAT"},
    Named<NodeType>{NodeType::NODE_TYPE_CONV2D_FUSION, "NODE_TYPE_CONV2D_FUSION"},
    Named<NodeType>{NodeType::NODE_TYPE_CONV2D_TRANSPOSE_FUSION,
                    "NODE_TYPE_CONV2D_TRANSPOSE_FUSION"},
    Named<NodeType>{NodeType::NODE_TYPE_COS, "NODE_TYPE_COS"},
    Named<NodeType>{NodeType::NODE_TYPE_CONSTANT_OF_SHAPE, "NODE_TYPE_CONSTANT_OF_SHAPE"},
    Named<NodeType>{NodeType::NODE_TYPE_CROP, "NODE_TYPE_CROP"},
    Named<NodeType>{NodeType::NODE_TYPE_DEPTH_TO_SPACE, "NODE_TYPE_DEPTH_TO_SPACE"},
    Named<NodeType>{NodeType::NODE_TYPE_DETECTION_POST_PROCESS, "NODE_TYPE_DETECTION_POST_PROCESS"},
    Named<NodeType>{NodeType::NODE_TYPE_DIV_FUSION, "NODE_TYPE_DIV_FUSION"},
    Named<NodeType>{NodeType::NODE_TYPE_ELTWISE, "NODE_TYPE_ELTWISE"},
    Named<NodeType>{NodeType::NODE_TYPE_EQUAL, "NODE_TYPE_EQUAL"},
    Named<NodeType>{NodeType::NODE_TYPE_EXPFUSION, "NODE_TYPE_EXPFUSION"},
    Named<NodeType>{NodeType::NODE_TYPE_EXPAND_DIMS, "NODE_TYPE_EXPAND_DIMS"},
    Named<NodeType>{NodeType::NODE_TYPE_FLATTEN, "NODE_TYPE_FLATTEN"},
    Named<NodeType>{NodeType::NODE_TYPE_FLOOR, "NODE_TYPE_FLOOR"},
    Named<NodeType>{NodeType::NODE_TYPE_FILL, "NODE_TYPE_FILL"},
    Named<NodeType>{NodeType::NODE_TYPE_FULL_CONNECTION, "NODE_TYPE_FULL_CONNECTION"},
    Named<NodeType>{NodeType::NODE_TYPE_FUSED_BATCH_NORM, "NODE_TYPE_FUSED_BATCH_NORM"},
    Named<NodeType>{NodeType::NODE_TYPE_GATHER, "NODE_TYPE_GATHER"},
    Named<NodeType>{NodeType::NODE_TYPE_GATHER_ND, "NODE_TYPE_GATHER_ND"},
    Named<NodeType>{NodeType::NODE_TYPE_GREATER, "NODE_TYPE_GREATER"},
    Named<NodeType>{NodeType::NODE_TYPE_GREATER_EQUAL, "NODE_TYPE_GREATER_EQUAL"},
    Named<NodeType>{NodeType::NODE_TYPE_INSTANCE_NORM, "NODE_TYPE_INSTANCE_NORM"},
    Named<NodeType>{NodeType::NODE_TYPE_LAYER_NORM_FUSION, "NODE_TYPE_LAYER_NORM_FUSION"},
    Named<NodeType>{NodeType::NODE_TYPE_LEAKY_RELU, "NODE_TYPE_LEAKY_RELU"},
    Named<NodeType>{NodeType::NODE_TYPE_LESS, "NODE_TYPE_LESS"},
    Named<NodeType>{NodeType::NODE_TYPE_LESS_EQUAL, "NODE_TYPE_LESS_EQUAL"},
    Named<NodeType>{NodeType::NODE_TYPE_LOG, "NODE_TYPE_LOG"},
    Named<NodeType>{NodeType::NODE_TYPE_LOGICAL_AND, "NODE_TYPE_LOGICAL_AND"},
    Named<NodeType>{NodeType::NODE_TYPE_LOGICAL_NOT, "NODE_TYPE_LOGICAL_NOT"},
    Named<NodeType>{NodeType::NODE_TYPE_LOGICAL_OR, "NODE_TYPE_LOGICAL_OR"},
    Named<NodeType>{NodeType::NODE_TYPE_LRN, "NODE_TYPE_LRN"},
    Named<NodeType>{NodeType::NODE_TYPE_LSTM, "NODE_TYPE_LSTM"},
    Named<NodeType>{NodeType::NODE_TYPE_L2_NORMALIZE_FUSION, "NODE_TYPE_L2_NORMALIZE_FUSION"},
    Named<NodeType>{NodeType::NODE_TYPE_MATMUL_FUSION, "NODE_TYPE_MATMUL_FUSION"},
    Named<NodeType>{NodeType::NODE_TYPE_MAXIMUM, "NODE_TYPE_MAXIMUM"},
    Named<NodeType>{NodeType::NODE_TYPE_MAX_POOL_FUSION, "NODE_TYPE_MAX_POOL_FUSION"},
    Named<NodeType>{NodeType::NODE_TYPE_MINIMUM, "NODE_TYPE_MINIMUM"},
    Named<NodeType>{NodeType::NODE_TYPE_MOD, "NODE_TYPE_MOD"},
    Named<NodeType>{NodeType::NODE_TYPE_MUL_FUSION, "NODE_TYPE_MUL_FUSION"},
    Named<NodeType>{NodeType::NODE_TYPE_NEG, "NODE_TYPE_NEG"},
    Named<NodeType>{NodeType::NODE_TYPE_NOT_EQUAL, "NODE_TYPE_NOT_EQUAL"},
    Named<NodeType>{NodeType::NODE_TYPE_ONE_HOT, "NODE_TYPE_ONE_HOT"},
    Named<NodeType>{NodeType::NODE_TYPE_PAD_FUSION, "NODE_TYPE_PAD_FUSION"},
    Named<NodeType>{NodeType::NODE_TYPE_POW_FUSION, "NODE_TYPE_POW_FUSION"},
    Named<NodeType>{NodeType::NODE_TYPE_PRELU_FUSION, "NODE_TYPE_PRELU_FUSION"},
    Named<NodeType>{NodeType::NODE_TYPE_QUANT_DTYPE_CAST, "NODE_TYPE_QUANT_DTYPE_CAST"},
    Named<NodeType>{NodeType::NODE_TYPE_RANK, "NODE_TYPE_RANK"},
    Named<NodeType>{NodeType::NODE_TYPE_RANGE, "NODE_TYPE_RANGE"},
    Named<NodeType>{NodeType::NODE_TYPE_RECIPROCAL, "NODE_TYPE_RECIPROCAL"},
    Named<NodeType>{NodeType::NODE_TYPE_REAL_DIV, "NODE_TYPE_REAL_DIV"},
    Named<NodeType>{NodeType::NODE_TYPE_REDUCE_FUSION, "NODE_TYPE_REDUCE_FUSION"},
    Named<NodeType>{NodeType::NODE_TYPE_RESHAPE, "NODE_TYPE_RESHAPE"},
    Named<NodeType>{NodeType::NODE_TYPE_RESIZE, "NODE_TYPE_RESIZE"},
    Named<NodeType>{NodeType::NODE_TYPE_ROUND, "NODE_TYPE_ROUND"},
    Named<NodeType>{NodeType::NODE_TYPE_RSQRT, "NODE_TYPE_RSQRT"},
    Named<NodeType>{NodeType::NODE_TYPE_SCALE_FUSION, "NODE_TYPE_SCALE_FUSION"},
    Named<NodeType>{NodeType::NODE_TYPE_SCATTER_ND, "NODE_TYPE_SCATTER_ND"},
    Named<NodeType>{NodeType::NODE_TYPE_SHAPE, "NODE_TYPE_SHAPE"},
    Named<NodeType>{NodeType::NODE_TYPE_SIN, "NODE_TYPE_SIN"},
    Named<NodeType>{NodeType::NODE_TYPE_SLICE_FUSION, "NODE_TYPE_SLICE_FUSION"},
    Named<NodeType>{NodeType::NODE_TYPE_SOFTMAX, "NODE_TYPE_SOFTMAX"},
    Named<NodeType>{NodeType::NODE_TYPE_SPACE_TO_BATCH_ND, "NODE_TYPE_SPACE_TO_BATCH_ND"},
    Named<NodeType>{NodeType::NODE_TYPE_SPACE_TO_DEPTH, "NODE_TYPE_SPACE_TO_DEPTH"},
    Named<NodeType>{NodeType::NODE_TYPE_SPARSE_TO_DENSE, "NODE_TYPE_SPARSE_TO_DENSE"},
    Named<NodeType>{NodeType::NODE_TYPE_SPLIT, "NODE_TYPE_SPLIT"},
    Named<NodeType>{NodeType::NODE_TYPE_SQRT, "NODE_TYPE_SQRT"},
    Named<NodeType>{NodeType::NODE_TYPE_SQUEEZE, "NODE_TYPE_SQUEEZE"},
    Named<NodeType>{NodeType::NODE_TYPE_SQUARE, "NODE_TYPE_SQUARE"},
    Named<NodeType>{NodeType::NODE_TYPE_SQUARED_DIFFERENCE, "NODE_TYPE_SQUARED_DIFFERENCE"},
    Named<NodeType>{NodeType::NODE_TYPE_STACK, "NODE_TYPE_STACK"},
    Named<NodeType>{NodeType::NODE_TYPE_STRIDED_SLICE, "NODE_TYPE_STRIDED_SLICE"},
    Named<NodeType>{NodeType::NODE_TYPE_SUB_FUSION, "NODE_TYPE_SUB_FUSION"},
    Named<NodeType>{NodeType::NODE_TYPE_TILE_FUSION, "NODE_TYPE_TILE_FUSION"},
    Named<NodeType>{NodeType::NODE_TYPE_TOPK_FUSION, "NODE_TYPE_TOPK_FUSION"},
    Named<NodeType>{NodeType::NODE_TYPE_TRANSPOSE, "NODE_TYPE_TRANSPOSE"},
    Named<NodeType>{NodeType::NODE_TYPE_UNSQUEEZE, "NODE_TYPE_UNSQUEEZE"},
    Named<NodeType>{NodeType::NODE_TYPE_UNSTACK, "NODE_TYPE_UNSTACK"},
    Named<NodeType>{NodeType::NODE_TYPE_WHERE, "NODE_TYPE_WHERE"},
    Named<NodeType>{NodeType::NODE_TYPE_SELECT, "NODE_TYPE_SELECT"},
    Named<NodeType>{NodeType::NODE_TYPE_ERF, "NODE_TYPE_ERF"},
    Named<NodeType>{NodeType::NODE_TYPE_LOG_SOFTMAX, "NODE_TYPE_LOG_SOFTMAX"},
    Named<NodeType>{NodeType::NODE_TYPE_QUANT_DTYPE_CAST_V2, "NODE_TYPE_QUANT_DTYPE_CAST_V2"}};
constexpr const auto& all_names(NodeType) { return names_of_NodeType; }

}  // namespace webnn::inline v0_1::nnrt
