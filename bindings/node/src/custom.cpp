#include "custom.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <stdexcept>

#include "convert.h"
#include "custom_values.h"
#include "script_calls.h"

namespace webnn::inline v0_1::node {
namespace {

/// The functions of an operator, and what infer() has said.
class Script {
 public:
  Script(std::shared_ptr<ScriptCalls> calls, const Napi::Function& infer,
         const Napi::Function& compute)
      : calls_(std::move(calls)),
        functions_(new Functions{Napi::Persistent(infer), Napi::Persistent(compute)}) {}
  Script(const Script&) = delete;
  /// References are freed on JavaScript's thread.
  ~Script() {
    calls_->post([f = functions_] { delete f; });
  }

  /// What was said before is said again without a call, so that other threads seldom wait for one.
  std::vector<MLOperandDescriptor> infer(const CustomCall& call) {
    const std::string key = key_of(call);
    {
      const std::lock_guard lock(mutex_);
      if (const auto known = said_.find(key); known != said_.end()) return known->second;
    }
    std::vector<MLOperandDescriptor> results;
    calls_->call([&](Napi::Env env) { results = infer(env, call); });
    const std::lock_guard lock(mutex_);
    if (said_.size() >= most_said) said_.clear();
    return said_[key] = results;
  }
  void compute(const CustomRun& run) {
    calls_->call([&](Napi::Env env) { compute(env, run); });
  }

 private:
  struct Functions {
    Napi::FunctionReference infer, compute;
  };
  static constexpr std::size_t most_said = 4096;
  static constexpr std::size_t most_bytes = 1 << 16;  // of a constant in a key

  static void append(std::string& to, const void* data, std::size_t size) {
    const std::uint64_t length = size;
    to.append(reinterpret_cast<const char*>(&length), sizeof length);
    to.append(static_cast<const char*>(data), size);
  }
  /// All that infer() sees.
  static std::string key_of(const CustomCall& call) {
    std::string key;
    for (std::size_t i = 0; i < call.inputs.size(); ++i) {
      const auto& [type, shape] = call.inputs[i];
      append(key, &type, sizeof type);
      append(key, shape.data(), shape.size() * sizeof shape[0]);
      const auto constant = call.constant(i);
      const std::byte* place = constant.data();
      if (constant.size() <= most_bytes) append(key, constant.data(), constant.size());
      else append(key, &place, sizeof place);
    }
    for (const auto& [name, value] : call.attributes) {
      append(key, name.data(), name.size());
      append_value(key, value);
    }
    append(key, call.label.data(), call.label.size());
    return key;
  }
  static void append_value(std::string& key, const CustomValue& value) {
    const std::size_t index = value.index();
    append(key, &index, sizeof index);
    const auto one = [&]<class T>(const T& v) {
      if constexpr (std::same_as<T, std::string>) append(key, v.data(), v.size());
      else if constexpr (!std::same_as<T, std::monostate>) append(key, &v, sizeof v);
    };
    std::visit(
        [&]<class T>(const T& v) {
          if constexpr (requires { v.push_back({}); } && !std::same_as<T, std::string>)
            for (const auto& item : v) one(item);
          else one(v);
        },
        static_cast<const CustomValue::variant&>(value));
  }

  std::vector<MLOperandDescriptor> infer(Napi::Env env, const CustomCall& call) const {
    Napi::Array inputs = Napi::Array::New(env, call.inputs.size());
    for (std::uint32_t i = 0; i < call.inputs.size(); ++i) {
      Napi::Object x = to_script(env, call.inputs[i]);
      const auto constant = call.constant(i);
      if (!constant.empty()) set_data(x, call.inputs[i], constant);
      inputs.Set(i, x);
    }
    const Napi::Value said = functions_->infer.Call({inputs, to_script(env, call.attributes)});
    std::vector<MLOperandDescriptor> results;
    const Where where{"infer", "result"};
    if (!said.IsArray()) where.reject("is not a list of descriptors");
    for_each_item(said, where, [&](Napi::Value d, std::int64_t i) {
      convert(d, results.emplace_back(), where.at(i));
    });
    return results;
  }

