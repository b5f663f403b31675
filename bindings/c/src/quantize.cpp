// webnn_graph_quantize()
#include "webnn/quantize.h"

#include "bindings/c/src/json.h"
#include "bindings/c/src/values.h"
#include "webnn/passes.h"

namespace webnn::inline v0_1::c {
namespace {

constexpr webnn_quantization_options default_options = WEBNN_QUANTIZATION_OPTIONS_INIT;
constexpr std::string_view name = "quantize";

Where where(std::string_view member) { return {name, member}; }

std::vector<std::string> names(const webnn_string* given, std::size_t length,
                               std::string_view member) {
  std::vector<std::string> all;
  for (const webnn_string& s : list(given, length, where(member)))
    all.push_back(text(s, where(member)));
  return all;
}

QuantizationOptions options_of(const webnn_quantization_options& o) {
  QuantizationOptions to;
  set(where("dynamic"), to.dynamic, o.dynamic);
  set(where("perChannel"), to.per_channel, o.per_channel);
  set(where("activations"), to.activations, o.activations);
  set(where("weights"), to.weights, o.weights);
  set(where("symmetric"), to.symmetric, o.symmetric);
  set(where("reduceRange"), to.reduce_range, o.reduce_range);
  set(where("calibration"), to.calibration, o.calibration);
  to.percentile = o.percentile;
  to.operators = names(o.operators, o.operators_length, "operators");
  to.keep_float = names(o.keep_float, o.keep_float_length, "keepFloat");
  if (o.min_snr) to.min_snr = *o.min_snr;
  to.worst_in_float = o.worst_in_float;
  if (o.stop) to.stop = o.stop->source.get_token();
  if (o.progress)
    to.progress = [progress = o.progress, user = o.user](const QuantizationProgress& p) {
      if (progress(user, to_c(p.stage), p.done, p.total) != 0)
        throw AbortError(name, "progress", "the callback has ended it");
    };
  return to;
}

/// Samples in the memory of the caller.
class Samples {
 public:
  Samples(const webnn_calibration_sample* given, std::size_t length) {
    for (const webnn_calibration_sample& s : list(given, length, where("samples"))) {
      auto& sample = all_.emplace_back();
      for (const webnn_named_values& v : list(s.inputs, s.inputs_length, where("samples"))) {
        Values& to = sample.emplace_back();
        to.name = text(v.name, where("samples"));
        if (v.shape.data) set(where("samples"), to.shape, v.shape);
        to.bytes = bytes(v.data, v.bytes, where("samples"));
      }
    }
  }
  std::optional<CalibrationSample> operator()(std::size_t i) const {
    if (i >= all_.size()) return std::nullopt;
    CalibrationSample views;
    for (const Values& v : all_[i]) {
      if (v.shape.empty()) views.push_back({v.name, InputView(v.bytes)});
      else views.push_back({v.name, InputView(v.bytes, ListView<std::uint32_t>(v.shape))});
    }
    return views;
  }

 private:
  struct Values {
    std::string name{};
    Dims shape{};
    std::span<const std::byte> bytes{};
  };
  std::vector<std::vector<Values>> all_{};
};

std::string report_json(const QuantizedGraph& q) {
  JsonWriter json;
  json.open('{').key("operators").open('[');
  for (const QuantizedOperator& row : q.operators) {
    json.open('{').key("name").string(row.name).key("kind").string(row.kind);
    json.key("quantized").boolean(row.quantized).key("ownSnr").number(row.own_snr);
    json.key("networkSnr").number(row.network_snr).key("weightsSnr").number(row.weights_snr);
    json.close('}');
  }
  json.close(']').key("outputs").open('[');
  for (const QuantizedOutput& y : q.outputs) {
    json.open('{').key("name").string(y.name).key("snr").number(y.snr);
    json.key("maxError").number(y.max_error).close('}');
  }
  json.close(']').key("samples").number(std::uint64_t{q.samples}).close('}');
  return json.text();
}

}  // namespace
}  // namespace webnn::inline v0_1::c

using namespace webnn::c;

webnn_status webnn_graph_quantize(const webnn_graph* graph, webnn_context* context,
                                  const webnn_calibration_sample* samples,
                                  std::size_t samples_length,
                                  const webnn_quantization_options* options,
                                  webnn_graph** quantized, webnn_text** json, webnn_error** error) {
  return guarded(error, [&] {
    need(quantized, {name, "quantized"});
    const webnn::QuantizationOptions o = options_of(complete(options, default_options, name));
    const webnn::MLContext& in = need(context, {name, "context"}).value;
    const webnn::QuantizedGraph q = webnn::quantize(in, need(graph, {name, "graph"}).value.graph(),
                                                    Samples(samples, samples_length), o);
    auto made = std::make_unique<webnn_graph>(webnn::build_graph(in, q.graph));
    if (json) *json = new_text(report_json(q));
    *quantized = made.release();
  });
}
