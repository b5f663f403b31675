#include "src/formats/tflite/export/accepts.h"

namespace webnn::inline v0_1::tflite::exporter {
namespace {

using enum BuiltinOperator;

constexpr std::uint32_t bit(TensorType type) { return 1u << static_cast<int>(type); }

constexpr std::uint32_t f32 = bit(TensorType::FLOAT32), f16 = bit(TensorType::FLOAT16),
                        i32 = bit(TensorType::INT32), i64 = bit(TensorType::INT64),
                        u32 = bit(TensorType::UINT32), boolean = bit(TensorType::BOOL),
                        bytes = bit(TensorType::INT8) | bit(TensorType::UINT8);
constexpr std::uint32_t numbers = f32 | i32 | i64;

/// The types of the operand that decides. 8-bit types are listed where the runtime supports them
/// without quantization, or where the exporter only writes the quantized operator.
constexpr std::uint32_t accepted(BuiltinOperator code) {
  switch (code) {
    case RESHAPE: return ~0u;
    case ADD:
    case SUB:
    case MUL: return numbers | bytes;
    case DIV: return f32 | i32;
    case POW: return f32 | i32;
    case MAXIMUM:
    case MINIMUM: return numbers | bytes;
    case NEG:
    case FLOOR_MOD: return numbers;
    case SUM:
    case REDUCE_MAX:
    case REDUCE_MIN:
    case MEAN: return numbers | bytes;
    case REDUCE_PROD:
    case CUMSUM: return numbers;
    case EQUAL:
    case NOT_EQUAL: return numbers | boolean | bytes;
    case LESS:
    case LESS_EQUAL:
    case GREATER:
    case GREATER_EQUAL: return numbers | bytes;
    case LOGICAL_AND:
    case LOGICAL_OR:
    case LOGICAL_NOT: return boolean;
    case CAST: return numbers | bytes | boolean | u32;
    case DEQUANTIZE: return bytes | f16;
    case QUANTIZE: return f32 | bytes;
    case SELECT_V2:
    case TRANSPOSE:
    case SLICE:
    case STRIDED_SLICE:
    case CONCATENATION:
    case GATHER:
    case TILE: return numbers | bytes | boolean;
    case BROADCAST_TO:
    case GATHER_ND:
    case SCATTER_ND:
    case PAD:
    case PADV2:
    case MIRROR_PAD:
    case SPLIT_V: return numbers | bytes;
    case SPLIT: return f32 | i32 | bytes;
    case REVERSE_V2: return numbers | bit(TensorType::UINT8) | boolean;
    case ARG_MAX:
    case ARG_MIN: return f32 | i32 | bytes;
    case TOPK_V2: return numbers | bytes;
    case CONV_2D:
    case DEPTHWISE_CONV_2D:
    case FULLY_CONNECTED:
    case BATCH_MATMUL:
    case TRANSPOSE_CONV:
    case AVERAGE_POOL_2D:
    case MAX_POOL_2D:
    case RESIZE_BILINEAR:
    case RESIZE_NEAREST_NEIGHBOR:
    case LOGISTIC:
    case TANH:
    case SOFTMAX:
    case RELU:
    case RELU6:
    case RELU_N1_TO_1:
    case LEAKY_RELU:
    case PRELU:
    case ELU:
    case HARD_SWISH: return f32 | bytes;
    default: return f32;
  }
}

}  // namespace

bool accepts(BuiltinOperator code, TensorType type) { return accepted(code) & bit(type); }

}  // namespace webnn::inline v0_1::tflite::exporter
