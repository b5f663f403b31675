// The messages of an ONNX file that is written: https://github.com/onnx/onnx (onnx.proto) Private.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "src/formats/common/write_file.h"
#include "src/formats/onnx/element_type.h"
#include "webnn/operand.h"

namespace webnn::inline v0_1::onnx::exporter {

using Ints = std::vector<std::int64_t>;

struct Attribute {
  std::string_view name;
  std::variant<std::int64_t, float, std::string_view, Ints, std::vector<std::string_view>,
               std::vector<float>>
      value;
};
using Attributes = std::vector<Attribute>;

struct WrittenNode {
  std::string name{};
  std::string_view op_type{};
  std::vector<std::string> inputs{}, outputs{};  // names; empty for an optional input
  Attributes attributes{};
  std::string domain{};      // of a custom operator
  std::int64_t version = 0;  // of its domain
};

struct WrittenTensor {
  std::string name{};
  ElementType type = ElementType::UNDEFINED;
  Dims dims{};
  Constant data;
};

struct WrittenValue {
  std::string name{};
  ElementType type = ElementType::UNDEFINED;
  std::optional<MLDimensions> dims{};  // nothing where the rank is open
};

struct WrittenModel {
  std::string graph_name{};
  std::vector<WrittenNode> nodes{};
  std::vector<WrittenTensor> tensors{};
  std::vector<WrittenValue> inputs{}, outputs{};
};

inline constexpr std::int64_t written_opset = 21, written_ir_version = 10;

/// Puts the model. Tensors of at least `external_min` bytes are put into `data`, the file of
/// that name in the folder of the model; those within the model begin at addresses that suit them.
/// Raises NotSupportedError for a model of more than 2 GB.
struct External {
  std::string_view name{};
  std::uint64_t min = ~std::uint64_t{0};
};
void put_model(const WrittenModel& model, const External& external, const formats::Put& put);
void put_external(const WrittenModel& model, const External& external, const formats::Put& put);

}  // namespace webnn::inline v0_1::onnx::exporter
