// ML, MLContext and MLTensor.
#include <algorithm>
#include <cstring>

#include "compute.h"
#include "convert.h"
#include "models.h"
#include "object.h"
#include "older_forms.h"
#include "quantize.h"
#include "settler.h"
#include "shape.h"
#include "support_limits.h"
#include "webnn/state.h"

namespace webnn::inline v0_1::node {
namespace {

template <bool Draft2023> Napi::Value new_context(const Napi::CallbackInfo& info) {
  self<ML>(info);
  MLContextOptions options{.rules = Rules::tests2025};
  constexpr std::string_view name = Draft2023 ? "createContextSync" : "createContext";
  convert(info[0], options, {name, "options"});
  if (Draft2023 && options.rules == Rules::specification)
    Where{name, "rules"}.reject(
        "(\"specification\") are not those of the 2023 draft, which has "
        "this method");
  const Napi::Object context = make(info.Env(), MLContext(std::move(options)), 1 << 20);
  native<MLContext>(context)->draft2023 = Draft2023;
  return context;
}

// lost: https://www.w3.org/TR/webnn/#dom-mlcontext-lost
// Kept in a WeakMap: a persistent handle to the promise would keep everything that its callbacks
// refer to.

Napi::Object lost_record(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  Instance& i = instance(env);
  const Napi::Value known = i.weak_map_get.Call(i.weak_map.Value(), {info.This()});
  if (known.IsObject()) return known.As<Napi::Object>();
  Napi::Object record = Napi::Object::New(env);
  const auto executor = Napi::Function::New(
      env, [&](const Napi::CallbackInfo& call) { record.Set("resolve", call[0]); });
  record.Set("promise", i.promise.New({executor}));
  i.weak_map_set.Call(i.weak_map.Value(), {info.This(), record});
  return record;
}
void resolve_lost(const Napi::CallbackInfo& info) {
  const Napi::Object record = lost_record(info);
  Napi::Object reason = Napi::Object::New(info.Env());
  reason.Set("message", "destroy() was called");
  record.Get("resolve").As<Napi::Function>().Call({reason});
}

Napi::Value lost(const Napi::CallbackInfo& info) {
  self<MLContext>(info);
  return lost_record(info).Get("promise");
}
Napi::Value destroy_context(const Napi::CallbackInfo& info) {
  MLContext& context = self<MLContext>(info).value;
  if (context.lost()) return info.Env().Undefined();
  context.destroy();
  instance(info.Env()).collector.forget_destroyed(info.Env());
  resolve_lost(info);
  return info.Env().Undefined();
}
Napi::Value accelerated(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), self<MLContext>(info).value.accelerated());
}
Napi::Value op_support_limits(const Napi::CallbackInfo& info) {
  return to_js(info.Env(), self<MLContext>(info).value.opSupportLimits());
}

// Tensors

Napi::Value tensor_of(Napi::Env env, MLTensor tensor) {
  const std::uint64_t bytes = byte_length({tensor.dataType(), tensor.shape()});
  return make_tensor(env, std::move(tensor), bytes);
}

Napi::Value create_tensor(const Napi::CallbackInfo& info) {
  MLContext& context = self<MLContext>(info).value;
  require_arguments(info, "createTensor", 1);
  MLTensorDescriptor d;
  convert(info[0], d, {"createTensor", "descriptor"});
  return tensor_of(info.Env(), context.createTensor(std::move(d)));
}

Napi::Value create_constant_tensor(const Napi::CallbackInfo& info) {
  MLContext& context = self<MLContext>(info).value;
  require_arguments(info, "createConstantTensor", 2);
  MLOperandDescriptor d;
  convert(info[0], d, {"createConstantTensor", "descriptor"});
  const InputView values = to_input(info[1], {"createConstantTensor", "inputData"});
  return tensor_of(info.Env(), context.createConstantTensor(std::move(d), values));
}

Napi::Value write_tensor(const Napi::CallbackInfo& info) {
  MLContext& context = self<MLContext>(info).value;
  require_arguments(info, "writeTensor", 2);
  MLTensor tensor;
  convert(info[0], tensor, {"writeTensor", "tensor"});
  const InputView values = to_input_bytes(info[1], {"writeTensor", "inputData"});
  if (stateCapacity(tensor) && may_be_waited_for(info.Env())) {
    const auto bytes = values.bytes();
    waiting(info.Env(), "writeTensor", [&, copy = std::vector(bytes.begin(), bytes.end())] {
      context.writeTensor(tensor, InputView(copy));
    });
  } else {
    context.writeTensor(tensor, values);
  }
  return info.Env().Undefined();
}

