// One graph of the delegate: what its values are and what has been made of them. Private.
#pragma once

#include <unordered_map>

#include "src/formats/executorch/import/value.h"

namespace webnn::inline v0_1::executorch {

/// A value after an operator made it. One that is quantized in every run has floats that are
/// integers, with zero at 0, and the scale of each row.
struct Stored {
  MLOperand elements{};
  std::optional<MLOperand> row_scale{};
  explicit operator bool() const { return static_cast<bool>(elements); }
};

/// An input or output of the graph. External ids are the places in the list of arguments.
struct External {
  std::uint32_t external_id, value;  ///< `value` is an id
};

class Delegate {
 public:
  /// Reads all values; raises. `where` begins messages: "" or "delegate 0: ".
  Delegate(Import& import, Blob blob, std::string where);

  const std::vector<External>& inputs() const { return inputs_; }    ///< by external id
  const std::vector<External>& outputs() const { return outputs_; }  ///< by external id

  const ValueInfo& info(std::uint32_t id) const;
  /// The elements as stored; raises for a value that has none yet. Constants enter the builder when
  /// they are first asked for.
  const Stored& value(std::uint32_t id);
  bool has_value(std::uint32_t id) const;
  void set(std::uint32_t id, Stored value);
  /// An input, in the form that its readers see.
  void set_input(std::uint32_t id, MLOperand x);

  void import_nodes();

  Import& import() const { return import_; }
  const Blob& blob() const { return blob_; }
  /// The name that the file has for a value; empty without one.
  std::string_view name(std::uint32_t id) const;
  /// The value with that name, the first of several.
  std::optional<std::uint32_t> id_named(std::string_view name) const;
  [[noreturn]] void refuse(const Failure&) const;
  [[noreturn]] void raise_by_name(const Failure&) const;

 private:
  void read_values();
  void check_kinds();

  Import& import_;
  Blob blob_;
  std::string where_;
  std::string prefix_ = where_;  // empty while the message gets the node's name in front of it
  std::vector<ValueInfo> values_{};
  std::vector<Stored> stored_{};
  std::unordered_map<std::uint32_t, std::size_t> index_{};  // by id
  std::unordered_map<std::uint32_t, std::string_view> names_{};
  std::vector<External> inputs_{}, outputs_{};
};

}  // namespace webnn::inline v0_1::executorch
