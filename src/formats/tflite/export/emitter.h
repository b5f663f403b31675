// Adds operators to a model. What TFLite does not support becomes a refusal of the WebNN operator
// that is being exported; the values returned then stand in for results and may be used.
#pragma once

#include "src/formats/common/rearranged.h"
#include "src/formats/tflite/export/model.h"

namespace webnn::inline v0_1::tflite::exporter {

using enum BuiltinOperator;
using Axes = std::vector<std::uint32_t>;

/// Dimensions, sizes of windows, strides and bytes of a tensor are int32.
inline constexpr std::uint64_t max_dimension = 0x7fffffff;

TensorType type_of(MLOperandDataType type);
std::size_t size_of(TensorType type);  ///< bytes of an element; 0 for types of half a byte
std::string_view name_of_type(TensorType type);

class Emitter {
 public:
  // Tensors.

  Value input(const std::string& name, const MLOperandDescriptor& descriptor);
  Value constant(TensorSpec spec, Constant bytes);
  template <class T> Value constant(TensorType type, Dims shape, const std::vector<T>& values) {
    return constant({type, std::move(shape)}, Constant::copy_of(std::as_bytes(std::span(values))));
  }
  Value ints(const std::vector<std::int32_t>& values);
  Value floats(Dims shape, const std::vector<float>& values);
  /// A scalar of that type; the value fits.
  Value scalar(TensorType type, double value);
  const TensorSpec& spec(Value x) const { return model_[x].spec; }
  const Dims& shape(Value x) const { return spec(x).shape; }
  TensorType type(Value x) const { return spec(x).type; }
  const Constant* constant(Value x) const;
  /// The elements of a constant, as doubles.
  std::vector<double> values(Value x) const;
  /// A constant's elements with that quantization.
  Value quantized(Value x, const Quantizer& quantizer);
  void quantize(Value x, const Quantizer& quantizer);  ///< for a tensor that has none yet
  /// Another tensor of the same elements, with that quantization.
  Value copied(Value x, std::optional<Quantizer> quantizer);

  // Operators.

  template <class Options = schema::PadOptionsT>
  Value emit(BuiltinOperator code, std::vector<Value> inputs, TensorSpec result,
             std::optional<Options> options = {}) {
    return emit_list(code, std::move(inputs), {std::move(result)}, std::move(options)).front();
  }
  template <class Options = schema::PadOptionsT>
  std::vector<Value> emit_list(BuiltinOperator code, std::vector<Value> inputs,
                               std::vector<TensorSpec> results,
                               std::optional<Options> options = {}) {
    schema::BuiltinOptionsUnion u;
    if (options) u.Set(std::move(*options));
    return append(code, std::move(inputs), std::move(results), std::move(u));
  }

  /// The result has the shape and type of x, or the type and quantization of `result`.
  Value unary(BuiltinOperator code, Value x, std::optional<TensorSpec> result = {},
              schema::BuiltinOptionsUnion options = {});
  /// Broadcasts. The result has the type of the operands, or the type and quantization of `result`.
  Value binary(BuiltinOperator code, Value a, Value b,
               ActivationFunctionType activation = ActivationFunctionType::NONE,
               std::optional<TensorSpec> result = {});
  Value binary(BuiltinOperator code, Value a, double b);  ///< with a scalar of a's type
  Value compare(BuiltinOperator code, Value a, Value b);  ///< BOOL
  Value select(Value condition, Value a, Value b);        ///< condition is BOOL
  Value cast(Value x, TensorType type);
  /// From uint8: whether elements are not 0.
  Value as_bool(Value x);
  /// From BOOL to uint8 with 0 and 1.
  Value from_bool(Value x);

  Value reshape(Value x, Dims shape);
  Value transpose(Value x, const Dims& permutation);
  Value broadcast_to(Value x, const Dims& shape);
  /// The result has the type and quantization of the first input, or those of `result`.
  Value concat(const std::vector<Value>& list, std::uint32_t axis,
               std::optional<TensorSpec> result = {});
  Value slice(Value x, const Dims& starts, const Dims& sizes);
  Value gather(Value x, Value indices, std::uint32_t axis);
  /// Gathers along one axis by constant indices.
  Value pick(Value x, const std::vector<std::int32_t>& indices, std::uint32_t axis);
  /// Pads with a value, or with the zero point of quantized elements.
  Value pad(Value x, const Dims& before, const Dims& after, std::optional<double> value = {});
  Value reduce(BuiltinOperator code, Value x, const Axes& axes, bool keep,
               std::optional<TensorSpec> result = {});

  /// A CUSTOM operator.
  std::vector<Value> custom(const ops::custom& op, std::vector<Value> inputs,
                            std::vector<TensorSpec> results);

  // Refusals.

  /// Records the first failure. Returns a tensor that stands in for the result.
  Value refuse(const Failure& failure, TensorSpec result = {});
  std::optional<Failure> take_failure() { return std::exchange(failure_, std::nullopt); }
  bool failed() const { return failure_.has_value(); }

  void set_label(std::string label) { label_ = std::move(label); }
  ModelRecord& model() { return model_; }

 private:
  std::vector<Value> append(BuiltinOperator code, std::vector<Value> inputs,
                            std::vector<TensorSpec> results, schema::BuiltinOptionsUnion options);
  std::vector<Value> append(OperatorRecord op, std::vector<TensorSpec> results);
  Value tensor(TensorSpec spec);
  const OperatorRecord* producer(Value x, BuiltinOperator code) const;
  /// The permutation of the TRANSPOSE that has made all of them, or nothing. Operators that do not
  /// care about it come before such a TRANSPOSE, so that it can meet its inverse.
  std::optional<Dims> common_order(const std::vector<Value>& list) const;
  Value before_transpose(Value x) const { return producer(x, TRANSPOSE)->inputs[0]; }

  ModelRecord model_{};
  std::vector<Value> bool_of_{};  // by uint8 tensor: the BOOL that it was made of
  std::optional<Failure> failure_{};
  std::string label_{};
};

using formats::broadcast_shape;
using formats::permuted;
using formats::transposed;

}  // namespace webnn::inline v0_1::tflite::exporter
