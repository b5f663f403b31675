// Models in .tflite files: https://ai.google.dev/edge/litert
// Version 3 of the format, schema v2.15 of TensorFlow Lite, is read and written.
#pragma once

#include <concepts>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "webnn/graph_builder.h"
#include "webnn/path.h"

namespace webnn::inline v0_1::tflite {

/// The value of an element q of a quantized tensor is scale * (q - zero_point).
struct Quantization {
  float scale = 1;              ///< greater than 0
  std::int32_t zero_point = 0;  ///< the element whose value is 0
  bool operator==(const Quantization&) const = default;
};

struct ImportOptions {
  /// The key of the signature to import, whose names inputs and outputs then have. Empty: the
  /// subgraph below, whose inputs and outputs have the names of their tensors.
  std::string signature{};
  std::size_t subgraph = 0;  ///< the index of the subgraph to import
  /// The shapes of inputs whose dimensions the file leaves open, by name. Dimensions that the file
  /// gives must be the same.
  std::map<std::string, std::vector<std::uint32_t>> shapes{};
  /// The sizes of open dimensions, by name; they are named after their input, as in "x_axis0".
  std::map<std::string, std::uint32_t> dimensions{};
  /// The size of every other dimension that the file leaves open; by default each run chooses it.
  std::optional<std::uint32_t> unknown_dimension = std::nullopt;
  /// Values of inputs, by name, which become constants if shapes or other facts of the graph follow
  /// from them; otherwise the input remains an input. Names that the file does not have are
  /// ignored. The bytes are those of the input's type, INT16 as int32, BOOL as 0 and 1.
  struct Value {
    std::vector<std::uint32_t> shape{};
    std::vector<std::byte> bytes{};
    std::optional<MLOperandDataType> type{};  ///< what the bytes are, to be checked
  };
  std::map<std::string, Value> values{};
  /// Operands of the same builder that take the place of inputs, by name: joins two models. They
  /// have the data type and the shape of the input.
  NamedOperands inputs{};
  /// Names of tensors that become the outputs, in place of the outputs of the file, which cuts a
  /// head off. Operators that only the other outputs need are not imported.
  std::vector<std::string> outputs{};
  /// Whether operators with float inputs and quantized weights are computed as in the reference
  /// runtime, which quantizes these inputs in every run. Otherwise only the weights are
  /// dequantized, which is faster and nearer to the float model.
  bool dynamic_quantization = true;
  /// Limits the memory for weights that cannot be used as they are in the file (sparse ones,
  /// those of other types, those that are not aligned), for constants that are computed, and for
  /// recurrent operators that are unrolled.
  /// By default 512 MiB and 16 times the bytes of the file.
  std::optional<std::uint64_t> max_bytes = std::nullopt;
};

/// What was imported. Inputs are those of the file, in its order, also where ImportOptions::inputs
/// took their place. Outputs are results, never an input or a constant, so that build() takes them.
struct Model {
  NamedOperands inputs{};                                          ///< by their names in the file
  NamedOperands outputs{};                                         ///< by their names in the file
  std::vector<std::optional<Quantization>> input_quantization{};   ///< parallel to inputs
  std::vector<std::optional<Quantization>> output_quantization{};  ///< parallel to outputs
  std::string description{};                                       ///< that of the file

  /// Throw DataError when there is no tensor of that name.
  const MLOperand& input(std::string_view name) const;
  const MLOperand& output(std::string_view name) const;
};

/// Adds the operators of a model to a builder. Weights are shared with the mapped file, which must
/// not be shortened as long as anything made from it lives.
///
/// Dimensions of inputs that the file leaves open, -1 in a shape_signature, have names, and each
/// run of the graph chooses their sizes, unless the options give them. What the operators of the
/// file compute with sizes becomes operators on shapes.
///
/// Quantized operators become dequantizeLinear, the operator and quantizeLinear; operators that
/// only move elements work on the quantized elements. Two types that WebNN does not have are held
/// in others: BOOL is uint8 with 0 and 1, and INT16 is int32 with values from -32768 to 32767.
///
/// A file is not trusted: everything in it is checked before it is used, and memory for weights is
/// limited by ImportOptions::max_bytes. Throws DataError for a file that breaks the rules of the
/// format, NotSupportedError for everything that WebNN cannot express, such as custom operators
/// that the context does not have, and TypeError for options that do not fit the model. Messages
/// name the operator and the tensor: `tflite [net.tflite]: operator 3 (CONV_2D): ...`. The builder
/// then is as it was before.
Model import_model(MLGraphBuilder& builder, const Path& path, const ImportOptions& options = {});
/// From bytes that `owner` keeps alive and that do not change; they are shared, not copied, where
/// they are aligned. `label` takes the place of the path in messages.
Model import_model(MLGraphBuilder& builder, std::shared_ptr<const void> owner,
                   std::span<const std::byte> bytes, const ImportOptions& options = {},
                   std::string_view label = {});
/// From bytes that are needed for the call only: they are copied once.
Model import_model(MLGraphBuilder& builder, std::span<const std::byte> bytes,
                   const ImportOptions& options = {}, std::string_view label = {});

struct ExportOptions {
  std::string description{};  ///< that of the file, for its readers
};

}  // namespace webnn::inline v0_1::tflite

namespace webnn::inline v0_1::detail {
void export_tflite(const MLGraph& graph, const Path& path, const tflite::ExportOptions& options);
}  // namespace webnn::inline v0_1::detail

namespace webnn::inline v0_1::tflite {

/// The bytes of a .tflite file with the operators of a graph as it was built, before the passes,
/// for TensorFlow Lite 2.9 and newer. Inputs and outputs keep their names, their order and their
/// types, also in the signature "serving_default"; results of operators have their labels.
///
/// Images become NHWC. dequantizeLinear, an operator and quantizeLinear become one quantized
/// operator where there is one, and a clamp or relu after an operator becomes part of it; results
/// of integer arithmetic may differ by one unit. Operators that TFLite does not have are composed
/// of others. Floats that do not fit into the integer type of a cast are undefined there.
///
/// Open dimensions are -1 in the shape_signature of tensors; operators on shapes, and operators
/// that TFLite has only with sizes, are refused then.
///
/// Throws NotSupportedError, one for everything that TFLite cannot express, such as computing with
/// float16 or uint64, and for more than 2^31 - 1 bytes; InvalidStateError for an empty graph.
std::vector<std::byte> export_model(const MLGraph& graph, const ExportOptions& options = {});
/// Writes that file, which is replaced when all bytes have been written: a process that has
/// mapped the old file keeps its contents. Throws OperationError when the system refuses.
template <std::convertible_to<Path> P>  // not for `{...}`, which are options
void export_model(const MLGraph& graph, const P& path, const ExportOptions& options = {}) {
  detail::export_tflite(graph, path, options);
}

}  // namespace webnn::inline v0_1::tflite
