#include "src/formats/tflite/export/emitter.h"

#include <cstring>

#include "src/formats/tflite/export/accepts.h"
#include "src/formats/tflite/options.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "src/operators/control.h"
#include "webnn/custom.h"
#include "webnn/float16.h"

namespace webnn::inline v0_1::tflite::exporter {

TensorType type_of(MLOperandDataType type) {
  switch (type) {
    case float32: return TensorType::FLOAT32;
    case float16: return TensorType::FLOAT16;
    case int32: return TensorType::INT32;
    case uint32: return TensorType::UINT32;
    case int64: return TensorType::INT64;
    case uint64: return TensorType::UINT64;
    case int8: return TensorType::INT8;
    case uint8: return TensorType::UINT8;
    case int4:
    case uint4: return TensorType::INT4;
    case bfloat16:
    case float8e4m3: break;  // refused before anything is written
  }
  return TensorType::FLOAT32;
}

std::size_t size_of(TensorType type) {
  switch (type) {
    case TensorType::FLOAT32:
    case TensorType::INT32:
    case TensorType::UINT32: return 4;
    case TensorType::INT64:
    case TensorType::UINT64: return 8;
    case TensorType::FLOAT16: return 2;
    case TensorType::INT8:
    case TensorType::UINT8:
    case TensorType::BOOL: return 1;
    default: return 0;
  }
}

std::string_view name_of_type(TensorType type) { return schema::EnumNameTensorType(type); }

// Tensors.

Value Emitter::tensor(TensorSpec spec) {
  model_.tensors.push_back({.spec = std::move(spec)});
  bool_of_.emplace_back();
  return {static_cast<int>(model_.tensors.size()) - 1};
}

Value Emitter::input(const std::string& name, const MLOperandDescriptor& descriptor) {
  const Value x = tensor({type_of(descriptor.dataType), descriptor.shape});
  model_.tensors.back().name = name;
  model_.inputs.push_back({name, x});
  return x;
}

Value Emitter::constant(TensorSpec spec, Constant bytes) {
  const Value x = tensor(std::move(spec));
  model_.tensors.back().constant = std::move(bytes);
  model_.tensors.back().name = label_ + "/constant";
  return x;
}
Value Emitter::ints(const std::vector<std::int32_t>& values) {
  return constant(TensorType::INT32, {static_cast<std::uint32_t>(values.size())}, values);
}
Value Emitter::floats(Dims shape, const std::vector<float>& values) {
  return constant(TensorType::FLOAT32, std::move(shape), values);
}

Value Emitter::scalar(TensorType type, double value) {
  switch (type) {
    case TensorType::INT32: return constant<std::int32_t>(type, {}, {std::int32_t(value)});
    case TensorType::INT64: return constant<std::int64_t>(type, {}, {std::int64_t(value)});
    case TensorType::INT8: return constant<std::int8_t>(type, {}, {std::int8_t(value)});
    case TensorType::UINT8:
    case TensorType::BOOL: return constant<std::uint8_t>(type, {}, {std::uint8_t(value)});
    case TensorType::UINT32: return constant<std::uint32_t>(type, {}, {std::uint32_t(value)});
    case TensorType::FLOAT32: return constant<float>(type, {}, {static_cast<float>(value)});
    default: return refuse(fail("TFLite does not compute with {}", name_of_type(type)), {type, {}});
  }
}

const Constant* Emitter::constant(Value x) const {
  return model_[x].constant ? &*model_[x].constant : nullptr;
}

std::vector<double> Emitter::values(Value x) const {
  const auto bytes = constant(x)->bytes();
  std::vector<double> out(element_count(shape(x)));
  const auto read = [&]<class T>(T value) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
      out[i] = static_cast<double>(value);
    }
  };
  switch (type(x)) {
    case TensorType::FLOAT32: read(float{}); break;
    case TensorType::FLOAT16: read(Float16{}); break;
    case TensorType::INT32: read(std::int32_t{}); break;
    case TensorType::UINT32: read(std::uint32_t{}); break;
    case TensorType::INT64: read(std::int64_t{}); break;
    case TensorType::UINT64: read(std::uint64_t{}); break;
    case TensorType::INT8: read(std::int8_t{}); break;
    default: read(std::uint8_t{}); break;
  }
  return out;
}

void Emitter::quantize(Value x, const Quantizer& quantizer) {
  model_.tensors[static_cast<std::size_t>(x.id)].spec.quantizer = quantizer;
}

Value Emitter::quantized(Value x, const Quantizer& quantizer) {
  const TensorRecord& t = model_[x];
  if (t.spec.quantizer == quantizer) return x;
  if (t.constant || t.spec.quantizer) return copied(x, quantizer);
  quantize(x, quantizer);
  return x;
}

Value Emitter::copied(Value x, std::optional<Quantizer> quantizer) {
  const TensorRecord& t = model_[x];
  TensorSpec spec = t.spec;
  spec.quantizer = std::move(quantizer);
  if (t.constant) return constant(std::move(spec), Constant(*t.constant));
  // RESHAPE copies elements as they are.
  schema::ReshapeOptionsT options;
  options.new_shape.assign(spec.shape.begin(), spec.shape.end());
  const Value shape = ints(options.new_shape);
  return emit(RESHAPE, {x, shape}, std::move(spec), std::optional(options));
}

