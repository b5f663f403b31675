#include "errors.h"

#include <new>

#include "instance.h"

namespace webnn::node {
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
  } catch (const InvalidStateError& e) {
    return dom_exception(env, "InvalidStateError", e.what());
  } catch (const NotSupportedError& e) {
    return dom_exception(env, "NotSupportedError", e.what());
  } catch (const OperationError& e) {
    return dom_exception(env, "OperationError", e.what());
  } catch (const AbortError& e) {
    return dom_exception(env, "AbortError", e.what());
  } catch (const DataError& e) {
    return dom_exception(env, "DataError", e.what());
  } catch (const std::bad_alloc&) {
    return dom_exception(env, "UnknownError", "out of memory");
  } catch (const std::exception& e) { return dom_exception(env, "UnknownError", e.what()); }
}

}  // namespace webnn::node
