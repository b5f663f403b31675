#include "bindings/c/src/errors.h"

namespace webnn::inline v0_1::c {
namespace {

webnn_error* out_of_memory() noexcept {
  static webnn_error only;  // its own reference is never given back
  only.status = WEBNN_OUT_OF_MEMORY;
  return retain(&only);
}

webnn_status status_of(ErrorName name) {
  switch (name) {
    case ErrorName::TypeError: return WEBNN_TYPE_ERROR;
    case ErrorName::InvalidStateError: return WEBNN_INVALID_STATE_ERROR;
    case ErrorName::NotSupportedError: return WEBNN_NOT_SUPPORTED_ERROR;
    case ErrorName::OperationError: return WEBNN_OPERATION_ERROR;
    case ErrorName::DataError: return WEBNN_DATA_ERROR;
    case ErrorName::AbortError: return WEBNN_ABORT_ERROR;
    case ErrorName::UnknownError: break;
  }
  return WEBNN_UNKNOWN_ERROR;
}

webnn_error* make(webnn_status status, std::string message, std::string op = {},
                  std::string label = {}, std::string reason = {}) {
  auto* e = new webnn_error;
  e->status = status;
  if (reason.empty()) reason = message;
  e->message = std::move(message), e->op = std::move(op), e->label = std::move(label);
  e->reason = std::move(reason);
  return e;
}

}  // namespace

webnn_error* error_of(std::exception_ptr exception) noexcept {
  try {
    try {
      std::rethrow_exception(std::move(exception));
    } catch (const Error& e) {
      return make(status_of(e.name()), e.what(), e.op(), e.label(), e.reason());
    } catch (const std::bad_alloc&) {
      return make(WEBNN_OUT_OF_MEMORY, "there is not enough memory");
    } catch (const std::exception& e) { return make(WEBNN_UNKNOWN_ERROR, e.what()); } catch (...) {
      return make(WEBNN_UNKNOWN_ERROR, "an exception of another type");
    }
  } catch (...) { return out_of_memory(); }
}

webnn_status report(webnn_error** error) noexcept {
  webnn_error* e = error_of(std::current_exception());
  const webnn_status status = e->status;
  if (error) *error = e;
  else release(e);
  return status;
}

}  // namespace webnn::inline v0_1::c

using namespace webnn::c;

webnn_string webnn_status_name(webnn_status status) {
  constexpr std::string_view names[] = {"",
                                        "TypeError",
                                        "InvalidStateError",
                                        "NotSupportedError",
                                        "OperationError",
                                        "UnknownError",
                                        "DataError",
                                        "AbortError",
                                        "OutOfMemory"};
  const bool known = status >= 0 && static_cast<std::size_t>(status) < std::size(names);
  return to_c(known ? names[status] : std::string_view(""));
}

webnn_status webnn_error_status(const webnn_error* e) { return e ? e->status : WEBNN_OK; }
webnn_string webnn_error_message(const webnn_error* e) {
  return to_c(e ? std::string_view(e->message) : "");
}
webnn_string webnn_error_operator(const webnn_error* e) {
  return to_c(e ? std::string_view(e->op) : "");
}
webnn_string webnn_error_label(const webnn_error* e) {
  return to_c(e ? std::string_view(e->label) : "");
}
webnn_string webnn_error_reason(const webnn_error* e) {
  return to_c(e ? std::string_view(e->reason) : "");
}
webnn_error* webnn_error_retain(webnn_error* e) { return retain(e); }
void webnn_error_release(webnn_error* e) { release(e); }
