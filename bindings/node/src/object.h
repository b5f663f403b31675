// The library's handles as JavaScript objects of the spec's interfaces.
#pragma once

#include <napi.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "errors.h"
#include "waiting.h"
#include "webnn/draft2023.h"

namespace webnn::inline v0_1::node {

struct ML {};

/// Name and class of the interface that wraps a T.
template <ops::FixedString Name, ClassId Id> struct InterfaceOf {
  static constexpr const char* name = Name.chars;
  static constexpr ClassId id = Id;
};
template <class T> struct Interface;
template <> struct Interface<ML> : InterfaceOf<"ML", ClassId::ml> {};
template <> struct Interface<MLContext> : InterfaceOf<"MLContext", ClassId::context> {};
template <> struct Interface<MLTensor> : InterfaceOf<"MLTensor", ClassId::tensor> {};
template <> struct Interface<MLGraph> : InterfaceOf<"MLGraph", ClassId::graph> {};
template <> struct Interface<MLGraphBuilder> : InterfaceOf<"MLGraphBuilder", ClassId::builder> {};
template <> struct Interface<MLOperand> : InterfaceOf<"MLOperand", ClassId::operand> {};
template <>
struct Interface<draft2023::MLActivation> : InterfaceOf<"MLActivation", ClassId::activation> {};

/// Whether destroy() has freed what a handle stands for.
template <class T> bool is_destroyed(const T&) { return false; }
inline bool is_destroyed(const MLTensor& tensor) { return tensor.destroyed(); }
inline bool is_destroyed(const MLGraph& graph) {
  try {
    graph.memory();
    return false;
  } catch (const Error&) { return true; }
}

/// What an object wraps.
template <class T> class Native final : public Wrapped {
  std::optional<T> held_;  // until the object is collected

 public:
  explicit Native(T v) : held_(std::move(v)), value(*held_) {}
  std::shared_ptr<void> take() override {
    shape.Reset();
    auto held = std::make_shared<T>(std::move(*held_));
    held_.reset();
    return held;
  }
  bool destroyed() const override { return is_destroyed(value); }

  T& value;
  bool draft2023 = false;                // a context or builder of a program of the 2023 draft
  Napi::Reference<Napi::Value> shape{};  // the frozen array, made when first asked for
  std::shared_ptr<int> imports{};        // into a builder: how many are not done
};

/// Marks the objects that wrap a T, independently of their prototype.
template <class T>
constexpr napi_type_tag tag_of{0x6f1d0d5e8e4b4c0bull,
                               0x9a3c51d27b6e8f00ull + static_cast<unsigned>(Interface<T>::id)};

template <class T> Native<T>* native(const Napi::Value& value) {
  if (!value.IsObject()) return nullptr;
  bool tagged = false;
  if (napi_check_object_type_tag(value.Env(), value, &tag_of<T>, &tagged) != napi_ok || !tagged)
    return nullptr;
  void* data = nullptr;
  if (napi_unwrap(value.Env(), value, &data) != napi_ok) return nullptr;
  return static_cast<Native<T>*>(static_cast<Wrapped*>(data));
}

/// The object a method was called on, which may be a builder into which models are imported.
template <class T> Native<T>& busy_self(const Napi::CallbackInfo& info) {
  if constexpr (std::same_as<T, MLGraphBuilder> || std::same_as<T, MLContext>)
    if (const auto& calls = instance(info.Env()).calls; calls && calls->is_running())
      throw InvalidStateError(Interface<T>::name, "", "a function of a custom operator calls it");
  if (auto* n = native<T>(info.This())) return *n;
  throw Napi::TypeError::New(info.Env(),
                             std::string("Illegal invocation: not an ") + Interface<T>::name);
}
/// The object a method was called on. Imports lock a builder, and may wait for JavaScript.
template <class T> Native<T>& self(const Napi::CallbackInfo& info) {
  Native<T>& n = busy_self<T>(info);
  if constexpr (std::same_as<T, MLGraphBuilder>)
    if (n.imports && may_be_waited_for(info.Env()))
      instance(info.Env()).calls->serve_until([&] { return *n.imports == 0; });
  return n;
}

/// The object wraps the value, which holds `bytes` of native memory.
template <class T> Native<T>& wrap(Napi::Object object, T value, std::int64_t bytes) {
  const Napi::Env env = object.Env();
  auto n = std::make_unique<Native<T>>(std::move(value));
  instance(env).collector.wrap(object, *n, bytes);
  napi_type_tag_object(env, object, &tag_of<T>);
  return *n.release();
}

/// Adds to the native memory that belongs to the object.
template <class T> void grow(Napi::Env env, Native<T>& n, std::int64_t bytes) {
  instance(env).collector.add_bytes(env, n, bytes);
}
/// Destroys what the object stands for, whose native memory the garbage collector then forgets.
template <class T> Napi::Value destroy(const Napi::CallbackInfo& info) {
  Native<T>& n = self<T>(info);
  n.value.destroy();
  instance(info.Env()).collector.set_bytes(info.Env(), n, 0);
  return info.Env().Undefined();
}

/// A new object that wraps the value, which holds `bytes` of native memory, as many as an operand
/// if nothing else is said.
template <class T> Napi::Object make(Napi::Env env, T value, std::int64_t bytes = 1024) {
  Instance& i = instance(env);
  i.making = true;
  const Napi::Object object = i.classes[static_cast<std::size_t>(Interface<T>::id)].New({});
  wrap(object, std::move(value), bytes);
  return object;
}

/// The constructor of an interface that scripts cannot construct.
template <class T> napi_value illegal_constructor(napi_env env, napi_callback_info raw) {
  Instance& i = instance(env);
  if (std::exchange(i.making, false)) {
    napi_value object = nullptr;
    napi_get_cb_info(env, raw, nullptr, nullptr, &object, nullptr);
    return object;
  }
  const std::string message = std::string("Illegal constructor of ") + Interface<T>::name;
  napi_throw_type_error(env, nullptr, message.c_str());
  return nullptr;
}

/// Fills in an interface as Web IDL describes: lengths, names, property attributes.
class InterfaceMaker {
 public:
  InterfaceMaker(Napi::Env env, const char* name, ClassId id, napi_callback constructor,
                 int length);

