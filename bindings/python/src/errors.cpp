// Exceptions: those of webnn/errors.py, with operator and label.
#include "bindings/python/src/module.h"

namespace webnn::inline v0_1::python {
namespace {

void raise(const Error& e) {
  const py::object type = py::module_::import("webnn.errors").attr(name_of(e.name()).data());
  const py::object error = type(e.what(), e.op(), e.label(), e.reason());
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

}  // namespace webnn::inline v0_1::python
