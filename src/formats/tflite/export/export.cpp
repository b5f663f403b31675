// export_model(): visits the graph, operator by operator and group by group.
#include <cmath>

#include "src/formats/common/absent_types.h"
#include "src/formats/common/failures.h"
#include "src/formats/common/sized_trials.h"
#include "src/formats/common/static_graph.h"
#include "src/formats/common/visit_rounded.h"
#include "src/formats/common/write_file.h"
#include "src/formats/tflite/export/groups.h"
#include "src/formats/tflite/export/hybrid.h"
#include "src/formats/tflite/export/lower.h"
#include "src/graph/failure.h"
#include "src/graph/graph_data.h"
#include "src/graph/resolve.h"
#include "src/graph/text.h"
#include "src/kernels/reference/evaluate.h"
#include "src/operators/operators.h"
#include "src/passes/passes.h"
#include "webnn/tflite.h"

namespace webnn::inline v0_1::tflite::exporter {
namespace {

class Exporter final : public LoweringContext {
 public:
  Exporter(const Graph& graph, Emitter& e)
      : LoweringContext(e),
        graph_(graph),
        groups_(find_groups(graph)),
        quantizers_(find_quantizers(graph)),
        values_(graph.operand_count()) {}

  ModelRecord& run() {
    refusals_ = formats::refusals_of_types(graph_, {bfloat16, float8e4m3}, "TFLite",
                                           &Exporter::is_computed);
    if (!refusals_.empty()) raise_all();
    for (const auto& [name, x] : graph_.inputs()) {
      if (bits_of(x.dataType()) == 4)
        refusals_.push_back("input " + escaped(name) + ": TFLite has no inputs of " +
                            std::string(name_of(x.dataType())));
      set(x, emitter_.input(name, x.descriptor()));
    }
    for (std::size_t i = 0; i < graph_.size(); ++i)
      if (!groups_.absorbed[i]) node(i);
    if (!refusals_.empty()) raise_all();
    for (const auto& [name, x] : graph_.outputs()) output(name, x);
    return emitter_.model();
  }

 private:
  const Graph& graph() const override { return graph_; }

  Value value(const MLOperand& x) {
    const Value known = values_[x.record().id];
    if (known) return known;  // only constants can be missing
    TensorSpec spec{type_of(x.dataType()), x.shape(), quantizers_[x.record().id]};
    set(x, emitter_.constant(std::move(spec), *x.constant()));
    return values_[x.record().id];
  }
  void set(const MLOperand& x, Value v) {
    const auto& quantizer = quantizers_[x.record().id];
    const bool eight = bits_of(x.dataType()) == 8 && emitter_.type(v) != TensorType::BOOL;
    if (quantizer && eight && !emitter_.spec(v).quantizer) emitter_.quantize(v, *quantizer);
    values_[x.record().id] = v;
  }

  Value operator()(const MLOperand& x) override {
    if (hybrid_ && x.is(hybrid_->integers)) return value(hybrid_->input);
    if (hybrid_ && x.is(hybrid_->filter)) return hybrid_filter();
    const auto* op = quantized() ? dequantized(graph_, x) : nullptr;
    if (!op && as_integers_ && bits_of(x.dataType()) == 8)
      return emitter_.spec(value(x)).quantizer ? emitter_.copied(value(x), {}) : value(x);
    if (!op) return value(x);
    return emitter_.quantized(value(op->input), *quantizer_of(op->input, op->scale, op->zeroPoint));
  }
  using LoweringContext::operator();

