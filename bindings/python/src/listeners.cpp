// The options log and trace of a context: what the library says and measures, for Python.
#include "bindings/python/src/listeners.h"

#include "bindings/python/src/foreign_gil.h"
#include "webnn/tracing.h"

namespace webnn::inline v0_1::python {
namespace {

/// Calls f with the GIL. What Python raises goes to sys.unraisablehook.
template <class F> void heard(const char* name, F f) {
  const ForeignGil gil;
  if (!gil) return;
  try {
    f();
  } catch (py::error_already_set& e) { e.discard_as_unraisable(name); }
}

/// The levels of the module logging.
int level_of(LogLevel level) {
  switch (level) {
    case LogLevel::info: return 20;
    case LogLevel::warning: return 30;
    case LogLevel::error: return 40;
  }
  return 40;
}

void check_callable(py::handle value, std::string_view name) {
  if (!PyCallable_Check(value.ptr()))
    Where{"MLContext", name}.reject("is neither None nor a function");
}

}  // namespace

Kept kept(py::object object) {
  return Kept(new py::object(std::move(object)), [](py::object* p) {
    if (const ForeignGil gil; gil) delete p;  // else Python ends, and with it the object
  });
}

std::function<void(LogLevel, std::string_view)> log_from(py::handle value) {
  if (value.is_none())
    return [](LogLevel level, std::string_view message) {
      heard("webnn.MLContext.log", [&] {
        const auto logger = py::module_::import("logging").attr("getLogger")("webnn");
        logger.attr("log")(level_of(level), "%s", to_python(message));
      });
    };
  check_callable(value, "log");
  return [f = kept(py::reinterpret_borrow<py::object>(value))](LogLevel level,
                                                               std::string_view message) {
    heard("webnn.MLContext.log", [&] { (*f)(to_python(name_of(level)), to_python(message)); });
  };
}

std::function<void(const TraceEvent&)> trace_from(py::handle value) {
  if (value.is_none()) return {};
  check_callable(value, "trace");
  return [f = kept(py::reinterpret_borrow<py::object>(value))](const TraceEvent& e) {
    heard("webnn.MLContext.trace", [&] {
      py::dict event;
      event["kernel"] = to_python(e.kernel);
      event["operators"] = to_python(e.operators);
      event["label"] = to_python(e.label);
      event["step"] = e.step;
      event["worker"] = e.worker;
      event["tiles"] = e.tiles;
      event["tilesOfStep"] = e.tiles_of_step;
      event["start"] = e.start;
      event["duration"] = e.duration;
      event["bytes"] = e.bytes;
      (*f)(event);
    });
  };
}

}  // namespace webnn::inline v0_1::python
