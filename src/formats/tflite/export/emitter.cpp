#include "src/formats/tflite/export/emitter.h"

#include <cstring>
#include <numeric>

#include "src/formats/tflite/export/accepts.h"
#include "webnn/float16.h"

namespace webnn::tflite::exporter {

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
  TensorSpec spec = t.spec;
  spec.quantizer = quantizer;
  if (t.constant) return constant(std::move(spec), Constant(*t.constant));
  if (!t.spec.quantizer) {
    quantize(x, quantizer);
    return x;
  }
  // RESHAPE copies elements as they are.
  const Dims same = t.spec.shape;
  schema::ReshapeOptionsT options;
  options.new_shape.assign(same.begin(), same.end());
  return emit(RESHAPE, {x, ints(options.new_shape)}, std::move(spec), std::optional(options));
}

// Operators.

namespace {

/// Dimensions, sizes of windows, strides and bytes of a tensor are int32.
constexpr std::uint64_t max_dimension = 0x7fffffff;

/// More than any limit when it is more than 64 bits hold.
std::uint64_t bytes_of(const TensorSpec& spec) {
  std::uint64_t bytes = std::max<std::uint64_t>(size_of(spec.type), 1);
  for (const std::uint32_t d : spec.shape)
    bytes = std::min(bytes * std::min<std::uint64_t>(d, max_dimension + 1), max_dimension + 1);
  return bytes;
}

}  // namespace