/// Copies the values that were read into the caller's buffer, which is not touched before, or into
/// a new one.
Napi::Value deliver(Napi::Env env, const Pending& pending, std::span<const std::byte> bytes) {
  if (pending.kept.empty()) {
    auto buffer = Napi::ArrayBuffer::New(env, bytes.size());
    std::memcpy(buffer.Data(), bytes.data(), bytes.size());
    return buffer;
  }
  const OutputView out =
      to_output_bytes(pending.kept.front().Value(), {"readTensor", "outputData"});
  if (out.size() < bytes.size())
    Where{"readTensor", "outputData"}.reject("was detached while the tensor was read");
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return env.Undefined();
}

Napi::Value read_tensor(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  MLContext& context = self<MLContext>(info).value;
  require_arguments(info, "readTensor", 1);
  MLTensor tensor;
  convert(info[0], tensor, {"readTensor", "tensor"});
  Work work(env);
  const bool grows = stateCapacity(tensor) > 0;
  if (info.Length() > 1) {
    const OutputView to = to_output_bytes(info[1], {"readTensor", "outputData"});
    waiting_if(grows, env, "readTensor", [&] { context.check_read(tensor, to); });
    work.pending()->kept.push_back(Napi::Reference<Napi::Value>::New(info[1], 1));
  }
  const auto done = [tensor, context, pending = work.pending(), settler = instance(env).settler](
                        std::exception_ptr failure, std::optional<Constant> values) {
    pending->failure = failure;
    pending->result = [tensor, values, p = pending.get()](Napi::Env e) {
      if (tensor.destroyed())
        throw InvalidStateError("readTensor", "", "the tensor was destroyed while it was read");
      return deliver(e, *p, values->bytes());
    };
    settler->finish(pending);
  };
  waiting_if(grows, env, "readTensor", [&] { context.readTensor_async(tensor, done); });
  return work.started();
}

Napi::Value tensor_type(const Napi::CallbackInfo& info) {
  const auto& n = self<MLTensor>(info);
  return Napi::String::New(info.Env(), std::string(name_of(n.value.dataType())));
}
Napi::Value tensor_shape(const Napi::CallbackInfo& info) {
  auto& n = self<MLTensor>(info);
  if (stateCapacity(n.value)) n.shape.Reset();  // it may have grown
  return frozen_shape(info.Env(), n);
}
Napi::Value tensor_capacity(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), stateCapacity(self<MLTensor>(info).value));
}
Napi::Value resize_tensor(const Napi::CallbackInfo& info) {
  const MLTensor& tensor = self<MLTensor>(info).value;
  require_arguments(info, "resize", 1);
  std::uint32_t size = 0;
  convert(info[0], size, {"resize", "size"});
  waiting(info.Env(), "resize", [&] { resizeState(tensor, size); });
  return info.Env().Undefined();
}
std::vector<MLTensor> states_from(const Napi::CallbackInfo& info, std::string_view method) {
  const Where where{method, "states"};
  require_arguments(info, std::string(method).c_str(), 1);
  std::vector<MLTensor> all;
  for_each_item(info[0], where, [&](Napi::Value item, std::int64_t i) {
    const auto* n = native<MLTensor>(item);
    if (!n) where.at(i).reject("is not an MLTensor");
    all.push_back(n->value);
  });
  return all;
}
Napi::Value join_states(const Napi::CallbackInfo& info) {
  const std::vector<MLTensor> states = states_from(info, "joinStates");
  return make_tensor(info.Env(),
                     waiting(info.Env(), "joinStates", [&] { return joinStates(states); }), 0);
}
Napi::Value fork_states(const Napi::CallbackInfo& info) {
  constexpr std::uint64_t bytes = 65536;  // of pages that differ
  const std::vector<MLTensor> states = states_from(info, "forkStates");
  const std::vector<MLTensor> forks =
      waiting(info.Env(), "forkStates", [&] { return forkStates(states); });
  Napi::Array all = Napi::Array::New(info.Env(), forks.size());
  for (std::uint32_t i = 0; i < forks.size(); ++i)
    all.Set(i, make_tensor(info.Env(), forks[i], bytes));
  return all;
}
template <bool (MLTensor::*F)() const> Napi::Value flag(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), (self<MLTensor>(info).value.*F)());
}

// Execution