  template <Napi::Value (*F)(const Napi::CallbackInfo&)>
  void method(std::string_view name, int length) {
    add(name, Napi::Function::New<&throwing<F>>(env_, std::string(name).c_str()), length);
  }
  template <Napi::Value (*F)(const Napi::CallbackInfo&)>
  void promise_method(std::string_view name, int length) {
    add(name, Napi::Function::New<&promised<F>>(env_, std::string(name).c_str()), length);
  }
  template <Napi::Value (*F)(const Napi::CallbackInfo&)> void attribute(std::string_view name) {
    add_getter(name, Napi::Function::New<&throwing<F>>(env_, ("get " + std::string(name)).c_str()));
  }
  template <Napi::Value (*F)(const Napi::CallbackInfo&)>
  void promise_attribute(std::string_view name) {
    add_getter(name, Napi::Function::New<&promised<F>>(env_, ("get " + std::string(name)).c_str()));
  }
  Napi::Function result() const { return class_; }

 private:
  void add(std::string_view name, Napi::Function f, int length);
  void add_getter(std::string_view name, Napi::Function f);
  void define(Napi::Object on, Napi::Value key, Napi::Object descriptor);

  Napi::Env env_;
  Napi::Function class_;
  Napi::Object prototype_;
};

/// Each defines one interface and registers it.
Napi::Function define_ml(Napi::Env env);
Napi::Function define_context(Napi::Env env);
Napi::Function define_tensor(Napi::Env env);
Napi::Function define_graph(Napi::Env env);
Napi::Function define_builder(Napi::Env env);
Napi::Function define_operand(Napi::Env env);
Napi::Function define_activation(Napi::Env env);
/// Sets `lm`; nothing in builds without language models.
void define_lm(Napi::Env env, Napi::Object exports);
/// An object for a graph.
Napi::Object make_graph(Napi::Env env, MLGraph graph);
/// An object for a tensor; one that grows has memory for its bound.
Napi::Object make_tensor(Napi::Env env, MLTensor tensor, std::uint64_t bytes);
/// The methods of all operators, on the interface of MLGraphBuilder.
void add_operators(InterfaceMaker& builder);

}  // namespace webnn::inline v0_1::node
