// quantize().
#include "webnn/quantize.h"

#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include "bindings/python/src/module.h"
#include "webnn/passes.h"

namespace webnn::inline v0_1::python {
namespace {

/// Samples in the memory of the arrays.
struct Samples {
  std::vector<std::vector<Buffer>> buffers{};
  std::vector<Dims> shapes{};
  std::vector<CalibrationSample> all{};

  Samples(const MLGraph& graph, const py::object& given) {
    std::size_t arrays = 0;
    std::vector<py::dict> dicts;
    for (const py::handle sample : given) dicts.push_back(py::cast<py::dict>(sample));
    for (const py::dict& sample : dicts) arrays += sample.size();
    shapes.reserve(arrays);  // views refer to them
    for (const py::dict& sample : dicts) add(graph, sample);
  }
  void add(const MLGraph& graph, const py::dict& sample) {
    auto& held = buffers.emplace_back();
    held.reserve(sample.size());
    auto& views = all.emplace_back();
    for_each_item(sample, {"quantize", "samples"}, [&](std::string_view name, py::handle value) {
      const Where where{"quantize", name};
      const auto found = std::find_if(graph.inputs().begin(), graph.inputs().end(),
                                      [&](const NamedDescriptor& d) { return d.name == name; });
      if (found == graph.inputs().end())
        Where{"quantize", "samples"}.reject("has \"" + escaped(name) +
                                            "\", which the graph does not have");
      const MLOperandDescriptor& d = found->descriptor;
      const Buffer& buffer = held.emplace_back(value, Access::read, where, d.dataType);
      if (graph.is_open()) shapes.push_back(buffer.shape_as(d, where));
      else buffer.check(d, where), shapes.push_back(d.shape);
      if (shapes.back().empty()) views.push_back({name, InputView(buffer.bytes())});
      else
        views.push_back({name, InputView(buffer.bytes(), ListView<std::uint32_t>(shapes.back()))});
    });
  }
};

template <class Enum> Enum option(const std::string& text, std::string_view name) {
  if (const auto value = enum_from<Enum>(text)) return *value;
  throw TypeError("quantize", name, '"' + escaped(text) + "\" is not one of its values");
}

py::dict report_of(const QuantizedGraph& q) {
  py::list operators, outputs;
  for (const QuantizedOperator& row : q.operators) {
    py::dict one;
    one["name"] = to_python(row.name);
    one["kind"] = to_python(row.kind);
    one["quantized"] = row.quantized;
    one["ownSnr"] = row.own_snr;
    one["networkSnr"] = row.network_snr;
    one["weightsSnr"] = row.weights_snr;
    operators.append(one);
  }
  for (const QuantizedOutput& y : q.outputs) {
    py::dict one;
    one["name"] = to_python(y.name);
    one["snr"] = y.snr;
    one["maxError"] = y.max_error;
    outputs.append(one);
  }
  py::dict all;
  all["operators"] = operators;
  all["outputs"] = outputs;
  all["samples"] = q.samples;
  return all;
}

py::tuple quantize(const MLGraph& graph, const MLContext& context, const py::object& samples,
                   bool dynamic, bool per_channel, const std::string& activations,
                   const std::string& weights, bool symmetric, bool reduce_range,
                   const std::string& calibration, double percentile,
                   std::vector<std::string> operators, std::vector<std::string> keep_float,
                   std::optional<double> min_snr, std::size_t worst_in_float,
                   const std::function<void(std::string, std::size_t, std::size_t)>& progress) {
  QuantizationOptions o{.dynamic = dynamic,
                        .per_channel = per_channel,
                        .activations = option<MLOperandDataType>(activations, "activations"),
                        .weights = option<MLOperandDataType>(weights, "weights"),
                        .symmetric = symmetric,
                        .reduce_range = reduce_range,
                        .calibration = option<CalibrationMethod>(calibration, "calibration"),
                        .percentile = percentile,
                        .operators = std::move(operators),
                        .keep_float = std::move(keep_float),
                        .min_snr = min_snr,
                        .worst_in_float = worst_in_float};
  if (progress)
    o.progress = [&](const QuantizationProgress& p) {
      const py::gil_scoped_acquire acquire;
      progress(std::string(p.stage), p.done, p.total);
    };
  const Samples given(graph, samples);
  std::optional<QuantizedGraph> q;
  MLGraph made;
  {
    const WithoutGil release;
    q = webnn::quantize(context, graph.graph(), given.all, o);
    made = build_graph(context, q->graph);
  }
  return py::make_tuple(py::cast(std::move(made)), report_of(*q));
}

}  // namespace

void define_quantize(py::module_& module) {
  module.def(
      "quantize", &quantize, py::arg("graph"), py::arg("context"), py::arg("samples") = py::tuple(),
      py::kw_only(), py::arg("dynamic") = false, py::arg("perChannel") = false,
      py::arg("activations") = "uint8", py::arg("weights") = "int8", py::arg("symmetric") = false,
      py::arg("reduceRange") = false, py::arg("calibration") = "min-max",
      py::arg("percentile") = 99.99, py::arg("operators") = std::vector<std::string>(),
      py::arg("keepFloat") = std::vector<std::string>(), py::arg("minSnr") = py::none(),
      py::arg("worstInFloat") = 0, py::arg("progress") = nullptr,
      "quantize(graph, context, samples=(), *, dynamic=False, perChannel=False, "
      "activations='uint8', weights='int8', symmetric=False, reduceRange=False, "
      "calibration='min-max', percentile=99.99, operators=[], keepFloat=[], minSnr=None, "
      "worstInFloat=0, progress=None)\n\nThe graph, which was built with keepConstants=True, with "
      "quantized products, convolutions and what lies between them, built in a context; and a dict "
      "with what became of its operators and outputs, their signal-to-noise ratios in dB. Each "
      "sample is a dict of the arrays of one run, as compute() takes them, from which the scales "
      "follow by 'min-max', 'percentile' or 'entropy'; with dynamic=True the inputs of products "
      "are quantized by their range in each run, and no samples are needed. Operators stay in "
      "float by their names in the report, those whose own ratio is below minSnr, and the "
      "worstInFloat ones with the lowest ratios. progress(stage, done, total) is called between "
      "runs.");
}

}  // namespace webnn::inline v0_1::python
