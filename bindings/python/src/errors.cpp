// Exceptions: those of webnn/errors.py, with operator and label.
#include "bindings/python/src/module.h"

namespace webnn::python {
namespace {

const char* name_of_error(const Error& e) {
  if (dynamic_cast<const TypeError*>(&e)) return "TypeError";
  if (dynamic_cast<const InvalidStateError*>(&e)) return "InvalidStateError";
  if (dynamic_cast<const NotSupportedError*>(&e)) return "NotSupportedError";
  if (dynamic_cast<const OperationError*>(&e)) return "OperationError";
  if (dynamic_cast<const DataError*>(&e)) return "DataError";
  if (dynamic_cast<const AbortError*>(&e)) return "AbortError";
  return "UnknownError";
}

void raise(const Error& e) {
  const py::object type = py::module_::import("webnn.errors").attr(name_of_error(e));
  const py::object error = type(std::string(e.what()), e.op(), e.label(), e.reason());
  PyErr_SetObject(type.ptr(), error.ptr());
}

}  // namespace

void define_errors(py::module_&) {
  py::register_exception_translator([](std::exception_ptr exception) {
    try {
      if (exception) std::rethrow_exception(exception);
    } catch (const Error& e) { raise(e); }
  });
}

}  // namespace webnn::python
