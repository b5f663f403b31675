// Contexts, tensors, and running graphs.
#include <algorithm>
#include <optional>

#include "bindings/c/src/allocator.h"
#include "bindings/c/src/json.h"
#include "bindings/c/src/thread_pool.h"
#include "bindings/c/src/values.h"
#include "src/runtime/context_options.h"
#include "src/runtime/context_state.h"
#include "webnn/tracing.h"

using namespace webnn::c;
using webnn::Constant;
using webnn::MLTensorDescriptor;

namespace webnn::inline v0_1::c {
namespace {

constexpr webnn_context_options default_context = WEBNN_CONTEXT_OPTIONS_INIT;
constexpr webnn_tensor_options default_tensor = WEBNN_TENSOR_OPTIONS_INIT;
constexpr webnn_run_options default_run = WEBNN_RUN_OPTIONS_INIT;
constexpr std::string_view context_name = "createContext";

/// The member of webnn_context_options for a member of MLContextOptions; null where it has none.
template <auto M> constexpr auto c_member = nullptr;
template <>
constexpr auto c_member<&MLContextOptions::powerPreference> =
    &webnn_context_options::power_preference;
template <>
constexpr auto c_member<&MLContextOptions::accelerated> = &webnn_context_options::accelerated;
template <> constexpr auto c_member<&MLContextOptions::threads> = &webnn_context_options::threads;
template <> constexpr auto c_member<&MLContextOptions::backends> = &webnn_context_options::backends;
template <> constexpr auto c_member<&MLContextOptions::rules> = &webnn_context_options::tests2025;
template <>
constexpr auto c_member<&MLContextOptions::threadPool> = &webnn_context_options::thread_pool;
template <> constexpr auto c_member<&MLContextOptions::runs> = &webnn_context_options::runs;
template <>
constexpr auto c_member<&MLContextOptions::memoryLimit> = &webnn_context_options::memory_limit;
template <>
constexpr auto c_member<&MLContextOptions::keepConstants> = &webnn_context_options::keep_constants;
template <> constexpr auto c_member<&MLContextOptions::tuning> = &webnn_context_options::tuning;
template <>
constexpr auto c_member<&MLContextOptions::tuningFile> = &webnn_context_options::tuning_file;
template <>
constexpr auto c_member<&MLContextOptions::accuracyLevel> = &webnn_context_options::accuracy_level;
template <>
constexpr auto c_member<&MLContextOptions::operators> = &webnn_context_options::operators;
template <>
constexpr auto c_member<&MLContextOptions::allocator> = &webnn_context_options::allocator;
template <> constexpr auto c_member<&MLContextOptions::log> = &webnn_context_options::log;
template <> constexpr auto c_member<&MLContextOptions::trace> = &webnn_context_options::trace;

/// The options, and what was made of their thread pool.
struct GivenContext {
  const webnn_context_options& options;
  std::shared_ptr<ThreadPool> thread_pool;
  std::shared_ptr<Allocator> allocator;

