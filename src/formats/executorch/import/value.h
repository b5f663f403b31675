// What a graph of the delegate says of a value, checked. Private.
#pragma once

#include "src/formats/executorch/import/blob.h"
#include "src/formats/executorch/import/importer.h"

namespace webnn::inline v0_1::executorch {

/// Per tensor: one scale. Per channel: one for each index along an axis. By groups: one for each
/// group of elements along the last of two dimensions.
struct Scales {
  Constant scale{{}, {}};  ///< float32
  std::uint32_t count = 0;
  std::int64_t zero = 0;
  std::uint32_t axis = 0;
  std::uint32_t group = 0;  ///< elements; 0: not by groups

  float at(std::size_t i) const;
  bool operator==(const Scales& other) const;
};

struct ValueInfo {
  std::uint32_t id = 0;
  xnn::DataType type = xnn::DataType::fp32;
  /// The type of its elements as stored; none: WebNN has no type for them.
  std::optional<MLOperandDataType> dataType{};
  Dims dims{};  ///< right for inputs and constants; for others a writer may give other ones
  std::uint32_t flags = 0, external_id = no_value, constant = 0;
  std::optional<Scales> scales{};
  /// Quantized in every run, each run of the last dimensions with its own scale: how many.
  std::optional<std::uint32_t> dynamic_dims{};

  bool is_input() const { return flags & external_input; }
  bool is_output() const { return flags & external_output; }
  std::string text() const;  ///< `value 7`
};

std::string name_of_type(xnn::DataType);

/// Failures are sentences about the value. The scales may be read from the constants.
Result<ValueInfo> read_value(Import&, const Blob&, const xnn::Value&);

/// The descriptor of an input or a constant.
Result<MLOperandDescriptor> descriptor_of(const ValueInfo&);

/// The elements of a constant in that form: shared with the file where they can be, else in memory
/// that is taken from the budget.
Result<Constant> constant_of(Import&, const Blob&, const ValueInfo&);

}  // namespace webnn::inline v0_1::executorch