  void compute(Napi::Env env, const CustomRun& run) const {
    Napi::Array inputs = Napi::Array::New(env, run.call.inputs.size());
    for (std::uint32_t i = 0; i < run.call.inputs.size(); ++i) {
      Napi::Object x = to_script(env, run.call.inputs[i]);
      set_data(x, run.call.inputs[i], run.in<std::byte>(i));
      inputs.Set(i, x);
    }
    Napi::Array outputs = Napi::Array::New(env, run.call.outputs.size());
    std::vector<Napi::ArrayBuffer> buffers;
    for (std::uint32_t i = 0; i < run.call.outputs.size(); ++i) {
      Napi::Object y = to_script(env, run.call.outputs[i]);
      buffers.push_back(set_data(y, run.call.outputs[i], {}));
      outputs.Set(i, y);
    }
    const Napi::Value returned =
        functions_->compute.Call({inputs, outputs, to_script(env, run.call.attributes)});
    if (returned.IsPromise())
      throw std::runtime_error("its function returned a promise, for which nothing waits");
    for (std::uint32_t i = 0; i < buffers.size(); ++i) {
      const auto to = run.out<std::byte>(i);
      if (buffers[i].ByteLength() < to.size())
        throw std::runtime_error("its function detached the data of an output");
      std::memcpy(to.data(), buffers[i].Data(), to.size());
    }
  }

  std::shared_ptr<ScriptCalls> calls_;
  Functions* functions_;
  std::mutex mutex_{};
  std::map<std::string, std::vector<MLOperandDescriptor>> said_{};
};

Napi::Function function_in(const Napi::Object& definition, const char* name) {
  const Napi::Value f = definition.Get(name);
  if (!f.IsFunction()) Where{"MLCustomOperator", name}.reject("is not a function");
  return f.As<Napi::Function>();
}

Napi::Value initialize(const Napi::CallbackInfo& info) {
  constexpr std::string_view call = "MLCustomOperator";
  if (!info.IsConstructCall())
    throw Napi::TypeError::New(info.Env(), "MLCustomOperator is a constructor: use new");
  require_arguments(info, call, 2);
  CustomOperator o{.name = to_string(info[0])};
  const auto definition = to_dictionary(info[1], {call, "definition"});
  if (!definition) Where{call, "definition"}.reject("is not an object");
  if (const Napi::Value given = definition->Get("attributes"); !given.IsUndefined())
    o.attributes = attributes_from(given, {call, "attributes"});
  member(*definition, "exclusive", o.exclusive, call);
  member(*definition, "pure", o.pure, call);
  member(*definition, "version", o.version, call);
  Instance& i = instance(info.Env());
  if (!i.calls) i.calls = std::make_shared<ScriptCalls>(info.Env());
  i.calls->add_operator();
  const auto script = std::make_shared<Script>(i.calls, function_in(*definition, "infer"),
                                               function_in(*definition, "compute"));
  o.infer = [script](const CustomCall& c) { return script->infer(c); };
  o.compute = [script](const CustomRun& run) { script->compute(run); };
  wrap(info.This().As<Napi::Object>(), ScriptOperator{custom_operator(std::move(o))}, 4096);
  return info.This();
}

Napi::Value operator_name(const Napi::CallbackInfo& info) {
  return Napi::String::New(info.Env(), self<ScriptOperator>(info).value.definition->name);
}
Napi::Value operator_version(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), self<ScriptOperator>(info).value.definition->version);
}

/// Attributes of the operator, beside which the dictionary has the label.
CustomOptions options_of(const Napi::Value& value) {
  CustomOptions options;
  const auto given = to_dictionary(value, {"custom", "options"});
  if (!given) return options;
  options.attributes = attributes_from(*given, {"custom", "options"});
  member(*given, "label", options.label, "custom");
  std::erase_if(options.attributes, [](const CustomAttribute& a) { return a.name == "label"; });
  return options;
}

}  // namespace

void convert(const Napi::Value& value, std::shared_ptr<const CustomOperator>& out,
             const Where& where) {
  const auto* n = native<ScriptOperator>(value);
  if (!n) where.reject("is not an MLCustomOperator");
  out = n->value.definition;
}

Napi::Value append_custom(const Napi::CallbackInfo& info) {
  MLGraphBuilder& builder = self<MLGraphBuilder>(info).value;
  require_arguments(info, "custom", 2);
  std::vector<MLOperand> inputs;
  convert(info[1], inputs, {"custom", "inputs"});
  CustomOptions options = options_of(info[2]);
  std::vector<MLOperand> results;
  if (info[0].IsString()) {
    results = builder.custom(to_string(info[0]), std::move(inputs), std::move(options));
  } else {
    std::shared_ptr<const CustomOperator> definition;
    convert(info[0], definition, {"custom", "operator"});
    results = builder.custom(std::move(definition), std::move(inputs), std::move(options));
  }
  Napi::Array all = Napi::Array::New(info.Env(), results.size());
  for (std::uint32_t i = 0; i < results.size(); ++i)
    all.Set(i, make(info.Env(), std::move(results[i])));
  return all;
}

Napi::Function define_custom_operator(Napi::Env env) {
  InterfaceMaker maker(env, "MLCustomOperator", ClassId::custom_operator,
                       &constructing<&initialize>, 2);
  maker.attribute<&operator_name>("name");
  maker.attribute<&operator_version>("version");
  return maker.result();
}

}  // namespace webnn::inline v0_1::node
