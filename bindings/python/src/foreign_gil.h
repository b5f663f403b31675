// The GIL where Python may end meanwhile.
#pragma once

#include <pybind11/pybind11.h>

#include <optional>

namespace webnn::inline v0_1::python {

/// When Python ends, it ends each thread that asks for the GIL, in the midst of what it does. So a
/// function that is registered with `atexit` waits for those that have asked before, and none asks
/// after that, except for the thread that ends Python.
class AsksForGil {
 public:
  AsksForGil();
  AsksForGil(const AsksForGil&) = delete;
  ~AsksForGil();

  const bool goes_on;  ///< whether it may ask for it, until this is destroyed

  /// Of the module that is imported: registers the function.
  static void start();
};

/// Holds the GIL on a thread of the library, if Python goes on.
class ForeignGil {
 public:
  ForeignGil() {
    if (asks_.goes_on && Py_IsInitialized()) gil_.emplace();
  }
  ForeignGil(const ForeignGil&) = delete;

  explicit operator bool() const { return gil_.has_value(); }

 private:
  AsksForGil asks_{};  // until the GIL is given back
  std::optional<pybind11::gil_scoped_acquire> gil_{};
};

/// Gives back the GIL on a thread of Python, as long as this lives. If Python has ended then, the
/// thread, which is a daemon, waits for the end of the process.
class WithoutGil {
 public:
  WithoutGil() : thread_(PyEval_SaveThread()) {}
  WithoutGil(const WithoutGil&) = delete;
  ~WithoutGil();

 private:
  PyThreadState* thread_;
};

}  // namespace webnn::inline v0_1::python