  void set_member(Where, bool& out, std::int32_t v) const { out = v != 0; }
  void set_member(Where, int& out, std::int32_t v) const { out = v; }
  void set_member(Where, std::size_t& out, std::uint64_t v) const { out = v; }
  void set_member(Where, Rules& out, std::int32_t tests2025) const {
    out = tests2025 ? Rules::tests2025 : Rules::specification;
  }
  template <NamedEnum E> void set_member(Where where, E& out, std::int32_t v) const {
    set(where, out, v);
  }
  void set_member(Where where, Path& out, webnn_string v) const { out = text(v, where); }
  void set_member(Where where, std::vector<BackendChoice>& out, webnn_backend* const* v) const {
    for (webnn_backend* b : list(v, options.backends_length, where))
      out.push_back(need(b, where).value);
  }
  void set_member(Where where, std::vector<std::shared_ptr<const CustomOperator>>& out,
                  webnn_custom_operator* const* v) const {
    for (webnn_custom_operator* o : list(v, options.operators_length, where))
      out.push_back(need(o, where).value);
  }
  void set_member(Where, std::shared_ptr<ThreadPool>& out, const webnn_thread_pool*) const {
    out = thread_pool;
  }
  void set_member(Where, std::shared_ptr<Allocator>& out, const webnn_allocator*) const {
    out = allocator;
  }
  void set_member(Where, std::function<void(LogLevel, std::string_view)>& out,
                  webnn_log_callback log) const {
    if (!log) return;
    out = [log, user = options.log_user](LogLevel level, std::string_view message) {
      log(user, static_cast<webnn_log_level>(level), to_c(message));
    };
  }
  void set_member(Where, std::function<void(const TraceEvent&)>& out,
                  webnn_trace_callback trace) const {
    if (!trace) return;
    out = [trace, user = options.trace_user](const TraceEvent& e) {
      const webnn_trace_event event{
          to_c(e.kernel), to_c(e.operators), to_c(e.label), e.step,     e.worker,
          e.tiles,        e.tiles_of_step,   e.start,       e.duration, e.bytes};
      trace(user, &event);
    };
  }
};

/// powerPreference is power_preference in C.
std::string c_name(std::string_view name) {
  std::string text;
  for (const char c : name)
    if (c >= 'A' && c <= 'Z') text += {'_', static_cast<char>(c - 'A' + 'a')};
    else text += c;
  return text;
}

MLContextOptions context_options(const GivenContext& given) {
  MLContextOptions out;
  for_each_context_option([&]<auto M, OptionOf Of>(const ContextOption<M, Of>& row) {
    constexpr bool has = !std::same_as<decltype(c_member<M>), const std::nullptr_t>;
    static_assert(has || Of != OptionOf::all, "an option without a member in C");
    if constexpr (has)
      given.set_member({context_name, c_name(row.name)}, row.get(out), given.options.*c_member<M>);
  });
  return out;
}

/// The views, and the shapes of those that `options` names.
std::vector<NamedInput> inputs(const webnn_input_view* given, std::size_t length,
                               const webnn_run_options& options, std::string_view function) {
  std::vector<NamedInput> all;
  const Where where{function, "inputs"}, in_shapes{function, "shapes"};
  for (const webnn_input_view& v : list(given, length, where))
    all.push_back({view(v.name), InputView(bytes(v.data, v.bytes, where))});
  for (const webnn_named_dims& s : list(options.shapes, options.shapes_length, in_shapes)) {
    const auto input = std::ranges::find(all, view(s.name), &NamedInput::name);
    if (input == all.end())
      in_shapes.reject("has \"" + escaped(view(s.name)) + "\", which is not among the inputs");
    input->data = InputView(input->data.bytes(),
                            ListView<std::uint32_t>(list(s.shape.data, s.shape.length, in_shapes)));
  }
  return all;
}
std::vector<NamedOutput> outputs(const webnn_output_view* given, std::size_t length,
                                 std::string_view function) {
  std::vector<NamedOutput> all;
  const Where where{function, "outputs"};
  for (const webnn_output_view& v : list(given, length, where))
    all.push_back(
        {view(v.name), OutputView(list(static_cast<std::byte*>(v.data), v.bytes, where))});
  return all;
}
std::vector<NamedTensor> tensors(const webnn_named_tensor* given, std::size_t length, Where where) {
  std::vector<NamedTensor> all;
  for (const webnn_named_tensor& t : list(given, length, where))
    all.push_back({view(t.name), need(t.tensor, where).value});
  return all;
}

/// Those of the functions that take no more than a stop.
webnn_run_options with_stop(webnn_stop* stop) {
  webnn_run_options options = default_run;
  options.stop = stop;
  return options;
}

std::stop_token token(const webnn_stop* stop) {
  return stop ? stop->source.get_token() : std::stop_token();
}

void write(JsonWriter& json, const MLTensorLimits& limits) {
  json.open('{').key("dataTypes").open('[');
  for (std::size_t i = 0; i < enum_names<MLOperandDataType>.size(); ++i)
    if (limits.dataTypes.contains(static_cast<MLOperandDataType>(i)))
      json.string(enum_names<MLOperandDataType>[i]);
  json.close(']').key("rankRange").open('{');
  json.key("min").number(std::uint64_t{limits.rankRange.min});
  json.key("max").number(std::uint64_t{std::min(limits.rankRange.max, max_rank)});
  json.close('}').close('}');
}

std::optional<MLTensorLimits> find_limits(const MLOpSupportLimits& limits, std::string_view op,
                                          std::string_view tensor) {
  if (op.empty()) {
    if (tensor == "input") return limits.input;
    if (tensor == "constant") return limits.constant;
    if (tensor == "output") return limits.output;
  }
  for (const auto& entry : limits.entries())
    for (const auto& row : entry.rows)
      if (entry.op == op && row.name == tensor) return row.limits;
  return std::nullopt;
}

std::string limits_json(const MLOpSupportLimits& limits) {
  JsonWriter json;
  json.open('{').key("preferredInputLayout").string(name_of(limits.preferredInputLayout));
  json.key("maxTensorByteLength").number(limits.maxTensorByteLength);
  write(json.key("input"), limits.input);
  write(json.key("constant"), limits.constant);
  write(json.key("output"), limits.output);
  for (const auto& entry : limits.entries()) {
    json.key(entry.op).open('{');
    for (const auto& row : entry.rows) write(json.key(row.name), row.limits);
    json.close('}');
  }
  return json.close('}').text();
}

}  // namespace
}  // namespace webnn::inline v0_1::c

