// How far a build is.
#pragma once

#include "src/graph/failure.h"
#include "src/runtime/context_state.h"
#include "webnn/graph_builder.h"

namespace webnn::inline v0_1 {

/// The contexts whose builds report their progress on this thread.
class Reporting {
 public:
  explicit Reporting(const ContextState& context) : context_(&context), outer_(innermost) {
    innermost = this;
  }
  Reporting(const Reporting&) = delete;
  ~Reporting() { innermost = outer_; }

  static bool contains(const ContextState& context) {
    for (const Reporting* r = innermost; r; r = r->outer_)
      if (r->context_ == &context) return true;
    return false;
  }

 private:
  static inline thread_local const Reporting* innermost = nullptr;
  const ContextState* context_;
  const Reporting* outer_;
};

/// Reports how far a build is, and ends it when it is to end.
class ProgressReporter {
 public:
  ProgressReporter(const BuildOptions& options, const ContextState& context)
      : options_(options), context_(context) {
    if (Reporting::contains(context))
      raise({"the progress of a build of the same context calls it", ErrorName::InvalidStateError},
            "build");
  }

  void report(std::string_view stage, std::size_t done, std::size_t total) const {
    if (options_.stop.stop_requested()) raise({"it was canceled", ErrorName::AbortError}, "build");
    if (context_.lost) raise({"the context is lost", ErrorName::InvalidStateError}, "build");
    if (!options_.progress) return;
    const Reporting reporting(context_);
    options_.progress({stage, done, total});
  }

 private:
  const BuildOptions& options_;
  const ContextState& context_;
};

}  // namespace webnn::inline v0_1
