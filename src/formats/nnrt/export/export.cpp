// model_of() and export_model(): visit the graph, operator by operator and group by group.
#include <algorithm>
#include <tuple>

#include "src/formats/common/failures.h"
#include "src/formats/common/static_graph.h"
#include "src/formats/common/visit_rounded.h"
#include "src/formats/common/write_file.h"
#include "src/formats/nnrt/export/groups.h"
#include "src/formats/nnrt/export/lower.h"
#include "src/graph/graph_data.h"
#include "src/graph/text.h"
#include "src/kernels/reference/evaluate.h"
#include "src/passes/passes.h"

namespace webnn::inline v0_1::nnrt::exporter {
namespace {

class Exporter final : public LoweringContext {
 public:
  Exporter(const Graph& graph, Emitter& e)
      : LoweringContext(e),
        graph_(graph),
        groups_(find_groups(graph)),
        quantizers_(find_quantizers(graph)),
        values_(graph.operand_count()) {}

  Model run() {
    Model& model = emitter_.model();
    for (const auto& [name, x] : graph_.inputs()) {
      const Value v = emitter_.value(x.dataType(), x.shape());
      quantize(v, x);
      emitter_.set_name(v, name);
      model.inputIndex.push_back(static_cast<std::uint32_t>(v.index));
      values_[x.record().id] = v;
      take_failure("input " + escaped(name));
    }
    // A dequantizeLinear becomes a node when one reads its result: quantized ones do not.
    for (std::size_t i = 0; i < graph_.size(); ++i)
      if (!groups_.absorbed[i] && !graph_.node(i).as<ops::dequantizeLinear>()) node(i);
    if (!refusals_.empty()) raise_all();
    emitter_.set_label({});
    for (const auto& [name, x] : graph_.outputs()) output(name, x);
    if (!refusals_.empty()) raise_all();
    emitter_.drop_unused();
    SubGraph all{
        .name = "main", .inputIndices = model.inputIndex, .outputIndices = model.outputIndex};
    for (std::uint32_t i = 0; i < model.nodes.size(); ++i) all.nodeIndices.push_back(i);
    model.subGraph.push_back(std::move(all));
    return std::move(model);
  }

 private:
  Value known(const MLOperand& x) {
    Value& v = values_[x.record().id];
    if (v) return v;
    if (x.record().kind == OperandKind::result) return dequantize_now(x);
    v = emitter_.constant(x.dataType(), x.shape(), *x.constant());
    quantize(v, x);
    return v;
  }
  Value operator()(const MLOperand& x) override {
    return emitter_.as_uint8(quantizer_ ? quantized(x) : known(x));
  }
  Value truth(const MLOperand& x) override { return emitter_.as_truth(known(x)); }

  /// An operand of a quantized node, where it is dequantized: the elements.
  Value quantized(const MLOperand& x) {
    const auto* op = formats::dequantized(graph_, x);
    if (!op) return known(x);
    const Value v = known(op->input);
    const auto q = formats::quantizer_of(op->input, op->scale, op->zeroPoint);
    // The scales of a bias are those of input and filter.
    if (op->input.dataType() == int32) return v;
    const auto params = params_of(*q, op->input.dataType());
    if (emitter_.tensor(v).quantParams == params) return v;
    // A constant may have one quantization for each reader.
    if (!op->input.constant()) return refuse(fail("an operand has other scales than its tensor"));
    const Value own =
        emitter_.constant(op->input.dataType(), op->input.shape(), *op->input.constant());
    emitter_.quantize(own, params);
    return own;
  }

  Value dequantize_now(const MLOperand& x) {
    const auto saved = std::tuple(at_, type_, shapes_, quantizer_, emitter_.fused());
    node(x.record().producer);
    ActivationType fused{};
    std::tie(at_, type_, shapes_, quantizer_, fused) = saved;
    begin(graph_.node(at_), fused);
    return values_[x.record().id];
  }

  void quantize(Value v, const MLOperand& x) {
    if (const auto& q = quantizers_[x.record().id])
      emitter_.quantize(v, params_of(*q, x.dataType()));
  }

