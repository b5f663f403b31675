// What each thread runs and when, in a file of Chrome's trace events, which chrome://tracing and
// https://ui.perfetto.dev show.
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
#pragma once

#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

#include "src/runtime/plan.h"
#include "webnn/tracing.h"

namespace webnn::inline v0_1 {

/// There is at most one in a process, and none in its children.
class Trace {
 public:
  /// Null: nothing is traced.
  static Trace* active();
  /// To the file that WEBNN_TRACE names, if it names one, until the process ends.
  static void start_from_environment();
  /// OperationError when the file cannot be written, InvalidStateError when there was a trace.
  static void start(const std::string& path, const char* who);
  /// Completes the file. OperationError when it could not be written. Does nothing without a trace.
  static void end();

  /// The number of the first of the plan's steps.
  std::size_t add(const Plan& plan);
  /// That this thread ran tiles of a step.
  void record(std::size_t step, Range tiles, double begin_us, double end_us);

 private:
  struct StepText {
    std::string name, arguments;  // JSON
    double operations = 0, bytes = 0;
    int tiles = 1, rounds = 1;
  };
  struct Event {
    std::size_t step;
    Range tiles;
    unsigned thread;
    double begin, end;
  };

  explicit Trace(std::FILE* file, std::string path);
  void write(const std::string& text);  // a failure is seen by close()
  void write_events();
  bool close();

  std::mutex mutex_;
  std::FILE* file_;
  const std::string path_;
  const double start_us_;
  const std::uint32_t process_;
  std::vector<StepText> steps_;
  std::vector<Event> events_;  // that are not in the file yet
  std::size_t count_ = 0;
  std::vector<bool> named_;  // threads
};

/// What the events of a step have in common.
struct StepNames {
  std::string kernel, operators, label;
  double bytes = 0;  ///< that it reads and writes
  int tiles = 1;     ///< of all rounds

  /// Valid as long as the names.
  TraceEvent event(std::size_t step, Range tiles, int worker, double begin_us, double end_us) const;
};
std::vector<StepNames> step_names(const Plan& plan);

/// The time of a steady clock.
double now_us();

}  // namespace webnn::inline v0_1
