// export_model(): visits the graph, operator by operator and group by group.
#include <cmath>
#include <utility>

#include "src/formats/common/absent_types.h"
#include "src/formats/common/failures.h"
#include "src/formats/common/static_graph.h"
#include "src/formats/common/visit_rounded.h"
#include "src/formats/common/write_file.h"
#include "src/formats/executorch/export/groups.h"
#include "src/formats/executorch/export/lower.h"
#include "src/graph/failure.h"
#include "src/graph/graph_data.h"
#include "src/graph/text.h"
#include "src/kernels/reference/evaluate.h"
#include "src/passes/passes.h"
#include "webnn/executorch.h"

namespace webnn::inline v0_1::executorch::exporter {
namespace {

using formats::dequantized;
using formats::quantizer_of;

/// The type of elements; 8-bit ones have scales.
std::optional<DataType> type_of(MLOperandDataType type, const std::optional<Quantizer>& q) {
  switch (type) {
    case float32: return DataType::fp32;
    case float16: return DataType::fp16;
    case int32:
      return !q ? DataType::int32 : q->per_tensor() ? DataType::qint32 : DataType::qcint32;
    case int8:
      return !q ? std::nullopt
                : std::optional(q->per_tensor() ? DataType::qint8 : DataType::qcint8);
    case uint8: return q && q->per_tensor() ? std::optional(DataType::quint8) : std::nullopt;
    default: return std::nullopt;
  }
}

class Exporter final : public LoweringContext {
 public:
  Exporter(const Graph& graph, Emitter& e)
      : LoweringContext(e),
        graph_(graph),
        groups_(find_groups(graph)),
        quantizers_(formats::find_quantizers(graph)),
        values_(graph.operand_count()) {}

  ModelRecord& run() {
    ModelRecord& model = emitter_.model();
    refusals_ = formats::refusals_of_types(graph_, {bfloat16, float8e4m3}, "XNNPACK",
                                           &Exporter::becomes_constant);
    if (!refusals_.empty()) raise_all();
    for (const auto& [name, x] : graph_.inputs()) {
      const Value v = emitter_.value(spec_of(x));
      if (emitter_.type(v) == DataType::invalid)
        refusals_.push_back("input " + escaped(name) + ": XNNPACK has no type for " +
                            std::string(name_of(x.dataType())));
      emitter_.set_name(v, name);
      model.inputs.push_back(v);
      values_[x.record().id] = v;
      take_failure("input " + escaped(name));
    }
    for (std::size_t i = 0; i < graph_.size(); ++i)
      if (!groups_.absorbed[i] && !graph_.node(i).as<ops::dequantizeLinear>()) node(i);
    if (!refusals_.empty()) raise_all();
    for (const auto& [name, x] : graph_.outputs()) output(name, x);
    if (!refusals_.empty()) raise_all();
    return model;
  }

 private:
  Spec spec_of(const MLOperand& x) const {
    auto q = quantizers_[x.record().id];
    // Elements of 8 bits that are only moved have the scale 1.
    if (!q && (x.dataType() == int8 || x.dataType() == uint8)) q = Quantizer{{1}, {0}};
    const auto type = type_of(x.dataType(), q);
    const bool scaled = q && bits_of(x.dataType()) == 8;
    return {type.value_or(DataType::invalid), x.shape(), scaled ? q : std::nullopt};
  }

  Value operator()(const MLOperand& x) override {
    const auto* op = quantized() ? dequantized(graph_, x) : nullptr;
    if (!op) return value(x);
    const auto q = *quantizer_of(op->input, op->scale, op->zeroPoint);
    const Value known = value(op->input);
    if (emitter_.spec(known).quantizer == q) return known;
    if (!op->input.constant()) return refuse(fail("one of its operands has two quantizations"));
    // Constants may have one for each reader.
    return emitter_.constant({*type_of(op->input.dataType(), q), op->input.shape(), q},
                             *op->input.constant());
  }

  Value value(const MLOperand& x) {
    const Value known = values_[x.record().id];
    if (known) return known;
    if (x.record().kind == OperandKind::result) return dequantize_now(x);
    const Spec spec = spec_of(x);
    if (spec.type == DataType::invalid)
      return emitter_.refuse(fail("XNNPACK has no type for constants of {}", x.dataType()),
                             {DataType::fp32, x.shape(), {}});
    return values_[x.record().id] = emitter_.constant(spec, *x.constant());
  }

  /// A dequantizeLinear becomes a node when another one reads its result: quantized groups do not,
  /// and XNNPACK has no memory for values that nobody reads.
  Value dequantize_now(const MLOperand& x) {
    const Spec result = std::exchange(result_, {});
    const std::vector<Dims> shapes = std::exchange(shapes_, {});
    const Limits limits = std::exchange(limits_, {});
    node(x.record().producer);
    result_ = result;
    shapes_ = shapes;
    limits_ = limits;
    return values_[x.record().id];
  }

  Quantizer bias_quantizer(Value input, Value filter) const {
    return formats::bias_quantizer(*emitter_.spec(input).quantizer,
                                   *emitter_.spec(filter).quantizer);
  }
  Value bias(const std::optional<MLOperand>& x, Value input, Value filter) override {
    if (!x) return {};
    const auto channels = static_cast<std::uint32_t>(element_count(x->shape()));
    if (!quantized()) return emitter_.reshape(value(*x), {channels});
    const Quantizer q = bias_quantizer(input, filter);
    const DataType type = q.per_tensor() ? DataType::qint32 : DataType::qcint32;
    if (const auto* op = dequantized(graph_, *x))
      return emitter_.constant({type, {channels}, q}, *op->input.constant());
    const std::vector<std::int32_t> rounded = formats::quantized_bias(*x, q);
    return emitter_.constant({type, {channels}, q},
                             Constant::copy_of(std::as_bytes(std::span(rounded))));
  }

