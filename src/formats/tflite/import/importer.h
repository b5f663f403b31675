// The import of one model: its subgraphs, its values, and the memory that it may use. Private.
#pragma once

#include <map>
#include <set>

#include "src/formats/common/budget.h"
#include "src/formats/common/file_view.h"
#include "src/formats/common/fold.h"
#include "src/formats/common/partial_values.h"
#include "src/formats/tflite/import/tensor.h"
#include "webnn/tflite.h"

namespace webnn::inline v0_1::tflite {

/// A value that lasts from one run to the next, as the operators of the import find it.
struct Variable {
  std::string name{};
  std::optional<Constant> initial{};
  std::optional<MLOperandDescriptor> descriptor{};  ///< once it is read or has an initial value
  MLOperand input{},
      value{};  ///< as the run finds it, if it is read before it is assigned; as it is now
  std::optional<Quantization> quantization{};
};

/// What all parts of one import share.
struct Import {
  MLGraphBuilder builder;
  File file;
  const ImportOptions& options;
  formats::Budget budget;
  std::unique_ptr<formats::PartialValues> partial{};  // when an input has open dimensions
  std::vector<Variable> variables{};
  std::set<std::string> known_inputs{};   // those of ImportOptions::values that were used
  std::set<std::string> wanted_inputs{};  // those that will be, in the next attempt
  formats::ImportLog* log = nullptr;      // of the model's subgraph, for a view of it
};

/// The subgraph that the options choose, or that of the signature that they name. Raises.
std::size_t chosen_subgraph(const File&, const ImportOptions&);
/// Adds the model to the builder. Raises.
Model import_all(Import&);

/// Raised where a value has to be known that follows from an input in ImportOptions::values.
struct NeedsInput {};

/// One subgraph: what its tensors are and what has been made of them.
class Scope {
 public:
  /// Raises when an operator or a list refers to a tensor that does not exist. `depth` counts
  /// inlined calls.
  Scope(Import& import, std::size_t subgraph, int depth = 0, bool initializes = false);

  const schema::SubGraph& table() const { return *table_; }
  Import& import() const { return import_; }
  int depth() const { return depth_; }
  /// Whether it says what variables are before the first run.
  bool initializes() const { return initializes_; }

  /// Raise a failure of the tensor.
  const TensorInfo& tensor(std::int32_t index);
  /// The elements as stored. Constants enter the builder when they are first asked for.
  MLOperand value(std::int32_t index);
  bool has_value(std::int32_t index) const { return static_cast<bool>(values_[index]); }
  void set(std::int32_t index, MLOperand x) { values_[index] = std::move(x); }
  /// The number of the variable to which a tensor of RESOURCE refers; none: nothing has set it.
  std::optional<std::size_t> resource(std::int32_t index) const;
  void set_resource(std::int32_t index, std::size_t variable) { resources_[index] = variable; }

  /// Imports the operators that these tensors need, in the order of the file.
  void import_operators(const std::vector<std::int32_t>& outputs);

 private:
  void check_indices(std::span<const std::int32_t> list, std::string_view what);
  void find_producers();
  std::vector<bool> needed_for(const std::vector<std::int32_t>& outputs) const;
  void check_supported(const std::vector<bool>& needed);
  void import_operator(std::uint32_t index);
  /// The same for each of them; what is refused is noted, and so are the types of what is not.
  void try_operators(const std::vector<bool>& needed, formats::ImportLog& log);
  [[noreturn]] void needs_size(const schema::Operator& op, const std::string& name);
  MLOperand constant(const TensorInfo& t);

  Import& import_;
  const schema::SubGraph* table_;
  int depth_;
  bool initializes_;
  std::vector<std::optional<TensorInfo>> tensors_;
  std::vector<MLOperand> values_;
  std::vector<std::int32_t> producers_;  // by tensor: the operator that writes it, or -1
  std::map<std::int32_t, std::size_t> resources_{};  // by tensor: the variable
};

/// `operator 3 (CONV_2D)`; of a custom one `operator 3 (CUSTOM "name")`.
std::string name_of_operator(const File&, const schema::Operator&, std::size_t index);
/// The operator's code, from the old field or the new one.
schema::BuiltinOperator code_of(const File&, const schema::Operator&);
std::string_view code_name(schema::BuiltinOperator);

/// The elements of a constant as WebNN holds them: the bytes of the file where they are aligned and
/// of a type of WebNN, else a copy.
Result<Constant> constant_of(Import&, const TensorInfo&);
/// The elements of a sparse tensor in the order of a dense one, of the file's type.
Result<Constant> densified(Import&, const TensorInfo&, std::size_t element_size);
/// That of a tensor with one scale.
std::optional<Quantization> quantization_of(const TensorInfo&);
/// The shape of a constant. Fails when it has unknown dimensions, none or too many elements.
Result<MLOperandDescriptor> descriptor_of(const TensorInfo&);

using formats::folded;
using formats::max_folded;

}  // namespace webnn::inline v0_1::tflite