  /// Between floats and quantized elements. The tensor has the scales.
  template <class Op> Values quantization(const Op& op, const MLOperand& stored) {
    constexpr bool dequantizes = std::is_same_v<Op, ops::dequantizeLinear>;
    const auto q = formats::quantizer_of(stored, op.scale, op.zeroPoint);
    const auto& found = quantizers_[stored.record().id];
    const bool fits = q && found && *q == *found;
    if (fits && !dequantizes) {
      const Value y = emitter_.node(cast_of(op), {(*this)(op.input)}, type_, shape());
      emitter_.quantize(y, params_of(*q, stored.dataType()));
      return y;
    }
    if (fits && emitter_.tensor(known(stored)).quantParams == params_of(*q, stored.dataType()))
      return emitter_.node(cast_of(op), {known(stored)}, type_, shape());
    const auto operands = graph_.node(at_).inputs();
    if (dequantizes && std::all_of(operands.begin(), operands.end(),
                                   [](const MLOperand& x) { return x.constant() != nullptr; }))
      return emitter_.constant(type_, shape(), evaluate(graph_.node(at_)).front());
    if (dequantizes && !emitter_.tensor(known(stored)).quantParams.empty())
      return refuse(fail("its tensor has other scales"));
    if (stored.dataType() == int8 || stored.dataType() == uint8) return written_out(*this, op);
    return refuse(fail("NNRt quantizes to 8 bits, not to {}", stored.dataType()));
  }
  template <class Op> QuantDTypeCast cast_of(const Op& op) const {
    const auto number = [](MLOperandDataType t) {
      return static_cast<std::int64_t>(stored_as(t).value_or(DataType::DATA_TYPE_UNKNOWN));
    };
    return {.srcT = number(op.input.dataType()), .dstT = number(type_)};
  }

  template <class Op> Values lower_if_possible(const Op& op) {
    if constexpr (std::is_same_v<Op, ops::dequantizeLinear>) return quantization(op, op.input);
    else if constexpr (std::is_same_v<Op, ops::quantizeLinear>)
      return quantization(op, graph_.node(at_).output());
    else if constexpr (ops::contains<Op>(Refused())) return refuse(fail("NNRt has no such node"));
    else return lower(*this, op);
  }

  void take_failure(const std::string& what) {
    if (const auto failure = emitter_.take_failure())
      refusals_.push_back(what + ": " + failure->message);
  }

  void begin(const webnn::Node& op, ActivationType fused) {
    emitter_.set_label(std::string(op.label()));
    emitter_.set_result(quantizer_ ? params_of(*quantizer_, int8) : std::vector<QuantParam>(),
                        fused);
  }

  void node(std::size_t i) {
    const auto found = groups_.by_last.find(i);
    const Group group = found == groups_.by_last.end() ? Group{i, i} : found->second;
    at_ = group.op;
    const webnn::Node op = graph_.node(group.op), last = graph_.node(group.last);
    type_ = op.output().dataType();
    shapes_.clear();
    for (const MLOperand& y : op.outputs()) shapes_.push_back(y.shape());
    quantizer_ = group.quantizer;
    begin(op, group.fused);
    const Values results =
        formats::visit_rounded([&](const auto& o) { return lower_if_possible(o); }, op);
    take_failure(name_and_label(op));
    const auto outputs = last.outputs();
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      // After a failure a value of the right type stands in for each result.
      Value& y = values_[outputs[k].record().id];
      y = k < results.size() ? results[k]
                             : emitter_.value(outputs[k].dataType(), outputs[k].shape());
      emitter_.take_failure();
    }
    quantizer_.reset();
  }

  void output(const std::string& name, const MLOperand& x) {
    Model& model = emitter_.model();
    Value y = known(x);
    const auto used = [&](const std::vector<std::uint32_t>& list) {
      return std::find(list.begin(), list.end(), static_cast<std::uint32_t>(y.index)) != list.end();
    };
    if (emitter_.tensor(y).data || used(model.inputIndex) || used(model.outputIndex))
      y = emitter_.copy(y);
    emitter_.set_name(y, name);
    model.outputIndex.push_back(static_cast<std::uint32_t>(y.index));
    take_failure("output " + escaped(name));
  }

  [[noreturn]] void raise_all() const {
    formats::raise_refusals(refusals_, {"operator", "input", "output"}, "nnrt export");
  }

  const Graph& graph_;
  Groups groups_;
  std::vector<std::optional<Quantizer>> quantizers_;
  std::vector<Value> values_;  // by operand
  std::vector<std::string> refusals_{};
  std::size_t at_ = 0;
  std::optional<Quantizer> quantizer_{};  // that of the result of the quantized node being made
};

}  // namespace
}  // namespace webnn::inline v0_1::nnrt::exporter

namespace webnn::inline v0_1::nnrt {

Model model_of(const MLGraph& graph) {
  // Groups of quantized operators must stay together.
  const Graph built = formats::static_graph(graph, "nnrt export");
  const Graph images = formats::quantizes(built) ? built : convert_to_nhwc(built);
  exporter::Emitter emitter;
  return exporter::Exporter(images, emitter).run();
}

std::vector<std::byte> export_model(const MLGraph& graph) { return write_model(model_of(graph)); }

}  // namespace webnn::inline v0_1::nnrt

namespace webnn::inline v0_1::detail {

void export_nnrt(const MLGraph& graph, const Path& path) {
  const std::vector<std::byte> bytes = nnrt::export_model(graph);
  if (auto bad = formats::write_file(path, [&](const formats::Put& put) { put(bytes); }))
    raise(*bad, "nnrt export", path);
}

}  // namespace webnn::inline v0_1::detail
