// The parts of the extension module.
#pragma once

#include "bindings/python/src/buffers.h"
#include "bindings/python/src/foreign_gil.h"
#include "webnn/graph_builder.h"

namespace webnn::inline v0_1::python {

/// Throws TypeError for an object whose __init__ was not called, as that of
/// MLContext.__new__(MLContext).
void require_initialized(py::handle object, const std::type_info& type);

/// Converts the objects of a class. Each argument that is one goes through this.
template <class T> struct HandleCaster : py::detail::type_caster_base<T> {
  bool load(py::handle source, bool convert) {
    if (py::isinstance<T>(source)) require_initialized(source, typeid(T));
    return py::detail::type_caster_base<T>::load(source, convert);
  }
};

}  // namespace webnn::inline v0_1::python

namespace pybind11::detail {
template <> struct type_caster<webnn::MLContext> : webnn::python::HandleCaster<webnn::MLContext> {};
template <> struct type_caster<webnn::MLTensor> : webnn::python::HandleCaster<webnn::MLTensor> {};
template <> struct type_caster<webnn::MLGraph> : webnn::python::HandleCaster<webnn::MLGraph> {};
template <> struct type_caster<webnn::MLOperand> : webnn::python::HandleCaster<webnn::MLOperand> {};
template <>
struct type_caster<webnn::MLGraphBuilder> : webnn::python::HandleCaster<webnn::MLGraphBuilder> {};
}  // namespace pybind11::detail

namespace webnn::inline v0_1::python {

/// Frees a handle without the GIL, which what is freed may need on another thread.
template <class T> struct FreesWithoutGil {
  void operator()(T* handle) const {
    const WithoutGil release;
    delete handle;
  }
};
template <class T> using Holder = std::unique_ptr<T, FreesWithoutGil<T>>;
template <class T> using Class = py::class_<T, Holder<T>>;

void define_errors(py::module_& module);
void define_context(py::module_& module);
void define_graph(py::module_& module);
void define_builder(py::module_& module);
void define_context_options(Class<MLContext>& context);
void define_operators(Class<MLGraphBuilder>& builder);
void define_custom(py::module_& module, Class<MLGraphBuilder>& builder);
/// Objects of the class CustomOperator.
std::vector<std::shared_ptr<const CustomOperator>> custom_operators_from(py::handle list);
void define_files(py::module_& module);
void define_quantize(py::module_& module);
/// Of what is defined: inspect.signature() reads them.
void add_signatures(py::module_& module);
void define_lm(py::module_& module);  // nothing in builds without language models

/// The name of a file: a str, bytes or os.PathLike. Throws what os.fspath() raises, and ValueError
/// for a zero byte.
std::string path_of(py::handle object);

/// Calls f without the GIL. When it throws DataError or OperationError, and the system refuses the
/// file, raises the OSError of `check` in webnn/_files.py instead.
template <class F> auto with_os_errors(const char* check, py::handle path, F f) {
  try {
    const WithoutGil release;
    return f();
  } catch (const Error& e) {
    if (e.name() == ErrorName::DataError || e.name() == ErrorName::OperationError)
      py::module_::import("webnn._files").attr(check)(path);
    throw;
  }
}

/// f(key, value) for each item of a dict of str.
template <class F> void for_each_item(const py::dict& items, Where where, F f) {
  for (const auto& [key, value] : items) {
    Py_ssize_t size = 0;
    const char* text =
        PyUnicode_Check(key.ptr()) ? PyUnicode_AsUTF8AndSize(key.ptr(), &size) : nullptr;
    if (!text) {
      PyErr_Clear();
      where.reject("has a key that is not a str of UTF-8");
    }
    f(std::string_view(text, static_cast<std::size_t>(size)), py::handle(value));
  }
}

/// Shapes by name. The names are valid as long as the dict.
inline std::vector<NamedShape> named_shapes(const py::dict& given, Where where) {
  std::vector<NamedShape> all;
  for_each_item(given, where, [&](std::string_view name, py::handle shape) {
    all.push_back({name, dims(shape, where)});
  });
  return all;
}

}  // namespace webnn::inline v0_1::python
