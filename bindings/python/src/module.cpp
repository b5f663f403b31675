// The extension module webnn._webnn; webnn/__init__.py adds what is written in Python.
#include "bindings/python/src/module.h"

#include "webnn/version.h"

PYBIND11_MODULE(_webnn, module) {
  namespace python = webnn::python;
  pybind11::options options;
  options.disable_function_signatures();
  module.doc() = "The Web Neural Network API: https://www.w3.org/TR/webnn/";
  module.attr("__version__") = webnn::version();
  python::define_errors(module);
  python::define_context(module);
  python::define_graph(module);
  python::define_builder(module);
  python::define_files(module);
}