bool any_grows(const std::vector<std::pair<std::string, MLTensor>>& record) {
  return std::any_of(record.begin(), record.end(),
                     [](const auto& x) { return stateCapacity(x.second) > 0; });
}
std::vector<NamedTensor> named(const std::vector<std::pair<std::string, MLTensor>>& record) {
  std::vector<NamedTensor> all;
  for (const auto& [name, tensor] : record) all.push_back({name, tensor});
  return all;
}

Napi::Value dispatch(const Napi::CallbackInfo& info) {
  MLContext& context = self<MLContext>(info).value;
  require_arguments(info, "dispatch", 3);
  const MLGraph graph = graph_of(info[0], "dispatch");
  const auto inputs = to_record<MLTensor>(info[1], {"dispatch", "inputs"});
  const auto outputs = to_record<MLTensor>(info[2], {"dispatch", "outputs"});
  waiting_if(graph.is_open() || any_grows(inputs) || any_grows(outputs), info.Env(), "dispatch",
             [&] { context.dispatch(graph, named(inputs), named(outputs)); });
  return info.Env().Undefined();
}

/// An extension: the microseconds of each step of the graph, once what was queued before has run.
Napi::Value profile(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  MLContext& context = self<MLContext>(info).value;
  require_arguments(info, "profile", 1);
  const MLGraph graph = graph_of(info[0], "profile");
  std::int32_t runs = 50;
  if (!info[1].IsUndefined()) convert(info[1], runs, {"profile", "runs"});
  Work work(env);
  context.profile_async(graph, runs,
                        [context, pending = work.pending(), settler = instance(env).settler](
                            std::exception_ptr failure, std::vector<double> microseconds) {
                          pending->failure = failure;
                          pending->result = [context, microseconds](Napi::Env e) -> Napi::Value {
                            if (context.lost())
                              throw InvalidStateError("profile", "", "the context is lost");
                            Napi::Array list = Napi::Array::New(e, microseconds.size());
                            for (std::uint32_t i = 0; i < microseconds.size(); ++i)
                              list.Set(i, microseconds[i]);
                            return list;
                          };
                          settler->finish(pending);
                        });
  return work.started();
}

}  // namespace

Napi::Object make_tensor(Napi::Env env, MLTensor tensor, std::uint64_t bytes) {
  constexpr std::int64_t state = 512;
  return make(env, std::move(tensor), state + static_cast<std::int64_t>(bytes));
}

Napi::Function define_ml(Napi::Env env) {
  InterfaceMaker maker(env, "ML", ClassId::ml, &illegal_constructor<ML>, 0);
  maker.promise_method<&new_context<false>>("createContext", 0);
  maker.method<&new_context<true>>("createContextSync", 0);
  maker.method<&model_formats>("modelFormats", 0);
  return maker.result();
}

Napi::Function define_context(Napi::Env env) {
  InterfaceMaker maker(env, "MLContext", ClassId::context, &illegal_constructor<MLContext>, 0);
  maker.method<&dispatch>("dispatch", 3);
  maker.promise_method<&create_tensor>("createTensor", 1);
  maker.promise_method<&create_constant_tensor>("createConstantTensor", 2);
  maker.promise_method<&read_tensor>("readTensor", 1);
  maker.method<&write_tensor>("writeTensor", 2);
  maker.method<&join_states>("joinStates", 1);
  maker.method<&fork_states>("forkStates", 1);
  maker.method<&op_support_limits>("opSupportLimits", 0);
  maker.method<&destroy_context>("destroy", 0);
  maker.promise_method<&profile>("profile", 1);
  maker.promise_method<&load_graph>("loadGraph", 1);
  maker.promise_method<&quantize>("quantize", 1);
  maker.promise_attribute<&lost>("lost");
  maker.attribute<&accelerated>("accelerated");
  maker.promise_method<&compute>("compute", 3);
  maker.method<&compute_sync>("computeSync", 3);
  return maker.result();
}

Napi::Function define_tensor(Napi::Env env) {
  InterfaceMaker maker(env, "MLTensor", ClassId::tensor, &illegal_constructor<MLTensor>, 0);
  maker.attribute<&tensor_type>("dataType");
  maker.attribute<&tensor_shape>("shape");
  maker.attribute<&flag<&MLTensor::readable>>("readable");
  maker.attribute<&flag<&MLTensor::writable>>("writable");
  maker.attribute<&flag<&MLTensor::constant>>("constant");
  maker.attribute<&tensor_capacity>("capacity");
  maker.method<&resize_tensor>("resize", 1);
  maker.method<&destroy<MLTensor>>("destroy", 0);
  return maker.result();
}

}  // namespace webnn::inline v0_1::node