webnn_status webnn_context_create(const webnn_context_options* options, webnn_context** context,
                                  webnn_error** error) {
  return guarded(error, [&] {
    need(context, {context_name, "context"});
    const auto o = complete(options, default_context, context_name);
    const auto pool = thread_pool_of(o.thread_pool);
    const auto allocator = allocator_of(o.allocator);
    *context = new webnn_context(webnn::MLContext(context_options({o, pool, allocator})));
    own(pool);
    own(allocator);
  });
}
webnn_context* webnn_context_retain(webnn_context* context) { return retain(context); }
void webnn_context_release(webnn_context* context) { release(context); }
void webnn_context_destroy(webnn_context* context) {
  if (context) context->value.destroy();
}
int32_t webnn_context_lost(const webnn_context* context) {
  return !context || context->value.lost();
}
int32_t webnn_context_accelerated(const webnn_context* context) {
  return context && context->value.accelerated();
}
int32_t webnn_context_threads(const webnn_context* context) {
  return context ? context->value.threads() : 0;
}
size_t webnn_context_backend_count(const webnn_context* context) {
  return context ? webnn::detail::state_of(context->value)->backends.size() : 0;
}
webnn_string webnn_context_backend(const webnn_context* context, size_t i) {
  if (i >= webnn_context_backend_count(context)) return {};
  return to_c(webnn::detail::state_of(context->value)->backends[i]->name());
}
int32_t webnn_context_tensor_limits(const webnn_context* context, webnn_string op,
                                    webnn_string tensor, webnn_tensor_limits* limits) {
  if (!context || !limits) return 0;
  try {
    const auto found = find_limits(context->value.opSupportLimits(), view(op), view(tensor));
    if (!found) return 0;
    *limits = {found->dataTypes.bits, found->rankRange.min,
               std::min(found->rankRange.max, webnn::max_rank)};
    return 1;
  } catch (...) { return 0; }
}
uint64_t webnn_context_max_tensor_bytes(const webnn_context* context) {
  try {
    return context ? context->value.opSupportLimits().maxTensorByteLength : 0;
  } catch (...) { return 0; }
}
webnn_status webnn_context_backends(const webnn_context* context, webnn_text** text,
                                    webnn_error** error) {
  return guarded(error, [&] {
    need(text, {"backends", "json"});
    JsonWriter json;
    json.open('[');
    for (const std::string& name : need(context, {"backends", "context"}).value.backends())
      json.string(name);
    *text = new_text(json.close(']').text());
  });
}
webnn_status webnn_context_tuning_table(const webnn_context* context, webnn_text** text,
                                        webnn_error** error) {
  return guarded(error, [&] {
    need(text, {"tuning_table", "table"});
    *text = new_text(need(context, {"tuning_table", "context"}).value.tuning_table());
  });
}
webnn_status webnn_context_op_support_limits(const webnn_context* context, webnn_text** text,
                                             webnn_error** error) {
  return guarded(error, [&] {
    need(text, {"opSupportLimits", "json"});
    *text = new_text(
        limits_json(need(context, {"opSupportLimits", "context"}).value.opSupportLimits()));
  });
}

webnn_status webnn_context_create_tensor(webnn_context* context, const webnn_descriptor* d,
                                         const webnn_tensor_options* options, webnn_tensor** tensor,
                                         webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "createTensor";
    need(tensor, {name, "tensor"});
    const auto o = complete(options, default_tensor, name);
    auto [type, shape] = descriptor(d, {name, "descriptor"});
    *tensor = new webnn_tensor(
        need(context, {name, "context"})
            .value.createTensor({type, std::move(shape), o.readable != 0, o.writable != 0}));
  });
}
webnn_status webnn_context_create_constant_tensor(webnn_context* context, const webnn_descriptor* d,
                                                  const void* data, size_t size,
                                                  webnn_tensor** tensor, webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "createConstantTensor";
    need(tensor, {name, "tensor"});
    *tensor = new webnn_tensor(
        need(context, {name, "context"})
            .value.createConstantTensor(descriptor(d, {name, "descriptor"}),
                                        webnn::InputView(bytes(data, size, {name, "data"}))));
  });
}
webnn_status webnn_context_write_tensor(webnn_context* context, webnn_tensor* tensor,
                                        const void* data, size_t size, webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "writeTensor";
    need(context, {name, "context"})
        .value.writeTensor(need(tensor, {name, "tensor"}).value,
                           webnn::InputView(bytes(data, size, {name, "data"})));
  });
}
webnn_status webnn_context_read_tensor(webnn_context* context, webnn_tensor* tensor, void* data,
                                       size_t size, webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "readTensor";
    const auto to = list(static_cast<std::byte*>(data), size, {name, "data"});
    need(context, {name, "context"})
        .value.readTensor(need(tensor, {name, "tensor"}).value, webnn::OutputView(to));
  });
}
webnn_status webnn_context_read_tensor_async(webnn_context* context, webnn_tensor* tensor,
                                             webnn_read_callback done, void* user,
                                             webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "readTensor";
    need(done, {name, "done"});
    need(context, {name, "context"})
        .value.readTensor_async(
            need(tensor, {name, "tensor"}).value,
            [done, user](std::exception_ptr exception, std::optional<Constant> values) {
              const CallbackError failed(std::move(exception));
              if (failed.get() || !values) done(user, failed.get(), nullptr, 0);
              else done(user, nullptr, values->bytes().data(), values->bytes().size());
            });
  });
}