// Operators.

namespace {

/// Saturates where 64 bits do not hold the product.
std::uint64_t bytes_of(const TensorSpec& spec) {
  std::uint64_t bytes = std::max<std::uint64_t>(size_of(spec.type), 1);
  for (const std::uint32_t d : spec.shape)
    bytes = std::min(bytes * std::min<std::uint64_t>(d, max_dimension + 1), max_dimension + 1);
  return bytes;
}

/// The place of the operand whose type decides whether the runtime has a kernel.
std::size_t deciding_operand(BuiltinOperator code) {
  switch (code) {
    case SPLIT:                     // after the axis
    case SELECT_V2: return 1;       // after the condition
    case TRANSPOSE_CONV: return 2;  // after the shape of the result and the filter
    default: return 0;
  }
}

}  // namespace

std::vector<Value> Emitter::append(BuiltinOperator code, std::vector<Value> inputs,
                                   std::vector<TensorSpec> results,
                                   schema::BuiltinOptionsUnion options) {
  const Value decides = inputs[deciding_operand(code)];
  if (!accepts(code, type(decides)))
    refuse(fail("TFLite's {} does not support {}", schema::EnumNameBuiltinOperator(code),
                name_of_type(type(decides))));
  for (const TensorSpec& spec : results)
    if (const std::uint64_t bytes = bytes_of(spec); bytes > max_dimension)
      refuse(fail("a result of {} would have {} bytes, more than {}",
                  schema::EnumNameBuiltinOperator(code), bytes, max_dimension));
  OperatorRecord op{code, std::move(inputs), {}, std::move(options)};
  return append(std::move(op), std::move(results));
}

std::vector<Value> Emitter::custom(const ops::custom& op, std::vector<Value> inputs,
                                   std::vector<TensorSpec> results) {
  const CustomOperator& definition = *op.definition;
  if (operators::control_form(definition)) refuse(fail("its subgraphs cannot be written"));
  if (definition.version > 0x7fffffff)
    refuse(fail("its version ({}) is beyond those of TFLite", definition.version));
  for (const CustomAttribute& a : op.options.attributes)
    if (a.name.find('\0') != std::string::npos)
      refuse(fail("attribute {} has a zero byte in its name", in_quotes(a.name)));
  OperatorRecord record{.code = BuiltinOperator::CUSTOM,
                        .inputs = std::move(inputs),
                        .custom_code = definition.name,
                        .custom_version = static_cast<int>(definition.version),
                        .custom_options = bytes_from(op.options.attributes)};
  return append(std::move(record), std::move(results));
}

std::vector<Value> Emitter::append(OperatorRecord op, std::vector<TensorSpec> results) {
  for (TensorSpec& spec : results) {
    const Value y = tensor(std::move(spec));
    model_.tensors.back().producer = static_cast<int>(model_.operators.size());
    model_.tensors.back().name = label_;
    op.outputs.push_back(y);
  }
  model_.operators.push_back(std::move(op));
  return model_.operators.back().outputs;
}

const OperatorRecord* Emitter::producer(Value x, BuiltinOperator code) const {
  const int at = model_[x].producer;
  if (at < 0) return nullptr;
  const OperatorRecord& op = model_.operators[static_cast<std::size_t>(at)];
  return op.code == code ? &op : nullptr;
}

std::optional<Dims> Emitter::common_order(const std::vector<Value>& list) const {
  std::optional<Dims> order;
  for (const Value x : list) {
    const OperatorRecord* op = producer(x, TRANSPOSE);
    if (!op) return std::nullopt;
    const auto values = this->values(op->inputs[1]);
    const Dims dims(values.begin(), values.end());
    if (order && *order != dims) return std::nullopt;
    order = dims;
  }
  return order;
}

Value Emitter::refuse(const Failure& failure, TensorSpec result) {
  if (!failure_) failure_ = failure;
  return tensor(std::move(result));
}

Value Emitter::unary(BuiltinOperator code, Value x, std::optional<TensorSpec> result,
                     schema::BuiltinOptionsUnion options) {
  if (const auto order = common_order({x}))
    return transpose(unary(code, before_transpose(x), std::move(result), std::move(options)),
                     *order);
  TensorSpec out{type(x), shape(x)};
  if (result) out = {result->type, shape(x), result->quantizer};
  return append(code, {x}, {std::move(out)}, std::move(options)).front();
}

