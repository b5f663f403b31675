#include "src/formats/tflite/export/groups.h"

#include "src/formats/tflite/export/lower.h"
#include "src/formats/tflite/export/sliding_window.h"

namespace webnn::inline v0_1::tflite::exporter {

namespace {

/// Which quantized operators the runtime has, and the conditions on their operands.
class Rules : formats::QuantizedOperands {
 public:
  using QuantizedOperands::QuantizedOperands;

  bool folds(const Node& node) const {
    return visit<ops::AllOps>([&](const auto& op) { return rule(op, node); }, node.kind(),
                              node.op());
  }

 private:
  /// `channels`: the dimension of the filter that may have a scale for each index.
  bool weights(const MLOperand& filter, std::int32_t channels, bool per_channel) const {
    const auto e = elements(filter);
    if (!e || e->type != type_) return false;
    if (!e->q.per_tensor() && (type_ != int8 || !per_channel || e->q.axis != channels))
      return false;
    return type_ == uint8 || symmetric(e->q);
  }

  // By operator.

  template <class T> bool rule(const T& op, const Node&) const {
    if constexpr (requires { rule(op); }) return rule(op);
    else return false;
  }

  bool rule(const ops::conv2d& op) const {
    using enum MLConv2dFilterOperandLayout;
    const auto layout = op.options.filterLayout;
    const bool last = layout == hwio || layout == ihwo;
    const bool nchw = op.options.inputLayout == MLInputOperandLayout::nchw;
    const std::uint32_t channels = op.input.shape()[nchw ? 1 : 3];
    if (op.options.groups != 1 && op.options.groups != channels) return false;
    return any(op.input) && weights(op.filter, last ? 3 : 0, true) &&
           bias(op.options.bias, op.input, op.filter);
  }
  bool rule(const ops::convTranspose2d& op) const {
    using enum MLConvTranspose2dFilterOperandLayout;
    const auto& o = op.options;
    const std::int32_t channels = o.filterLayout == iohw ? 1 : o.filterLayout == hwoi ? 2 : 0;
    return o.groups == 1 && o.dilations == Dims{1, 1} &&
           alone(any(op.input) && weights(op.filter, channels, true) &&
                 bias(o.bias, op.input, op.filter));
  }
  bool rule(const ops::gemm& op) const {
    return is_row(op) && any(op.a) && weights(op.b, -1, false) && bias(op.options.c, op.a, op.b);
  }
  bool rule(const ops::matmul& op) const {
    const auto* b = dequantized(graph_, op.b);
    if (op.b.rank() == 2 && b && b->input.constant()) return any(op.a) && weights(op.b, -1, false);
    return alone(type_ == int8 && op.a.rank() <= 4 && op.b.rank() <= 4 && any(op.a) && any(op.b));
  }

  bool rule(const ops::add& op) const { return any(op.a) && any(op.b); }
  bool rule(const ops::sub& op) const { return any(op.a) && any(op.b); }
  bool rule(const ops::mul& op) const { return any(op.a) && any(op.b); }
  bool rule(const ops::max& op) const { return alone(same(op.a) && same(op.b)); }
  bool rule(const ops::min& op) const { return alone(same(op.a) && same(op.b)); }

  bool rule(const ops::averagePool2d& op, const Node& node) const {
    const auto& o = op.options;
    const Dims in = image_shape(op.input.shape(), o.layout);
    if (o.dilations != Dims{1, 1} || !same(op.input)) return false;
    const Dims window = o.windowDimensions ? Dims(*o.windowDimensions) : Dims{in[1], in[2]};
    const Dims out = image_shape(node.output().shape(), o.layout);
    return padding_of({in[1], out[1], window[0], o.strides[0], 1, o.padding[0]},
                      {in[2], out[2], window[1], o.strides[1], 1, o.padding[2]})
        .has_value();
  }
  bool rule(const ops::maxPool2d& op) const {
    return op.options.dilations == Dims{1, 1} && same(op.input);
  }
  bool rule(const ops::resample2d& op) const { return alone(same(op.input)); }

