// What inspect.signature() knows of functions and methods, from the first lines of their
// docstrings.
#include <cstdlib>
#include <cstring>

#include "bindings/python/src/module.h"

namespace webnn::inline v0_1::python {
namespace {

/// A docstring that begins with "NAME(ARGUMENTS)" in front of which Python's own form of that is:
/// https://docs.python.org/3/howto/clinic.html. Nothing for another one.
std::string with_signature(std::string_view doc, std::string_view function, bool method) {
  const std::string_view line = doc.substr(0, doc.find('\n'));
  const std::size_t open = line.find('('), close = line.find(") -> ");
  const std::size_t end = close == std::string_view::npos ? line.rfind(')') : close;
  if (open == std::string_view::npos || end == std::string_view::npos || end < open) return {};
  const std::string_view name = line.substr(0, open),
                         arguments = line.substr(open + 1, end - open - 1);
  if (name.find_first_of(" .") != std::string_view::npos) return {};
  std::string text(function);
  text += method ? "(self" : "(";
  if (method && !arguments.empty()) text += ", ";
  return text.append(arguments).append(")\n--\n\n").append(doc);
}

void add_signature(py::handle function, bool method) {
  if (!PyCFunction_Check(function.ptr())) return;
  PyMethodDef& definition = *reinterpret_cast<PyCFunctionObject*>(function.ptr())->m_ml;
  if (!definition.ml_doc) return;
  const std::string text = with_signature(definition.ml_doc, definition.ml_name, method);
  char* const copy = text.empty() ? nullptr : strdup(text.c_str());
  if (!copy) return;
  std::free(const_cast<char*>(definition.ml_doc));  // pybind11 has made it so, and will free it
  definition.ml_doc = copy;
}

}  // namespace

void add_signatures(py::module_& module) {
  for (const auto& [name, value] : py::reinterpret_borrow<py::dict>(module.attr("__dict__"))) {
    if (!PyType_Check(value.ptr())) {
      add_signature(value, false);
      continue;
    }
    const auto members = py::reinterpret_borrow<py::object>(value.attr("__dict__"));
    for (const py::handle member : members.attr("values")())
      if (PyInstanceMethod_Check(member.ptr()))
        add_signature(PyInstanceMethod_Function(member.ptr()), true);
  }
}

}  // namespace webnn::inline v0_1::python
