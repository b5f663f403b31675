// Models in .webnn files: text that people read and write, with the weights in a .safetensors file
// beside it. https://github.com/rustnn/webnn-graph
// Versions 1 and 2 of the format are read. Version 1 is written, and 2 for open dimensions.
#pragma once

#include <concepts>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "webnn/graph_builder.h"
#include "webnn/path.h"
#include "webnn/safetensors.h"

namespace webnn::inline v0_1::text {

struct ImportOptions {
  /// The shapes of inputs, by name. Dimensions that the file gives must be the same.
  std::map<std::string, std::vector<std::uint32_t>> shapes{};
  /// The sizes of dimensions, by name; for `dyn("batch", 8)`, up to the maximum there.
  std::map<std::string, std::uint32_t> dimensions{};
  /// The size of every other dimension that the file leaves open. When this is absent, each run of
  /// the graph chooses it.
  std::optional<std::uint32_t> unknown_dimension = std::nullopt;
  /// Operands of the same builder that take the place of inputs, by name: joins two models. They
  /// have the data type and the shape of the input.
  NamedOperands inputs{};
  /// Names in the file that become the outputs, in place of the file's: cuts a head off.
  std::vector<std::string> outputs{};
  /// Where the weights are, if not beside the file under one of the names of the format: a
  /// .safetensors file, or a .weights file with its manifest.
  Path weights_path{};
  /// The weights themselves, in place of any file.
  std::optional<safetensors::File> weights{};
  /// Limits the memory for constants that are written out in the text, for weights that cannot be
  /// used as they are in their file (bfloat16, those that are not aligned), and for reading a
  /// manifest.
  /// By default 512 MiB and 16 times the bytes of the file and of the weights.
  std::optional<std::uint64_t> max_bytes = std::nullopt;
};

/// What was imported. Inputs are those of the file, in its order, also where ImportOptions::inputs
/// took their place. Outputs are results, never an input or a constant, so that build() takes them.
struct Model {
  NamedOperands inputs{};   ///< by their names in the file
  NamedOperands outputs{};  ///< by their names in the file
  std::string name{};       ///< that of the graph
  bool quantized = false;   ///< whether the file says so, which changes nothing

  /// Throw DataError when there is no operand of that name.
  const MLOperand& input(std::string_view name) const;
  const MLOperand& output(std::string_view name) const;
};

/// Adds the operators of a model to a builder. Weights are shared with the mapped files, which must
/// not be shortened as long as anything made from them lives. Without a `weights` option they are
/// looked for beside the file, as STEM.safetensors, STEM.weights, model.safetensors, model.weights.
///
/// Every operator is written as the builder's method: `y = softmax(x, axis=1)`. An operator without
/// a label gets the name of its result.
///
/// A file is not trusted: a text has at most 256 MiB, 262,144 operators, and values nested 16 deep;
/// memory for weights is limited by ImportOptions::max_bytes. Throws DataError for a text that
/// breaks the rules of the format or of the operators, with line, column and the line itself:
///
///     text [net.webnn:7:17]: there is no operand "hiden".
///       y = softmax(hiden, axis=1);
///                   ^
///
/// and TypeError for options that do not fit the model. The builder then is as it was before.
Model import_model(MLGraphBuilder& builder, const Path& path, const ImportOptions& options = {});
/// From a text that is needed for the call only. `label` takes the place of the path in messages.
/// Weights are those of the options.
Model import_model(MLGraphBuilder& builder, std::string_view text, const ImportOptions& options,
                   std::string_view label);

struct ExportOptions {
  std::string name = "graph";  ///< that of the graph
};

/// The operators of a graph as it was built, before the passes, as text; all constants are written
/// out in it. Names of inputs and outputs that the format does not allow are changed, and the
/// original name is in a comment, which import_model() reads: `x_0: f32[4];  #: "x:0"`. Results
/// have their labels as names. An equal graph is imported from the text, with the same names and
/// labels.
///
/// Throws InvalidStateError for an empty graph and TypeError for weights that do not fit in a file.
std::string export_model(const MLGraph& graph, const ExportOptions& options = {});

/// Texts with their weights in another file.
struct Files {
  std::string text{};
  std::vector<std::byte> weights{};  ///< a .safetensors file; empty if there is nothing for it
};
/// Makes a text with all constants but scalars in a .safetensors file, to be written beside the
/// text under the same name.
Files export_files(const MLGraph& graph, const ExportOptions& options = {});

}  // namespace webnn::inline v0_1::text

namespace webnn::inline v0_1::detail {
void export_text(const MLGraph& graph, const Path& path, const text::ExportOptions& options);
}  // namespace webnn::inline v0_1::detail

namespace webnn::inline v0_1::text {

/// export_files() into NAME.webnn and NAME.safetensors. Each file is replaced when all of its bytes
/// have been written: a process that has mapped the old file keeps its contents. Throws TypeError
/// for a path that is that of the weights, and OperationError when the system refuses.
template <std::convertible_to<Path> P>  // not for `{...}`, which are options
void export_model(const MLGraph& graph, const P& path, const ExportOptions& options = {}) {
  detail::export_text(graph, path, options);
}

/// A text in the usual form: a line for each declaration and operator, an indentation of two
/// spaces, comments in their places, and at most one empty line in a row. Its meaning does not
/// change. Throws DataError for a text that is not a graph.
std::string format(std::string_view text, std::string_view label = {});

}  // namespace webnn::inline v0_1::text
