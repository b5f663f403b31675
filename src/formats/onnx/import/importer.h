// The import of one model: its scopes, its values, and the memory that it may use. Private.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "src/formats/common/budget.h"
#include "src/formats/common/file_view.h"
#include "src/formats/common/fold.h"
#include "src/formats/common/model_file.h"
#include "src/formats/common/partial_values.h"
#include "src/formats/onnx/given_attention.h"
#include "src/formats/onnx/model.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "webnn/onnx.h"

namespace webnn::inline v0_1::onnx {

inline constexpr int max_depth = 24;           // how deep subgraphs and functions lie in each other
inline constexpr std::int64_t max_opset = 27;  // the newest that is read

struct File {
  std::shared_ptr<const void> owner{};
  Bytes bytes{};
  std::string label{};
  std::shared_ptr<const formats::ModelFolder> folder{};  // null for bytes that are not a file
};

/// uint8 with the scale and the zero point of the range of a tensor.
struct Quantized {
  MLOperand y, scale, zero;
};

/// Which branches of an If are imported whose condition follows from open sizes.
enum class Branches : std::uint8_t { both, then_branch, else_branch };

/// What all parts of one import share.
struct Import {
  MLGraphBuilder builder;
  File file;
  const ImportOptions& options;
  ModelProto model{};
  Limits limits{};
  formats::Budget budget;
  std::uint64_t steps = 0;                 // nodes imported, which loops repeat
  std::set<std::string> known_inputs{};    // those of ImportOptions::values that were used
  std::set<std::string> wanted_inputs{};   // those that will be, in the next attempt
  std::set<std::string> unknown_inputs{};  // those whose values have to be known and are not given
  std::vector<std::string> refusals{};     // what WebNN cannot express
  std::map<std::string, formats::MappedFile, std::less<>> external{};
  std::unordered_map<const OperandRecord*, Quantized> quantized{};  // by the tensor
  std::unique_ptr<formats::PartialValues> partial{};  // when an input has open dimensions
  std::vector<Branches> branches{};                   // of each If on open sizes that is met
  std::size_t branches_met = 0;                       // in this attempt
  formats::ImportLog* log = nullptr;                  // of the model's graph, for a view of it
  const GivenAttention* attention = nullptr;          // in place of seqlens_k
};

/// Reads the file into `model`. Raises.
void read(Import&);
/// Adds the model that was read to the builder. Raises.
Model import_read(Import&);

/// Raise with the name of the file. `refuse`: the file is not as the format says; `unsupported`:
/// it is, but WebNN cannot express it; `wrong_option`: the caller's options do not fit it.
[[noreturn]] void refuse(const File&, const Failure&);
[[noreturn]] void unsupported(const File&, const Failure&);
[[noreturn]] void wrong_option(const File&, const Failure&);

/// Rows of a value behind those that an operator selects: how many it selects follows from data,
/// but sizes do not.
struct Padded {
  std::uint32_t axis = 0;     // along which they lie
  std::string_view origin{};  // the value that the operator writes
  MLOperand mask{};           // 1 for rows that are selected: uint8, along the axis
};

/// What a name of the graph stands for.
struct Value {
  MLOperand x{};                   // made of a tensor of the file when it is first asked for
  const Tensor* tensor = nullptr;  // one of the file
  bool boolean = false;            // the elements are 0 and 1 of BOOL
  // The type of the file, where x has its elements in a wider one.
  ElementType narrow = ElementType::UNDEFINED;
  bool absent = false;                // an optional input of a function that its call leaves out
  bool unavailable = false;           // a node that was refused would write it
  bool computed = false;              // from constants alone, in the graph: it has memory there
  std::optional<ops::Sizes> empty{};  // its shape, when it has no elements
  MLOperandDataType type = float32;   // the type of the elements that an empty one does not have
  std::shared_ptr<const std::vector<Value>> sequence{};  // its elements, when it is a sequence
  std::optional<Padded> padded{};
};

/// One graph: the model's, a subgraph or a function.
class Scope {
 public:
  /// `nodes` outlive the scope. `attributes` are those of the call of a function.
  Scope(Import& import, std::span<const Node> nodes, std::span<const OpsetImport> opsets,
        const Scope* outer, std::span<const Attribute> attributes = {}, int depth = 0);

