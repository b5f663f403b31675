// Models in files of every format of this build: the format is chosen by the extension or by the
// content. The headers of the formats have what only one of them has.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "webnn/graph_builder.h"
#include "webnn/path.h"

namespace webnn::inline v0_1 {

/// A file format.
struct ModelFormat {
  std::string_view name{};                     ///< "onnx", as ImportOptions::format takes it
  std::string_view about{};                    ///< "ONNX model"
  std::vector<std::string_view> extensions{};  ///< in lower case, without the dot
  bool imports = false;                        ///< whether import_model() reads it
  bool exports = false;                        ///< whether export_model() writes it
};
/// The formats of this build.
std::vector<ModelFormat> model_formats();

/// What an import may decide. An option that the format of a file does not have is a TypeError.
struct ImportOptions {
  /// The name of the format. Empty: the extension of the path or the content decides.
  std::string format{};
  /// The sizes of dimensions that have a name in the file, such as "batch_size".
  std::map<std::string, std::uint32_t> dimensions{};
  /// The shapes of inputs whose dimensions the file leaves open, by name. Dimensions that the file
  /// gives must be the same.
  std::map<std::string, Dims> shapes{};
  /// Values of inputs, by name, which become constants if shapes or other facts of the graph follow
  /// from them; otherwise the input remains an input. Names that the file does not have are
  /// ignored.
  struct Value {
    Dims shape{};                             ///< a 0 is allowed: no elements
    std::vector<std::byte> bytes{};           ///< as many as the shape and the input's type have
    std::optional<MLOperandDataType> type{};  ///< what the bytes are, to be checked
  };
  std::map<std::string, Value> values{};
  /// Names of values in the file that become the outputs, in place of the file's: cuts a head off.
  std::vector<std::string> outputs{};
  /// The key of a signature of a .tflite file, or the method of an ExecuTorch program.
  std::string signature{};
  /// The index of a subgraph of a .tflite file.
  std::size_t subgraph = 0;
  /// The .safetensors file with the weights of a .webnn or .json file, if it is not beside that.
  Path weights{};
  /// Limits the memory for what is not shared with the file: weights of other types or that are not
  /// aligned, and what is computed. By default the limit of the format.
  std::optional<std::uint64_t> max_bytes{};
};

/// What was imported. Inputs are those of the file, in its order, without those that became
/// constants; `builder.build(model.outputs, {.inputs = model.inputs})` keeps the list. Outputs are
/// results, so that build() takes them.
struct ImportedModel {
  /// The value of an element q of an input or output is scale * (q - zero_point).
  struct Quantization {
    float scale = 1;
    std::int32_t zero_point = 0;
  };

  std::string_view format{};  ///< the name of the format of the file
  NamedOperands inputs{}, outputs{};
  /// Parallel to the inputs and to the outputs; nothing where an operand has none.
  std::vector<std::optional<Quantization>> input_quantization{}, output_quantization{};
  std::string description{};  ///< the description in the file

  /// Throw DataError when there is none of that name.
  const MLOperand& input(std::string_view name) const;
  const MLOperand& output(std::string_view name) const;
};

/// Adds the operators of a model to a builder. Weights are shared with the mapped file, which must
/// not be shortened or changed as long as anything made from it lives.
///
/// A file is not trusted: everything in it is checked before it is used. Throws NotSupportedError
/// when this build has no such format, when the file is a compiled graph (webnn/compiled.h loads
/// it), and for what WebNN cannot express; DataError for a file that is not as its format says;
/// TypeError for options that do not fit it; OperationError when memory runs out. The builder then
/// is as it was before.
ImportedModel import_model(MLGraphBuilder& builder, const Path& path,
                           const ImportOptions& options = {});
/// From bytes that `owner` keeps alive and that do not change; they are shared, not copied, where
/// they are aligned. `label` takes the place of the path in messages, and its extension shows the
/// format, as the extension of a path does. Weights in files beside a model are refused.
ImportedModel import_model(MLGraphBuilder& builder, std::shared_ptr<const void> owner,
                           std::span<const std::byte> bytes, const ImportOptions& options = {},
                           std::string_view label = {});
/// From bytes that are needed for the call only: they are copied once.
ImportedModel import_model(MLGraphBuilder& builder, std::span<const std::byte> bytes,
                           const ImportOptions& options = {}, std::string_view label = {});

struct ExportOptions {
  /// The name of the format. Empty: the extension of the path decides.
  std::string format{};
};
/// Writes a graph as it was built, before the passes, with the names of its inputs and outputs.
/// Formats that keep weights in another file write it beside the first, as `net.safetensors` or
/// `net.onnx.data`. A file is replaced when all of its bytes have been written, the model last.
///
/// Throws NotSupportedError when this build has no such format, and one that names everything that
/// the format cannot express; TypeError when the path is the name of the weights; InvalidStateError
/// for constants that build() has released (MLContextOptions::keepConstants); OperationError with
/// the system's reason when a file cannot be written.
void export_model(const MLGraph& graph, const Path& path, const ExportOptions& options = {});
/// The bytes of one file of that format, with the weights in it. Throws the same errors.
std::vector<std::byte> exported_bytes(const MLGraph& graph, std::string_view format);

}  // namespace webnn::inline v0_1