  template <class Op> Values lower_if_possible(const Op& op) {
    if constexpr (ops::contains<Op>(Refused())) return refuse(fail("XNNPACK has no such node"));
    else return lower(*this, op);
  }

  /// Whether the operator is computed now: what a constant becomes.
  static bool is_computed(const Node& node) {
    const auto inputs = node.inputs();
    const bool constant = std::all_of(inputs.begin(), inputs.end(),
                                      [](const MLOperand& x) { return x.constant() != nullptr; });
    return constant && (node.as<ops::dequantizeLinear>() || node.as<ops::cast>());
  }

  static bool becomes_constant(const Node& node) {
    return is_computed(node) && is_float(node.output().dataType());
  }

  void take_failure(const std::string& what) {
    if (const auto failure = emitter_.take_failure())
      refusals_.push_back(what + ": " + failure->message);
  }

  void node(std::size_t i) {
    const auto found = groups_.by_last.find(i);
    const Group group = found == groups_.by_last.end() ? Group{i, i} : found->second;
    const Node op = graph_.node(group.op), last = graph_.node(group.last);
    limits_ = group.fused;
    const MLOperand result = last.output();
    result_ = {type_of(result.dataType(), group.quantizer).value_or(DataType::invalid),
               result.shape(), group.quantizer};
    if (result_.type == DataType::invalid) {
      const Spec known = spec_of(result);
      result_.type = known.type;
    }
    shapes_.clear();
    for (const MLOperand& y : op.outputs()) shapes_.push_back(y.shape());

    std::vector<Value> results;
    if (becomes_constant(op) && group.op == group.last) {
      results.push_back(
          emitter_.constant({result_.type, result.shape(), {}}, evaluate(op).front()));
    } else {
      results = formats::visit_rounded([&](const auto& o) { return lower_if_possible(o); }, op);
      // Limits that no node has taken become a node.
      results.front() = emitter_.clamp(results.front(), limits());
      if (bits_of(result.dataType()) == 8 && !emitter_.spec(results.front()).quantizer)
        refuse(fail("XNNPACK has it for floats, not for {}", result.dataType()));
    }
    const std::size_t before = refusals_.size();
    take_failure(name_and_label(op));
    if (refusals_.size() > before) {
      for (const MLOperand& y : last.outputs())  // in place of the results
        values_[y.record().id] = emitter_.value({DataType::fp32, {1}, {}});
      emitter_.take_failure();
      for (const MLOperand& y : last.outputs())
        emitter_.model().values[values_[y.record().id].id].spec = {
            type_of(y.dataType(), quantizers_[y.record().id]).value_or(DataType::fp32), y.shape(),
            quantizers_[y.record().id]};
      return;
    }
    for (std::size_t k = 0; k < results.size(); ++k) {
      const MLOperand y = last.output(k);
      values_[y.record().id] = results[k];
      const std::string_view name = last.label().empty() ? op.label() : last.label();
      if (emitter_.model()[results[k]].name.empty())
        emitter_.set_name(results[k], std::string(name));
    }
  }

  void output(const std::string& name, const MLOperand& x) {
    ModelRecord& model = emitter_.model();
    Value y = value(x);
    const auto used = [&](const std::vector<Value>& list) {
      return std::find(list.begin(), list.end(), y) != list.end();
    };
    if (emitter_.constant(y) || used(model.inputs) || used(model.outputs))
      y = emitter_.unary(Kind::Copy, y);
    emitter_.set_name(y, name);
    model.outputs.push_back(y);
    take_failure("output " + escaped(name));
  }

  [[noreturn]] void raise_all() const {
    formats::raise_refusals(refusals_, {"operator", "input", "output"}, "executorch export");
  }

  const Graph& graph_;
  Groups groups_;
  std::vector<std::optional<Quantizer>> quantizers_;
  std::vector<Value> values_;  // by operand
  std::vector<std::string> refusals_{};
};

}  // namespace

}  // namespace webnn::inline v0_1::executorch::exporter

namespace webnn::inline v0_1::executorch {

std::vector<std::byte> export_model(const MLGraph& graph, const ExportOptions& options) {
  // XNNPACK's images are NHWC. Groups of quantized operators must stay together.
  const Graph built = formats::static_graph(graph, "executorch export");
  const Graph source = formats::quantizes(built) ? built : convert_to_nhwc(built);
  exporter::Emitter emitter;
  exporter::ModelRecord& model = exporter::Exporter(source, emitter).run();
  const std::vector<std::byte> blob = exporter::write(model);
  return options.program ? exporter::write_program(model, blob) : blob;
}

}  // namespace webnn::inline v0_1::executorch

namespace webnn::inline v0_1::detail {

void export_executorch(const MLGraph& graph, const Path& path,
                       const executorch::ExportOptions& options) {
  const std::vector<std::byte> bytes = executorch::export_model(graph, options);
  if (auto bad = formats::write_file(path, [&](const formats::Put& put) { put(bytes); }))
    raise(*bad, "executorch export", path);
}

}  // namespace webnn::inline v0_1::detail
