// The extension module webnn._webnn; webnn/__init__.py adds what is written in Python.
#include "bindings/python/src/module.h"
#include "bindings/python/src/foreign_gil.h"

#include "webnn/version.h"

namespace webnn::inline v0_1::python {

void require_initialized(py::handle object, const std::type_info& type) {
  auto* instance = reinterpret_cast<py::detail::instance*>(object.ptr());
  if (instance->get_value_and_holder(py::detail::get_type_info(type)).holder_constructed()) return;
  const std::string name = py::str(py::type::handle_of(object).attr("__name__"));
  throw TypeError(name, "", "the __init__ of the object was not called");
}

}  // namespace webnn::inline v0_1::python

PYBIND11_MODULE(_webnn, module) {
  namespace python = webnn::python;
  pybind11::options options;
  options.disable_function_signatures();
  module.doc() = "The Web Neural Network API: https://www.w3.org/TR/webnn/";
  module.attr("__version__") = webnn::version();
  // Users know the classes by the name of the package.
  const pybind11::object name = module.attr("__name__");
  module.attr("__name__") = "webnn";
  python::define_errors(module);
  python::define_context(module);
  python::define_graph(module);
  python::define_builder(module);
  python::define_files(module);
  python::define_quantize(module);
  module.attr("__name__") = name;
  python::define_lm(module);
  python::add_signatures(module);
  python::AsksForGil::start();
}
