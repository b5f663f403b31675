#include "errors.h"

#include <new>

#include "instance.h"

namespace webnn::inline v0_1::node {
namespace {

Napi::Value dom_exception(Napi::Env env, const char* name, const char* message) {
  return instance(env).dom_exception.New(
      {Napi::String::New(env, message), Napi::String::New(env, name)});
}

}  // namespace

Napi::Value to_js(Napi::Env env, std::exception_ptr failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const TypeError& e) {
    return Napi::TypeError::New(env, e.what()).Value();
  } catch (const Error& e) {
    return dom_exception(env, name_of(e.name()).data(), e.what());
  } catch (const std::bad_alloc&) {
    return dom_exception(env, "UnknownError", "out of memory");
  } catch (const std::exception& e) { return dom_exception(env, "UnknownError", e.what()); }
}

}  // namespace webnn::inline v0_1::node
