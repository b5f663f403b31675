// Graphs: building, inspecting, explaining.
#include "bindings/c/src/json.h"
#include "bindings/c/src/values.h"
#include "webnn/passes.h"
#include "webnn/quantize_weights.h"
#include "webnn/state.h"

namespace webnn::inline v0_1::c {
namespace {

constexpr webnn_build_options default_build = WEBNN_BUILD_OPTIONS_INIT;
constexpr std::string_view build_name = "build";
constexpr webnn_weight_quantization default_quantization = WEBNN_WEIGHT_QUANTIZATION_INIT;

NamedOperands named_operands(const webnn_named_operand* given, std::size_t length,
                             const Where& where) {
  NamedOperands all;
  for (const webnn_named_operand& o : list(given, length, where))
    all.push_back({text(o.name, where), need(o.operand, where).value});
  return all;
}

BuildOptions build_options(const webnn_build_options* given) {
  const webnn_build_options o = complete(given, default_build, build_name);
  BuildOptions out;
  out.inputs = named_operands(o.inputs, o.inputs_length, {build_name, "inputs"});
  if (o.specialization_bytes) out.specializationBytes = o.specialization_bytes;
  if (o.stop) out.stop = o.stop->source.get_token();
  if (o.progress)
    out.progress = [progress = o.progress, user = o.user](const BuildProgress& p) {
      if (progress(user, to_c(p.stage), p.done, p.total) != 0)
        throw AbortError(build_name, "", "the progress callback ended it");
    };
  return out;
}

std::vector<MLTensor> tensors(const webnn_tensor* const* given, std::size_t length,
                              std::string_view method) {
  std::vector<MLTensor> all;
  const Where where{method, "states"};
  for (const webnn_tensor* t : list(given, length, where)) all.push_back(need(t, where).value);
  return all;
}

void write(JsonWriter& json, const StepReport& step) {
  json.open('{').key("operators").open('[');
  for (const Node& node : step.operators) {
    json.open('{').key("name").string(node.name());
    json.key("label").string(node.label()).close('}');
  }
  json.close(']').key("backend").string(step.backend).key("kernel").string(step.kernel);
  json.key("tiles").number(static_cast<std::uint64_t>(step.tiles));
  json.key("packed").number(std::uint64_t{step.packed}).key("others").open('[');
  for (const std::string& other : step.others) json.string(other);
  json.close(']').close('}');
}

std::string report_json(const MLGraph& graph) {
  const GraphReport r = graph.report();
  JsonWriter json;
  json.open('{').key("steps").open('[');
  for (const StepReport& step : r.steps) write(json, step);
  json.close(']').key("passes").open('[');
  for (const PassReport& pass : r.passes) {
    json.open('{').key("name").string(pass.name).key("before").number(std::uint64_t{pass.before});
    json.key("after").number(std::uint64_t{pass.after}).close('}');
  }
  json.close(']').key("arena").number(std::uint64_t{r.arena});
  json.key("arenaAtLeast").number(std::uint64_t{r.arena_at_least});
  json.key("packed").number(std::uint64_t{r.packed});
  json.key("scratch").number(std::uint64_t{r.scratch});
  json.key("threads").number(static_cast<std::uint64_t>(r.threads));
  json.key("threadsAsked").number(static_cast<std::uint64_t>(r.threads_asked));
  json.key("buildMs").number(r.build_ms);
  return json.close('}').text();
}

std::string report_json(const std::vector<QuantizedWeights>& report) {
  JsonWriter json;
  json.open('[');
  for (const QuantizedWeights& w : report) {
    json.open('{').key("reader").string(w.reader);
    json.key("dataType").string(name_of(w.weights.dataType)).key("shape").open('[');
    for (const std::uint32_t d : w.weights.shape) json.number(std::uint64_t{d});
    json.close(']').key("block").number(std::uint64_t{w.block});
    json.key("relativeError").number(w.relative_error).key("bytes").number(w.bytes).close('}');
  }
  return json.close(']').text();
}

/// A new handle; null when there is none.
webnn_operand* operand_at(const webnn_graph* graph, std::size_t i, bool output) {
  if (!graph) return nullptr;
  try {
    const NamedOperands all =  // they keep the graph alive
        output ? graph->value.graph().outputs() : graph->value.graph().inputs();
    return i < all.size() ? new webnn_operand(all[i].operand) : nullptr;
  } catch (...) { return nullptr; }  // the graph is destroyed, or memory has run out
}

int32_t store(const NamedDescriptors& all, std::size_t i, webnn_named_descriptor* out) {
  if (i >= all.size() || !out) return 0;
  *out = {to_c(all[i].name), to_c(all[i].descriptor.dataType, all[i].descriptor.shape)};
  return 1;
}

}  // namespace
}  // namespace webnn::inline v0_1::c

