// export_model(): visits the graph, operator by operator.
#include <deque>
#include <filesystem>
#include <map>

#include "src/formats/common/constant_names.h"
#include "src/formats/common/failures.h"
#include "src/formats/common/open_numbers.h"
#include "src/formats/common/sized_trials.h"
#include "src/formats/common/static_graph.h"
#include "src/formats/common/visit_rounded.h"
#include "src/formats/onnx/export/lower.h"
#include "src/graph/graph_data.h"
#include "src/graph/op.h"
#include "src/graph/resolve.h"
#include "src/graph/text.h"
#include "src/passes/dynamic_quantization.h"
#include "webnn/onnx.h"

namespace webnn::inline v0_1::onnx::exporter {
namespace {

class Exporter final : public LoweringContext {
 public:
  /// `open` is the graph as it was built: the same one, unless it has open dimensions and `graph`
  /// sizes that are tried.
  Exporter(const Graph& graph, const Graph& open, Emitter& e)
      : LoweringContext(e), graph_(graph), open_(open), values_(graph.operand_count()) {
    for (const auto& [name, x] : formats::constants_of(graph)) names_[x.record().id] = name;
    for (DynamicQuantization& q : dynamic_quantizations(graph)) {
      if (!q.op.options.guarded) continue;  // ONNX's operator has the scale 1 for zeros
      by_range_.push_back(std::move(q));
      for (const std::size_t i : by_range_.back().places) part_of_[i] = by_range_.size();
    }
  }

  WrittenModel run() {
    for (const auto& [name, x] : graph_.inputs()) {
      check_name("input", name);
      values_[x.record().id] = emitter_.input(name, x.dataType(), x.shape());
    }
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      const auto found = part_of_.find(i);
      if (found == part_of_.end()) node(i);
      else quantize_by_range(by_range_[found->second - 1], i);
    }
    emitter_.begin({});
    for (const auto& [name, x] : graph_.outputs()) {
      check_name("output", name);
      for (const auto& [input, operand] : graph_.inputs())
        if (input == name)
          refusals_.push_back("output " + in_quotes(name) +
                              ": an input has that name, which ONNX does not allow");
      const Value y = emitter_.as_uint8(known(x));
      const bool taken = emitter_.is_input(y) || emitter_.is_output(y) || emitter_.constant_of(y);
      emitter_.make_output(taken ? emitter_.copy(y) : y, name);
    }
    if (!refusals_.empty())
      formats::raise_refusals(refusals_, {"operator", "input", "output"}, "onnx export");
    WrittenModel model = emitter_.finish();
    for (std::size_t i = 0; i < model.inputs.size(); ++i)
      model.inputs[i].dims = open_.inputs()[i].operand.dimensions();
    for (std::size_t i = 0; i < model.outputs.size(); ++i)
      model.outputs[i].dims = open_.outputs()[i].operand.dimensions();
    return model;
  }

  /// Refuses an operator whose nodes differ from those at other sizes.
  void require_same(const Exporter& other) const {
    for (std::size_t i = 0; i < graph_.size(); ++i)
      if (written_[i] != other.written_[i])
        raise({format("operator {}: its nodes in ONNX depend on sizes that are open",
                      {name_and_label(graph_.node(i))}),
               ErrorName::NotSupportedError},
              "onnx export");
  }

 private:
  Value known(const MLOperand& x) {
    Value& v = values_[x.record().id];
    if (v) return v;
    v = emitter_.constant(x.dataType(), x.shape(), *x.constant());
    const auto name = names_.find(x.record().id);
    if (name != names_.end()) emitter_.set_name(v, name->second);
    return v;
  }
  Value operator()(const MLOperand& x) override { return emitter_.as_uint8(known(x)); }
  Value truth(const MLOperand& x) override { return emitter_.as_truth(known(x)); }
  std::optional<Node> producer_of(const MLOperand& x) const override {
    if (x.record().kind != OperandKind::result) return std::nullopt;
    return graph_.producer_of(x);
  }

  using LoweringContext::is_open;
  bool is_open(const MLOperand& x, std::uint32_t axis) const override {
    return formats::is_open(open_.operand(x.record().id), axis);
  }
  bool are_same(const MLOperand& x, std::uint32_t axis, const MLOperand& y,
                std::uint32_t other) const override {
    return formats::are_same(open_.operand(x.record().id), axis, open_.operand(y.record().id),
                             other);
  }

  void check_name(std::string_view what, const std::string& name) {
    if (!formats::is_utf8(name))
      refusals_.push_back(std::string(what) + ' ' + in_quotes(name) + ": its name is not UTF-8");
  }

  /// The operators of a DynamicQuantizeLinear, of which the first one stands for all.
  void quantize_by_range(const DynamicQuantization& q, std::size_t i) {
    emitter_.begin(utf8_label(q.op.options.label));
    if (i == q.places.front()) {
      const auto made = emitter_.quantized_by_range((*this)(q.op.input));
      values_[q.y.record().id] = made.y;
      for (const MLOperand& scale : q.scales)
        values_[scale.record().id] = emitter_.reshape(made.scale, scale.shape());
      for (const MLOperand& zero : q.zeros)
        values_[zero.record().id] = emitter_.reshape(made.zero, zero.shape());
    }
    emitter_.end();
    if (formats::open_input(open_)) written_.push_back(emitter_.written());
  }

