#include "object.h"

namespace webnn::inline v0_1::node {

InterfaceMaker::InterfaceMaker(Napi::Env env, const char* name, ClassId id,
                               napi_callback constructor, int length)
    : env_(env) {
  napi_value made = nullptr;
  const napi_status status =
      napi_define_class(env, name, NAPI_AUTO_LENGTH, constructor, nullptr, 0, nullptr, &made);
  NAPI_THROW_IF_FAILED_VOID(env, status);
  class_ = Napi::Function(env, made);
  prototype_ = class_.Get("prototype").As<Napi::Object>();
  instance(env).classes[static_cast<std::size_t>(id)] = Napi::Persistent(class_);

  Napi::Object d = Napi::Object::New(env);
  d.Set("value", Napi::Number::New(env, length));
  define(class_, Napi::String::New(env, "length"), d);
  d = Napi::Object::New(env);
  d.Set("writable", Napi::Boolean::New(env, false));
  define(class_, Napi::String::New(env, "prototype"), d);
  d = Napi::Object::New(env);
  d.Set("value", Napi::String::New(env, name));
  d.Set("configurable", Napi::Boolean::New(env, true));
  define(prototype_, Napi::Symbol::WellKnown(env, "toStringTag"), d);
}

void InterfaceMaker::add(std::string_view name, Napi::Function f, int length) {
  Napi::Object d = Napi::Object::New(env_);
  d.Set("value", Napi::Number::New(env_, length));
  define(f, Napi::String::New(env_, "length"), d);
  d = Napi::Object::New(env_);
  d.Set("value", f);
  for (const char* flag : {"writable", "enumerable", "configurable"})
    d.Set(flag, Napi::Boolean::New(env_, true));
  define(prototype_, Napi::String::New(env_, std::string(name)), d);
}

void InterfaceMaker::add_getter(std::string_view name, Napi::Function f) {
  Napi::Object d = Napi::Object::New(env_);
  d.Set("get", f);
  for (const char* flag : {"enumerable", "configurable"})
    d.Set(flag, Napi::Boolean::New(env_, true));
  define(prototype_, Napi::String::New(env_, std::string(name)), d);
}

void InterfaceMaker::define(Napi::Object on, Napi::Value key, Napi::Object descriptor) {
  instance(env_).define_property.Call({on, key, descriptor});
}

}  // namespace webnn::inline v0_1::node