using namespace webnn::c;

webnn_status webnn_builder_build(webnn_builder* builder, const webnn_named_operand* outputs,
                                 size_t outputs_length, const webnn_build_options* options,
                                 webnn_graph** graph, webnn_error** error) {
  return guarded(error, [&] {
    need(graph, {build_name, "graph"});
    *graph = new webnn_graph(
        need(builder, {build_name, "builder"})
            .value.build(named_operands(outputs, outputs_length, {build_name, "outputs"}),
                         build_options(options)));
  });
}
webnn_status webnn_builder_build_async(webnn_builder* builder, const webnn_named_operand* outputs,
                                       size_t outputs_length, const webnn_build_options* options,
                                       webnn_build_callback done, void* user, webnn_error** error) {
  return guarded(error, [&] {
    need(done, {build_name, "done"});
    need(builder, {build_name, "builder"})
        .value.build_async(
            named_operands(outputs, outputs_length, {build_name, "outputs"}),
            [done, user](std::exception_ptr exception, webnn::MLGraph graph) {
              webnn_graph* made = nullptr;
              if (!exception) {
                try {
                  made = new webnn_graph(std::move(graph));
                } catch (...) { exception = std::current_exception(); }
              }
              const CallbackError failed(std::move(exception));
              done(user, failed.get(), made);
            },
            build_options(options));
  });
}

webnn_graph* webnn_graph_retain(webnn_graph* graph) { return retain(graph); }
void webnn_graph_release(webnn_graph* graph) { release(graph); }
void webnn_graph_destroy(webnn_graph* graph) {
  if (graph) graph->value.destroy();
}
size_t webnn_graph_input_count(const webnn_graph* graph) {
  return graph ? graph->value.inputs().size() : 0;
}
int32_t webnn_graph_input(const webnn_graph* graph, size_t i, webnn_named_descriptor* input) {
  return graph ? store(graph->value.inputs(), i, input) : 0;
}
size_t webnn_graph_output_count(const webnn_graph* graph) {
  return graph ? graph->value.outputs().size() : 0;
}
int32_t webnn_graph_output(const webnn_graph* graph, size_t i, webnn_named_descriptor* output) {
  return graph ? store(graph->value.outputs(), i, output) : 0;
}

int32_t webnn_graph_is_open(const webnn_graph* graph) { return graph && graph->value.is_open(); }
webnn_operand* webnn_graph_input_operand(const webnn_graph* graph, size_t i) {
  return operand_at(graph, i, false);
}
webnn_operand* webnn_graph_output_operand(const webnn_graph* graph, size_t i) {
  return operand_at(graph, i, true);
}

webnn_status webnn_graph_compute_shapes(const webnn_graph* graph, const webnn_named_dims* inputs,
                                        size_t length, webnn_shapes** shapes, webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "computeShapes";
    need(shapes, {name, "shapes"});
    *shapes =
        new webnn_shapes(need(graph, {name, "graph"})
                             .value.computeShapes(named_shapes(inputs, length, {name, "inputs"})));
  });
}
size_t webnn_shapes_count(const webnn_shapes* shapes) { return shapes ? shapes->value.size() : 0; }
int32_t webnn_shapes_get(const webnn_shapes* shapes, size_t i, webnn_named_descriptor* output) {
  return shapes ? store(shapes->value, i, output) : 0;
}
webnn_shapes* webnn_shapes_retain(webnn_shapes* shapes) { return retain(shapes); }
void webnn_shapes_release(webnn_shapes* shapes) { release(shapes); }