  static std::string utf8_label(std::string_view label) {
    return formats::is_utf8(label) ? std::string(label) : escaped(label);
  }

  void node(std::size_t i) {
    const Node op = graph_.node(i);
    const auto outputs = op.outputs();
    type_ = op.output().dataType();
    shapes_.clear();
    for (const MLOperand& y : outputs) shapes_.push_back(y.shape());
    emitter_.begin(utf8_label(op.label()));
    const auto lowered = [&](const auto& o) { return lower(*this, o); };
    const auto* own = op.as<ops::custom>();
    Values results = own                      ? lower(*this, *own, outputs)
                     : is_shape_op(op.kind()) ? visit<ops::DeclaredOps>(lowered, op.kind(), op.op())
                                              : formats::visit_rounded(lowered, op);
    // What is nothing to do in ONNX is a node all the same, with the label.
    for (Value& y : results)
      if (!emitter_.is_new_result(y)) y = emitter_.copy(y);
    emitter_.end();
    if (formats::open_input(open_)) written_.push_back(emitter_.written());
    if (const auto failure = emitter_.take_failure())
      refusals_.push_back(name_and_label(op) + ": " + failure->message);
    // After a failure a value of the right type stands in for each result.
    for (std::size_t k = 0; k < outputs.size(); ++k)
      values_[outputs[k].record().id] =
          k < results.size() ? results[k]
                             : emitter_.nothing(outputs[k].dataType(), outputs[k].shape());
  }

  const Graph &graph_, &open_;
  std::vector<Value> values_;           // by operand
  std::vector<std::string> written_{};  // by operator, of a graph with open dimensions
  std::map<std::uint32_t, std::string> names_{};
  std::vector<DynamicQuantization> by_range_{};
  std::map<std::size_t, std::size_t> part_of_{};  // by operator: 1 + the place in by_range_
  std::vector<std::string> refusals_{};
};

/// The nodes of several combinations of sizes, which have to be the same ones. What may be the same
/// there and differ at others is refused before.
WrittenModel written_open(const Graph& open) {
  if (const auto refusals = open_refusals(open); !refusals.empty())
    formats::raise_refusals(refusals, {"operator"}, "onnx export");
  const auto graphs = formats::sized_trials(open);
  if (!graphs)
    raise({graphs.failure().message + ": give it a size when the model is imported, or export what "
                                      "prepare() returns",
           ErrorName::NotSupportedError},
          "onnx export");
  std::deque<Emitter> emitters;
  std::deque<Exporter> exporters;
  std::optional<WrittenModel> model;
  for (const Graph& sized : *graphs) {
    Exporter& exporter = exporters.emplace_back(sized, open, emitters.emplace_back());
    WrittenModel written = exporter.run();
    exporters.front().require_same(exporter);
    if (!model) model = std::move(written);
  }
  return std::move(*model);
}

WrittenModel written(const MLGraph& graph, const ExportOptions& options) {
  const Graph built = graph.graph();
  WrittenModel model;
  if (formats::open_input(built)) {
    model = written_open(built);
  } else {
    Emitter emitter;
    model = Exporter(built, built, emitter).run();
  }
  model.graph_name = options.name;
  return model;
}

/// What is in the other file, when the constants are too many for one.
External external_of(const WrittenModel& model, std::string_view name,
                     const ExportOptions& options) {
  constexpr std::uint64_t small = 1024;  // bytes: shapes, for example, are better in the model
  std::uint64_t sum = 0;
  for (const WrittenTensor& t : model.tensors) sum += t.data.bytes().size();
  return sum > options.external_above ? External{name, small} : External{};
}

std::vector<std::byte> collected(const std::function<void(const formats::Put&)>& parts) {
  std::vector<std::byte> all;
  parts(
      [&](std::span<const std::byte> bytes) { all.insert(all.end(), bytes.begin(), bytes.end()); });
  return all;
}

}  // namespace
}  // namespace webnn::inline v0_1::onnx::exporter

namespace webnn::inline v0_1::onnx {

using namespace exporter;

std::vector<std::byte> export_model(const MLGraph& graph, const ExportOptions& options) {
  const WrittenModel model = written(graph, options);
  return collected([&](const formats::Put& put) { put_model(model, {}, put); });
}

Files export_files(const MLGraph& graph, std::string_view data_name, const ExportOptions& options) {
  const WrittenModel model = written(graph, options);
  const External external = external_of(model, data_name, options);
  Files files;
  files.model = collected([&](const formats::Put& put) { put_model(model, external, put); });
  files.data = collected([&](const formats::Put& put) { put_external(model, external, put); });
  return files;
}

}  // namespace webnn::inline v0_1::onnx

namespace webnn::inline v0_1::detail {

void export_onnx(const MLGraph& graph, const Path& path, const onnx::ExportOptions& options) {
  using namespace onnx::exporter;
  const onnx::exporter::WrittenModel model = written(graph, options);
  const std::string data_path = std::string(path) + ".data";
  const std::string name = std::filesystem::path(data_path).filename().string();
  const External external = external_of(model, name, options);
  std::vector<formats::NewFile> files{
      {path, [&](const formats::Put& put) { put_model(model, external, put); }}};
  if (!external.name.empty())
    files.push_back(
        {data_path, [&](const formats::Put& put) { put_external(model, external, put); }});
  if (auto bad = formats::write_files(files))
    raise(bad->failure, "onnx export", bad->path.string());
}

}  // namespace webnn::inline v0_1::detail
