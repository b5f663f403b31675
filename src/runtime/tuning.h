// Kernels chosen by measurement.
#pragma once

#include <mutex>
#include <stop_token>

#include "src/runtime/tuning_table.h"
#include "webnn/context.h"
#include "webnn/graph_builder.h"

namespace webnn::inline v0_1 {

struct Choice;
struct ContextState;
class PackedWeights;

/// The table of a context. Its methods may be called by any thread.
class TuningState {
 public:
  /// Reads the table that the options or WEBNN_TUNING name. Throws DataError. `threads` is part of
  /// what makes times comparable.
  void start(const MLContextOptions& options, int threads);

  bool measures() const { return measures_; }
  /// Whether there is anything to do for a graph.
  bool active() const;
  std::optional<KernelTimes> find(const std::string& chain) const;
  void put(const std::string& chain, KernelTimes times);
  std::string text() const;
  void clear();  ///< so that everything is measured again

 private:
  bool measures_ = false;
  std::string machine_{};  // this one, with this library and so many threads
  mutable std::mutex mutex_{};
  TuningTable table_{};
};

/// Replaces choices by kernels of other backends for the same operators, where the table of the
/// context says that they are faster by more than noise, or where they are measured to be
/// (Tuning::once), for which their weights are packed; those of the chosen ones go to `weights`.
/// `tuned` is called after each choice with the number of those that are done.
/// Throws AbortError when the token asks for it, InvalidStateError when the context is lost.
void tune(std::vector<Choice>& choices, const Graph& graph, ContextState& context,
          PackedWeights& weights, const std::stop_token& stop,
          const std::function<void(std::size_t done)>& tuned);

/// The beginning of the reason in Choice::others of the backend whose kernel was slower.
inline constexpr std::string_view tuned_reason = "tuned: ";

}  // namespace webnn::inline v0_1