  Import& import() const { return import_; }
  int depth() const { return depth_; }
  std::span<const OpsetImport> opsets() const { return opsets_; }
  std::span<const Attribute> attributes() const { return attributes_; }
  /// Whether it is a graph inside of another one, not the model's or a function.
  bool is_inner() const { return outer_ != nullptr; }

  /// Tensors of the graph, which outlive the scope.
  void add_initializers(std::span<const Tensor>);
  /// Raises when the name has a value in this scope.
  void set(std::string_view name, Value v);
  /// The value of a name, here or in the scopes around; null when there is none.
  Value* find(std::string_view name) const;
  /// Its operand, made from a tensor of the file when it is first asked for. Raises when it has no
  /// elements.
  MLOperand operand(Value& v, std::string_view name) const;

  /// Whether a node that is imported, or a result, reads the value.
  bool needs(std::string_view name) const { return needed_.count(name) > 0; }
  /// Whether only nodes that cast it to FLOAT read the value.
  bool is_cast_to_float(std::string_view name) const {
    return needs(name) && read_as_they_are_.count(name) == 0;
  }
  /// Imports the nodes that these values need, each after those whose results it reads.
  void import_nodes(std::span<const std::string_view> outputs);
  /// The attribute of a node, or that of the function's call to which it refers; null when it is
  /// absent there.
  const Attribute* resolve(const Attribute&) const;

 private:
  void import_node(const Node&, std::size_t index);
  /// What an error says of a node, where it does not end the import; false where it does.
  bool note(const Error&, std::size_t index);
  void note_types(const Node&) const;

  Import& import_;
  std::span<const Node> nodes_;
  std::span<const OpsetImport> opsets_;
  const Scope* outer_;
  std::span<const Attribute> attributes_;
  int depth_;
  std::unordered_set<std::string_view> needed_{}, read_as_they_are_{};
  mutable std::unordered_map<std::string_view, Value> values_{};
};

/// `node 3 "conv" (Conv-11)`, with the operator's domain where it is not ONNX itself.
std::string name_of_node(const Node&, std::size_t index, std::int64_t version);
inline constexpr std::string_view no_counterpart = "it has no WebNN counterpart";
/// The function of the model that a node calls; null for an operator.
const Function* function_of(const ModelProto&, const Node&);
/// 0 when the model does not import the domain.
std::int64_t version_of(std::span<const OpsetImport>, std::string_view domain);

/// A tensor of the file as WebNN holds it: the bytes of the file where they are aligned and of a
/// type of WebNN, else a copy.
Result<Constant> constant_of(Import&, const Tensor&);
/// "float32" for FLOAT, "int16" for INT16.
std::string shown_type(ElementType);
/// Fails for types and shapes that WebNN does not have.
Result<MLOperandDescriptor> descriptor_of(const Tensor&);
/// What is said of a type that WebNN does not have.
Failure no_type(ElementType);
/// Whether a dimension is 0.
bool is_empty(const Tensor&);

/// A block of memory with the alignment of the widest element.
struct Block {
  std::shared_ptr<std::vector<std::uint64_t>> owner;
  std::span<std::byte> bytes;

  explicit Block(std::uint64_t size)
      : owner(std::make_shared<std::vector<std::uint64_t>>((size + 7) / 8)),
        bytes(std::as_writable_bytes(std::span(*owner)).first(size)) {}
  Constant constant() const { return Constant::transferred(owner, bytes); }
};

/// Raised where a value has to be known that follows from an input in ImportOptions::values.
struct NeedsInput {};

/// Raised by an If on open sizes for which Import::branches has nothing yet.
struct NeedsBranches {
  std::string reason;  ///< what is said when both can be imported, but not in one graph
};

}  // namespace webnn::inline v0_1::onnx
