#include "src/formats/nnrt/export/emitter.h"

#include <algorithm>

#include "webnn/float16.h"

namespace webnn::inline v0_1::nnrt::exporter {

std::optional<DataType> stored_as(MLOperandDataType type) {
  switch (type) {
    case float32: return DataType::DATA_TYPE_FLOAT32;
    case float16: return DataType::DATA_TYPE_FLOAT16;
    case int32: return DataType::DATA_TYPE_INT32;
    case uint32: return DataType::DATA_TYPE_UINT32;
    case int64: return DataType::DATA_TYPE_INT64;
    case uint64: return DataType::DATA_TYPE_UINT64;
    case int8: return DataType::DATA_TYPE_INT8;
    case uint8: return DataType::DATA_TYPE_UINT8;
    default: return std::nullopt;
  }
}

List list_of(const Dims& dims) { return {dims.begin(), dims.end()}; }

Dims Emitter::shape(Value x) const {
  const auto& dims = tensor(x).dims;
  return {dims.begin(), dims.end()};
}

Value Emitter::value(MLOperandDataType type, const Dims& shape) {
  const auto known = stored_as(type);
  if (!known && !failure_) failure_ = fail("NNRt has no type for {}", type);
  Tensor t{.dataType = known.value_or(DataType::DATA_TYPE_UNKNOWN)};
  for (const std::uint32_t d : shape) t.dims.push_back(static_cast<std::int32_t>(d));
  t.format = shape.size() == 4 ? Format::FORMAT_NHWC : Format::FORMAT_NONE;
  model_.allTensors.push_back(std::move(t));
  types_.push_back(type);
  return {static_cast<std::int64_t>(types_.size() - 1)};
}

Value Emitter::constant(MLOperandDataType type, const Dims& shape, Constant bytes) {
  const Value x = value(type, shape);
  model_.allTensors.back().data = std::move(bytes);
  return x;
}
Value Emitter::filled(MLOperandDataType t, const Dims& shape, double v) {
  std::vector<std::byte> bytes;
  const std::uint64_t n = element_count(shape);
  const auto fill = [&](auto element) {
    const auto* begin = reinterpret_cast<const std::byte*>(&element);
    for (std::uint64_t i = 0; i < n; ++i) bytes.insert(bytes.end(), begin, begin + sizeof element);
  };
  switch (t) {
    case float32: fill(static_cast<float>(v)); break;
    case float16: fill(float16_bits(static_cast<float>(v))); break;
    case int64: fill(static_cast<std::int64_t>(v)); break;
    case uint64: fill(static_cast<std::uint64_t>(v)); break;
    case int32: fill(static_cast<std::int32_t>(v)); break;
    case uint32: fill(static_cast<std::uint32_t>(v)); break;
    case int8: fill(static_cast<std::int8_t>(v)); break;
    default: fill(static_cast<std::uint8_t>(v)); break;
  }
  return constant(t, shape, Constant::copy_of(bytes));
}
Value Emitter::ints(const std::vector<std::int32_t>& values) {
  return constant(int32, {static_cast<std::uint32_t>(values.size())},
                  Constant::copy_of(std::as_bytes(std::span(values))));
}
Value Emitter::ints(const Dims& values) {
  return ints(std::vector<std::int32_t>(values.begin(), values.end()));
}

std::vector<Value> Emitter::nodes(Attributes attributes, std::vector<Value> inputs,
                                  MLOperandDataType type, const std::vector<Dims>& shapes) {
  Node n{.name = label_, .attributes = std::move(attributes)};
  for (const Value x : inputs) n.inputIndex.push_back(static_cast<std::uint32_t>(x.index));
  std::vector<Value> results;
  for (const Dims& shape : shapes) {
    results.push_back(value(type, shape));
    n.outputIndex.push_back(static_cast<std::uint32_t>(results.back().index));
  }
  if (!params_.empty() && bits_of(type) == 8) {
    n.quantType = QuantType::QUANT_TYPE_ALL;
    for (const Value y : results) quantize(y, params_);
  }
  std::visit(
      [&]<class A>(A& a) {
        if constexpr (!std::is_same_v<A, Activation> && requires { a.activationType; })
          a.activationType = std::exchange(fused_, ActivationType::ACTIVATION_TYPE_NO_ACTIVATION);
      },
      n.attributes);
  model_.nodes.push_back(std::move(n));
  return results;
}
Value Emitter::node(Attributes attributes, std::vector<Value> inputs, MLOperandDataType type,
                    const Dims& shape) {
  return nodes(std::move(attributes), std::move(inputs), type, {shape}).front();
}
Value Emitter::like(Attributes attributes, std::vector<Value> inputs) {
  const MLOperandDataType t = type(inputs[0]);
  const Dims s = shape(inputs[0]);
  return node(std::move(attributes), std::move(inputs), t, s);
}

Value Emitter::like(Attributes attributes, std::vector<Value> inputs, const Dims& to) {
  const MLOperandDataType t = type(inputs[0]);
  return node(std::move(attributes), std::move(inputs), t, to);
}
Value Emitter::truth(Attributes attributes, std::vector<Value> inputs, const Dims& to) {
  const Value y = node(std::move(attributes), std::move(inputs), uint8, to);
  model_.allTensors.back().dataType = DataType::DATA_TYPE_BOOL;
  return y;
}
Value Emitter::binary(Attributes attributes, Value a, Value b) {
  return like(std::move(attributes), {a, b}, formats::broadcast_shape(shape(a), shape(b)));
}
Value Emitter::cast(Value x, MLOperandDataType t) {
  const auto number = static_cast<std::int32_t>(stored_as(t).value_or(DataType::DATA_TYPE_UNKNOWN));
  return node(Cast{}, {x, ints(std::vector<std::int32_t>{number})}, t, shape(x));
}
Value Emitter::as_uint8(Value x) { return is_truth(x) ? cast(x, uint8) : x; }
Value Emitter::as_truth(Value x) {
  if (is_truth(x)) return x;
  const auto number = static_cast<std::int32_t>(DataType::DATA_TYPE_BOOL);
  return truth(Cast{}, {x, ints(std::vector<std::int32_t>{number})}, shape(x));
}
void Emitter::drop_unused() {
  constexpr std::uint32_t unused = 0xffffffff;
  std::vector<std::uint32_t> places(model_.allTensors.size(), unused);
  const auto each = [&](auto&& f) {
    for (auto* list : {&model_.inputIndex, &model_.outputIndex}) f(*list);
    for (Node& n : model_.nodes)
      for (auto* list : {&n.inputIndex, &n.outputIndex}) f(*list);
  };
  each([&](const std::vector<std::uint32_t>& list) {
    for (const std::uint32_t t : list) places[t] = 0;
  });
  std::vector<Tensor> kept;
  for (std::size_t t = 0; t < places.size(); ++t) {
    if (places[t] == unused) continue;
    places[t] = static_cast<std::uint32_t>(kept.size());
    kept.push_back(std::move(model_.allTensors[t]));
  }
  each([&](std::vector<std::uint32_t>& list) {
    for (std::uint32_t& t : list) t = places[t];
  });
  model_.allTensors = std::move(kept);
}

Value Emitter::refuse(const Failure& failure, MLOperandDataType type, const Dims& shape) {
  if (!failure_) failure_ = failure;
  return value(type, shape);
}

}  // namespace webnn::inline v0_1::nnrt::exporter
