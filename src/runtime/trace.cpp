#include "src/runtime/trace.h"

#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <system_error>

#include "src/graph/cost.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "src/runtime/fork.h"

namespace webnn::inline v0_1 {
namespace {

constexpr std::size_t events_at_a_time = 4096;
constexpr std::size_t max_events = 5'000'000;  // about a gigabyte

std::atomic<Trace*> trace{nullptr};
std::once_flag started;

/// Threads, in the order in which they first ran something.
unsigned this_thread() {
  static std::atomic<unsigned> threads{0};
  thread_local const unsigned number = threads++;
  return number;
}

/// A string of JSON.
std::string json_string(std::string_view text) {
  std::string s = "\"";
  for (const char c : escaped(text)) {
    if (c == '"' || c == '\\') s += '\\';
    s += c;
  }
  return s + '"';
}

/// With three digits behind the point, whatever the locale of the program.
std::string fixed(double v) {
  char text[400];
  const auto end = std::to_chars(text, std::end(text), v, std::chars_format::fixed, 3).ptr;
  return {text, end};
}

std::string names_of(Chain chain) {
  std::vector<std::string_view> names;
  for (const Node& node : chain) names.push_back(node.name());
  return joined(names, "+");
}

std::string reason() { return std::generic_category().message(errno); }

}  // namespace

double now_us() {
  using namespace std::chrono;
  return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

std::vector<StepNames> step_names(const Plan& plan) {
  std::vector<StepNames> all;
  for (const Step& step : plan.steps) {
    const Choice& c = step.choice;
    const Cost cost = cost_of(c.chain);
    all.push_back({c.backend + ' ' + c.kernel->name, names_of(c.chain),
                   std::string(c.chain.front().label()), cost.read + cost.written,
                   c.kernel->tiles * c.kernel->rounds});
  }
  return all;
}

TraceEvent StepNames::event(std::size_t step, Range range, int worker, double begin_us,
                            double end_us) const {
  const auto nanoseconds = [](double us) { return static_cast<std::int64_t>(us * 1e3); };
  const int count = range.end - range.begin;
  return {.kernel = kernel,
          .operators = operators,
          .label = label,
          .step = step,
          .worker = worker,
          .tiles = count,
          .tiles_of_step = tiles,
          .start = nanoseconds(begin_us),
          .duration = nanoseconds(end_us - begin_us),
          .bytes = static_cast<std::uint64_t>(bytes * count / tiles)};
}

Trace* Trace::active() { return trace.load(std::memory_order_relaxed); }

void Trace::start_from_environment() {
  static const bool looked = [] {  // once, also for contexts that are made at the same time
    const char* path = std::getenv("WEBNN_TRACE");
    if (!path || !*path) return true;
    start(path, "WEBNN_TRACE");
    std::atexit([] {
      try {
        Trace::end();
      } catch (const std::exception& e) { std::fprintf(stderr, "%s\n", e.what()); }
    });
    return true;
  }();
  static_cast<void>(looked);
}

void Trace::start(const std::string& path, const char* who) {
  bool first = false;
  std::call_once(started, [&] {
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (!file)
      raise({in_quotes(path) + " cannot be written: " + reason(), ErrorName::OperationError}, who);
    trace.store(new Trace(file, path));  // threads may record until the process ends
    first = true;
  });
  if (!first) raise({"this process has written a trace", ErrorName::InvalidStateError}, who);
}

void Trace::end() {
  Trace* t = trace.exchange(nullptr);
  if (t && !t->close())
    raise({in_quotes(t->path_) + " cannot be written: " + reason(), ErrorName::OperationError},
          "trace");
}

Trace::Trace(std::FILE* file, std::string path)
    : file_(file), path_(std::move(path)), start_us_(now_us()), process_(process_generation()) {
  write("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n");
  write(R"({"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "webnn"}})");
}

std::size_t Trace::add(const Plan& plan) {
  std::vector<StepText> steps;
  for (const Step& step : plan.steps) {
    const Choice& c = step.choice;
    const Cost cost = cost_of(c.chain);
    std::string arguments =
        format(R"("kernel": {}, "step": {})",
               {Arg(json_string(c.backend + ' ' + c.kernel->name)), Arg(steps.size() + 1)});
    if (const std::string_view label = c.chain.front().label(); !label.empty())
      arguments += ", \"label\": " + json_string(label);
    arguments += ", \"shape\": " + json_string(Arg(c.chain.back().outputs().front().shape()).text);
    steps.push_back({json_string(names_of(c.chain)), arguments, cost.operations,
                     cost.read + cost.written, c.kernel->tiles, c.kernel->rounds});
  }
  const std::lock_guard lock(mutex_);
  const std::size_t first = steps_.size();
  std::move(steps.begin(), steps.end(), std::back_inserter(steps_));
  return first;
}

void Trace::record(std::size_t step, Range tiles, double begin_us, double end_us) {
  if (process_generation() != process_) return;
  const std::lock_guard lock(mutex_);
  if (!file_ || count_ == max_events) return;
  ++count_;
  events_.push_back({step, tiles, this_thread(), begin_us, end_us});
  if (events_.size() >= events_at_a_time) write_events();
}

void Trace::write(const std::string& text) { std::fputs(text.c_str(), file_); }

void Trace::write_events() {
  for (const Event& e : events_) {
    const StepText& s = steps_[e.step];
    if (named_.size() <= e.thread) named_.resize(e.thread + 1);
    if (!named_[e.thread])
      write(
          format(",\n{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 1, \"tid\": {}, "
                 "\"args\": {\"name\": \"thread {}\"}}",
                 {Arg(e.thread), Arg(e.thread)}));
    named_[e.thread] = true;
    // Work is taken to be divided evenly among the tiles of all rounds.
    const double us = e.end - e.begin;
    const double part = static_cast<double>(e.tiles.end - e.tiles.begin) /
                        (static_cast<double>(s.tiles) * s.rounds);
    const auto rate = [&](double of_step) { return us > 0 ? 1e-3 * of_step * part / us : 0; };
    write(
        format(",\n{\"ph\": \"X\", \"name\": {}, \"cat\": \"kernel\", \"pid\": 1, \"tid\": {}, "
               "\"ts\": {}, \"dur\": {}, \"args\": {{}, \"tiles\": \"{}-{} of {}\", \"round\": {}, "
               "\"GFLOP/s\": {}, \"GB/s\": {}}}",
               {Arg(s.name), Arg(e.thread), Arg(fixed(e.begin - start_us_)), Arg(fixed(us)),
                Arg(s.arguments), Arg(e.tiles.begin + 1), Arg(e.tiles.end), Arg(s.tiles),
                Arg(e.tiles.round), Arg(fixed(rate(s.operations))), Arg(fixed(rate(s.bytes)))}));
  }
  events_.clear();
}

bool Trace::close() {
  const std::lock_guard lock(mutex_);
  if (process_generation() != process_) return true;
  write_events();
  write("\n]}\n");
  const bool failed = std::ferror(file_) != 0;
  const bool closed = std::fclose(std::exchange(file_, nullptr)) == 0;
  return closed && !failed;
}

}  // namespace webnn::inline v0_1
