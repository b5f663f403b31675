// Models in .onnx files: https://onnx.ai/onnx/repo-docs/IR.html
// The operator sets 1 to 27 of ONNX and some operators of com.microsoft are read; operator set 21
// is written. docs/formats/onnx.md lists the operators.
#pragma once

#include <concepts>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "webnn/graph_builder.h"
#include "webnn/path.h"

namespace webnn::inline v0_1::onnx {

struct ImportOptions {
  /// The size of a dimension that has a name in the file, such as "batch_size".
  std::map<std::string, std::uint32_t> dimensions{};
  /// The shapes of inputs whose dimensions the file leaves open, by name. Dimensions that the file
  /// gives must be the same.
  std::map<std::string, std::vector<std::uint32_t>> shapes{};
  /// Values that take the place of inputs, by name, if shapes or other facts of the graph follow
  /// from them. The bytes are those of the input's type, BOOL as bytes 0 and 1.
  struct Value {
    std::vector<std::uint32_t> shape{};  ///< a 0 is allowed: no elements
    std::vector<std::byte> bytes{};
    std::optional<MLOperandDataType> type{};  ///< what the bytes are, to be checked
  };
  std::map<std::string, Value> constants{};
  /// Values of inputs, by name, which are used only for inputs whose values have to be known; the
  /// others remain inputs, and names that the file does not have are ignored.
  std::map<std::string, Value> values{};
  /// Operands of the same builder that take the place of inputs, by name: joins two models. They
  /// have the data type and the shape of the input. An operand under the name of a node's result
  /// takes the place of that result: nodes that only this result needs are not imported.
  NamedOperands inputs{};
  /// Names of values that become the outputs, in place of the outputs of the file, which cuts a
  /// head off. Nodes that only the other outputs need are not imported.
  std::vector<std::string> outputs{};
  /// Whether inputs and computations of type DOUBLE become float32; otherwise only constants do.
  bool narrow_double = false;
  /// Limits the memory for weights that cannot be used as they are in the file (those of other
  /// types, those that are not aligned), for constants that are computed, and for loops and
  /// recurrent operators that are unrolled.
  /// By default 512 MiB and 16 times the bytes of the file and of the external data that is read.
  std::optional<std::uint64_t> max_bytes = std::nullopt;
};

/// What was imported. Inputs are those of the file, in its order, also where ImportOptions::inputs
/// took their place, but without those that became constants. Outputs are results, never an input
/// or a constant, so that build() takes them.
struct Model {
  NamedOperands inputs{};     ///< by their names in the file
  NamedOperands outputs{};    ///< by their names in the file
  std::string description{};  ///< that of the file

  /// Throw DataError when there is none of that name.
  const MLOperand& input(std::string_view name) const;
  const MLOperand& output(std::string_view name) const;
};

/// Adds the operators of a model to a builder. Weights are shared with the mapped file and its
/// files of external data, which must not be shortened as long as anything made from it lives.
///
/// BOOL is uint8 with 0 and 1. Weights of DOUBLE become float32. Arithmetic on shapes is computed,
/// `If` with a known condition becomes its branch, and `Loop` with a known number of iterations is
/// unrolled, unless it is long; docs/formats/onnx.md says what becomes of others. Functions of the
/// model are inlined.
///
/// A file is not trusted: everything in it is checked before it is used, and memory is limited by
/// ImportOptions::max_bytes and by 2^20 nodes, tensors, names and attributes. External data is read
/// from regular files in the model's folder or below. Links are followed as long as they end there,
/// or, as in the caches of downloads, in the folder of the file that the model's path leads to or
/// below. Throws DataError for a file that breaks the rules of the format, NotSupportedError for
/// everything that WebNN cannot express, with a message that names all of it, and TypeError for
/// options that do not fit the model. Messages name the node: `onnx [net.onnx]: node 3 "conv"
/// (Conv-11): ...`. The builder then is as it was before.
Model import_model(MLGraphBuilder& builder, const Path& path, const ImportOptions& options = {});
/// From bytes that `owner` keeps alive and that do not change; they are shared, not copied, where
/// they are aligned. `label` takes the place of the path in messages. External data is refused.
Model import_model(MLGraphBuilder& builder, std::shared_ptr<const void> owner,
                   std::span<const std::byte> bytes, const ImportOptions& options = {},
                   std::string_view label = {});
/// From bytes that are needed for the call only: they are copied once.
Model import_model(MLGraphBuilder& builder, std::span<const std::byte> bytes,
                   const ImportOptions& options = {}, std::string_view label = {});

struct ExportOptions {
  std::string name = "main";  ///< the graph has it in the file
  /// Constants with more bytes than this together are written into a file of their own, beside the
  /// model: a model has at most 2 GB.
  std::uint64_t external_above = std::uint64_t{1} << 30;
};

/// A model and, if not empty, the file of external data to which it refers.
struct Files {
  std::vector<std::byte> model{}, data{};
};

/// The operators of a graph as it was built, before the passes, in operator set 21. Names of inputs
/// and outputs are kept, and labels are the names of nodes. Operators that ONNX does not have are
/// composed of others; docs/formats/onnx.md has the table. Indices that are not constant are
/// limited to the range that ONNX asks for. Open dimensions are written with their names. Throws
/// NotSupportedError, one for everything that cannot be expressed, for an operator whose nodes
/// depend on open sizes, and for constants of 2 GB or more, which only files can have;
/// InvalidStateError for constants that build() has released (MLContextOptions::keepConstants).
std::vector<std::byte> export_model(const MLGraph& graph, const ExportOptions& options = {});
/// Both files. `data_name` is the name of the second one, in the folder of the model.
Files export_files(const MLGraph& graph, std::string_view data_name,
                   const ExportOptions& options = {});

}  // namespace webnn::inline v0_1::onnx

namespace webnn::inline v0_1::detail {
void export_onnx(const MLGraph& graph, const Path& path, const onnx::ExportOptions& options);
}  // namespace webnn::inline v0_1::detail

namespace webnn::inline v0_1::onnx {

/// Into the file, with the external data, if there is some, in `<file>.data` beside it. Each of
/// them is replaced when all of its bytes have been written, the model last.
template <std::convertible_to<Path> P>
void export_model(const MLGraph& graph, const P& path, const ExportOptions& options = {}) {
  detail::export_onnx(graph, path, options);
}

}  // namespace webnn::inline v0_1::onnx
