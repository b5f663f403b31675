#include "tests/formats/tflite/writer.h"

#include <cmath>

#include "tests/support/random.h"

namespace webnn::inline v0_1::tflite::test {

Writer::Writer() {
  model.version = 3;
  model.description = "a test";
  model.buffers.push_back(std::make_unique<schema::BufferT>());
  add_subgraph();
}

void Writer::add_subgraph() { model.subgraphs.push_back(std::make_unique<schema::SubGraphT>()); }

std::size_t count_of(const Shape& shape) {
  std::size_t n = 1;
  for (std::int32_t size : shape) n *= static_cast<std::size_t>(size);
  return n;
}

int Writer::add(TensorType type, Shape shape, Quant q, std::string_view kind) {
  auto t = std::make_unique<schema::TensorT>();
  const auto index = static_cast<int>(graph().tensors.size());
  t->shape = std::move(shape);
  t->type = type;
  t->name = std::string(kind) + std::to_string(index);
  if (!q.scale.empty()) {
    t->quantization = std::make_unique<schema::QuantizationParametersT>();
    if (q.zero_point.empty()) q.zero_point.assign(q.scale.size(), 0);
    t->quantization->scale = std::move(q.scale);
    t->quantization->zero_point = std::move(q.zero_point);
    t->quantization->quantized_dimension = q.axis;
  }
  graph().tensors.push_back(std::move(t));
  return index;
}

int Writer::input(TensorType type, Shape shape, Quant q) {
  const int i = add(type, std::move(shape), std::move(q), "x");
  graph().inputs.push_back(i);
  return i;
}

int Writer::empty(TensorType type, Quant q, Shape shape) {
  return add(type, std::move(shape), std::move(q), "y");
}

int Writer::variable(TensorType type, Shape shape) {
  const int i = add(type, std::move(shape), {}, "v");
  tensor(i).is_variable = true;
  return i;
}

int Writer::bytes(TensorType type, Shape shape, std::span<const std::byte> values, Quant q) {
  const int i = add(type, std::move(shape), std::move(q), "c");
  auto buffer = std::make_unique<schema::BufferT>();
  const auto* begin = reinterpret_cast<const std::uint8_t*>(values.data());
  buffer->data.assign(begin, begin + values.size());
  tensor(i).buffer = static_cast<std::uint32_t>(model.buffers.size());
  model.buffers.push_back(std::move(buffer));
  return i;
}

int Writer::weights(TensorType type, Shape shape, Quant q, unsigned seed) {
  webnn::test::Random random(seed);
  const std::size_t n = count_of(shape);
  const auto draw = [&]<class T>(T, double low, double high) {
    std::vector<T> values;
    for (std::size_t i = 0; i < n; ++i) {
      const double v = random.uniform(low, high);
      values.push_back(
          static_cast<T>(std::is_integral_v<T> ? static_cast<double>(std::llround(v)) : v));
    }
    return constant(type, shape, values, q);
  };
  switch (type) {
    case TensorType::FLOAT32: return draw(float{}, -1, 1);
    case TensorType::INT8: return draw(std::int8_t{}, -127, 127);
    case TensorType::UINT8: return draw(std::uint8_t{}, 0, 255);
    case TensorType::INT64: return draw(std::int64_t{}, -1000, 1000);
    default: return draw(std::int32_t{}, -100, 100);
  }
}

int Writer::op(BuiltinOperator code, const std::vector<int>& inputs,
               const std::vector<Out>& outputs) {
  auto op_code = std::make_unique<schema::OperatorCodeT>();
  op_code->builtin_code = code;
  op_code->deprecated_builtin_code =
      static_cast<std::int8_t>(std::min(static_cast<int>(code), 127));
  auto o = std::make_unique<schema::OperatorT>();
  o->opcode_index = static_cast<std::uint32_t>(model.operator_codes.size());
  o->inputs.assign(inputs.begin(), inputs.end());
  for (const Out& y : outputs)
    o->outputs.push_back(y.index >= 0 ? y.index : empty(y.type, y.q, y.shape));
  const int last = o->outputs.empty() ? -1 : o->outputs.back();
  model.operator_codes.push_back(std::move(op_code));
  graph().operators.push_back(std::move(o));
  return last;
}

std::vector<std::byte> Writer::file() const {
  fb::FlatBufferBuilder builder;
  schema::FinishModelBuffer(builder, schema::Model::Pack(builder, &model));
  const auto* begin = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
  return {begin, begin + builder.GetSize()};
}

}  // namespace webnn::inline v0_1::tflite::test
