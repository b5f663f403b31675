#include "src/formats/onnx/import/operand_names.h"

#include <algorithm>

#include "src/graph/text.h"

namespace webnn::inline v0_1::onnx {
namespace {

struct Row {
  std::string_view op, names;
};
/// Operators of which operands differ in what they are for.
constexpr Row rows[] = {
    {"Attention", "Q, K, V, attn_mask, past_key, past_value, nonpad_kv_seqlen"},
    {"BatchNormalization", "X, scale, B, mean, var"},
    {"Clip", "input, min, max"},
    {"Conv", "X, W, B"},
    {"ConvInteger", "x, w, x_zero_point, w_zero_point"},
    {"ConvTranspose", "X, W, B"},
    {"CumSum", "x, axis"},
    {"DeformConv", "X, W, offset, B, mask"},
    {"DequantizeLinear", "x, x_scale, x_zero_point"},
    {"Dropout", "data, ratio, training_mode"},
    {"Expand", "input, shape"},
    {"GRU", "X, W, R, B, sequence_lens, initial_h"},
    {"Gather", "data, indices"},
    {"GatherElements", "data, indices"},
    {"GatherND", "data, indices"},
    {"Gemm", "A, B, C"},
    {"GridSample", "X, grid"},
    {"GroupNormalization", "X, scale, bias"},
    {"If", "cond"},
    {"InstanceNormalization", "input, scale, B"},
    {"LSTM", "X, W, R, B, sequence_lens, initial_h, initial_c, P"},
    {"LayerNormalization", "X, Scale, B"},
    {"Loop", "M, cond"},
    {"MatMulInteger", "A, B, a_zero_point, b_zero_point"},
    {"NonMaxSuppression",
     "boxes, scores, max_output_boxes_per_class, iou_threshold, score_threshold"},
    {"OneHot", "indices, depth, values"},
    {"PRelu", "X, slope"},
    {"Pad", "data, pads, constant_value, axes"},
    {"Pow", "X, Y"},
    {"QLinearConv", "x, x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale, y_zero_point, B"},
    {"QLinearMatMul", "a, a_scale, a_zero_point, b, b_scale, b_zero_point, y_scale, y_zero_point"},
    {"QuantizeLinear", "x, y_scale, y_zero_point"},
    {"RMSNormalization", "X, scale"},
    {"RNN", "X, W, R, B, sequence_lens, initial_h"},
    {"Range", "start, limit, delta"},
    {"ReduceMax", "data, axes"},
    {"ReduceMean", "data, axes"},
    {"ReduceMin", "data, axes"},
    {"ReduceSum", "data, axes"},
    {"Reshape", "data, shape"},
    {"Resize", "X, roi, scales, sizes"},
    {"RoiAlign", "X, rois, batch_indices"},
    {"RotaryEmbedding", "X, cos_cache, sin_cache, position_ids"},
    {"ScatterElements", "data, indices, updates"},
    {"ScatterND", "data, indices, updates"},
    {"Slice", "data, starts, ends, axes, steps"},
    {"Split", "input, split"},
    {"Squeeze", "data, axes"},
    {"Tile", "input, repeats"},
    {"TopK", "X, K"},
    {"Unsqueeze", "data, axes"},
    {"Upsample", "X, scales"},
    {"Where", "condition, X, Y"},
};

}  // namespace

std::string operand_name(std::string_view domain, std::string_view op, std::size_t i) {
  const Row* row = std::ranges::lower_bound(rows, op, {}, &Row::op);
  if (!domain.empty() || row == std::end(rows) || row->op != op) return {};
  const auto names = split(row->names);
  return i < names.size() ? std::string(names[i]) : std::string();
}

}  // namespace webnn::inline v0_1::onnx
