#include "src/formats/onnx/export/emitter.h"

#include <algorithm>
#include <array>
#include <bit>

#include "src/graph/element_bits.h"

namespace webnn::inline v0_1::onnx::exporter {

ElementType element_type(MLOperandDataType type) {
  using enum ElementType;
  constexpr std::array types{FLOAT, FLOAT16, INT32, UINT32, INT64,    UINT64,
                             INT8,  UINT8,   INT4,  UINT4,  BFLOAT16, FLOAT8E4M3FN};
  static_assert(types.size() == enum_names<MLOperandDataType>.size());
  return types[static_cast<std::size_t>(type)];
}

namespace {

/// Floats for which ONNX's operator has no type in operator set 21, of those that WebNN has: its
/// operands are cast to float32, which has all of their values, and the result is cast back.
DataTypes widened_types(std::string_view op) {
  static constexpr std::string_view take_any[] = {
      "Cast",  "DequantizeLinear", "Flatten",   "Identity", "QuantizeLinear", "Reshape",
      "Shape", "Squeeze",          "Transpose", "Unsqueeze"};
  static constexpr std::string_view take_bfloat16[] = {"Abs",
                                                       "Add",
                                                       "ArgMax",
                                                       "ArgMin",
                                                       "BatchNormalization",
                                                       "Ceil",
                                                       "Clip",
                                                       "Concat",
                                                       "Div",
                                                       "Equal",
                                                       "Erf",
                                                       "Exp",
                                                       "Expand",
                                                       "Floor",
                                                       "Gather",
                                                       "GatherND",
                                                       "GatherElements",
                                                       "Gemm",
                                                       "Greater",
                                                       "GreaterOrEqual",
                                                       "IsInf",
                                                       "IsNaN",
                                                       "LeakyRelu",
                                                       "Less",
                                                       "LessOrEqual",
                                                       "Log",
                                                       "MatMul",
                                                       "Max",
                                                       "Min",
                                                       "Mod",
                                                       "Mul",
                                                       "Neg",
                                                       "PRelu",
                                                       "Pad",
                                                       "Pow",
                                                       "Reciprocal",
                                                       "ReduceL1",
                                                       "ReduceL2",
                                                       "ReduceLogSum",
                                                       "ReduceLogSumExp",
                                                       "ReduceMax",
                                                       "ReduceMean",
                                                       "ReduceMin",
                                                       "ReduceProd",
                                                       "ReduceSum",
                                                       "ReduceSumSquare",
                                                       "Relu",
                                                       "ScatterElements",
                                                       "ScatterND",
                                                       "Sigmoid",
                                                       "Sign",
                                                       "Slice",
                                                       "Softmax",
                                                       "Split",
                                                       "Sqrt",
                                                       "Sub",
                                                       "Tanh",
                                                       "Tile",
                                                       "Trilu",
                                                       "Where",
                                                       "LayerNormalization"};
  if (std::ranges::find(take_any, op) != std::end(take_any)) return {};
  if (std::ranges::find(take_bfloat16, op) != std::end(take_bfloat16)) return {float8e4m3};
  return {bfloat16, float8e4m3};
}

}  // namespace

DataTypes types_of(std::string_view op) {
  struct Row {
    std::string_view op;
    DataTypes types;
  };
  // Where WebNN has types that ONNX does not have, or 4 bits may be.
  static constexpr Row rows[] = {
      {"DequantizeLinear", {int32, int8, uint8, int4, uint4, float8e4m3}},
      {"Identity", types::stored},
      {"MaxPool", {float32, float16, int8, uint8, bfloat16, float8e4m3}},
      {"PRelu", {float32, float16, int32, int64, uint32, uint64, bfloat16}},
      {"Pow", {float32, float16, int32, int64, bfloat16, float8e4m3}},
      {"Reshape", types::stored},
      {"Transpose", types::stored},
  };
  for (const Row& r : rows)
    if (r.op == op) return r.types;
  return types::any;
}

Value Emitter::add(Data d) {
  values_.push_back(std::move(d));
  return {static_cast<std::int64_t>(values_.size() - 1)};
}

Value Emitter::input(const std::string& name, MLOperandDataType type, const Dims& shape) {
  inputs_.push_back(add({Kind::input, element_type(type), shape, std::nullopt, name}));
  return inputs_.back();
}
void Emitter::make_output(Value y, const std::string& name) {
  values_[at(y)].kind = Kind::output;
  values_[at(y)].name = name;
  outputs_.push_back(y);
}
Value Emitter::nothing(MLOperandDataType type, const Dims& shape) {
  return add({Kind::result, element_type(type), shape});
}
Value Emitter::constant(MLOperandDataType type, const Dims& shape, Constant bytes) {
  return add({Kind::constant, element_type(type), shape, std::move(bytes)});
}

Value Emitter::filled(MLOperandDataType type, const Dims& shape, MLNumber v) {
  std::uint64_t bits = element_bits(type, v);
  if (bits_of(type) < 8) bits *= 17;
  const auto size = static_cast<std::size_t>(std::max(8, bits_of(type)) / 8);
  std::vector<std::byte> bytes(byte_length({type, shape}));
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(bits >> (i % size * 8));
  return constant(type, shape, Constant::copy_of(bytes));
}
Value Emitter::ints(const Ints& values) {
  const auto found = lists_.find(values);
  if (found != lists_.end()) return found->second;
  const Value x = constant(int64, {static_cast<std::uint32_t>(values.size())},
                           Constant::copy_of(std::as_bytes(std::span(values))));
  return lists_[values] = x;
}

void Emitter::check_type(std::string_view op, const std::vector<Value>& inputs) {
  if (inputs.empty() || is_truth(inputs[0]) || failure_) return;
  if (!types_of(op).contains(type(inputs[0])))
    failure_ = fail("ONNX's {} does not take {}", op, type(inputs[0]));
}

bool Emitter::widen(std::string_view op, std::vector<Value>& inputs) {
  const DataTypes widened = widened_types(op);
  bool any = false;
  for (Value& x : inputs) {
    if (!x || !widened.contains(type(x))) continue;
    x = cast(x, float32);
    any = true;
  }
  return any;
}

Value Emitter::node(std::string_view op, std::vector<Value> inputs, ElementType type,
                    const Dims& shape, Attributes attributes) {
  if (widen(op, inputs)) {
    const auto result = data_type_of(type);
    if (!result || !widened_types(op).contains(*result))
      return node(op, std::move(inputs), type, shape, std::move(attributes));
    return cast(node(op, std::move(inputs), ElementType::FLOAT, shape, std::move(attributes)),
                *result);
  }
  check_type(op, inputs);
  const bool small = type == ElementType::INT4 || type == ElementType::UINT4;
  const bool nchw = !small && take_nchw(op, inputs, attributes);
  const Value y = add({Kind::result, type, nchw ? permuted(shape, nhwc_to_nchw) : shape});
  values_[at(y)].node = static_cast<std::int64_t>(nodes_.size());
  nodes_.push_back({op, {}, std::move(inputs), {y}, std::move(attributes)});
  return nchw ? to_nhwc(y) : y;
}
std::vector<Value> Emitter::nodes(std::string_view op, std::vector<Value> inputs,
                                  MLOperandDataType type, const std::vector<Dims>& shapes,
                                  Attributes attributes) {
  if (widen(op, inputs)) {
    std::vector<Value> results = nodes(op, std::move(inputs), float32, shapes, attributes);
    for (Value& y : results) y = cast(y, type);
    return results;
  }
  check_type(op, inputs);
  std::vector<Value> results;
  for (const Dims& shape : shapes) results.push_back(nothing(type, shape));
  nodes_.push_back({op, {}, std::move(inputs), results, std::move(attributes)});
  return results;
}
std::vector<Value> Emitter::custom_nodes(std::string_view domain, std::string_view op,
                                         std::int64_t version, std::vector<Value> inputs,
                                         const std::vector<MLOperandDescriptor>& results,
                                         Attributes attributes) {
  const auto [known, is_new] = domains_.emplace(domain, version);
  if (!is_new && known->second != version && !domain.empty() && !failure_)
    failure_ = fail(
        "it has version {}, but another operator of its domain has version {}, and a file has one "
        "version for each domain",
        version, known->second);
  std::vector<Value> made;
  for (const MLOperandDescriptor& d : results) made.push_back(nothing(d.dataType, d.shape));
  nodes_.push_back({op, {}, std::move(inputs), made, std::move(attributes), domain, version});
  return made;
}
Emitter::QuantizedByRange Emitter::quantized_by_range(Value x) {
  const QuantizedByRange made{nothing(uint8, shape(x)), nothing(float32, {}), nothing(uint8, {})};
  nodes_.push_back(
      {"DynamicQuantizeLinear", {}, {x}, {made.y, made.scale, made.zero}, Attributes{}});
  return made;
}
Value Emitter::like(std::string_view op, std::vector<Value> inputs, Attributes attributes) {
  const Dims to = shape(inputs[0]);
  return like(op, std::move(inputs), to, std::move(attributes));
}
Value Emitter::like(std::string_view op, std::vector<Value> inputs, const Dims& to,
                    Attributes attributes) {
  const ElementType t = data(inputs[0]).type;
  return node(op, std::move(inputs), t, to, std::move(attributes));
}
Value Emitter::truth(std::string_view op, std::vector<Value> inputs, const Dims& to) {
  return node(op, std::move(inputs), ElementType::BOOL, to);
}
Value Emitter::binary(std::string_view op, Value a, Value b) {
  return like(op, {a, b}, broadcast_shape(shape(a), shape(b)));
}

Value Emitter::cast(Value x, MLOperandDataType to) {
  const ElementType t = element_type(to);
  if (data(x).type == t) return x;
  const auto found = casts_.find({x.index, to});
  if (found != casts_.end()) return found->second;
  const Value y = node("Cast", {x}, t, shape(x), {{"to", static_cast<std::int64_t>(t)}});
  return casts_[{x.index, to}] = y;
}
Value Emitter::narrowed(Value x, MLOperandDataType to) {
  const Value y = cast(x, to);
  casts_[{y.index, type(x)}] = x;
  return y;
}
Value Emitter::as_truth(Value x) {
  if (is_truth(x)) return x;
  return node("Cast", {x}, ElementType::BOOL, shape(x),
              {{"to", static_cast<std::int64_t>(ElementType::BOOL)}});
}

Value Emitter::refuse(const Failure& failure, MLOperandDataType type, const Dims& shape) {
  if (!failure_) failure_ = failure;
  return nothing(type, shape);
}

void Emitter::begin(std::string label) {
  label_ = std::move(label);
  begin_ = nodes_.size();
  first_value_ = static_cast<std::int64_t>(values_.size());
}

/// The node that computes has the label, if there are several.
void Emitter::end() {
  static constexpr std::string_view moves[] = {"Cast",   "Clip",     "Concat",   "DequantizeLinear",
                                               "Expand", "Gather",   "Identity", "Reshape",
                                               "Slice",  "Transpose"};
  const auto computes = [&](const NodeData& n) {
    return std::find(std::begin(moves), std::end(moves), n.op) == std::end(moves);
  };
  if (label_.empty() || begin_ == nodes_.size()) return;
  auto main =
      std::find_if(nodes_.begin() + static_cast<std::ptrdiff_t>(begin_), nodes_.end(), computes);
  if (main == nodes_.end()) --main;
  for (std::size_t i = begin_; i < nodes_.size(); ++i)
    nodes_[i].name = &nodes_[i] == &*main ? label_ : label_ + '/' + std::string(nodes_[i].op);
}

std::string Emitter::written() const {
  std::string text;
  const auto add = [&](const auto& v) { text += std::to_string(v) + ' '; };
  for (std::size_t i = begin_; i < nodes_.size(); ++i) {
    const NodeData& n = nodes_[i];
    text += std::string(n.domain) + ':' + std::string(n.op) + ' ';
    for (const Value x : n.inputs) add(x.index);
    for (const Value y : n.outputs) add(static_cast<int>(data(y).type));
    for (const Attribute& a : n.attributes) {
      text += std::string(a.name) + '=';
      if (const auto* i64 = std::get_if<std::int64_t>(&a.value)) add(*i64);
      else if (const auto* f = std::get_if<float>(&a.value)) add(std::bit_cast<std::uint32_t>(*f));
      else if (const auto* s = std::get_if<std::string_view>(&a.value)) text += *s;
      else if (const auto* list = std::get_if<Ints>(&a.value)) std::ranges::for_each(*list, add);
      else if (const auto* reals = std::get_if<std::vector<float>>(&a.value))
        for (const float v : *reals) add(std::bit_cast<std::uint32_t>(v));
      else
        for (const std::string_view v : std::get<std::vector<std::string_view>>(a.value))
          text += std::string(v) + ',';
    }
  }
  for (std::size_t i = static_cast<std::size_t>(first_value_); i < values_.size(); ++i) {
    const Data& d = values_[i];
    if (!d.constant) continue;
    text += '#';
    add(static_cast<int>(d.type));
    std::ranges::for_each(d.shape, add);
    const auto bytes = d.constant->bytes();
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return text;
}

std::vector<bool> Emitter::used_nodes(std::vector<bool>& wanted) const {
  std::vector<bool> used(nodes_.size());
  wanted.assign(values_.size(), false);
  for (const Value y : outputs_) wanted[at(y)] = true;
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    for (const Value y : nodes_[i].outputs) used[i] = used[i] || wanted[at(y)];
    if (!used[i]) continue;
    for (const Value x : nodes_[i].inputs)
      if (x) wanted[at(x)] = true;
  }
  return used;
}

/// Names of nodes, which are unique among nodes, and of values among values. A result has the name
/// of its node.
void Emitter::name_values(const std::vector<bool>& used) {
  std::set<std::string> nodes, names;
  std::map<std::string, std::size_t> counts;
  const auto unique = [&](std::set<std::string>& taken, const std::string& name) {
    if (taken.insert(name).second) return name;
    for (std::size_t& n = counts[name];;) {
      const std::string other = name + '_' + std::to_string(++n);
      if (taken.insert(other).second) return other;
    }
  };
  for (const Data& d : values_)
    if (d.kind == Kind::input || d.kind == Kind::output) names.insert(d.name);
  std::vector<bool> named(values_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    NodeData& n = nodes_[i];
    if (!used[i]) continue;
    n.name = unique(nodes, n.name.empty() ? std::string(n.op) : n.name);
    for (std::size_t k = 0; k < n.outputs.size(); ++k) {
      Data& y = values_[at(n.outputs[k])];
      if (y.kind != Kind::output)
        y.name = unique(names, n.outputs.size() > 1 ? n.name + ':' + std::to_string(k) : n.name);
    }
    for (const Value x : n.inputs) {
      if (!x || data(x).kind != Kind::constant || named[at(x)]) continue;
      named[at(x)] = true;
      values_[at(x)].name = unique(names, data(x).name.empty() ? "constant" : data(x).name);
    }
  }
}

WrittenModel Emitter::finish() {
  std::vector<bool> wanted;
  const std::vector<bool> used = used_nodes(wanted);
  name_values(used);
  WrittenModel model;
  const auto written = [&](Value x) {
    return WrittenValue{data(x).name, data(x).type, MLDimensions(data(x).shape)};
  };
  for (const Value x : inputs_) model.inputs.push_back(written(x));
  for (const Value y : outputs_) model.outputs.push_back(written(y));
  std::vector<bool> added(values_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (!used[i]) continue;
    WrittenNode n{nodes_[i].name,
                  nodes_[i].op,
                  {},
                  {},
                  std::move(nodes_[i].attributes),
                  std::string(nodes_[i].domain),
                  nodes_[i].version};
    for (const Value x : nodes_[i].inputs) {
      n.inputs.push_back(x ? data(x).name : "");
      if (!x || !data(x).constant || added[at(x)]) continue;
      added[at(x)] = true;
      model.tensors.push_back({data(x).name, data(x).type, data(x).shape, *data(x).constant});
    }
    // Results that nobody reads may be left out where there are several.
    const bool optional = nodes_[i].op == "GRU" || nodes_[i].op == "LSTM";
    for (const Value y : nodes_[i].outputs)
      n.outputs.push_back(optional && !wanted[at(y)] ? "" : data(y).name);
    while (n.outputs.back().empty()) n.outputs.pop_back();
    model.nodes.push_back(std::move(n));
  }
  return model;
}

}  // namespace webnn::inline v0_1::onnx::exporter
