// Models of OpenHarmony's Neural Network Runtime (NNRt), interface v2_1, of which v1_0 and v2_0 are
// a part: https://gitee.com/openharmony/drivers_interface/tree/master/nnrt
// Upstream has no file for a whole model. Ours has the magic NNRTMDL1, u64 length of the JSON, JSON
// with the names of the interface, then the tensors' bytes, each at a multiple of 64.
#pragma once

#include <concepts>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "webnn/graph_builder.h"
#include "webnn/nnrt/attributes.h"
#include "webnn/path.h"

namespace webnn::inline v0_1::nnrt {

/// The value of an element q is scale * (q - zeroPoint).
struct QuantParam {
  std::int32_t numBits = 8;
  std::int32_t zeroPoint = 0;
  double scale = 1;
  bool operator==(const QuantParam&) const = default;
};

struct Tensor {
  std::string name{};
  DataType dataType = DataType::DATA_TYPE_FLOAT32;
  std::vector<std::int32_t> dims{};
  Format format = Format::FORMAT_NONE;
  std::optional<Constant> data{};  ///< a constant's elements; the interface has shared memory here
  std::vector<QuantParam> quantParams{};  ///< one, or one for each index of an axis
};

struct Node {
  std::string name{};
  Attributes attributes{};                                 ///< decides the node type
  std::vector<std::uint32_t> inputIndex{}, outputIndex{};  ///< places in Model::allTensors
  QuantType quantType = QuantType::QUANT_TYPE_NONE;
};

struct SubGraph {
  std::string name{};
  std::vector<std::uint32_t> inputIndices{}, outputIndices{};  ///< places in Model::allTensors
  std::vector<std::uint32_t> nodeIndices{};                    ///< places in Model::nodes
};

struct Model {
  std::string name{};
  std::vector<std::uint32_t> inputIndex{}, outputIndex{};  ///< places in allTensors
  std::vector<Node> nodes{};
  std::vector<Tensor> allTensors{};
  std::vector<SubGraph> subGraph{};
};

NodeType node_type(const Attributes& attributes);
/// "NODE_TYPE_ADD_FUSION"; a number for what is not of the interface.
std::string name_of(NodeType type);

/// Throw DataError for a file that is not as described. Constants share the mapped file, or what
/// `owner` keeps alive.
Model read_model(const Path& path);
Model read_model(std::shared_ptr<const void> owner, std::span<const std::byte> bytes,
                 std::string_view label = {});
/// From bytes that are needed for the call only: they are copied once.
Model read_model(std::span<const std::byte> bytes, std::string_view label = {});
std::vector<std::byte> write_model(const Model& model);

/// The parcel with a node's attributes, as the interface's generator lays them out: fields of
/// structures with lists or strings one after the other, others as their memory, padded to 8 bytes.
/// Not verified on a device.
std::vector<std::byte> to_parcel(const Attributes& attributes);
/// The reverse. Throws DataError for bytes that are too few or too many.
Attributes from_parcel(NodeType type, std::span<const std::byte> bytes);

struct ImportOptions {
  /// The shapes of inputs whose dimensions the model leaves open (-1), by name.
  std::map<std::string, std::vector<std::uint32_t>> shapes{};
  /// Names of tensors that become the outputs, in place of the model's: cuts a head off.
  std::vector<std::string> outputs{};
  /// Limits the memory for the JSON, for weights that are not aligned and for constants that are
  /// computed, each.
  /// By default 512 MiB and 16 times the bytes of the file.
  std::optional<std::uint64_t> max_bytes = std::nullopt;
};

/// What was imported, in the model's order; names are those of the tensors.
struct Imported {
  NamedOperands inputs{}, outputs{};
  std::vector<std::optional<QuantParam>> input_quantization{};   ///< parallel to inputs
  std::vector<std::optional<QuantParam>> output_quantization{};  ///< parallel to outputs
  std::string name{};                                            ///< that of the model

  /// Throw DataError when there is no tensor of that name.
  const MLOperand& input(std::string_view name) const;
  const MLOperand& output(std::string_view name) const;
};

/// Adds the operators of a model to a builder. Quantized operators become dequantizeLinear, the
/// operator, quantizeLinear; booleans are uint8 with 0 and 1. Throws DataError for a model that is
/// not as the interface says, NotSupportedError for what WebNN cannot express, TypeError for
/// options that do not fit. The builder then is as it was before.
Imported import_model(MLGraphBuilder& builder, const Model& model,
                      const ImportOptions& options = {}, std::string_view label = {});
Imported import_model(MLGraphBuilder& builder, const Path& path, const ImportOptions& options = {});
Imported import_model(MLGraphBuilder& builder, std::shared_ptr<const void> owner,
                      std::span<const std::byte> bytes, const ImportOptions& options = {},
                      std::string_view label = {});
Imported import_model(MLGraphBuilder& builder, std::span<const std::byte> bytes,
                      const ImportOptions& options = {}, std::string_view label = {});

/// The operators of a graph as it was built, before the passes. Images become NHWC; an activation
/// after an operator becomes part of it. Throws NotSupportedError, one for everything that NNRt
/// cannot express.
Model model_of(const MLGraph& graph);

}  // namespace webnn::inline v0_1::nnrt

namespace webnn::inline v0_1::detail {
void export_nnrt(const MLGraph& graph, const Path& path);
}  // namespace webnn::inline v0_1::detail

namespace webnn::inline v0_1::nnrt {

/// The bytes of a file with model_of(graph).
std::vector<std::byte> export_model(const MLGraph& graph);
/// Writes that file, which is replaced when all bytes have been written.
template <std::convertible_to<Path> P> void export_model(const MLGraph& graph, const P& path) {
  detail::export_nnrt(graph, path);
}

}  // namespace webnn::inline v0_1::nnrt
