// Makes tensors and nodes of a model. Private.
#pragma once

#include <utility>

#include "src/formats/common/rearranged.h"
#include "src/formats/nnrt/names.h"
#include "src/graph/failure.h"
#include "webnn/graph.h"

namespace webnn::inline v0_1::nnrt::exporter {

/// A tensor of the model, by its index.
struct Value {
  std::int64_t index = -1;
  explicit operator bool() const { return index >= 0; }
  bool operator==(const Value&) const = default;
};

class Emitter {
 public:
  Model& model() { return model_; }
  const Tensor& tensor(Value x) const {
    return model_.allTensors[static_cast<std::size_t>(x.index)];
  }
  Dims shape(Value x) const;
  void set_name(Value x, std::string name) {
    model_.allTensors[static_cast<std::size_t>(x.index)].name = std::move(name);
  }
  void set_label(std::string label) { label_ = std::move(label); }
  /// What the nodes to come have: scales of their 8-bit results, if there are any, and an
  /// activation, which is that of the first one that may have it.
  void set_result(std::vector<QuantParam> params, ActivationType fused) {
    params_ = std::move(params);
    fused_ = fused;
  }
  ActivationType fused() const { return fused_; }
  void set_fused(ActivationType fused) { fused_ = fused; }
  /// Tensors that no node has, and that are no inputs or outputs of the model.
  void drop_unused();

  Value value(MLOperandDataType type, const Dims& shape);
  Value constant(MLOperandDataType type, const Dims& shape, Constant bytes);
  /// All elements are v.
  Value filled(MLOperandDataType type, const Dims& shape, double v);
  void quantize(Value x, std::vector<QuantParam> params) {
    model_.allTensors[static_cast<std::size_t>(x.index)].quantParams = std::move(params);
  }
  Value ints(const std::vector<std::int32_t>& values);
  Value ints(const Dims& values);

  /// A node with one result of that type and shape.
  Value node(Attributes attributes, std::vector<Value> inputs, MLOperandDataType type,
             const Dims& shape);
  std::vector<Value> nodes(Attributes attributes, std::vector<Value> inputs, MLOperandDataType type,
                           const std::vector<Dims>& shapes);
  /// A node with a result like the first input, of that shape, or of booleans.
  Value like(Attributes attributes, std::vector<Value> inputs);
  Value like(Attributes attributes, std::vector<Value> inputs, const Dims& shape);
  Value truth(Attributes attributes, std::vector<Value> inputs, const Dims& shape);
  /// Operators of two operands, which broadcast.
  Value binary(Attributes attributes, Value a, Value b);
  Value binary(Attributes attributes, Value a, double b) {
    return binary(std::move(attributes), a, filled(type(a), ones_like(a), b));
  }
  /// A shape of one element that broadcasts to that of x.
  Dims ones_like(Value x) const { return Dims(shape(x).empty() ? 0 : 1, 1); }
  Value copy(Value x);
  /// A node with a result that has the quantization of the first input.
  Value moved(Attributes attributes, std::vector<Value> inputs, const Dims& shape);
  /// Between booleans and uint8 with 0 and 1.
  bool is_truth(Value x) const { return tensor(x).dataType == DataType::DATA_TYPE_BOOL; }
  Value as_truth(Value x);
  Value as_uint8(Value x);
  Value cast(Value x, MLOperandDataType type);
  Value transpose(Value x, const Dims& permutation);
  Value reshape(Value x, const Dims& shape);
  /// Repeated along dimensions of 1 and those that x does not have.
  Value broadcast(Value x, const Dims& shape);
  Value slice(Value x, const Dims& starts, const Dims& sizes);
  /// With the elements along these dimensions in the reverse order.
  Value reverse(Value x, const Dims& axes);
  Value concat(std::vector<Value> parts, std::uint32_t axis);
  Value pad(Value x, const Dims& before, const Dims& after, float value);
  Value pad(Value x, const Dims& before, const Dims& after, PadFusion mode);
  /// Booleans.
  Value mask(const Dims& shape, const std::vector<std::uint8_t>& values);
  MLOperandDataType type(Value x) const { return types_[static_cast<std::size_t>(x.index)]; }

  Value refuse(const Failure& failure, MLOperandDataType type, const Dims& shape);
  std::optional<Failure> take_failure() { return std::exchange(failure_, std::nullopt); }

 private:
  Model model_{};
  std::vector<MLOperandDataType> types_{};
  std::string label_{};
  std::vector<QuantParam> params_{};
  ActivationType fused_{};
  std::optional<Failure> failure_{};
};

using formats::axes_or_all;
using formats::permuted;
List list_of(const Dims& dims);
std::optional<DataType> stored_as(MLOperandDataType type);

}  // namespace webnn::inline v0_1::nnrt::exporter
