// Chromium's GraphInfo as JSON: what its renderer sends to its WebNN service, with the constants in
// a .safetensors file beside it.
// https://source.chromium.org/chromium/chromium/src/+/main:services/webnn/public/mojom/
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "webnn/graph_builder.h"
#include "webnn/path.h"
#include "webnn/safetensors.h"

namespace webnn::inline v0_1::graphinfo {

/// Revisions of webnn_graph.mojom. Both are read; a file says which one it has.
enum class Schema {
  v2023,  ///< a map of operands, 41 operations
  v2026,  ///< an array of operands, 49 operations, int4 and uint4, slices with strides
};

struct ImportOptions {
  /// Operands of the same builder that take the place of inputs, by name: joins two models. They
  /// have the data type and the shape of the input.
  NamedOperands inputs{};
  /// Names of operands, or labels of operations for their first results, that become the outputs,
  /// in place of the file's: cuts a head off.
  std::vector<std::string> outputs{};
  /// Where the constants are, if not in the .safetensors file of the same name beside the file.
  Path weights_path{};
  /// The constants themselves, in place of any file.
  std::optional<safetensors::File> weights{};
  /// Limits the memory for reading the JSON, and for constants that are in it or that are not
  /// aligned in their file.
  /// By default 512 MiB and 16 times the bytes of the file and of the weights.
  std::optional<std::uint64_t> max_bytes = std::nullopt;
};

/// What was imported. Outputs are results, never an input or a constant, so that build() takes
/// them.
struct Model {
  NamedOperands inputs{};   ///< by their names in the file
  NamedOperands outputs{};  ///< by their names in the file
  Schema schema = Schema::v2026;

  /// Throw DataError when there is no operand of that name.
  const MLOperand& input(std::string_view name) const;
  const MLOperand& output(std::string_view name) const;
};

/// Adds the operations of a graph to a builder. Constants are shared with the mapped file, which
/// must not be shortened as long as anything made from it lives.
///
/// A file is not trusted: it has at most 64 MiB, values nested 32 deep and 262,144 operations, and
/// memory is limited by ImportOptions::max_bytes. The results of every operation must have the data
/// types and shapes that the file gives. Throws DataError for a file that is not as the schema and
/// the operators require, naming the operation: `graphinfo [net.json]: operations[3] (conv2d):
/// ...`, and TypeError for options that do not fit the model. The builder then is as it was before.
Model import_model(MLGraphBuilder& builder, const Path& path, const ImportOptions& options = {});
/// From a text that is needed for the call only. `label` takes the place of the path in messages.
/// Constants are in the text or in the options.
Model import_model(MLGraphBuilder& builder, std::string_view json, const ImportOptions& options,
                   std::string_view label);

struct ExportOptions {
  Schema schema = Schema::v2026;
};

/// The operators of a graph as it was built, before the passes, as JSON with all constants in it.
///
/// The schemas have one layout for all images, NCHW, or NHWC if all operators have that; other
/// operators and filters are written with transpositions. Values that follow from the shapes of
/// results are not written.
///
/// Throws NotSupportedError, one for everything that the schema cannot express, such as tile in
/// v2023; InvalidStateError for an empty graph; TypeError for names and labels that are not UTF-8.
std::string export_model(const MLGraph& graph, const ExportOptions& options = {});

/// JSON with its constants in another file.
struct Files {
  std::string json{};
  std::vector<std::byte> weights{};  ///< a .safetensors file; empty if there is nothing for it
};
/// Makes JSON with all constants of more than 16 bytes in a .safetensors file, to be written beside
/// the JSON under the same name.
Files export_files(const MLGraph& graph, const ExportOptions& options = {});

}  // namespace webnn::inline v0_1::graphinfo

namespace webnn::inline v0_1::detail {
void export_graphinfo(const MLGraph& graph, const Path& path,
                      const graphinfo::ExportOptions& options);
}  // namespace webnn::inline v0_1::detail

namespace webnn::inline v0_1::graphinfo {

/// export_files() into NAME.json and NAME.safetensors. Each file is replaced when all of its bytes
/// have been written: a process that has mapped the old file keeps its contents. Throws
/// OperationError when the system refuses.
template <std::convertible_to<Path> P>  // not for `{...}`, which are options
void export_model(const MLGraph& graph, const P& path, const ExportOptions& options = {}) {
  detail::export_graphinfo(graph, path, options);
}

}  // namespace webnn::inline v0_1::graphinfo