webnn_status webnn_graph_prepare(const webnn_graph* graph, const webnn_named_dims* inputs,
                                 size_t length, webnn_graph** prepared, webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "prepare";
    webnn::MLGraph made =
        need(graph, {name, "graph"}).value.prepare(named_shapes(inputs, length, {name, "inputs"}));
    if (prepared) *prepared = new webnn_graph(std::move(made));
  });
}

webnn_status webnn_graph_create_state(const webnn_graph* graph, webnn_string input,
                                      const webnn_dims* shape, webnn_tensor** state,
                                      webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "createState";
    need(state, {name, "state"});
    webnn::Dims sizes;
    if (shape) set({name, "shape"}, sizes, *shape);
    *state = new webnn_tensor(webnn::createState(need(graph, {name, "graph"}).value,
                                                 text(input, {name, "input"}), sizes));
  });
}
webnn_status webnn_graph_reset_states(const webnn_graph* graph, webnn_error** error) {
  return guarded(error, [&] { webnn::resetStates(need(graph, {"resetStates", "graph"}).value); });
}
webnn_status webnn_tensor_resize_state(webnn_tensor* state, uint32_t size, webnn_error** error) {
  return guarded(error, [&] {
    webnn::resizeState(need(state, {"resizeState", "state"}).value, size);
  });
}
webnn_status webnn_join_states(const webnn_tensor* const* states, size_t length,
                               webnn_tensor** joined, webnn_error** error) {
  return guarded(error, [&] {
    need(joined, {"joinStates", "joined"});
    *joined = new webnn_tensor(webnn::joinStates(tensors(states, length, "joinStates")));
  });
}
webnn_status webnn_fork_states(const webnn_tensor* const* states, size_t length,
                               webnn_tensor** forks, webnn_error** error) {
  return guarded(error, [&] {
    const auto given = tensors(states, length, "forkStates");
    const auto to = list(forks, length, {"forkStates", "forks"});
    std::vector<std::unique_ptr<webnn_tensor>> made;
    for (webnn::MLTensor& t : webnn::forkStates(given))
      made.push_back(std::make_unique<webnn_tensor>(std::move(t)));
    for (std::size_t i = 0; i < made.size(); ++i) to[i] = made[i].release();
  });
}
uint32_t webnn_tensor_state_capacity(const webnn_tensor* state) {
  return state ? webnn::stateCapacity(state->value) : 0;
}

webnn_status webnn_graph_explain(const webnn_graph* graph, const double* microseconds,
                                 size_t length, webnn_text** out, webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "explain";
    need(out, {name, "text"});
    const webnn::MLGraph& g = need(graph, {name, "graph"}).value;
    const auto times = list(microseconds, length, {name, "microseconds"});
    *out = new_text(times.data() ? g.explain(times) : g.explain());
  });
}
webnn_status webnn_graph_report(const webnn_graph* graph, webnn_text** json, webnn_error** error) {
  return guarded(error, [&] {
    need(json, {"report", "json"});
    *json = new_text(report_json(need(graph, {"report", "graph"}).value));
  });
}
webnn_status webnn_graph_text(const webnn_graph* graph, webnn_text** out, webnn_error** error) {
  return guarded(error, [&] {
    need(out, {"text", "text"});
    *out = new_text(webnn::to_text(need(graph, {"text", "graph"}).value.graph()));
  });
}
webnn_status webnn_graph_quantize_weights(const webnn_graph* graph, webnn_context* context,
                                          const webnn_weight_quantization* options,
                                          webnn_graph** quantized, webnn_text** json,
                                          webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "quantizeWeights";
    need(quantized, {name, "quantized"});
    const webnn_weight_quantization o = complete(options, default_quantization, name);
    webnn::WeightQuantization to{.block = o.block};
    set({name, "type"}, to.type, o.type);
    std::vector<webnn::QuantizedWeights> report;
    const webnn::Graph smaller =
        webnn::quantize_weights(need(graph, {name, "graph"}).value.graph(), to, &report);
    auto made = std::make_unique<webnn_graph>(
        webnn::build_graph(need(context, {name, "context"}).value, smaller));
    if (json) *json = new_text(report_json(report));
    *quantized = made.release();
  });
}
