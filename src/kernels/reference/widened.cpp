#include "src/kernels/reference/widened.h"

#include "src/graph/graph_data.h"
#include "src/graph/narrow_floats.h"
#include "src/graph/traits.h"
#include "src/kernels/common/sizes.h"
#include "src/kernels/reference/array.h"

namespace webnn::inline v0_1::reference {
namespace {

/// Types for which kernels exist only through float32.
constexpr DataTypes converted{bfloat16, float8e4m3};
DataTypes widened_types(std::size_t kind) { return narrow_floats(kind) & converted; }

/// An operand, and where its floats are in the scratch; `wide` is false for one that stays.
struct Place {
  MLOperandDataType type{};
  std::size_t elements = 0, offset = 0;
  bool wide = false;
};

void widen(const Place& place, const std::byte* from, std::byte* scratch) {
  dispatch_every_type<converted>(place.type, [&]<class T>() {
    assign(array<float>(reinterpret_cast<const T*>(from), place.elements),
           reinterpret_cast<float*>(scratch + place.offset));
  });
}
void narrow(const Place& place, const std::byte* scratch, std::byte* to) {
  dispatch_every_type<converted>(place.type, [&]<class T>() {
    store(array<float>(reinterpret_cast<const float*>(scratch + place.offset), place.elements),
          reinterpret_cast<T*>(to));
  });
}

/// A place for each, behind `scratch` bytes, which become more.
class Places {
 public:
  explicit Places(DataTypes widened) : widened_(widened) {}
  void add(const MLOperand& x) {
    Place p{x.dataType(), element_count(x.shape()), scratch_, widened_.contains(x.dataType())};
    if (p.wide) scratch_ = round_up(scratch_ + p.elements * sizeof(float), 64);
    places_.push_back(p);
  }
  std::size_t scratch() const { return scratch_; }
  std::vector<Place> take() { return std::exchange(places_, {}); }

 private:
  DataTypes widened_;
  std::size_t scratch_ = 0;
  std::vector<Place> places_{};
};

/// The operator on operands of float32: a graph with it alone.
Node wide_node(const Node& node, DataTypes widened) {
  const auto type_of = [&](const MLOperand& x) {
    return widened.contains(x.dataType()) ? float32 : x.dataType();
  };
  auto data = std::make_shared<GraphData>();
  Op op = Op(node.kind(), {std::shared_ptr<void>(), const_cast<void*>(node.op())}).clone();
  for (const MLOperand& y : node.outputs())
    if (widened.contains(y.dataType())) op.round_numbers(y.dataType());
  for (MLOperand* x : op.operands())
    *x = data->add({.descriptor = {type_of(*x), x->shape()}, .kind = OperandKind::input});
  std::vector<MLOperandDescriptor> results;
  for (const MLOperand& y : node.outputs()) results.push_back({type_of(y), y.shape()});
  data->add(std::move(op), results);
  return graph_of(std::move(data)).node(0);
}

}  // namespace

bool is_widened(const Node& node) {
  if (traits_of(node).moves || as<ops::cast>(node)) return false;
  const DataTypes widened = widened_types(node.kind());
  const auto has = [&](const MLOperand& x) { return widened.contains(x.dataType()); };
  return std::ranges::any_of(node.inputs(), has) || std::ranges::any_of(node.outputs(), has);
}

Candidate widened_kernel(const Node& node, Make make) {
  constexpr std::size_t most = 16;  // operands of an operator that computes
  const DataTypes widened = widened_types(node.kind());
  Places places(widened);
  for (const MLOperand& x : node.inputs()) places.add(x);
  auto inputs = places.take();
  for (const MLOperand& y : node.outputs()) places.add(y);
  auto outputs = places.take();
  if (inputs.size() > most || outputs.size() > most)
    raise({"too many operands of bfloat16 or float8e4m3", ErrorName::NotSupportedError},
          node.name(), node.label());
  const Node wide = wide_node(node, widened);
  Candidate kernel = make(wide.op(), wide);
  const std::size_t own = places.scratch();
  return {.name = kernel.name + " of float32, converted",
          .scratch = own + kernel.scratch,
          .run = [wide, inputs = std::move(inputs), outputs = std::move(outputs), own,
                  run = std::move(kernel.run),
                  tiles = kernel.tiles](Range, const Buffers& b, std::byte* scratch) {
            std::array<const std::byte*, most> in{};
            std::array<std::byte*, most> out{};
            for (std::size_t i = 0; i < inputs.size(); ++i) {
              if (inputs[i].wide) widen(inputs[i], b.inputs[i], scratch);
              in[i] = inputs[i].wide ? scratch + inputs[i].offset : b.inputs[i];
            }
            for (std::size_t i = 0; i < outputs.size(); ++i)
              out[i] = outputs[i].wide ? scratch + outputs[i].offset : b.outputs[i];
            run({0, tiles},
                {std::span(in).first(inputs.size()), std::span(out).first(outputs.size())},
                scratch + own);
            for (std::size_t i = 0; i < outputs.size(); ++i)
              if (outputs[i].wide && b.outputs[i]) narrow(outputs[i], scratch, b.outputs[i]);
          }};
}

}  // namespace webnn::inline v0_1::reference
