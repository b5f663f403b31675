// Versions of operators, and the releases of the runtime that brought them. The rules are those of
// TensorFlow Lite's converter: tensorflow/lite/tools/versioning/{op,runtime}_version.cc. Only what
// is exported is here: no INT16, no strings, no hybrid operators.
#include "src/formats/tflite/export/model.h"

namespace webnn::inline v0_1::tflite::exporter {
namespace {

using enum BuiltinOperator;

std::size_t max_rank_of(const ModelRecord& model, const OperatorRecord& op) {
  std::size_t rank = 0;
  for (const Value x : op.inputs)
    if (x) rank = std::max(rank, model[x].spec.shape.size());
  return rank;
}
bool broadcasts(const ModelRecord& model, const OperatorRecord& op) {
  return model[op.inputs[0]].spec.shape != model[op.inputs[1]].spec.shape;
}

int multiplication(const ModelRecord& model, const OperatorRecord& op) {
  const auto& [type, shape, a] = model[op.inputs[0]].spec;
  if (type == TensorType::INT64) return 5;
  const auto& b = model[op.inputs[1]].spec.quantizer;
  const auto& y = model[op.outputs[0]].spec.quantizer;
  if (a && b && y && a->scale[0] * b->scale[0] / y->scale[0] >= 1) return 3;
  return type == TensorType::INT8 ? 2 : 1;
}

/// Numbers times quantized weights.
bool is_hybrid(const ModelRecord& model, const OperatorRecord& op) {
  return model[op.inputs[0]].spec.type == TensorType::FLOAT32 &&
         model[op.inputs[1]].spec.type == TensorType::INT8;
}
bool has_channels(const ModelRecord& model, const OperatorRecord& op) {
  return !model[op.inputs[1]].spec.quantizer->per_tensor();
}

int fully_connected(const ModelRecord& model, const OperatorRecord& op) {
  const auto* options = op.options.AsFullyConnectedOptions();
  if (is_hybrid(model, op) && options->asymmetric_quantize_inputs) return 9;
  if (op.inputs.size() == 2) return 6;
  if (is_hybrid(model, op)) return 3;
  if (options && options->keep_num_dims) return 5;
  return model[op.inputs[0]].spec.type == TensorType::INT8 ? 4 : 1;
}

int depthwise(const ModelRecord& model, const OperatorRecord& op, bool int8) {
  if (is_hybrid(model, op)) return has_channels(model, op) ? 6 : 4;
  const auto* options = op.options.AsDepthwiseConv2DOptions();
  if (int8) return 3;
  return options->dilation_w_factor != 1 || options->dilation_h_factor != 1 ? 2 : 1;
}

int cast(TensorType from, TensorType to) {
  for (const auto& [type, version] :
       {std::pair(TensorType::INT8, 3), std::pair(TensorType::UINT32, 2)})
    if (from == type || to == type) return version;
  return 1;
}

struct Runtime {
  BuiltinOperator code;
  int version;
  std::pair<int, int> release;
};

/// What came after 2.1; everything else counts as 2.1.
constexpr Runtime runtimes[] = {
    {ABS, 2, {2, 4}},
    {ABS, 5, {2, 12}},
    {ADD, 4, {2, 6}},
    {ARG_MAX, 3, {2, 9}},
    {ARG_MIN, 3, {2, 9}},
    {BATCH_MATMUL, 1, {2, 3}},
    {BATCH_MATMUL, 2, {2, 3}},
    {BROADCAST_TO, 2, {2, 5}},
    {BROADCAST_TO, 3, {2, 5}},
    {CAST, 2, {2, 7}},
    {CAST, 3, {2, 8}},
    {CONV_2D, 5, {2, 4}},
    {CUMSUM, 1, {2, 4}},
    {DEPTHWISE_CONV_2D, 4, {2, 2}},
    {DEPTHWISE_CONV_2D, 6, {2, 3}},
    {DEQUANTIZE, 5, {2, 7}},
    {DIV, 2, {2, 3}},
    {FULLY_CONNECTED, 9, {2, 3}},
    {GATHER_ND, 5, {2, 13}},
    {GELU, 1, {2, 9}},
    {MAXIMUM, 3, {2, 3}},
    {MINIMUM, 3, {2, 3}},
    {MUL, 5, {2, 6}},
    {PAD, 4, {2, 6}},
    {PADV2, 4, {2, 6}},
    {RELU, 2, {2, 1}},
    {RESIZE_BILINEAR, 3, {2, 2}},
    {RESIZE_NEAREST_NEIGHBOR, 3, {2, 3}},
    {REVERSE_V2, 2, {2, 2}},
    {SCATTER_ND, 1, {2, 1}},
    {SELECT_V2, 1, {2, 2}},
    {SLICE, 5, {2, 5}},
    {SQUARED_DIFFERENCE, 2, {2, 5}},
    {STRIDED_SLICE, 4, {2, 2}},
    {SUB, 3, {2, 3}},
    {SUB, 4, {2, 4}},
    {TILE, 3, {2, 8}},
    {TRANSPOSE, 4, {2, 3}},
    {TRANSPOSE_CONV, 2, {2, 2}},
    {TRANSPOSE_CONV, 3, {2, 3}},
};

}  // namespace

int version_of(const ModelRecord& model, const OperatorRecord& op) {
  if (op.code == BuiltinOperator::CUSTOM) return op.custom_version;
  const auto& [type, shape, quantizer] = model[op.inputs[0]].spec;
  const bool int8 = type == TensorType::INT8;
  switch (op.code) {
    case CONV_2D:
      if (is_hybrid(model, op)) return has_channels(model, op) ? 5 : 2;
      return int8 ? 3 : 1;
    case DEPTHWISE_CONV_2D: return depthwise(model, op, int8);
    case FULLY_CONNECTED: return fully_connected(model, op);
    case TRANSPOSE_CONV:
      return op.inputs.size() == 4 ? 3 : model[op.inputs[1]].spec.type == TensorType::INT8 ? 2 : 1;
    case MUL: return multiplication(model, op);
    case ADD: return type == TensorType::INT64 ? 4 : int8 ? 2 : 1;
    case SUB:
      if (type == TensorType::INT64) return 4;
      if (broadcasts(model, op) && max_rank_of(model, op) > 4) return 3;
      return int8 ? 2 : 1;
    case DIV: return broadcasts(model, op) && max_rank_of(model, op) > 4 ? 2 : 1;
    case MAXIMUM:
    case MINIMUM:
      if (broadcasts(model, op) && max_rank_of(model, op) > 4) return 3;
      return int8 ? 2 : 1;
    case TRANSPOSE:
      if (shape.size() > 4) return 4;
      return type == TensorType::BOOL ? 3 : int8 ? 2 : 1;
    case SLICE: return shape.size() > 4 ? 5 : int8 ? 2 : 1;
    case STRIDED_SLICE: return shape.size() > 4 ? 4 : type == TensorType::BOOL ? 3 : int8 ? 2 : 1;
    case PAD:
    case PADV2: return shape.size() > 4 ? 4 : int8 ? 2 : 1;
    case GATHER: return type == TensorType::BOOL ? 3 : int8 ? 2 : 1;
    case GATHER_ND: return type == TensorType::BOOL ? 5 : 1;
    case SPLIT: {
      const TensorType whole = model[op.inputs[1]].spec.type;
      return whole == TensorType::INT32 ? 3 : whole == TensorType::INT8 ? 2 : 1;
    }
    case DEQUANTIZE:
      if (type == TensorType::FLOAT16) return 3;
      return quantizer && !quantizer->per_tensor() ? 5 : int8 ? 2 : 1;
    case REVERSE_V2: return int8 ? 3 : type == TensorType::BOOL ? 2 : 1;
    case RESIZE_BILINEAR:
    case RESIZE_NEAREST_NEIGHBOR: return 3;
    case TILE: return int8 ? 3 : 1;
    case BROADCAST_TO: return int8 ? 3 : 2;
    case CAST: return cast(type, model[op.outputs[0]].spec.type);
    case ABS: return type == TensorType::INT32 ? 5 : int8 || type == TensorType::UINT8 ? 2 : 1;
    case RELU:
    case GELU: return int8 || type == TensorType::UINT8 ? 2 : 1;
    case ARG_MAX:
    case ARG_MIN: return type == TensorType::BOOL ? 3 : int8 ? 2 : 1;
    case MAX_POOL_2D:
    case AVERAGE_POOL_2D:
    case TANH:
    case LOGISTIC:
    case EQUAL:
    case NOT_EQUAL:
    case LESS:
    case LESS_EQUAL:
    case GREATER:
    case GREATER_EQUAL:
    case BATCH_MATMUL:
    case CONCATENATION:
    case SOFTMAX:
    case MEAN:
    case MIRROR_PAD:
    case REDUCE_MAX:
    case REDUCE_MIN:
    case REDUCE_PROD:
    case RELU6:
    case RSQRT:
    case SPLIT_V:
    case SUM:
    case SQUARED_DIFFERENCE:
    case TOPK_V2: return int8 ? 2 : 1;
    default: return 1;
  }
}

std::pair<int, int> runtime_of(BuiltinOperator code, int version) {
  for (const Runtime& r : runtimes)
    if (r.code == code && r.version == version) return r.release;
  return {2, 1};
}

}  // namespace webnn::inline v0_1::tflite::exporter