  Quantizer bias_quantizer(Value input, Value filter) const {
    return formats::bias_quantizer(*emitter_.spec(input).quantizer,
                                   *emitter_.spec(filter).quantizer);
  }
  Value integer_bias(const std::vector<std::int32_t>& values, const Quantizer& q) {
    const TensorSpec spec{TensorType::INT32, {static_cast<std::uint32_t>(values.size())}, q};
    return emitter_.constant(spec, Constant::copy_of(std::as_bytes(std::span(values))));
  }
  Value bias(const MLOperand& x, Value input, Value filter) override {
    if (!quantized()) return value(x);
    const auto channels = static_cast<std::uint32_t>(element_count(x.shape()));
    const Quantizer q = bias_quantizer(input, filter);
    if (const auto* op = dequantized(graph_, x))
      return emitter_.quantized(emitter_.reshape(value(op->input), {channels}), q);
    const std::vector<std::int32_t> rounded = formats::quantized_bias(x, q);
    return integer_bias(rounded, q);
  }
  Value zero_bias(std::uint32_t channels, Value input, Value filter) override {
    if (quantized())
      return integer_bias(std::vector<std::int32_t>(channels), bias_quantizer(input, filter));
    return emitter_.floats({channels}, std::vector<float>(channels));
  }

  Value hybrid_filter() {
    const auto* conv = graph_.node(hybrid_->product).as<ops::conv2d>();
    using enum MLConv2dFilterOperandLayout;
    Quantizer q{hybrid_->scales};
    if (conv && conv->options.filterLayout == ihwo) {
      // Depthwise: the runtime reads a scale for each channel.
      q.axis = 3;
      if (q.per_tensor()) q.scale.assign(hybrid_->filter.shape()[3], q.scale[0]);
    }
    q.zero_point.assign(q.scale.size(), 0);
    return emitter_.quantized(value(hybrid_->elements), q);
  }
  /// With the bias, and for a product the way in which the runtime quantizes its input.
  Values hybrid() {
    const Node node = graph_.node(hybrid_->product);
    if (const auto* conv = node.as<ops::conv2d>()) {
      ops::conv2d op = *conv;
      op.options.bias = hybrid_->bias;
      return lower(*this, op);
    }
    ops::gemm op = *node.as<ops::gemm>();
    op.options.c = hybrid_->bias;
    const Values results = lower(*this, op);
    ModelRecord& model = emitter_.model();
    auto& made = model.operators[static_cast<std::size_t>(model[results.front()].producer)];
    if (auto* options = made.options.AsFullyConnectedOptions())
      options->asymmetric_quantize_inputs = hybrid_->asymmetric;
    return results;
  }

  /// Whether the operator is computed now: it has constant operands and TFLite has no counterpart.
  static bool is_computed(const Node& node) {
    const auto* op = node.as<ops::dequantizeLinear>();
    if (!op || !op->input.constant() || !op->scale.constant() || !op->zeroPoint.constant())
      return false;
    return bits_of(op->input.dataType()) != 8 || !quantizer_of(op->input, op->scale, op->zeroPoint);
  }

  /// Whether 8-bit operands and results have different quantizations, between which the runtime
  /// would convert, or several scales, which it cannot follow. WebNN's operators know none.
  bool mixes(const Node& op) const {
    const MLOperand y = op.output();
    if (bits_of(y.dataType()) != 8 || op.as<ops::quantizeLinear>()) return false;
    const auto& of_result = quantizers_[y.record().id];
    const auto same = [&](const MLOperand& x) {
      const auto& q = quantizers_[x.record().id];
      return x.dataType() != y.dataType() || (q == of_result && (!q || q->per_tensor()));
    };
    const auto inputs = op.inputs();
    const auto first = inputs.begin() + (op.as<ops::where>() ? 1 : 0);  // not the condition
    return !std::all_of(first, inputs.end(), same) || !same(y);
  }

