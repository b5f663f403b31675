// Makes values and nodes of a model. Private.
#pragma once

#include <map>
#include <set>
#include <utility>

#include "src/formats/common/rearranged.h"
#include "src/formats/onnx/export/writer.h"
#include "src/graph/failure.h"
#include "webnn/graph.h"

namespace webnn::inline v0_1::onnx::exporter {

/// A value of the model, by its index; none is an optional input that is left out.
struct Value {
  std::int64_t index = -1;
  explicit operator bool() const { return index >= 0; }
  bool operator==(const Value&) const = default;
};

/// How the type of WebNN is called in ONNX.
ElementType element_type(MLOperandDataType type);
/// The types that ONNX's operator has for its first operand in operator set 21, of those of WebNN.
DataTypes types_of(std::string_view op_type);

/// Orders of the dimensions of images, between WebNN's layout nhwc and ONNX's.
inline const Dims nhwc_to_nchw{0, 3, 1, 2}, nchw_to_nhwc{0, 2, 3, 1};

class Emitter {
 public:
  MLOperandDataType type(Value x) const { return *data_type_of(data(x).type); }
  const Dims& shape(Value x) const { return data(x).shape; }
  std::uint32_t rank(Value x) const { return static_cast<std::uint32_t>(shape(x).size()); }
  /// The elements of a constant.
  const Constant* constant_of(Value x) const {
    return data(x).constant ? &*data(x).constant : nullptr;
  }
  bool is_input(Value x) const { return data(x).kind == Kind::input; }
  bool is_output(Value x) const { return data(x).kind == Kind::output; }

  Value input(const std::string& name, MLOperandDataType type, const Dims& shape);
  /// Gives a result the name of an output of the model.
  void make_output(Value y, const std::string& name);
  void set_name(Value x, std::string name) { values_[at(x)].name = std::move(name); }

  /// The label of the operator whose nodes follow.
  void begin(std::string label);
  /// Whether one of its nodes writes x.
  bool is_new_result(Value x) const { return x.index >= first_value_ && !constant_of(x); }
  /// Names the operator's nodes.
  void end();
  /// The nodes and constants of the operator without names and without shapes of results: a text
  /// that is the same for the same nodes.
  std::string written() const;

  /// A value that no node writes, after a failure.
  Value nothing(MLOperandDataType type, const Dims& shape);
  Value constant(MLOperandDataType type, const Dims& shape, Constant bytes);
  /// All elements are v.
  Value filled(MLOperandDataType type, const Dims& shape, MLNumber v);
  Value scalar(MLOperandDataType type, MLNumber v) { return filled(type, {}, v); }
  Value scalar_like(Value x, MLNumber v) { return scalar(type(x), v); }
  Value ints(const Ints& values);
  Value ints(const Dims& values) { return ints(Ints(values.begin(), values.end())); }
  Value int64_scalar(std::int64_t v) { return scalar(int64, v); }

  /// A node with one result of that type and shape.
  Value node(std::string_view op, std::vector<Value> inputs, ElementType type, const Dims& shape,
             Attributes attributes = {});
  Value node(std::string_view op, std::vector<Value> inputs, MLOperandDataType type,
             const Dims& shape, Attributes attributes = {}) {
    return node(op, std::move(inputs), element_type(type), shape, std::move(attributes));
  }
  std::vector<Value> nodes(std::string_view op, std::vector<Value> inputs, MLOperandDataType type,
                           const std::vector<Dims>& shapes, Attributes attributes = {});
  /// A node of another domain, for a custom operator; names and texts outlive the emitter.
  std::vector<Value> custom_nodes(std::string_view domain, std::string_view op,
                                  std::int64_t version, std::vector<Value> inputs,
                                  const std::vector<MLOperandDescriptor>& results,
                                  Attributes attributes);
  /// A node with a result like the first input, of that shape, or of booleans.
  Value like(std::string_view op, std::vector<Value> inputs, Attributes attributes = {});
  Value like(std::string_view op, std::vector<Value> inputs, const Dims& shape,
             Attributes attributes = {});
  Value truth(std::string_view op, std::vector<Value> inputs, const Dims& shape);
  /// Operators of two operands, which broadcast.
  Value binary(std::string_view op, Value a, Value b);
  Value binary(std::string_view op, Value a, double b) { return binary(op, a, scalar_like(a, b)); }
  Value copy(Value x) { return like("Identity", {x}); }
  /// The size of a dimension, an int64 scalar.
  Value dimension(Value x, std::uint32_t axis);
  /// The cast of integers that the type holds: a cast back is x.
  Value narrowed(Value x, MLOperandDataType type);

