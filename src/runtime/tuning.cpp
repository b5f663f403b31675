#include "src/runtime/tuning.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "src/kernels/backends.h"
#include "src/runtime/context_state.h"
#include "src/runtime/measure_kernels.h"
#include "src/runtime/packed_weights.h"
#include "src/runtime/processor.h"
#include "webnn/version.h"

namespace webnn::inline v0_1 {
namespace {

/// What is less is noise: a kernel is chosen when the one without measurement takes longer by this
/// factor.
constexpr double margin = 1.03;

/// A name in the form that the table has.
std::string noted(std::string_view text) {
  constexpr std::size_t longest = 200;
  return escaped(truncated(text, longest));
}

std::string version_of(const Backend& backend) {
  const auto* versioned = dynamic_cast<const VersionedBackend*>(&backend);
  return versioned ? noted(versioned->version()) : "";
}

class Tuner {
 public:
  Tuner(const Graph& graph, ContextState& context, PackedWeights& weights,
        const std::stop_token& stop)
      : graph_(graph), context_(context), weights_(weights), stop_{stop, &context.lost, "build"} {}

  void tune(Choice& choice) {
    const std::string key = tuning_key(choice.chain);
    std::optional<KernelTimes> times = context_.tuning.find(key);
    std::vector<Choice> measured;
    if (context_.tuning.measures() && !(times && complete(*times, choice))) {
      measured = candidates(std::move(choice));
      times = measure(measured, key);
      choice = std::move(measured.front());
      measured.erase(measured.begin());
    }
    if (times) improve(choice, *times, measured);
    weights_.add(choice);
  }

 private:
  const Backend* backend_of(std::string_view name) const {
    for (const auto& b : context_.backends)
      if (noted(b->name()) == name) return b.get();
    return nullptr;
  }
  const KernelTime* find(const KernelTimes& times, const Backend& backend) const {
    const std::string name = noted(backend.name()), version = version_of(backend);
    const auto found = std::find_if(times.begin(), times.end(), [&](const KernelTime& t) {
      return t.backend == name && t.version == version;
    });
    return found == times.end() ? nullptr : &*found;
  }
  /// The time of the choice, if it is of this kernel.
  const KernelTime* find(const KernelTimes& times, const Choice& choice) const {
    const Backend* backend = backend_of(noted(choice.backend));
    const KernelTime* t = backend ? find(times, *backend) : nullptr;
    return t && t->nanoseconds && t->kernel == noted(choice.kernel->name) ? t : nullptr;
  }
  bool complete(const KernelTimes& times, const Choice& choice) const {
    return find(times, choice) &&
           std::all_of(context_.backends.begin(), context_.backends.end(),
                       [&](const auto& b) { return find(times, *b) != nullptr; });
  }

  /// A kernel of a backend for the same operators. With a limit of memory none that packs more.
  std::optional<Choice> other(const Backend& backend, const Choice& than) const {
    if (backend.name() == than.backend) return std::nullopt;
    Lowering lowering = lower_checked(backend, than.chain);
    auto* const kernel = std::get_if<Candidate>(&lowering);
    if (!kernel) return std::nullopt;
    if (context_.options.memoryLimit && packed_bytes(*kernel) > packed_bytes(*than.kernel))
      return std::nullopt;
    return Choice{than.chain, std::move(*kernel), std::string(backend.name()), {}};
  }

  /// The choice, and what other backends have for its operators.
  std::vector<Choice> candidates(Choice choice) const {
    std::vector<Choice> all;
    all.push_back(std::move(choice));
    for (const auto& b : context_.backends)
      if (auto c = other(*b, all.front())) all.push_back(std::move(*c));
    return all;
  }

  /// What is measured is packed for it, and kept for the kernel that is chosen.
  std::optional<KernelTimes> measure(std::vector<Choice>& all, const std::string& key) const {
    if (all.size() < 2) return std::nullopt;
    PackedWeights trial(&weights_);
    trial.pack(all, *context_.pool, {.memory = memory_of(context_, MemoryPurpose::weights)});
    const auto nanoseconds = measure_kernels(all, graph_, *context_.pool, stop_,
                                             memory_of(context_, MemoryPurpose::runs));
    KernelTimes times;
    for (const auto& b : context_.backends) {
      KernelTime t{noted(b->name()), version_of(*b)};
      if (find(times, *b)) continue;  // another one of that name
      for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].backend == b->name() && nanoseconds[i]) {
          t.kernel = noted(all[i].kernel->name);
          t.nanoseconds = nanoseconds[i];
        }
      times.push_back(std::move(t));
    }
    if (std::none_of(times.begin(), times.end(), [](const auto& t) { return t.nanoseconds; }))
      return std::nullopt;
    context_.tuning.put(key, times);
    return times;
  }

