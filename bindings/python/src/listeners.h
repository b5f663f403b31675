// Functions of Python that the library calls on its threads.
#pragma once

#include <functional>

#include "bindings/python/src/module.h"

namespace webnn::inline v0_1::python {

/// An object that other threads may let go of last.
using Kept = std::shared_ptr<py::object>;
Kept kept(py::object object);

/// None: messages go to the logger "webnn" of the module logging.
std::function<void(LogLevel, std::string_view)> log_from(py::handle value);
std::function<void(const TraceEvent&)> trace_from(py::handle value);

}  // namespace webnn::inline v0_1::python
