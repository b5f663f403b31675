// The messages of an ONNX file, with views into its bytes: https://github.com/onnx/onnx
// (onnx.proto) Private.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/formats/onnx/element_type.h"
#include "webnn/error.h"

namespace webnn::inline v0_1::onnx {

using Bytes = std::span<const std::byte>;

/// A TensorProto. Its elements are read when they are needed: tensor.h.
struct Tensor {
  std::string_view name{};
  ElementType type = ElementType::UNDEFINED;
  std::vector<std::int64_t> dims{};
  Bytes raw{};  // raw_data, if has_raw
  bool has_raw = false;
  bool external = false;
  Bytes message{};  // for the elements in other fields, and for external_data
};

/// The fields external_data of a tensor.
struct ExternalData {
  std::string_view location{}, offset{}, length{};
  std::optional<std::string_view> repeated{};  // a key that is given twice
};

/// AttributeProto.AttributeType.
enum class AttributeType : std::int32_t {
  undefined,
  real,
  integer,
  text,
  tensor,
  graph,
  reals,
  integers,
  texts,
  tensors,
  graphs,
  sparse_tensor
};

/// An AttributeProto, whose value is read when it is asked for.
struct Attribute {
  std::string_view name{};
  AttributeType type = AttributeType::undefined;
  std::string_view reference{};  // in a function: the name of an attribute of its call
  Bytes message{};
};

struct Node {
  std::string_view name{}, op_type{}, domain{}, overload{};
  std::vector<std::string_view> inputs{}, outputs{};
  std::vector<Attribute> attributes{};
};

/// A dimension of an input: a number, a name, or neither.
struct Dimension {
  std::optional<std::int64_t> value{};
  std::string_view name{};
};
struct ValueInfo {
  std::string_view name{};
  std::string_view kind{};  // "tensor", "sequence", ...
  ElementType type = ElementType::UNDEFINED;
  bool has_shape = false;
  std::vector<Dimension> shape{};
};

struct GraphProto {
  std::string_view name{};
  std::vector<Node> nodes{};
  std::vector<Tensor> initializers{};
  std::vector<ValueInfo> inputs{}, outputs{};
  bool sparse_initializers = false;
  Bytes message{};  // for the types of its values
};

struct OpsetImport {
  std::string_view domain{};
  std::int64_t version = 0;
};

struct Function {
  std::string_view domain{}, name{}, overload{};
  std::vector<std::string_view> inputs{}, outputs{};
  std::vector<Attribute> defaults{};
  std::vector<Node> nodes{};
  std::vector<OpsetImport> opsets{};
};

struct ModelProto {
  std::int64_t ir_version = 0;
  std::string_view description{};
  std::vector<OpsetImport> opsets{};
  GraphProto graph{};
  std::vector<Function> functions{};
  bool has_graph = false;
};

/// What all messages of a model may have together. Each of them takes bytes of the file, but more
/// memory than that.
struct Limits {
  std::size_t entries = std::size_t{1} << 20;  // nodes, attributes, tensors, names and dimensions

  /// Takes from what is left. Fails when nothing is.
  void take(std::size_t n = 1);
};

/// They fail with a DataError: they throw Broken, whose message has no subject.
struct Broken : std::runtime_error {
  using std::runtime_error::runtime_error;
  const std::byte* at = nullptr;  ///< the field of the file that is wrong
  std::string path{};             ///< "graph.node[3].attribute[0]", as far as it was followed

  /// The message with the offset in the file and the path.
  std::string text(Bytes file) const;
};
ModelProto read_model(Bytes, Limits&);
/// What else the file says of itself, by the names of the fields: the producer, metadata.
std::vector<std::pair<std::string_view, std::string_view>> read_properties(Bytes model, Limits&);
/// The types of values that are not inputs or outputs, as far as the graph has them.
std::vector<ValueInfo> read_value_infos(const GraphProto&, Limits&);
Tensor read_tensor(Bytes, Limits&);
ExternalData read_external_data(const Tensor&);

// Values of attributes. Lists are as long as the file makes them.
double real_of(const Attribute&);
std::int64_t integer_of(const Attribute&);
std::string_view text_of(const Attribute&);
std::vector<float> reals_of(const Attribute&);
std::vector<std::int64_t> integers_of(const Attribute&);
std::vector<std::string_view> texts_of(const Attribute&);
Tensor tensor_of(const Attribute&, Limits&);
GraphProto graph_of(const Attribute&, Limits&);

/// The elements of the fields float_data, int32_data, int64_data, double_data or uint64_data, each
/// as its field has it. Fails when there are more than `max`.
template <class T> std::vector<T> typed_data(const Tensor&, std::uint64_t max);

}  // namespace webnn::inline v0_1::onnx
