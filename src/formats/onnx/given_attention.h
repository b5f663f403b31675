// GroupQueryAttention whose new rows have places and masks that the program gives. Private.
#pragma once

#include <functional>

#include "webnn/onnx.h"

namespace webnn::inline v0_1::onnx {

/// Takes the place of what the operators compute from seqlens_k, so that a run can have sequences
/// of different lengths. Only operators whose keys are those of the cache and the new ones, as many
/// as there are, are imported so; others are refused with NotSupportedError.
struct GivenAttention {
  MLOperand positions{};  ///< int32 [batch, sequence], of the new rows
  /// float32 [batch, 1, 1, sequence, keys], which is added to the scores, for a local_window_size;
  /// 0: a query sees all keys up to its own position.
  std::function<MLOperand(std::uint32_t window)> mask{};
};

Model import_model(MLGraphBuilder& builder, const Path& path, const ImportOptions& options,
                   const GivenAttention& attention);

}  // namespace webnn::inline v0_1::onnx