  bool rule(const ops::relu& op) const { return alone(any(op.input)); }
  bool rule(const ops::clamp& op) const { return alone(any(op.input)) && fusable_clamp(op); }
  bool rule(const ops::leakyRelu& op) const { return alone(any(op.input)); }
  bool rule(const ops::prelu& op) const {
    return alone(any(op.input) && any(op.slope) && op.slope.rank() <= op.input.rank() &&
                 op.input.rank() <= 4 &&
                 broadcast_shape(op.input.shape(), op.slope.shape()) == op.input.shape());
  }
  bool rule(const ops::hardSwish& op) const { return alone(any(op.input)); }
  bool rule(const ops::elu& op) const {
    return alone(type_ == int8 && op.options.alpha == 1 && any(op.input));
  }
  bool rule(const ops::sigmoid& op) const { return fixed(op.input, 1.0 / 256, -128, 0); }
  bool rule(const ops::softmax& op) const { return fixed(op.input, 1.0 / 256, -128, 0); }
  bool rule(const ops::tanh& op) const { return fixed(op.input, 1.0 / 128, 0, 128); }

  template <class Op> bool reduction(const Op& op, bool yes) const {
    const bool some = !op.options.axes || !op.options.axes->empty();
    return alone(yes && some && op.input.rank() > 0);
  }
  bool rule(const ops::reduceMean& op) const { return reduction(op, any(op.input)); }
  bool rule(const ops::reduceSum& op) const { return reduction(op, any(op.input)); }
  bool rule(const ops::reduceMax& op) const { return reduction(op, same(op.input)); }
  bool rule(const ops::reduceMin& op) const { return reduction(op, same(op.input)); }

  bool rule(const ops::reshape& op) const { return alone(same(op.input)); }
  bool rule(const ops::transpose& op) const { return alone(same(op.input)); }
  bool rule(const ops::slice& op) const { return alone(same(op.input)); }
  bool rule(const ops::expand& op) const { return alone(same(op.input)); }
  bool rule(const ops::pad& op) const {
    return alone(same(op.input) && op.options.mode == MLPaddingMode::constant &&
                 op.options.value.as_double() == 0 && op.input.rank() <= 5);
  }
  bool rule(const ops::concat& op) const {
    // The runtime rescales uint8.
    return alone(std::all_of(op.inputs.begin(), op.inputs.end(), [&](const MLOperand& x) {
      return type_ == uint8 && op.inputs.size() > 1 ? any(x) : same(x);
    }));
  }

  static bool fusable_clamp(const ops::clamp& op) {
    const auto is = [](const std::optional<MLNumber>& n, double v) {
      return n && n->as_double() == v;
    };
    const auto& o = op.options;
    return (is(o.minValue, 0) && (!o.maxValue || is(o.maxValue, 6))) ||
           (is(o.minValue, -1) && is(o.maxValue, 1));
  }
};

struct Operators {
  using Fused = ActivationFunctionType;
  static std::optional<Fused> fused(const Node& node) { return fusable(node); }
  static bool fuses(const Node& op) {
    return op.as<ops::add>() || op.as<ops::sub>() || op.as<ops::mul>() || op.as<ops::div>() ||
           op.as<ops::conv2d>() || op.as<ops::gemm>() || op.as<ops::matmul>() ||
           op.as<ops::averagePool2d>() || op.as<ops::maxPool2d>() ||
           op.as<ops::batchNormalization>();
  }
  static bool folds(const Graph& graph, MLOperandDataType type, const Quantizer& out,
                    bool activated, const Node& node) {
    return Rules(graph, type, out, activated).folds(node);
  }
};

}  // namespace

Groups find_groups(const Graph& graph) { return formats::GroupFinder<Operators>(graph).run(); }

}  // namespace webnn::inline v0_1::tflite::exporter
