// A model before it is written: tensors and operators. Those that no output needs are not written.
#pragma once

#include <deque>

#include "src/formats/common/quantizer.h"
#include "src/formats/tflite/schema.h"
#include "webnn/graph.h"

namespace webnn::inline v0_1::tflite::exporter {

using schema::ActivationFunctionType;
using schema::BuiltinOperator;
using schema::TensorType;

using formats::dequantized;
using formats::elements_of;
using formats::find_quantizers;
using formats::Quantizer;
using formats::quantizer_of;

struct TensorSpec {
  TensorType type = TensorType::FLOAT32;
  Dims shape{};
  std::optional<Quantizer> quantizer{};
};

/// A tensor of the model, by its index.
struct Value {
  int id = -1;
  explicit operator bool() const { return id >= 0; }
  bool operator==(const Value&) const = default;
};

struct TensorRecord {
  TensorSpec spec{};
  std::optional<Constant> constant{};
  std::string name{};
  int producer = -1;                      ///< the index of its operator
  std::vector<std::int32_t> signature{};  ///< the shape with -1 for what is open; empty: nothing is
};

struct OperatorRecord {
  BuiltinOperator code{};
  std::vector<Value> inputs{}, outputs{};
  schema::BuiltinOptionsUnion options{};
  std::string custom_code{};  ///< of CUSTOM, as what follows
  int custom_version = 1;
  std::vector<std::uint8_t> custom_options{};
};

struct Named {
  std::string name;
  Value value;
};

struct ModelRecord {
  std::deque<TensorRecord> tensors{};
  std::deque<OperatorRecord> operators{};
  std::vector<Named> inputs{}, outputs{};
  std::string description{};

  const TensorRecord& operator[](Value x) const { return tensors[static_cast<std::size_t>(x.id)]; }
};

/// The name of what the first operator writes that is not the same in both models; nothing where
/// they differ in the shapes of tensors alone.
std::optional<std::string> difference(const ModelRecord& a, const ModelRecord& b);
/// Opens the dimensions that have other sizes in a model that does not differ.
void open_dimensions(ModelRecord& model, const ModelRecord& other);

/// The version of an operator that its types, shapes and options ask for.
int version_of(const ModelRecord& model, const OperatorRecord& op);
/// The first release of the runtime that has the operator in that version: {2, 9} for 2.9.
std::pair<int, int> runtime_of(BuiltinOperator code, int version);

/// The bytes of a file with a signature "serving_default". Throws NotSupportedError when they would
/// be more than 2^31 - 1.
std::vector<std::byte> write(const ModelRecord& model);

}  // namespace webnn::inline v0_1::tflite::exporter
