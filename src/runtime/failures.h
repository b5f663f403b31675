// Exceptions made before they are needed: where memory has run out, none can be made.
#pragma once

#include <exception>

#include "webnn/error.h"

namespace webnn::inline v0_1 {

/// An exception to be thrown later. Throws std::bad_alloc now.
template <class E> std::exception_ptr prepared(const char* method, const char* reason) {
  try {
    throw E(method, "", reason);
  } catch (const E&) { return std::current_exception(); }
}

/// What the jobs of a timeline may have to report.
struct Failures {
  std::exception_ptr dispatch = prepared<OperationError>("dispatch", "out of memory");
  std::exception_ptr compute = prepared<OperationError>("compute_async", "out of memory");
  std::exception_ptr profile = prepared<OperationError>("profile", "out of memory");
  std::exception_ptr build = prepared<OperationError>("build", "out of memory");
  std::exception_ptr destroyed =
      prepared<InvalidStateError>("readTensor", "the tensor was destroyed while it was read");
};

}  // namespace webnn::inline v0_1
