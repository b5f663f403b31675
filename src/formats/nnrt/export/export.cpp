// model_of() and export_model(): visit the graph, operator by operator.
#include <algorithm>

#include "src/formats/common/quantizer.h"
#include "src/formats/common/write_file.h"
#include "src/formats/nnrt/export/lower.h"
#include "src/graph/graph_data.h"
#include "src/graph/text.h"
#include "src/kernels/reference/evaluate.h"
#include "src/passes/passes.h"
#include "src/passes/rewriter.h"

namespace webnn::nnrt::exporter {
namespace {

using formats::Quantizer;

/// Whether it takes the elements of a quantized tensor as they are.
bool takes_quantized(const webnn::Node& n) {
  if (const auto* op = n.as<ops::pad>()) return op->options.mode != MLPaddingMode::constant;
  if (const auto* op = n.as<ops::resample2d>())
    return op->options.mode == MLInterpolationMode::nearest_neighbor;
  return n.as<ops::dequantizeLinear>() || n.as<ops::concat>() || n.as<ops::expand>() ||
         n.as<ops::gather>() || n.as<ops::gatherElements>() || n.as<ops::gatherND>() ||
         n.as<ops::identity>() || n.as<ops::maxPool2d>() || n.as<ops::reshape>() ||
         n.as<ops::reverse>() || n.as<ops::slice>() || n.as<ops::split>() || n.as<ops::tile>() ||
         n.as<ops::transpose>();
}

class Exporter final : public LoweringContext {
 public:
  Exporter(const Graph& graph, Emitter& e)
      : LoweringContext(e),
        graph_(graph),
        quantizers_(formats::find_quantizers(graph)),
        readers_(reader_counts(graph)),
        values_(graph.operand_count()) {
    // What is read by an operator that would dequantize it has no scales.
    for (std::size_t i = 0; i < graph.size(); ++i)
      if (!takes_quantized(graph.node(i)))
        for (const MLOperand& x : graph.node(i).inputs()) quantizers_[x.record().id].reset();
  }

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
    for (std::size_t i = 0; i < graph_.size(); ++i) node(i);
    if (!refusals_.empty()) raise_all();
    emitter_.set_label({});
    for (const auto& [name, x] : graph_.outputs()) output(name, x);
    SubGraph all{
        .name = "main", .inputIndices = model.inputIndex, .outputIndices = model.outputIndex};
    for (std::uint32_t i = 0; i < model.nodes.size(); ++i) all.nodeIndices.push_back(i);
    model.subGraph.push_back(std::move(all));
    return std::move(model);
  }

 private:
  Value known(const MLOperand& x) {
    Value& v = values_[x.record().id];
    if (!v) {  // only constants can be missing
      v = emitter_.constant(x.dataType(), x.shape(), *x.constant());
      quantize(v, x);
    }
    return v;
  }
  Value operator()(const MLOperand& x) override { return emitter_.as_uint8(known(x)); }
  Value truth(const MLOperand& x) override { return emitter_.as_truth(known(x)); }
  bool only_reader_of(const MLOperand& x) const override {
    if (x.record().kind != OperandKind::result || readers_[x.record().id] != 1) return false;
    const webnn::Node n = graph_.producer_of(x);
    return n.as<ops::add>() || n.as<ops::sub>() || n.as<ops::mul>() || n.as<ops::div>() ||
           n.as<ops::conv2d>() || n.as<ops::convTranspose2d>() || n.as<ops::gemm>() ||
           n.as<ops::matmul>() || n.as<ops::averagePool2d>() || n.as<ops::maxPool2d>();
  }

  void quantize(Value v, const MLOperand& x) {
    if (const auto& q = quantizers_[x.record().id]) emitter_.quantize(v, params_of(*q, x));
  }
  static std::vector<QuantParam> params_of(const Quantizer& q, const MLOperand& x) {
    std::vector<QuantParam> all;
    for (std::size_t i = 0; i < q.scale.size(); ++i)
      all.push_back({static_cast<std::int32_t>(bits_of(x.dataType())),
                     static_cast<std::int32_t>(q.zero_point[i]), static_cast<double>(q.scale[i])});
    return all;
  }
  /// Which axis several scales belong to is not written: the first one of that size is taken.
  static bool is_clear(const Quantizer& q, const MLOperand& x) {
    if (q.per_tensor()) return true;
    const auto& shape = x.shape();
    const auto at = std::find(shape.begin(), shape.end(), q.scale.size());
    return at - shape.begin() == q.axis;
  }

