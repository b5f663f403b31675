#include "src/formats/tflite/export/groups.h"

#include <cmath>
#include <cstring>

#include "src/formats/tflite/export/lower.h"
#include "src/formats/tflite/export/sliding_window.h"
#include "src/passes/rewriter.h"

namespace webnn::tflite::exporter {

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-6 * std::abs(b); }

/// The operator that computes an operand.
struct Elements {
  MLOperandDataType type{};
  Quantizer q{};
};

/// Which quantized operators the runtime has, and the conditions on their operands.
class Rules {
 public:
  Rules(const Graph& graph, MLOperandDataType type, const Quantizer& out, bool activated)
      : graph_(graph), type_(type), out_(out), activated_(activated) {}

  bool folds(const Node& node) const {
    return visit([&](const auto& op) { return rule(op, node); }, node.kind(), node.op());
  }

 private:
  std::optional<Elements> elements(const MLOperand& x) const {
    const auto* op = dequantized(graph_, x);
    if (!op) return std::nullopt;
    return Elements{op->input.dataType(), *quantizer_of(op->input, op->scale, op->zeroPoint)};
  }
  /// Elements of the result's type with one quantization.
  std::optional<Elements> plain(const MLOperand& x) const {
    auto e = elements(x);
    return e && e->type == type_ && e->q.per_tensor() ? e : std::nullopt;
  }
  bool any(const MLOperand& x) const { return plain(x).has_value(); }
  bool same(const MLOperand& x) const {
    const auto e = plain(x);
    return e && e->q == out_;
  }
  bool alone(bool yes) const { return yes && !activated_; }
  bool fixed(const MLOperand& x, double scale, int signed_zero, int unsigned_zero) const {
    const int zero = type_ == int8 ? signed_zero : unsigned_zero;
    return alone(any(x) && near(out_.scale[0], scale) && out_.zero_point[0] == zero);
  }
  /// `channels`: the dimension of the filter that may have a scale for each index.
  bool weights(const MLOperand& filter, std::int32_t channels, bool per_channel) const {
    const auto e = elements(filter);
    if (!e || e->type != type_) return false;
    if (!e->q.per_tensor() && (type_ != int8 || !per_channel || e->q.axis != channels))
      return false;
    return type_ == uint8 || std::all_of(e->q.zero_point.begin(), e->q.zero_point.end(),
                                         [](auto z) { return z == 0; });
  }
  bool bias(const std::optional<MLOperand>& b, const MLOperand& x, const MLOperand& filter) const {
    if (!b) return true;
    if (b->constant()) return b->dataType() == float32;  // becomes int32
    const auto e = elements(*b);
    if (!e || e->type != int32) return false;
    const auto input = elements(x), weight = elements(filter);
    const std::size_t n = std::max(e->q.scale.size(), weight->q.scale.size());
    for (std::size_t i = 0; i < n; ++i) {
      const auto at = [&](const Quantizer& q) { return double{q.scale[q.per_tensor() ? 0 : i]}; };
      if (!near(at(e->q), input->q.scale[0] * at(weight->q))) return false;
    }
    return std::all_of(e->q.zero_point.begin(), e->q.zero_point.end(),
                       [](auto z) { return z == 0; });
  }

  // By operator. `activated`: an activation follows, which must be fused.

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
    const auto& o = op.options;
    const std::uint32_t columns = op.b.shape()[o.bTranspose ? 0 : 1];
    const bool row = !o.c || (o.c->rank() > 0 && o.c->shape().back() == columns &&
                              element_count(o.c->shape()) == columns);
    return o.alpha == 1 && o.beta == 1 && row && any(op.a) && weights(op.b, -1, false) &&
           bias(o.c, op.a, op.b);
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

  const Graph& graph_;
  MLOperandDataType type_;
  Quantizer out_;
  bool activated_;
};

class Finder {
 public:
  explicit Finder(const Graph& graph) : graph_(graph), readers_(reader_counts(graph)) {}

  Groups run() {
    found_.absorbed.assign(graph_.size(), false);
    for (std::size_t i = 0; i < graph_.size(); ++i) quantized(i);
    for (std::size_t i = 0; i < graph_.size(); ++i) activated(i);
    return std::move(found_);
  }

 private:
  /// The operator that alone makes x for a single reader.
  std::optional<std::size_t> only(const MLOperand& x) const {
    if (x.record().kind != OperandKind::result || readers_[x.record().id] != 1) return std::nullopt;
    const std::size_t i = x.record().producer;
    if (graph_.node(i).outputs().size() != 1 || found_.absorbed[i]) return std::nullopt;
    return i;
  }
  void keep(const Group& group, std::initializer_list<std::size_t> parts) {
    for (const std::size_t i : parts) found_.absorbed[i] = true;
    found_.absorbed[group.last] = false;
    found_.by_last.emplace(group.last, group);
  }

  void quantized(std::size_t last) {
    const auto* q = graph_.node(last).as<ops::quantizeLinear>();
    if (!q || q->input.dataType() != float32) return;
    const MLOperandDataType type = q->zeroPoint.dataType();
    const auto quantizer = quantizer_of(q->input, q->scale, q->zeroPoint);
    if (!quantizer || !quantizer->per_tensor() || (type != int8 && type != uint8)) return;
    const auto before = only(q->input);
    if (!before) return;
    if (Rules(graph_, type, *quantizer, false).folds(graph_.node(*before)))
      return keep({*before, last, ActivationFunctionType::NONE, quantizer}, {*before});
    const Node node = graph_.node(*before);
    const auto activation = fusable(node);
    if (!activation) return;
    const auto op = only(node.input(0));
    if (op && Rules(graph_, type, *quantizer, true).folds(graph_.node(*op)))
      keep({*op, last, *activation, quantizer}, {*op, *before});
  }

  void activated(std::size_t last) {
    if (found_.absorbed[last]) return;
    const Node node = graph_.node(last);
    const auto activation = fusable(node);
    if (!activation) return;
    const auto before = only(node.input(0));
    if (!before || found_.by_last.contains(*before)) return;
    const Node op = graph_.node(*before);
    if (op.as<ops::add>() || op.as<ops::sub>() || op.as<ops::mul>() || op.as<ops::div>() ||
        op.as<ops::conv2d>() || op.as<ops::gemm>() || op.as<ops::matmul>() ||
        op.as<ops::averagePool2d>() || op.as<ops::maxPool2d>() || op.as<ops::batchNormalization>())
      keep({*before, last, *activation, std::nullopt}, {*before});
  }

  const Graph& graph_;
  std::vector<std::size_t> readers_;
  Groups found_{};
};

}  // namespace

Groups find_groups(const Graph& graph) { return Finder(graph).run(); }

}  // namespace webnn::tflite::exporter