  /// TFLite's operator is along the last axis and has no smallest elements, but of floats those of
  /// which the sign is changed.
  std::vector<Value> top_k(const Node& node, const ops::custom& op) {
    const CustomAttributes& a = op.options.attributes;
    const MLOperand& x = op.inputs[0];
    const auto given = std::get<std::int64_t>(*a.find("axis"));
    const auto axis = static_cast<std::uint32_t>(given < 0 ? given + x.rank() : given);
    const bool smallest = !std::get<bool>(*a.find("largest"));
    Dims order;
    for (std::uint32_t d = 0; d < x.rank(); ++d)
      if (d != axis) order.push_back(d);
    order.push_back(axis);
    Value v = emitter_.transpose((*this)(x), order);
    if (smallest && x.dataType() != float32)
      return {emitter_.refuse(
          fail("TFLite does not select the smallest elements of {}", x.dataType()))};
    if (smallest) v = emitter_.unary(BuiltinOperator::NEG, v);
    Dims shape = emitter_.shape(v);
    shape.back() = static_cast<std::uint32_t>(std::get<std::int64_t>(*a.find("k")));
    const Value k = emitter_.scalar(TensorType::INT32, shape.back());
    std::vector<Value> made = emitter_.emit_list(
        BuiltinOperator::TOPK_V2, {v, k}, {{emitter_.type(v), shape}, {TensorType::INT32, shape}},
        std::optional(schema::TopKV2OptionsT()));
    if (smallest) made[0] = emitter_.unary(BuiltinOperator::NEG, made[0]);
    Dims back(order.size());
    for (std::uint32_t d = 0; d < order.size(); ++d) back[order[d]] = d;
    for (Value& y : made) y = emitter_.transpose(y, back);
    made[1] = emitter_.cast(made[1], type_of(node.output(1).dataType()));
    return made;
  }

  /// Operands and results without quantizations: an importer would dequantize them.
  std::vector<Value> custom(const Node& node, const ops::custom& op) {
    if (op.definition == operators::top_k()) return top_k(node, op);
    std::vector<Value> inputs;
    std::vector<TensorSpec> results;
    for (const MLOperand& x : op.inputs) inputs.push_back((*this)(x));
    for (const MLOperand& y : node.outputs()) results.push_back({type_of(y.dataType()), y.shape()});
    return emitter_.custom(op, std::move(inputs), std::move(results));
  }

  void node(std::size_t i) {
    const auto found = groups_.by_last.find(i);
    const Group group = found == groups_.by_last.end() ? Group{i, i} : found->second;
    const Node op = graph_.node(group.op), last = graph_.node(group.last);
    const std::string_view result = last.label().empty() ? op.label() : last.label();
    emitter_.set_label(std::string(result.empty() ? op.name() : result));
    activation_ = group.fused;
    quantizer_ = group.quantizer;
    result_ = last.output();
    shapes_.clear();
    for (const MLOperand& y : op.outputs()) shapes_.push_back(y.shape());

    std::vector<Value> results;
    hybrid_ = quantized() ? std::nullopt : find_hybrid(graph_, op);
    as_integers_ = !quantized() && !hybrid_ && (mixes(op) || op.as<ops::custom>());
    if (hybrid_) {
      results = hybrid();
    } else if (const auto* own = op.as<ops::custom>()) {
      results = custom(op, *own);
    } else if (is_computed(op)) {
      const TensorSpec spec{type_of(result_.dataType()), result_.shape()};
      results.push_back(emitter_.constant(spec, evaluate(op).front()));
    } else {
      results = formats::visit_rounded([&](const auto& o) { return lower(*this, o); }, op);
      // An activation that no operator has fused becomes an operator.
      if (const auto left = activation(); left != ActivationFunctionType::NONE)
        results.front() = apply(emitter_, left, results.front());
    }
    if (const auto failure = emitter_.take_failure()) {
      refusals_.push_back(name_and_label(op) + ": " + failure->message);
      for (const MLOperand& y : last.outputs())  // in place of the results
        set(y, emitter_.refuse({}, {type_of(y.dataType()), y.shape()}));
      emitter_.take_failure();
      return;
    }
    for (std::size_t k = 0; k < results.size(); ++k) {
      const MLOperand y = last.output(k);
      const auto& q = quantizers_[y.record().id];
      set(y, as_integers_ && q ? emitter_.copied(results[k], q) : results[k]);
    }
  }