  struct QuantizedByRange {
    Value y{}, scale{}, zero{};
  };
  QuantizedByRange quantized_by_range(Value x);

  /// Between booleans and uint8 with 0 and 1.
  bool is_truth(Value x) const { return data(x).type == ElementType::BOOL; }
  Value as_truth(Value x);
  Value as_uint8(Value x) { return is_truth(x) ? cast(x, uint8) : x; }
  Value cast(Value x, MLOperandDataType type);

  Value transpose(Value x, const Dims& permutation);
  /// For an operator that quantized networks have: after DequantizeLinear nothing is transposed.
  Value operand_transposed(Value x, const Dims& permutation);
  /// An image of WebNN's layout nhwc as the one that ONNX's operators take, and the other way
  /// round. Between two of them nothing is transposed where operators work element by element.
  Value to_nchw(Value x);
  Value to_nhwc(Value x);
  /// With dimensions a and b exchanged.
  Value exchanged(Value x, std::uint32_t a, std::uint32_t b);
  Value reshape(Value x, const Dims& shape);
  Value expand(Value x, const Dims& shape);
  Value slice(Value x, const Dims& starts, const Dims& ends, const Dims& steps);
  /// Elements of these places along an axis.
  Value taken(Value x, const Dims& places, std::uint32_t axis);
  /// With the elements along these dimensions in the reverse order.
  Value reverse(Value x, const Dims& axes);
  /// A list of two elements in the reverse order.
  Value reverse_list(Value x);
  Value concat(std::vector<Value> parts, std::uint32_t axis);
  Value pad(Value x, const Dims& before, const Dims& after, std::string_view mode, Value value);

  Value refuse(const Failure& failure, MLOperandDataType type, const Dims& shape);
  std::optional<Failure> take_failure() { return std::exchange(failure_, std::nullopt); }

  /// Everything that the outputs need, with names. The emitter is empty then.
  WrittenModel finish();

 private:
  enum class Kind : std::uint8_t { input, constant, result, output };
  struct Data {
    Kind kind = Kind::result;
    ElementType type = ElementType::UNDEFINED;
    Dims shape{};
    std::optional<Constant> constant{};
    std::string name{};
    std::int64_t node = -1;  // that writes it
    Value nchw{};            // for a result of to_nhwc(), its operand
  };
  struct NodeData {
    std::string_view op{};
    std::string name{};
    std::vector<Value> inputs{}, outputs{};
    Attributes attributes{};
    std::string_view domain{};
    std::int64_t version = 0;
  };

  static std::size_t at(Value x) { return static_cast<std::size_t>(x.index); }
  const Data& data(Value x) const { return values_[at(x)]; }
  Value add(Data data);
  Value rearranged(Value x, const Dims& shape, Constant bytes);
  bool take_nchw(std::string_view op, std::vector<Value>& inputs, const Attributes& a) const;
  void check_type(std::string_view op, const std::vector<Value>& inputs);
  /// Casts the operands to float32 for which the operator has no type; whether there are any.
  bool widen(std::string_view op, std::vector<Value>& inputs);
  /// Those that the outputs need, and the values that they need.
  std::vector<bool> used_nodes(std::vector<bool>& wanted) const;
  void name_values(const std::vector<bool>& used);

  std::vector<Data> values_{};
  std::vector<NodeData> nodes_{};
  std::vector<Value> inputs_{}, outputs_{};
  std::map<Ints, Value> lists_{};
  std::map<std::pair<std::int64_t, MLOperandDataType>, Value> casts_{};
  std::map<std::string_view, std::int64_t> domains_{};  // their versions
  std::string label_{};
  std::size_t begin_ = 0;  // the first node of the operator
  std::int64_t first_value_ = 0;
  std::optional<Failure> failure_{};
};

using formats::axes_or_all;
using formats::broadcast_shape;
using formats::permuted;
inline Ints ints_of(const Dims& dims) { return {dims.begin(), dims.end()}; }

}  // namespace webnn::inline v0_1::onnx::exporter