  /// Between floats and quantized elements. The tensor has the scales.
  template <class Op> Values quantization(const Op& op, const MLOperand& stored) {
    constexpr bool dequantizes = std::is_same_v<Op, ops::dequantizeLinear>;
    const auto q = formats::quantizer_of(stored, op.scale, op.zeroPoint);
    const auto& found = quantizers_[stored.record().id];
    const bool fits = q && found && *q == *found && is_clear(*q, stored);
    if (fits && !dequantizes) {
      const Value y = emitter_.node(cast_of(op), {(*this)(op.input)}, type_, shape());
      emitter_.quantize(y, params_of(*q, stored));
      return y;
    }
    if (fits && emitter_.tensor(known(stored)).quantParams == params_of(*q, stored))
      return emitter_.node(cast_of(op), {known(stored)}, type_, shape());
    const auto operands = graph_.node(at_).inputs();
    if (dequantizes && std::all_of(operands.begin(), operands.end(),
                                   [](const MLOperand& x) { return x.constant() != nullptr; }))
      return emitter_.constant(type_, shape(), evaluate(graph_.node(at_)).front());
    if (stored.dataType() == int8 || stored.dataType() == uint8) return written_out(*this, op);
    return refuse(fail("NNRt quantizes to 8 bits, not to {}", stored.dataType()));
  }
  template <class Op> QuantDTypeCast cast_of(const Op& op) const {
    const auto number = [](MLOperandDataType t) {
      return static_cast<std::int64_t>(stored_as(t).value_or(DataType::DATA_TYPE_UNKNOWN));
    };
    return {.srcT = number(op.input.dataType()), .dstT = number(type_)};
  }

  /// An operator without an overload of lower() has no equivalent in NNRt.
  template <class Op> Values lower_if_possible(const Op& op) {
    if constexpr (std::is_same_v<Op, ops::dequantizeLinear>) return quantization(op, op.input);
    else if constexpr (std::is_same_v<Op, ops::quantizeLinear>)
      return quantization(op, graph_.node(at_).output());
    else if constexpr (requires { lower(*this, op); }) return lower(*this, op);
    else return refuse(fail("NNRt has no such node"));
  }

  void take_failure(const std::string& what) {
    if (const auto failure = emitter_.take_failure())
      refusals_.push_back(what + ": " + failure->message);
  }

  void node(std::size_t i) {
    at_ = i;
    const webnn::Node op = graph_.node(i);
    const auto outputs = op.outputs();
    type_ = outputs.front().dataType();
    shapes_.clear();
    for (const MLOperand& y : outputs) shapes_.push_back(y.shape());
    emitter_.set_label(std::string(op.label()));
    const Values results =
        visit([&](const auto& o) { return lower_if_possible(o); }, op.kind(), op.op());
    const std::string label(op.label());
    take_failure(std::string(op.name()) + (label.empty() ? "" : " [" + escaped(label) + "]"));
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      // After a failure a value of the right type stands in for each result.
      Value& y = values_[outputs[k].record().id];
      y = k < results.size() ? results[k] : emitter_.value(type_, shapes_[k]);
      emitter_.take_failure();
    }
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
  }

  [[noreturn]] void raise_all() const {
    std::string list;
    for (const std::string& refusal : refusals_) list += (list.empty() ? "" : "; ") + refusal;
    raise({std::to_string(refusals_.size()) +
               (refusals_.size() == 1 ? " operator or input" : " operators or inputs") +
               " cannot be expressed: " + list,
           ErrorName::NotSupportedError},
          "nnrt export");
  }

  const Graph& graph_;
  std::vector<std::optional<Quantizer>> quantizers_;
  std::vector<std::size_t> readers_;
  std::vector<Value> values_;  // by operand
  std::vector<std::string> refusals_{};
  std::size_t at_ = 0;
};

}  // namespace
}  // namespace webnn::nnrt::exporter

namespace webnn::nnrt {

Model model_of(const MLGraph& graph) {
  const Graph images = convert_to_nhwc(graph.graph());
  exporter::Emitter emitter;
  return exporter::Exporter(images, emitter).run();
}

std::vector<std::byte> export_model(const MLGraph& graph) { return write_model(model_of(graph)); }

}  // namespace webnn::nnrt

namespace webnn::detail {

void export_nnrt(const MLGraph& graph, const Path& path) {
  const std::vector<std::byte> bytes = nnrt::export_model(graph);
  if (auto bad = formats::write_file(path, [&](const formats::Put& put) { put(bytes); }))
    raise(*bad, "nnrt export", path);
}

}  // namespace webnn::detail