  void output(const std::string& name, const MLOperand& x) {
    ModelRecord& model = emitter_.model();
    Value y = value(x);
    const auto used = [&](const std::vector<Named>& list) {
      return std::any_of(list.begin(), list.end(), [&](const Named& n) { return n.value == y; });
    };
    emitter_.set_label(name);
    if (emitter_.constant(y) || used(model.inputs) || used(model.outputs)) {
      schema::ReshapeOptionsT options;
      options.new_shape.assign(x.shape().begin(), x.shape().end());
      y = emitter_.emit(RESHAPE, {y, emitter_.ints(options.new_shape)}, emitter_.spec(y),
                        std::optional(options));
    }
    model.tensors[static_cast<std::size_t>(y.id)].name = name;
    model.outputs.push_back({name, y});
  }

  [[noreturn]] void raise_all() const {
    formats::raise_refusals(refusals_, {"operator", "input"}, "tflite export");
  }

  const Graph& graph_;
  Groups groups_;
  std::vector<std::optional<Quantizer>> quantizers_;
  std::vector<Value> values_;       // by operand
  std::optional<Hybrid> hybrid_{};  // what the operator that is being exported becomes
  bool as_integers_ = false;        // its operands and results have no quantization
  std::vector<std::string> refusals_{};
};

/// The model of a graph. TFLite's images are NHWC. Groups of quantized operators must stay
/// together.
ModelRecord model_of(const Graph& graph) {
  const Graph source = formats::quantizes(graph) ? graph : convert_to_nhwc(graph);
  Emitter emitter;
  return std::move(Exporter(source, emitter).run());
}

[[noreturn]] void refuse(std::string message) {
  raise({std::move(message), ErrorName::NotSupportedError}, "tflite export");
}

/// The model of a graph with open dimensions: the same operators at several sizes. What may be the
/// same there and differ at others is refused before.
ModelRecord open_model_of(const Graph& open) {
  for (std::size_t i = 0; i < open.size(); ++i)
    if (is_shape_op(open.node(i).kind()))
      refuse(*formats::open_input(open) + ", and operator " + name_and_label(open.node(i)) +
             " computes with its size: export what prepare() returns, or give a size when the "
             "model is imported");
  if (const auto refusals = open_refusals(open); !refusals.empty())
    formats::raise_refusals(refusals, {"operator"}, "tflite export");
  const auto trials = formats::sized_trials(open);
  if (!trials) refuse(trials.failure().message);
  std::vector<ModelRecord> models;
  for (const Graph& sized : *trials) {
    models.push_back(model_of(sized));
    if (const auto name = difference(models.front(), models.back()))
      refuse("what " + in_quotes(*name) +
             " is in TFLite depends on sizes that are open: export what "
             "prepare() returns, or give a size when the model is imported");
  }
  // The shapes in the file are the least ones.
  if (const auto least = formats::least_trial(open))
    if (ModelRecord model = model_of(*least); !difference(models.front(), model))
      models.insert(models.begin(), std::move(model));
  for (std::size_t i = 1; i < models.size(); ++i) open_dimensions(models.front(), models[i]);
  return std::move(models.front());
}

}  // namespace

}  // namespace webnn::inline v0_1::tflite::exporter

namespace webnn::inline v0_1::tflite {

std::vector<std::byte> export_model(const MLGraph& graph, const ExportOptions& options) {
  const Graph built = graph.graph();
  exporter::ModelRecord model =
      formats::open_input(built) ? exporter::open_model_of(built) : exporter::model_of(built);
  model.description = options.description;
  return exporter::write(model);
}

}  // namespace webnn::inline v0_1::tflite

namespace webnn::inline v0_1::detail {

void export_tflite(const MLGraph& graph, const Path& path, const tflite::ExportOptions& options) {
  const std::vector<std::byte> bytes = tflite::export_model(graph, options);
  if (auto bad = formats::write_file(path, [&](const formats::Put& put) { put(bytes); }))
    raise(*bad, "tflite export", path);
}

}  // namespace webnn::inline v0_1::detail