namespace {

schema::BuiltinOptionsUnion binary_options(BuiltinOperator code,
                                           ActivationFunctionType activation) {
  schema::BuiltinOptionsUnion u;
  const auto set = [&](auto options) {
    options.fused_activation_function = activation;
    u.Set(std::move(options));
  };
  if (code == ADD) set(schema::AddOptionsT());
  if (code == SUB) set(schema::SubOptionsT());
  if (code == MUL) set(schema::MulOptionsT());
  if (code == DIV) set(schema::DivOptionsT());
  return u;
}

/// Both shapes with neighboring dimensions merged where both are equal or one of them is 1.
std::pair<Dims, Dims> collapsed(const Dims& a, const Dims& b) {
  const Dims out = broadcast_shape(a, b);
  Dims x(out.size(), 1), y(out.size(), 1);
  std::copy_backward(a.begin(), a.end(), x.end());
  std::copy_backward(b.begin(), b.end(), y.end());
  Dims left, right;
  std::pair<bool, bool> before;
  for (std::size_t d = 0; d < out.size(); ++d) {
    if (out[d] == 1) continue;
    const std::pair now(x[d] == 1, y[d] == 1);
    if (!left.empty() && now == before) {
      left.back() *= x[d];
      right.back() *= y[d];
    } else {
      left.push_back(x[d]);
      right.push_back(y[d]);
    }
    before = now;
  }
  return {left, right};
}

}  // namespace

Value Emitter::binary(BuiltinOperator code, Value a, Value b, ActivationFunctionType activation,
                      std::optional<TensorSpec> result) {
  if (const auto order = common_order({a, b}))
    return transpose(
        binary(code, before_transpose(a), before_transpose(b), activation, std::move(result)),
        *order);
  const Dims out = broadcast_shape(shape(a), shape(b));
  TensorSpec spec{type(a), out};
  if (result) spec = {result->type, out, result->quantizer};
  // The runtime broadcasts four dimensions.
  if (out.size() > 4 && shape(a) != shape(b)) {
    const auto [left, right] = collapsed(shape(a), shape(b));
    if (left.size() <= 4)
      return reshape(binary(code, reshape(a, left), reshape(b, right), activation, result), out);
    return binary(code, broadcast_to(a, out), broadcast_to(b, out), activation, result);
  }
  return append(code, {a, b}, {std::move(spec)}, binary_options(code, activation)).front();
}
Value Emitter::binary(BuiltinOperator code, Value a, double b) {
  return binary(code, a, scalar(type(a), b));
}
Value Emitter::compare(BuiltinOperator code, Value a, Value b) {
  return binary(code, a, b, ActivationFunctionType::NONE, TensorSpec{TensorType::BOOL});
}

Value Emitter::select(Value condition, Value a, Value b) {
  const Dims out = broadcast_shape(shape(condition), broadcast_shape(shape(a), shape(b)));
  const auto wide = [&](Value x) { return out.size() > 4 ? broadcast_to(x, out) : x; };
  return emit(SELECT_V2, {wide(condition), wide(a), wide(b)}, {type(a), out});
}

namespace {

/// Integers of up to 64 bits, which keep their low bits.
std::optional<Constant> converted(const Constant& from, TensorType type, TensorType to) {
  if (type == TensorType::FLOAT32 || to == TensorType::FLOAT32 || to == TensorType::BOOL)
    return std::nullopt;
  const std::size_t in = size_of(type), out = size_of(to);
  if (!in || !out || type == TensorType::FLOAT16 || to == TensorType::FLOAT16) return std::nullopt;
  const bool is_signed =
      type == TensorType::INT8 || type == TensorType::INT32 || type == TensorType::INT64;
  const std::size_t count = from.bytes().size() / in;
  std::vector<std::byte> bytes(count * out);
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* const element = from.bytes().data() + i * in;
    const bool negative = is_signed && (element[in - 1] & std::byte{0x80}) != std::byte{0};
    std::byte wide[8];  // little-endian, as in the file
    std::fill_n(wide, 8, negative ? std::byte{0xff} : std::byte{0});
    std::copy_n(element, in, wide);
    std::copy_n(wide, out, bytes.data() + i * out);
  }
  return Constant::copy_of(bytes);
}

}  // namespace

Value Emitter::cast(Value x, TensorType to) {
  const TensorType from = type(x);
  if (from == to) return x;
  if (constant(x))
    if (auto bytes = converted(*constant(x), from, to)) return constant({to, shape(x)}, *bytes);
  const TensorSpec result{to, shape(x)};
  if (from == TensorType::FLOAT16 && to == TensorType::FLOAT32)
    return emit(DEQUANTIZE, {x}, result);
  if (!accepts(CAST, to))
    return refuse(fail("TFLite does not convert {} to {}", name_of_type(from), name_of_type(to)),
                  result);
  schema::CastOptionsT options;
  options.in_data_type = from;
  options.out_data_type = to;
  return emit(CAST, {x}, result, std::optional(options));
}

Value Emitter::as_bool(Value x) {
  if (type(x) == TensorType::BOOL) return x;
  const Value made_of = bool_of_[static_cast<std::size_t>(x.id)];
  return made_of ? made_of : cast(x, TensorType::BOOL);
}
Value Emitter::from_bool(Value x) {
  const Value y = cast(x, TensorType::UINT8);
  bool_of_[static_cast<std::size_t>(y.id)] = x;
  return y;
}

}  // namespace webnn::inline v0_1::tflite::exporter