  /// The fastest kernel that is there, if it is faster than the choice by the margin.
  void improve(Choice& choice, KernelTimes times, std::vector<Choice>& measured) const {
    const KernelTime* const own = find(times, choice);
    if (!own) return;
    Tuned tuned{choice.backend, choice.kernel->name, *own->nanoseconds, *own->nanoseconds};
    std::erase_if(times, [&](const KernelTime& t) {
      return !t.nanoseconds ||
             static_cast<double>(*t.nanoseconds) * margin >= static_cast<double>(tuned.nanoseconds);
    });
    std::stable_sort(times.begin(), times.end(), [](const KernelTime& a, const KernelTime& b) {
      return *a.nanoseconds < *b.nanoseconds;
    });
    for (const KernelTime& t : times) {
      std::optional<Choice> faster = made(t, choice, measured);
      if (!faster) continue;
      tuned.nanoseconds = *t.nanoseconds;
      explain(*faster, choice, tuned);
      choice = std::move(*faster);
      break;
    }
    choice.tuned = std::move(tuned);
  }
  std::optional<Choice> made(const KernelTime& t, const Choice& than,
                             std::vector<Choice>& measured) const {
    const Backend* const backend = backend_of(t.backend);
    if (!backend || version_of(*backend) != t.version) return std::nullopt;
    for (Choice& c : measured)
      if (c.backend == backend->name()) return std::move(c);
    std::optional<Choice> c = other(*backend, than);
    if (c && noted(c->kernel->name) != t.kernel) return std::nullopt;
    return c;
  }

  void explain(Choice& faster, const Choice& than, const Tuned& tuned) const {
    char ratio[32];
    std::snprintf(
        ratio, sizeof ratio, "%.2f",
        static_cast<double>(tuned.default_nanoseconds) / static_cast<double>(tuned.nanoseconds));
    for (const auto& b : context_.backends) {
      const std::string prefix = std::string(b->name()) + ": ";
      if (b->name() == than.backend)
        faster.others.push_back(prefix + std::string(tuned_reason) + faster.backend + " is " +
                                ratio + " times as fast");
      for (const std::string& reason : than.others)
        if (b->name() != faster.backend && reason.starts_with(prefix))
          faster.others.push_back(reason);
    }
  }

  const Graph& graph_;
  ContextState& context_;
  PackedWeights& weights_;
  const StopCondition stop_;
};

}  // namespace

void TuningState::start(const MLContextOptions& options, int threads) {
  measures_ = options.tuning == Tuning::once;
  machine_ = std::string(version()) + ", " + processor_text() + ", " + std::to_string(threads) +
             " threads";
  Path path = options.tuningFile;
  if (const char* text = std::getenv("WEBNN_TUNING"); text && path.empty()) path = text;
  if (path.empty()) return;
  table_ = read_tuning_file(path, measures_);
  if (!table_.empty() && !table_.knows(machine_))
    say(options, LogLevel::warning,
        format("the tuning file {} has no measurements of this machine ({}), so it is not used",
               {Arg(in_quotes(path)), Arg(machine_)}));
}

bool TuningState::active() const {
  const std::lock_guard lock(mutex_);
  return measures_ || table_.knows(machine_);
}

std::optional<KernelTimes> TuningState::find(const std::string& chain) const {
  const std::lock_guard lock(mutex_);
  const KernelTimes* const times = table_.find(machine_, chain);
  return times ? std::optional(*times) : std::nullopt;
}

void TuningState::put(const std::string& chain, KernelTimes times) {
  const std::lock_guard lock(mutex_);
  table_.put(machine_, chain, std::move(times));
}

std::string TuningState::text() const {
  const std::lock_guard lock(mutex_);
  return table_.text();
}

void TuningState::clear() {
  const std::lock_guard lock(mutex_);
  table_ = {};
}

void tune(std::vector<Choice>& choices, const Graph& graph, ContextState& context,
          PackedWeights& weights, const std::stop_token& stop,
          const std::function<void(std::size_t done)>& tuned) {
  if (!context.tuning.active()) return;
  Tuner tuner(graph, context, weights, stop);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    tuner.tune(choices[i]);
    tuned(i + 1);
  }
}

}  // namespace webnn::inline v0_1
