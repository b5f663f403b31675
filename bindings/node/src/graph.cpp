// MLGraph, whose members but destroy() are extensions.
#include <algorithm>
#include <cmath>

#include "compiled.h"
#include "convert.h"
#include "file_work.h"
#include "models.h"
#include "object.h"
#include "shape.h"
#include "webnn/state.h"

namespace webnn::inline v0_1::node {
namespace {

Napi::Value explain(const Napi::CallbackInfo& info) {
  const MLGraph& graph = self<MLGraph>(info).value;
  if (info[0].IsUndefined()) return Napi::String::New(info.Env(), graph.explain());
  std::vector<double> microseconds;
  const Where where{"explain", "microseconds"};
  convert(info[0], microseconds, where);
  const std::size_t steps = graph.report().steps.size();
  if (microseconds.size() != steps)
    where.reject("(" + std::to_string(microseconds.size()) +
                 " numbers) does not have one number for each of the " + std::to_string(steps) +
                 " steps");
  for (std::size_t i = 0; i < steps; ++i)
    if (!std::isfinite(microseconds[i]))
      where.at(static_cast<std::int64_t>(i))
          .reject("(" + std::to_string(microseconds[i]) + ") is not finite");
  return Napi::String::New(info.Env(), graph.explain(microseconds));
}

// report()

Napi::Object object_of(Napi::Env env,
                       std::initializer_list<std::pair<const char*, Napi::Value>> members) {
  Napi::Object object = Napi::Object::New(env);
  for (const auto& [name, value] : members) object.Set(name, value);
  return object;
}
Napi::Value to_js(Napi::Env env, std::string_view text) {
  return Napi::String::New(env, std::string(text));
}
template <class T>
requires std::is_arithmetic_v<T> Napi::Value to_js(Napi::Env env, T number) {
  return Napi::Number::New(env, static_cast<double>(number));
}
Napi::Value to_js(Napi::Env env, const MLOperand& x);
Napi::Value to_js(Napi::Env env, const Node& node);
Napi::Value to_js(Napi::Env env, const StepReport& step);
Napi::Value to_js(Napi::Env env, const PassReport& pass);

template <class List> Napi::Value list_of(Napi::Env env, const List& list) {
  Napi::Array array = Napi::Array::New(env);
  for (const auto& item : list) {
    const Napi::HandleScope scope(env);
    array.Set(array.Length(), to_js(env, item));
  }
  return array;
}

Napi::Value to_js(Napi::Env env, const MLOperand& x) {
  return object_of(
      env, {{"dataType", to_js(env, name_of(x.dataType()))}, {"shape", list_of(env, x.shape())}});
}
Napi::Value to_js(Napi::Env env, const Node& node) {
  return object_of(env, {{"name", to_js(env, node.name())},
                         {"label", to_js(env, node.label())},
                         {"inputs", list_of(env, node.inputs())},
                         {"outputs", list_of(env, node.outputs())}});
}
Napi::Value to_js(Napi::Env env, const StepReport& step) {
  return object_of(env, {{"operators", list_of(env, step.operators)},
                         {"backend", to_js(env, step.backend)},
                         {"kernel", to_js(env, step.kernel)},
                         {"tiles", to_js(env, step.tiles)},
                         {"packed", to_js(env, step.packed)},
                         {"others", list_of(env, step.others)}});
}
Napi::Value to_js(Napi::Env env, const PassReport& pass) {
  return object_of(env, {{"name", to_js(env, pass.name)},
                         {"before", to_js(env, pass.before)},
                         {"after", to_js(env, pass.after)}});
}

Napi::Value report(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const GraphReport r = self<MLGraph>(info).value.report();
  return object_of(env, {{"steps", list_of(env, r.steps)},
                         {"passes", list_of(env, r.passes)},
                         {"arena", to_js(env, r.arena)},
                         {"arenaAtLeast", to_js(env, r.arena_at_least)},
                         {"packed", to_js(env, r.packed)},
                         {"scratch", to_js(env, r.scratch)},
                         {"threads", to_js(env, r.threads)},
                         {"threadsAsked", to_js(env, r.threads_asked)},
                         {"buildMs", to_js(env, r.build_ms)}});
}

// Shapes

Napi::Value compute_shapes(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const MLGraph& graph = self<MLGraph>(info).value;
  require_arguments(info, "computeShapes", 1);
  const GivenShapes given(info[0], {"computeShapes", "inputs"});
  Napi::Object shapes = Napi::Object::New(env);
  for (const auto& [name, d] : graph.computeShapes(given.named()))
    shapes.DefineProperty(
        Napi::PropertyDescriptor::Value(name, shape_array(env, d.shape), napi_default_jsproperty));
  return shapes;
}

Napi::Value prepare(const Napi::CallbackInfo& info) {
  const MLGraph graph = self<MLGraph>(info).value;
  require_arguments(info, "prepare", 1);
  const GivenShapes given(info[0], {"prepare", "inputs"});
  return FileWork::start(info.Env(), [graph, given](Pending& pending) {
    pending.result = [made = graph.prepare(given.named())](Napi::Env env) -> Napi::Value {
      return make_graph(env, made);
    };
  });
}

// States

/// The bytes of a state: those of its bound where it grows. Which dimension that is, the graph
/// says.
std::uint64_t bytes_of_state(const MLGraph& graph, std::string_view input, const MLTensor& state) {
  Dims shape = state.shape();
  const std::uint32_t capacity = stateCapacity(state);
  const Graph described = graph.graph();
  for (const NamedOperand& x : described.inputs()) {
    const auto dimensions = x.operand.dimensions();
    if (x.name != input || !capacity || !dimensions) continue;
    const auto grows = std::find_if(dimensions->begin(), dimensions->end(), [&](const auto& d) {
      return d.is_open() && d.dynamic().maxSize == capacity;
    });
    if (grows != dimensions->end())
      shape[static_cast<std::size_t>(grows - dimensions->begin())] = capacity;
  }
  return byte_length({state.dataType(), shape});
}

Napi::Value create_state(const Napi::CallbackInfo& info) {
  const MLGraph& graph = self<MLGraph>(info).value;
  require_arguments(info, "createState", 1);
  const std::string input = to_string(info[0]);
  std::vector<std::uint32_t> shape;
  if (!info[1].IsUndefined()) convert(info[1], shape, {"createState", "shape"});
  MLTensor state = createState(graph, input, Dims(shape.begin(), shape.end()));
  const std::uint64_t bytes = bytes_of_state(graph, input, state);
  return make_tensor(info.Env(), std::move(state), bytes);
}

Napi::Value reset_states(const Napi::CallbackInfo& info) {
  resetStates(self<MLGraph>(info).value);
  return info.Env().Undefined();
}

}  // namespace

Napi::Object make_graph(Napi::Env env, MLGraph graph) {
  constexpr std::size_t state = 65536;
  const std::size_t bytes = state + graph.memory().total();
  return make(env, std::move(graph), static_cast<std::int64_t>(bytes));
}

Napi::Function define_graph(Napi::Env env) {
  InterfaceMaker maker(env, "MLGraph", ClassId::graph, &illegal_constructor<MLGraph>, 0);
  maker.method<&destroy<MLGraph>>("destroy", 0);
  maker.method<&explain>("explain", 0);
  maker.method<&report>("report", 0);
  maker.method<&compute_shapes>("computeShapes", 1);
  maker.promise_method<&prepare>("prepare", 1);
  maker.promise_method<&create_state>("createState", 1);
  maker.method<&reset_states>("resetStates", 0);
  maker.promise_method<&save_graph>("save", 1);
  maker.promise_method<&export_model>("exportModel", 1);
  maker.promise_method<&exported_bytes>("exportedBytes", 1);
  maker.attribute<&graph_inputs>("inputs");
  maker.attribute<&graph_outputs>("outputs");
  return maker.result();
}

}  // namespace webnn::inline v0_1::node