std::vector<Value> Emitter::append(BuiltinOperator code, std::vector<Value> inputs,
                                   std::vector<TensorSpec> results,
                                   schema::BuiltinOptionsUnion options) {
  const Value decides = inputs[code == TRANSPOSE_CONV ? 2 : code == SPLIT || code == SELECT_V2];
  if (!accepts(code, type(decides)))
    refuse(fail("TFLite's {} does not take {}", schema::EnumNameBuiltinOperator(code),
                name_of_type(type(decides))));
  for (const TensorSpec& spec : results)
    if (const std::uint64_t bytes = bytes_of(spec); bytes > max_dimension)
      refuse(fail("a result of {} would have {} bytes, more than {}",
                  schema::EnumNameBuiltinOperator(code), bytes, max_dimension));
  OperatorRecord op{code, std::move(inputs), {}, std::move(options)};
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

Value Emitter::refuse(const Failure& failure, TensorSpec result) {
  if (!failure_) failure_ = failure;
  return tensor(std::move(result));
}

Value Emitter::unary(BuiltinOperator code, Value x, std::optional<TensorSpec> result) {
  TensorSpec out = spec(x);
  out.quantizer.reset();
  if (result) out = std::move(*result);
  return emit(code, {x}, std::move(out));
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

/// Both shapes with neighbouring dimensions put together where both run along, or one repeats.
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

// Movement of elements.

Dims permuted(const Dims& shape, const Dims& permutation) {
  Dims out;
  for (const std::uint32_t d : permutation) out.push_back(shape[d]);
  return out;
}

Dims broadcast_shape(const Dims& a, const Dims& b) {
  Dims out(std::max(a.size(), b.size()), 1);
  for (const Dims* x : {&a, &b})
    for (std::size_t i = 0; i < x->size(); ++i) {
      std::uint32_t& d = out[out.size() - 1 - i];
      d = std::max(d, (*x)[x->size() - 1 - i]);
    }
  return out;
}

Constant transposed(const Constant& bytes, const Dims& shape, std::size_t element,
                    const Dims& permutation) {
  const std::size_t rank = shape.size();
  std::vector<std::size_t> strides(rank, element);
  for (std::size_t d = rank; d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  const Dims out = permuted(shape, permutation);
  std::vector<std::byte> to(bytes.bytes().size());
  Dims place(rank, 0);
  std::size_t from = 0;
  for (std::size_t at = 0; at < to.size(); at += element) {
    std::memcpy(to.data() + at, bytes.bytes().data() + from, element);
    for (std::size_t d = rank; d-- > 0;) {
      const std::size_t stride = strides[permutation[d]];
      from += stride;
      if (++place[d] < out[d]) break;
      from -= stride * place[d];
      place[d] = 0;
    }
  }
  const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(to));
  return Constant(owner, *owner);
}

namespace {

Constant sliced(const Constant& bytes, const Dims& shape, std::size_t element, const Dims& starts,
                const Dims& sizes) {
  std::vector<std::byte> to;
  to.reserve(element_count(sizes) * element);
  Dims place(shape.size(), 0);
  for (std::uint64_t i = 0; i < element_count(sizes); ++i) {
    std::size_t from = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) from = from * shape[d] + starts[d] + place[d];
    const auto* const first = bytes.bytes().data() + from * element;
    to.insert(to.end(), first, first + element);
    for (std::size_t d = shape.size(); d-- > 0 && ++place[d] == sizes[d];) place[d] = 0;
  }
  return Constant::copy_of(to);
}

}  // namespace

Value Emitter::reshape(Value x, Dims to) {
  if (shape(x) == to) return x;
  TensorSpec result{type(x), to, spec(x).quantizer};
  if (constant(x)) return constant(std::move(result), Constant(*constant(x)));
  if (const OperatorRecord* op = producer(x, RESHAPE);
      op && spec(op->inputs[0]).quantizer == spec(x).quantizer)
    return reshape(op->inputs[0], std::move(to));
  schema::ReshapeOptionsT options;
  options.new_shape.assign(to.begin(), to.end());
  return emit(RESHAPE, {x, ints(options.new_shape)}, std::move(result), std::optional(options));
}

namespace {

/// Whether the elements keep their order: only dimensions of size 1 change places.
bool keeps_order(const Dims& shape, const Dims& permutation) {
  std::uint32_t last = 0;
  for (const std::uint32_t d : permutation) {
    if (shape[d] == 1) continue;
    if (d < last) return false;
    last = d;
  }
  return true;
}

/// The shape and permutation with what stays together put together.
std::pair<Dims, Dims> merged(const Dims& shape, const Dims& permutation) {
  const std::size_t rank = shape.size();
  std::vector<bool> follows(rank, false);  // by dimension: right behind the one before, too
  for (std::size_t i = 1; i < rank; ++i)
    if (permutation[i] == permutation[i - 1] + 1) follows[permutation[i]] = true;
  Dims group(rank), sizes;
  for (std::size_t d = 0; d < rank; ++d) {
    if (follows[d]) sizes.back() *= shape[d];
    else sizes.push_back(shape[d]);
    group[d] = static_cast<std::uint32_t>(sizes.size()) - 1;
  }
  Dims order;
  for (const std::uint32_t d : permutation)
    if (!follows[d]) order.push_back(group[d]);
  return {sizes, order};
}

}  // namespace

Value Emitter::transpose(Value x, const Dims& permutation) {
  const Dims from = shape(x), to = permuted(from, permutation);
  TensorSpec result{type(x), to, spec(x).quantizer};
  if (result.quantizer)
    result.quantizer->axis = static_cast<std::int32_t>(
        std::find(permutation.begin(), permutation.end(), result.quantizer->axis) -
        permutation.begin());
  if (result.quantizer && result.quantizer->per_tensor()) result.quantizer->axis = 0;
  if (constant(x) && size_of(type(x)))
    return constant(std::move(result),
                    transposed(*constant(x), from, size_of(type(x)), permutation));
  if (keeps_order(from, permutation)) return reshape(x, to);
  if (const OperatorRecord* op = producer(x, TRANSPOSE)) {
    Dims composed;
    const auto first = values(op->inputs[1]);
    for (const std::uint32_t d : permutation)
      composed.push_back(static_cast<std::uint32_t>(first[d]));
    if (std::is_sorted(composed.begin(), composed.end())) return op->inputs[0];
    return transpose(op->inputs[0], composed);
  }
  const auto [sizes, order] = merged(from, permutation);
  if (from.size() > 4 && sizes.size() < from.size())
    return reshape(transpose(reshape(x, sizes), order), to);
  if (from.size() > 5)
    return refuse(fail("TFLite transposes no more than 5 dimensions that part"), result);
  return emit(TRANSPOSE, {x, ints({permutation.begin(), permutation.end()})}, std::move(result));
}

Value Emitter::broadcast_to(Value x, const Dims& to) {
  if (shape(x) == to) return x;
  if (type(x) == TensorType::BOOL)  // not taken by the runtime
    return cast(broadcast_to(cast(x, TensorType::INT32), to), TensorType::BOOL);
  return emit(BROADCAST_TO, {x, ints({to.begin(), to.end()})}, {type(x), to, spec(x).quantizer});
}

Value Emitter::concat(const std::vector<Value>& list, std::uint32_t axis) {
  if (list.size() == 1) return list.front();
  TensorSpec result{type(list[0]), shape(list[0]), spec(list[0]).quantizer};
  for (std::size_t i = 1; i < list.size(); ++i) result.shape[axis] += shape(list[i])[axis];
  schema::ConcatenationOptionsT options;
  options.axis = static_cast<std::int32_t>(axis);
  return emit(CONCATENATION, list, std::move(result), std::optional(options));
}

Value Emitter::slice(Value x, const Dims& starts, const Dims& sizes) {
  if (shape(x) == sizes) return x;
  if (constant(x) && size_of(type(x)))
    return constant({type(x), sizes, spec(x).quantizer},
                    sliced(*constant(x), shape(x), size_of(type(x)), starts, sizes));
  if (sizes.size() > 5) {  // one axis at a time, with what is before and behind it as one dimension
    Value y = x;
    for (std::uint32_t d = 0; d < sizes.size(); ++d) {
      Dims now = shape(y);
      if (sizes[d] == now[d]) continue;
      const auto product = [](auto from, auto to) {
        return std::accumulate(from, to, std::uint32_t{1}, std::multiplies<>());
      };
      const std::uint32_t before = product(now.begin(), now.begin() + d),
                          behind = product(now.begin() + d + 1, now.end());
      y = slice(reshape(y, {before, now[d], behind}), {0, starts[d], 0},
                {before, sizes[d], behind});
      now[d] = sizes[d];
      y = reshape(y, now);
    }
    return y;
  }
  return emit(SLICE, {x, ints({starts.begin(), starts.end()}), ints({sizes.begin(), sizes.end()})},
              {type(x), sizes, spec(x).quantizer});
}

Value Emitter::gather(Value x, Value indices, std::uint32_t axis) {
  Dims out(shape(x).begin(), shape(x).begin() + axis);
  out.insert(out.end(), shape(indices).begin(), shape(indices).end());
  out.insert(out.end(), shape(x).begin() + axis + 1, shape(x).end());
  schema::GatherOptionsT options;
  options.axis = static_cast<std::int32_t>(axis);
  return emit(GATHER, {x, indices}, {type(x), out, spec(x).quantizer}, std::optional(options));
}
Value Emitter::pick(Value x, const std::vector<std::int32_t>& indices, std::uint32_t axis) {
  return gather(x, ints(indices), axis);
}

Value Emitter::pad(Value x, const Dims& before, const Dims& after, std::optional<double> value) {
  TensorSpec result{type(x), shape(x), spec(x).quantizer};
  std::vector<std::int32_t> amounts;
  bool none = true;
  for (std::size_t d = 0; d < before.size(); ++d) {
    const std::uint64_t size = std::uint64_t{result.shape[d]} + before[d] + after[d];
    if (size > max_dimension)
      return refuse(fail("a padded dimension ({}) is greater than {}", size, max_dimension),
                    result);
    amounts.insert(amounts.end(),
                   {static_cast<std::int32_t>(before[d]), static_cast<std::int32_t>(after[d])});
    result.shape[d] += before[d] + after[d];
    none = none && before[d] == 0 && after[d] == 0;
  }
  if (none) return x;
  const Value list =
      constant(TensorType::INT32, {static_cast<std::uint32_t>(before.size()), 2}, amounts);
  if (!value) return emit(PAD, {x, list}, std::move(result));
  Value filling = scalar(type(x), *value);
  if (result.quantizer) filling = quantized(filling, *result.quantizer);
  return emit(PADV2, {x, list, filling}, std::move(result));
}

Value Emitter::reduce(BuiltinOperator code, Value x, const Axes& axes, bool keep,
                      std::optional<TensorSpec> result) {
  Dims out;
  for (std::uint32_t d = 0; d < shape(x).size(); ++d) {
    const bool gone = std::find(axes.begin(), axes.end(), d) != axes.end();
    if (!gone) out.push_back(shape(x)[d]);
    else if (keep) out.push_back(1);
  }
  TensorSpec spec{type(x), out};
  if (result) spec = {result->type, out, result->quantizer};
  schema::ReducerOptionsT options;
  options.keep_dims = keep;
  return emit(code, {x, ints({axes.begin(), axes.end()})}, std::move(spec), std::optional(options));
}

}  // namespace webnn::tflite::exporter