webnn_descriptor webnn_tensor_descriptor(const webnn_tensor* tensor) {
  if (!tensor) return {};
  return to_c(tensor->value.dataType(), tensor->value.shape());
}
void webnn_tensor_destroy(webnn_tensor* tensor) {
  if (tensor) tensor->value.destroy();
}
webnn_tensor* webnn_tensor_retain(webnn_tensor* tensor) { return retain(tensor); }
void webnn_tensor_release(webnn_tensor* tensor) { release(tensor); }

webnn_status webnn_context_dispatch(webnn_context* context, webnn_graph* graph,
                                    const webnn_named_tensor* in, size_t in_length,
                                    const webnn_named_tensor* out, size_t out_length,
                                    webnn_stop* stop, webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "dispatch";
    need(context, {name, "context"})
        .value.dispatch(need(graph, {name, "graph"}).value,
                        tensors(in, in_length, {name, "inputs"}),
                        tensors(out, out_length, {name, "outputs"}), token(stop));
  });
}
webnn_status webnn_context_run(webnn_context* context, webnn_graph* graph,
                               const webnn_input_view* in, size_t in_length,
                               const webnn_output_view* out, size_t out_length,
                               const webnn_run_options* options, webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "compute";
    const auto o = complete(options, default_run, name);
    need(context, {name, "context"})
        .value.compute(need(graph, {name, "graph"}).value, inputs(in, in_length, o, name),
                       outputs(out, out_length, name), token(o.stop));
  });
}
webnn_status webnn_context_compute(webnn_context* context, webnn_graph* graph,
                                   const webnn_input_view* in, size_t in_length,
                                   const webnn_output_view* out, size_t out_length,
                                   webnn_stop* stop, webnn_error** error) {
  const webnn_run_options options = with_stop(stop);
  return webnn_context_run(context, graph, in, in_length, out, out_length, &options, error);
}
webnn_status webnn_context_run_async(webnn_context* context, webnn_graph* graph,
                                     const webnn_input_view* in, size_t in_length,
                                     const webnn_output_view* out, size_t out_length,
                                     const webnn_run_options* options, webnn_done_callback done,
                                     void* user, webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "compute";
    need(done, {name, "done"});
    const auto o = complete(options, default_run, name);
    need(context, {name, "context"})
        .value.compute_async(
            need(graph, {name, "graph"}).value, inputs(in, in_length, o, name),
            outputs(out, out_length, name),
            [done, user](std::exception_ptr exception) {
              const CallbackError failed(std::move(exception));
              done(user, failed.get());
            },
            token(o.stop));
  });
}
webnn_status webnn_context_compute_async(webnn_context* context, webnn_graph* graph,
                                         const webnn_input_view* in, size_t in_length,
                                         const webnn_output_view* out, size_t out_length,
                                         webnn_stop* stop, webnn_done_callback done, void* user,
                                         webnn_error** error) {
  const webnn_run_options options = with_stop(stop);
  return webnn_context_run_async(context, graph, in, in_length, out, out_length, &options, done,
                                 user, error);
}
webnn_status webnn_context_profile(webnn_context* context, webnn_graph* graph, int32_t runs,
                                   webnn_text** text, webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "profile";
    need(text, {name, "json"});
    JsonWriter json;
    json.open('[');
    for (const double us :
         need(context, {name, "context"}).value.profile(need(graph, {name, "graph"}).value, runs))
      json.number(us);
    *text = new_text(json.close(']').text());
  });
}
