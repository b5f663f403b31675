// MLGraphBuilder without its operators, MLOperand and MLActivation.
#include "convert.h"
#include "custom.h"
#include "models.h"
#include "object.h"
#include "older_forms.h"
#include "settler.h"
#include "shape.h"
#include "webnn/state.h"

namespace webnn::inline v0_1::node {
namespace {

Napi::Value initialize(const Napi::CallbackInfo& info) {
  if (!info.IsConstructCall())
    throw Napi::TypeError::New(info.Env(), "MLGraphBuilder is a constructor: use new");
  require_arguments(info, "MLGraphBuilder", 1);
  const auto* context = native<MLContext>(info[0]);
  if (!context) Where{"MLGraphBuilder", "context"}.reject("is not an MLContext");
  wrap(info.This().As<Napi::Object>(), MLGraphBuilder(context->value), 4096).draft2023 =
      context->draft2023;
  return info.This();
}

/// A descriptor of the 2023 draft makes the builder one of that draft.
template <class Descriptor>
void convert_descriptor(const Napi::Value& value, Descriptor& out, Native<MLGraphBuilder>& n,
                        const Where& where) {
  if (has_older_forms(n.value.context())) n.draft2023 |= convert_either(value, out, where);
  else convert(value, out, where);
}

Napi::Value input(const Napi::CallbackInfo& info) {
  auto& n = self<MLGraphBuilder>(info);
  require_arguments(info, "input", 2);
  std::string name = to_string(info[0]);
  MLInputOperandDescriptor descriptor;
  convert_descriptor(info[1], descriptor, n, {"input", "descriptor"});
  return make(info.Env(), n.value.input(std::move(name), std::move(descriptor)));
}

MLOperand scalar(MLGraphBuilder& builder, const Napi::Value& type, const Napi::Value& value) {
  MLOperandDataType t = float32;
  MLNumber v;
  if (!type.IsUndefined()) convert(type, t, {"constant", "dataType"});
  convert(value, v, {"constant", "value"});
  if (value.IsBigInt() && types::floats.contains(t) &&
      builder.context().rules() == Rules::tests2025)
    Where{"constant", "value"}.reject("is a BigInt, which cannot be converted to " +
                                      std::string(name_of(t)));
  return builder.constant(t, v);
}

MLOperand constant_of(Native<MLGraphBuilder>& n, const Napi::CallbackInfo& info) {
  MLGraphBuilder& builder = n.value;
  if (const auto* tensor = native<MLTensor>(info[0])) return builder.constant(tensor->value);
  if ((info[0].IsNumber() || info[0].IsBigInt()) && has_older_forms(builder.context()))
    return scalar(builder, info[1], info[0]);  // the order of the 2023 draft
  require_arguments(info, "constant", 2);
  if (!info[0].IsObject() && !info[0].IsUndefined() && !info[0].IsNull())
    return scalar(builder, info[0], info[1]);
  MLOperandDescriptor descriptor;
  convert_descriptor(info[0], descriptor, n, {"constant", "descriptor"});
  const InputView values = to_input(info[1], {"constant", "buffer"});
  MLOperand x = builder.constant(std::move(descriptor), values);
  grow(info.Env(), n, static_cast<std::int64_t>(values.size()));
  return x;
}

Napi::Value constant(const Napi::CallbackInfo& info) {
  auto& n = self<MLGraphBuilder>(info);
  require_arguments(info, "constant", 1);
  return make(info.Env(), constant_of(n, info));
}

NamedOperands outputs_of(const Napi::CallbackInfo& info, std::string_view method) {
  require_arguments(info, method, 1);
  NamedOperands outputs;
  for (auto& [name, operand] : to_record<MLOperand>(info[0], {method, "outputs"}))
    outputs.push_back({std::move(name), std::move(operand)});
  return outputs;
}

Napi::Value update_state(const Napi::CallbackInfo& info) {
  MLGraphBuilder& builder = self<MLGraphBuilder>(info).value;
  require_arguments(info, "update", 2);
  MLOperand in, out;
  convert(info[0], in, {"update", "stateIn"});
  convert(info[1], out, {"update", "stateOut"});
  update(builder, in, out);
  return info.Env().Undefined();
}

Napi::Value keep_state(const Napi::CallbackInfo& info) {
  MLGraphBuilder& builder = self<MLGraphBuilder>(info).value;
  require_arguments(info, "keepState", 2);
  MLOperand in, out;
  convert(info[0], in, {"keepState", "stateIn"});
  convert(info[1], out, {"keepState", "stateOut"});
  if (info[2].IsUndefined()) {
    keepState(builder, in, out);
  } else {
    const InputView initial = to_input(info[2], {"keepState", "initial"});
    keepState(builder, in, out, Constant::copy_of({initial.data(), initial.size()}));
  }
  return info.Env().Undefined();
}

/// A record, or a Map such as those of importModel(), in its order.
NamedOperands named_operands(const Napi::Value& value, const Where& where) {
  NamedOperands all;
  const Napi::Value iterator = Napi::Symbol::WellKnown(value.Env(), "iterator");
  if (!value.IsObject() || value.As<Napi::Object>().Get(iterator).IsUndefined()) {
    for (auto& [name, operand] : to_record<MLOperand>(value, where))
      all.push_back({std::move(name), std::move(operand)});
    return all;
  }
  for_each_item(value, where, [&](const Napi::Value& entry, std::int64_t i) {
    if (!entry.IsArray()) where.at(i).reject("is not a pair of a name and an operand");
    const auto pair = entry.As<Napi::Array>();
    NamedOperand& named = all.emplace_back();
    convert(pair.Get(0u), named.name, where.at(i));
    convert(pair.Get(1u), named.operand, {where.call, named.name});
  });
  return all;
}

Napi::Value update_caches(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  MLGraphBuilder& builder = self<MLGraphBuilder>(info).value;
  constexpr std::string_view name = "updateCaches";
  require_arguments(info, name, 3);
  const NamedOperands inputs = named_operands(info[0], {name, "inputs"}),
                      outputs = named_operands(info[1], {name, "outputs"});
  std::uint32_t max_size = 0;
  convert(info[2], max_size, {name, "maxSize"});
  const std::vector<CacheNames> caches = updateCaches(builder, inputs, outputs, max_size);
  Napi::Array all = Napi::Array::New(env, caches.size());
  for (std::uint32_t i = 0; i < caches.size(); ++i) {
    Napi::Object cache = Napi::Object::New(env);
    cache.Set("past", caches[i].past);
    cache.Set("present", caches[i].present);
    all.Set(i, cache);
  }
  return all;
}

/// The extension of the second argument: a dictionary with the list of the inputs.
BuildOptions options_of(const Napi::CallbackInfo& info, std::string_view method) {
  BuildOptions options;
  std::vector<MLOperand> inputs;
  if (const auto given = to_dictionary(info[1], {method, "options"}))
    member(*given, "inputs", inputs, method);
  for (MLOperand& x : inputs) {
    std::string name = x.record().name;
    options.inputs.push_back({std::move(name), std::move(x)});
  }
  return options;
}

Napi::Value build(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  MLGraphBuilder builder = self<MLGraphBuilder>(info).value;
  const NamedOperands outputs = outputs_of(info, "build");
  BuildOptions options = options_of(info, "build");
  Work work(env);
  builder.build_async(
      outputs,
      [pending = work.pending(), settler = instance(env).settler, context = builder.context()](
          std::exception_ptr failure, MLGraph graph) {
        pending->failure = failure;
        pending->result = [graph, context](Napi::Env e) -> Napi::Value {
          if (context.lost()) throw InvalidStateError("build", "", "the context is lost");
          return make_graph(e, graph);
        };
        settler->finish(pending);
      },
      std::move(options));
  return work.started();
}

Napi::Value build_sync(const Napi::CallbackInfo& info) {
  MLGraphBuilder builder = self<MLGraphBuilder>(info).value;
  require_older_forms(builder.context(), "buildSync");
  const NamedOperands outputs = outputs_of(info, "buildSync");
  BuildOptions options = options_of(info, "buildSync");
  const auto calls = instance(info.Env()).calls;
  if (!calls) return make_graph(info.Env(), builder.build(outputs, options));
  MLGraph graph;
  std::exception_ptr failure;
  bool done = false;
  builder.build_async(
      outputs,
      [&](std::exception_ptr f, MLGraph made) {
        failure = std::move(f);
        graph = std::move(made);
        calls->change([&] { done = true; });
      },
      std::move(options));
  calls->serve_until([&] { return done; });
  if (failure) std::rethrow_exception(failure);
  return make_graph(info.Env(), graph);
}

Napi::Value operand_type(const Napi::CallbackInfo& info) {
  const auto& n = self<MLOperand>(info);
  return Napi::String::New(info.Env(), std::string(name_of(n.value.dataType())));
}
Napi::Value operand_shape(const Napi::CallbackInfo& info) {
  return frozen_shape(info.Env(), self<MLOperand>(info));
}

}  // namespace

Napi::Function define_builder(Napi::Env env) {
  InterfaceMaker maker(env, "MLGraphBuilder", ClassId::builder, &constructing<&initialize>, 1);
  maker.method<&input>("input", 2);
  maker.method<&constant>("constant", 1);
  maker.method<&append_custom>("custom", 2);
  maker.method<&update_state>("update", 2);
  maker.method<&keep_state>("keepState", 2);
  maker.method<&update_caches>("updateCaches", 3);
  maker.promise_method<&build>("build", 1);
  maker.method<&build_sync>("buildSync", 1);
  maker.promise_method<&import_model>("importModel", 1);
  add_operators(maker);
  return maker.result();
}

Napi::Function define_operand(Napi::Env env) {
  InterfaceMaker maker(env, "MLOperand", ClassId::operand, &illegal_constructor<MLOperand>, 0);
  maker.attribute<&operand_type>("dataType");
  maker.attribute<&operand_shape>("shape");
  return maker.result();
}

Napi::Function define_activation(Napi::Env env) {
  using draft2023::MLActivation;
  return InterfaceMaker(env, "MLActivation", ClassId::activation,
                        &illegal_constructor<MLActivation>, 0)
      .result();
}

}  // namespace webnn::inline v0_1::node
