// The parts of the extension module.
#pragma once

#include "bindings/python/src/buffers.h"
#include "webnn/graph_builder.h"

namespace webnn::inline v0_1::python {

/// Frees a handle without the GIL, which what is freed may need on another thread.
template <class T> struct WithoutGil {
  void operator()(T* handle) const {
    const py::gil_scoped_release release;
    delete handle;
  }
};
template <class T> using Holder = std::unique_ptr<T, WithoutGil<T>>;
template <class T> using Class = py::class_<T, Holder<T>>;

void define_errors(py::module_& module);
void define_context(py::module_& module);
void define_graph(py::module_& module);
void define_builder(py::module_& module);
void define_operators(Class<MLGraphBuilder>& builder);
void define_files(py::module_& module);

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

}  // namespace webnn::inline v0_1::python
