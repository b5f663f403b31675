// Values of options, from Python and to it.
#pragma once

#include <limits>

#include "bindings/python/src/module.h"

namespace webnn::inline v0_1::python {

inline std::string repr_of(py::handle object) { return py::str(py::repr(object)); }

template <NamedEnum E> void convert(py::handle value, E& out, Where where) {
  if (py::isinstance<py::str>(value))
    if (const auto e = enum_from<E>(py::cast<std::string>(value))) {
      out = *e;
      return;
    }
  std::string names;
  for (const std::string_view name : enum_names<E>)
    names += (names.empty() ? "" : ", ") + std::string(name);
  where.reject('(' + repr_of(value) + ") is not one of " + names);
}
inline void convert(py::handle value, bool& out, Where where) {
  if (!py::isinstance<py::bool_>(value) && !py::hasattr(value, "dtype") &&
      !PyIndex_Check(value.ptr()))
    where.reject('(' + repr_of(value) + ") is not a bool");
  const int truth = PyObject_IsTrue(value.ptr());
  if (truth < 0) throw py::error_already_set();
  out = truth != 0;
}
template <std::integral T> void convert(py::handle value, T& out, Where where) {
  if (!PyIndex_Check(value.ptr())) where.reject('(' + repr_of(value) + ") is not an int");
  const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!index) throw py::error_already_set();
  int overflow = 0;
  const long long v = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow == 0 && v == -1 && PyErr_Occurred()) throw py::error_already_set();
  if (overflow != 0 || !std::in_range<T>(v)) {
    using Limits = std::numeric_limits<T>;
    const auto max = std::min<std::uint64_t>(Limits::max(), std::numeric_limits<long long>::max());
    where.reject('(' + repr_of(index) + ") is not between " + std::to_string(Limits::min()) +
                 " and " + std::to_string(max));
  }
  out = static_cast<T>(v);
}
template <NamedEnum E> py::object to_python(E e) { return python::to_python(name_of(e)); }
inline py::object to_python(bool v) { return py::bool_(v); }
template <std::integral T> py::object to_python(T v) { return py::int_(v); }

}  // namespace webnn::inline v0_1::python
