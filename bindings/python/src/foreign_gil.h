// The GIL on threads of the library.
#pragma once

#include <pybind11/pybind11.h>

#include <optional>

namespace webnn::inline v0_1::python {

/// Holds the GIL if Python goes on. When Python ends, it ends each thread that asks for the GIL in
/// the midst of what it does. So a function that is registered with `atexit` waits for those that
/// have asked before, and none asks after that, except for the thread that ends Python.
class ForeignGil {
 public:
  ForeignGil() {
    if (counted_.goes_on) gil_.emplace();
  }
  ForeignGil(const ForeignGil&) = delete;

  explicit operator bool() const { return gil_.has_value(); }
  /// Of the module that is imported: registers the function.
  static void start();

 private:
  struct Counted {
    Counted();
    ~Counted();
    const bool goes_on;
  };

  Counted counted_{};  // from before the GIL is taken until it is given back
  std::optional<pybind11::gil_scoped_acquire> gil_{};
};

}  // namespace webnn::inline v0_1::python
