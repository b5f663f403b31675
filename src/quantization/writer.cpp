#include "src/quantization/writer.h"

#include <cmath>

#include "src/passes/rewriter.h"

namespace webnn::inline v0_1 {
namespace {

std::uint32_t id(const MLOperand& x) { return x.record().id; }
std::uint32_t rank_of(const MLOperand& x) {
  return static_cast<std::uint32_t>(x.record().descriptor.shape.size());
}

}  // namespace

Writer::Writer(const Plan& plan) : plan_(plan) {
  const GraphData& from = data_of(plan.graph);
  data_->folding_budget = from.folding_budget;
  data_->derivation = from.derivation;
  data_->dimensions = from.dimensions;
  data_->typical = from.typical;
  data_->relies_on_known_sizes = from.relies_on_known_sizes;
  for (const auto& [name, x] : plan.graph.inputs()) inputs_[id(x)] = data_->add(x.record());
}

/// A result of this descriptor; its open dimensions are those of `like`.
template <class T>
MLOperand Writer::add(T op, const MLOperandDescriptor& d, const MLOperand& like) {
  const MLOperand y = data_->add(Op::of(std::move(op)), {d}).front();
  if (like) data_->operands[id(y)].open = like.record().open;
  return y;
}

MLOperand Writer::constant(MLOperandDescriptor d, Constant bytes) {
  return data_->add(
      {.descriptor = std::move(d), .kind = OperandKind::constant, .constant = std::move(bytes)});
}

MLOperand Writer::number(MLOperandDataType type, double v, std::uint32_t rank) {
  QuantizedConstant c{.descriptor = {type, Dims(rank, 1)}};
  if (type == float32) {
    const float f = static_cast<float>(v);
    return constant(c.descriptor, Constant::copy_of(std::as_bytes(std::span(&f, 1))));
  }
  c.values = {static_cast<std::int32_t>(v)};
  return constant(c.descriptor, c.bytes());
}

/// An input, a constant, or a result that has been written.
MLOperand Writer::read(Values& values, const MLOperand& x) {
  if (const auto found = values.find(id(x)); found != values.end()) return found->second;
  MLOperand& shared = inputs_[id(x)];
  if (!shared) shared = data_->add(x.record());
  return shared;
}

std::vector<MLOperand> Writer::copy_node(std::size_t i, const std::vector<MLOperand>& operands) {
  const NodeData& node = data_of(plan_.graph).nodes[i];
  Op op = node.op.clone();
  std::size_t n = 0;
  for (MLOperand* x : op.operands()) *x = operands[n++];
  std::vector<MLOperandDescriptor> results;
  for (const MLOperand& y : node.outputs) results.push_back(y.record().descriptor);
  const auto made = data_->add(std::move(op), results);
  for (std::size_t k = 0; k < made.size(); ++k)
    data_->operands[id(made[k])].open = node.outputs[k].record().open;
  return made;
}

MLOperand Writer::weights(const QuantizedConstant& made) {
  std::vector<double> scales(made.scales.begin(), made.scales.end());
  return add(
      ops::dequantizeLinear{
          constant(made.descriptor, made.bytes()),
          constant({float32, made.scale_shape}, constant_from(scales, float32)),
          constant({made.descriptor.dataType, made.scale_shape}, made.zero_bytes())},
      {float32, made.descriptor.shape});
}

/// x in integers, and in real numbers again.
MLOperand Writer::rounded(const MLOperand& x, const ScaleAndZero& s) {
  const std::uint32_t rank = rank_of(x);
  const MLOperand scale = number(float32, double{s.scale}, rank),
                  zero = number(s.type, s.zero, rank);
  const Dims& shape = x.record().descriptor.shape;
  const MLOperand q = add(ops::quantizeLinear{x, scale, zero}, {s.type, shape}, x);
  return add(ops::dequantizeLinear{q, scale, zero}, {float32, shape}, x);
}

/// The same with the range of x in each run, as ONNX defines DynamicQuantizeLinear, but that the
/// scale of zeros is 1.
MLOperand Writer::rounded_by_range(const MLOperand& x) {
  const MLOperandDescriptor one{float32, {}};
  const MLOperand nought = number(float32, 0), steps = number(float32, 255);
  const MLOperand high = add(ops::max{add(ops::reduceMax{x}, one), nought}, one);
  const MLOperand low = add(ops::min{add(ops::reduceMin{x}, one), nought}, one);
  const MLOperand range = add(ops::sub{high, low}, one);
  const MLOperand empty = add(ops::equal{range, nought}, {uint8, {}});
  MLOperand scale =
      add(ops::where{empty, number(float32, 1), add(ops::div{range, steps}, one)}, one);
  const MLOperand place = add(ops::neg{add(ops::div{low, scale}, one)}, one);
  const MLOperand bounded =
      add(ops::clamp{add(ops::roundEven{place}, one), {.minValue = 0, .maxValue = 255}}, one);
  MLOperand zero = add(ops::cast{bounded, uint8}, {uint8, {}});
  const std::uint32_t rank = rank_of(x);
  if (rank != 0) {
    scale = add(ops::reshape{scale, Dims(rank, 1)}, {float32, Dims(rank, 1)});
    zero = add(ops::reshape{zero, Dims(rank, 1)}, {uint8, Dims(rank, 1)});
  }
  const Dims& shape = x.record().descriptor.shape;
  const MLOperand q = add(ops::quantizeLinear{x, scale, zero}, {uint8, shape}, x);
  return add(ops::dequantizeLinear{q, scale, zero}, {float32, shape}, x);
}

/// What a unit reads for a computed tensor.
MLOperand Writer::real(Values& values, Values& reals, const MLOperand& x) {
  MLOperand& made = reals[id(x)];
  if (!made) {
    const MLOperand y = read(values, x);
    made = plan_.options.dynamic ? rounded_by_range(y) : rounded(y, plan_.scales[id(x)]);
  }
  return made;
}

MLOperand Writer::quantized_constant(const MLOperand& x, const ScaleAndZero& s) {
  return weights(quantized_tensor(x, s));
}

std::vector<MLOperand> Writer::operands_of_unit(Values& values, Values& reals, const Unit& unit) {
  const Node node = plan_.graph.node(unit.node);
  const std::vector<MLOperand> from = node.inputs();
  const bool is_product = unit.role == Role::product;
  const std::size_t key = plan_.selection.unit_at[unit.node];
  std::vector<MLOperand> all;
  for (std::size_t k = 0; k < from.size(); ++k) {
    const MLOperand& x = from[k];
    const bool is_float = x.record().descriptor.dataType == float32;
    if (!is_float) {
      all.push_back(read(values, x));
    } else if (!x.constant()) {
      // The second operand of a product with weights in both is the only computed one.
      all.push_back(real(values, reals, x));
    } else if (is_product && k >= 1 && from[1].constant()) {
      MLOperand& made = k == 1 ? weights_[key] : biases_[key];
      if (!made) {
        const bool dynamic = plan_.options.dynamic;
        const float input = dynamic ? 1 : plan_.scales[id(from[0])].scale;
        const MLOperand bias = from.size() > 2 && !dynamic ? from[2] : MLOperand();
        const auto w = quantized_weights(node, plan_.options, bias, input);
        if (k == 1) made = weights(w);
        else if (const auto b = dynamic ? std::nullopt : quantized_bias(x, w, input))
          made = weights(*b);
        else made = read(values, x);
      }
      all.push_back(made);
    } else if (is_product) {
      all.push_back(read(values, x));
    } else if (unit.role == Role::mover) {
      all.push_back(quantized_constant(x, plan_.scales[id(x)]));
    } else {
      ValueRange range;
      const FloatElements v(x);
      for (std::size_t i = 0, n = element_count(x.shape()); i < n; ++i) range.include({v[i], v[i]});
      all.push_back(quantized_constant(
          x, scale_of(range, plan_.options.activations, plan_.options.symmetric)));
    }
  }
  return all;
}

/// The operators of a unit. Returns the results of the last of them.
std::vector<MLOperand> Writer::write_unit(Values& values, Values& reals, const Unit& unit) {
  std::vector<MLOperand> y = copy_node(unit.node, operands_of_unit(values, reals, unit));
  std::size_t before = unit.node;
  for (std::size_t i : unit.tail) {
    std::vector<MLOperand> operands;
    for (const MLOperand& x : plan_.graph.node(i).inputs())
      operands.push_back(x.is(plan_.graph.node(before).output()) ? y[0] : read(values, x));
    y = copy_node(i, operands);
    before = i;
  }
  return y;
}

void Writer::write_float() {
  for (std::size_t i = 0; i < plan_.graph.size(); ++i) {
    const Node node = plan_.graph.node(i);
    std::vector<MLOperand> operands;
    for (const MLOperand& x : node.inputs()) operands.push_back(read(float_, x));
    const auto made = copy_node(i, operands);
    for (std::size_t k = 0; k < made.size(); ++k) float_[id(node.outputs()[k])] = made[k];
  }
}

void Writer::write_quantized() {
  const Selection& s = plan_.selection;
  for (std::size_t i = 0; i < plan_.graph.size(); ++i) {
    const Node node = plan_.graph.node(i);
    std::vector<MLOperand> made;
    if (const std::size_t u = s.unit_at[i]; u == Selection::none) {
      std::vector<MLOperand> operands;
      for (const MLOperand& x : node.inputs()) operands.push_back(in_quantized(x));
      made = copy_node(i, operands);
    } else if (s.units[u].node == i) {
      made = write_unit(quantized_, quantized_reals_, s.units[u]);
      const Node last = plan_.graph.node(s.units[u].last());
      for (std::size_t k = 0; k < made.size(); ++k) quantized_[id(last.outputs()[k])] = made[k];
      continue;
    } else {
      continue;
    }
    for (std::size_t k = 0; k < made.size(); ++k) quantized_[id(node.outputs()[k])] = made[k];
  }
}

MLOperand Writer::in_quantized(const MLOperand& x) {
  return plan_.selection.made_by_integers[id(x)] ? real(quantized_, quantized_reals_, x)
                                                 : read(quantized_, x);
}

std::vector<MLOperand> Writer::write_alone(const Unit& unit) {
  std::vector<MLOperand> made = write_unit(float_, float_reals_, unit);
  if (plan_.options.dynamic) return made;
  const Node last = plan_.graph.node(unit.last());
  for (std::size_t k = 0; k < made.size(); ++k)
    made[k] = rounded(made[k], plan_.scales[id(last.outputs()[k])]);
  return made;
}

double Writer::weights_snr(const Unit& unit) const {
  const Node node = plan_.graph.node(unit.node);
  const std::vector<MLOperand> from = node.inputs();
  if (unit.role != Role::product || !is_float_constant(from[1])) return std::nan("");
  const bool dynamic = plan_.options.dynamic;
  const MLOperand bias = from.size() > 2 && !dynamic ? from[2] : MLOperand();
  return quantized_weights(node, plan_.options, bias, dynamic ? 1 : plan_.scales[id(from[0])].scale)
      .snr;
}

Graph Writer::finish(const NamedOperands& outputs) {
  return graph_of(finished(std::move(data_), outputs));
}

}  // namespace webnn::inline v0_1
