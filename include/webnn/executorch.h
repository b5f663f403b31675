// ExecuTorch programs (.pte) and the graphs of its XNNPACK delegate:
// https://docs.pytorch.org/executorch
// Programs with the identifier ET12 and graphs with XN00 and XN01 are read; XN01 is written.
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

namespace webnn::inline v0_1::executorch {

/// The value of an element q of a quantized tensor is scale * (q - zero_point).
struct Quantization {
  float scale = 1;              ///< greater than 0
  std::int32_t zero_point = 0;  ///< the element whose value is 0
  bool operator==(const Quantization&) const = default;
};

struct ImportOptions {
  /// The method of a program to import. Empty: "forward", or the first one where there is none of
  /// that name. A graph of a delegate has no methods.
  std::string method{};
  /// The shapes of inputs in place of those of the file, by name, with the same rank. A program
  /// allows this for dimensions that it calls dynamic, up to their bounds; a graph of a delegate
  /// for all dimensions.
  std::map<std::string, std::vector<std::uint32_t>> shapes{};
  /// Names of outputs, of tensors of the method or of values of the delegate's graph that become
  /// the outputs, in place of the file's: cuts a head off.
  std::vector<std::string> outputs{};
  /// Whether inputs that XNNPACK quantizes to 8 bits in every run, each row with its own scale, are
  /// quantized here, too. Otherwise only the weights are dequantized, which is faster and nearer to
  /// the float model.
  bool dynamic_quantization = true;
  /// Limits the memory for weights that cannot be used as they are in the file (those of other
  /// types, those that are not aligned) and for constants that are computed.
  /// By default 512 MiB and 16 times the bytes of the file.
  std::optional<std::uint64_t> max_bytes = std::nullopt;
};

/// What was imported, in the file's order. Outputs are results, never an input or a constant, so
/// that build() takes them.
struct Model {
  NamedOperands inputs{};                                          ///< by name
  NamedOperands outputs{};                                         ///< by name
  std::vector<std::optional<Quantization>> input_quantization{};   ///< parallel to inputs
  std::vector<std::optional<Quantization>> output_quantization{};  ///< parallel to outputs
  std::string description{};                                       ///< what the file is

  /// Throw DataError when there is no tensor of that name.
  const MLOperand& input(std::string_view name) const;
  const MLOperand& output(std::string_view name) const;
};

/// Adds the operators of a program or of a graph of the delegate to a builder. Weights are shared
/// with the mapped file, which must not be shortened as long as anything made from it lives.
///
/// Tensors have the shape in which their elements lie in memory: images of a program in the
/// channels-last order are [batch, height, width, channels]. Names are those that the file has;
/// where it has none, input_0, input_1, ... and output_0, ...
///
/// Quantized operators become dequantizeLinear, the operator and quantizeLinear; operators that
/// only move elements work on the quantized elements. bool is uint8 with 0 and 1.
///
/// A file is not trusted: everything in it is checked before it is used, and memory for weights is
/// limited by ImportOptions::max_bytes. Throws DataError for a file that breaks the rules of the
/// format; NotSupportedError for everything that WebNN cannot express, and for a program with
/// operators outside of XNNPACK delegates without a WebNN counterpart, naming all of them;
/// TypeError for options that do not fit. Messages name delegate and node: `executorch [net.pte]:
/// delegate 0: node 3 (Add): ...`. The builder then is as it was before.
Model import_model(MLGraphBuilder& builder, const Path& path, const ImportOptions& options = {});
/// From bytes that `owner` keeps alive and that do not change; they are shared, not copied, where
/// they are aligned. `label` takes the place of the path in messages.
Model import_model(MLGraphBuilder& builder, std::shared_ptr<const void> owner,
                   std::span<const std::byte> bytes, const ImportOptions& options = {},
                   std::string_view label = {});
/// From bytes that are needed for the call only: they are copied once.
Model import_model(MLGraphBuilder& builder, std::span<const std::byte> bytes,
                   const ImportOptions& options = {}, std::string_view label = {});

/// One delegate of a method.
struct DelegateInfo {
  std::string backend{};        ///< "XnnpackBackend", for example
  std::uint64_t bytes = 0;      ///< the size of the data that its backend has compiled
  std::uint64_t nodes = 0;      ///< the number of nodes of an XNNPACK graph
  std::uint64_t constants = 0;  ///< entries of constant data of an XNNPACK graph
};
/// An operator that a method calls, and how many times.
struct CallInfo {
  std::string name{};  ///< "aten::mean.dim", for example
  std::uint64_t count = 0;
};
struct MethodInfo {
  std::string name{};
  std::vector<DelegateInfo> delegates{};
  std::vector<CallInfo> operators{};  ///< outside of all delegates
};
/// The content of a file, also of one that cannot be imported. A graph of a delegate is one method
/// without a name, with one delegate.
struct FileInfo {
  std::string format{};  ///< "ExecuTorch program" or "XNNPACK graph"
  std::vector<MethodInfo> methods{};
};
/// Throws DataError for a file that is not as the format says.
FileInfo read_info(const Path& path);
FileInfo read_info(std::span<const std::byte> bytes, std::string_view label = {});

struct ExportOptions {
  /// A program with one method, "forward", around the graph of the delegate; else that graph alone.
  bool program = false;
};

}  // namespace webnn::inline v0_1::executorch

namespace webnn::inline v0_1::detail {
void export_executorch(const MLGraph& graph, const Path& path,
                       const executorch::ExportOptions& options);
}  // namespace webnn::inline v0_1::detail

namespace webnn::inline v0_1::executorch {

/// The bytes of a graph of the XNNPACK delegate, identifier XN01 after the header XH00, or of a
/// program around it, with the operators of a graph as it was built, before the passes. External
/// ids are those of the inputs, in their order, then those of the outputs. Names of inputs, outputs
/// and labels, which the graph's format does not have, follow the constants as data that no value
/// refers to. Programs have not been tried with ExecuTorch's own runtime.
///
/// Images become NHWC. dequantizeLinear, an operator and quantizeLinear become one quantized node
/// where there is one, and a clamp or relu after an operator becomes part of it. An operator for
/// which XNNPACK has no node is composed of others.
///
/// Throws NotSupportedError, one for everything that the nodes cannot express; InvalidStateError
/// for an empty graph.
std::vector<std::byte> export_model(const MLGraph& graph, const ExportOptions& options = {});
/// Writes the program to a file, which is replaced when all bytes have been written: a process that
/// has mapped the old file keeps its contents. Throws OperationError when the system refuses.
template <std::convertible_to<Path> P>  // not for `{...}`, which are options
void export_model(const MLGraph& graph, const P& path, const ExportOptions& options = {}) {
  detail::export_executorch(graph, path, options);
}

}  // namespace webnn::inline v0_1::executorch
