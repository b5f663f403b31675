// What an MLGraph stands for.
#pragma once

#include <cmath>
#include <mutex>

#include "src/runtime/context_state.h"
#include "src/runtime/executor.h"

namespace webnn {

struct GraphState {
  explicit GraphState(const Graph& graph) : source(graph), optimized(graph) {}

  Graph source, optimized;
  NamedDescriptors inputs{}, outputs{};
  std::vector<PassReport> passes{};
  std::weak_ptr<ContextState> context{};  // a queued job must not keep its own timeline alive
  std::shared_ptr<ThreadPool> pool{};
  std::vector<std::shared_ptr<const Backend>> backends{};  // before the kernels, which may use them
  Plan plan{};
  std::vector<std::string> on_floats{};  // quantized operators that nobody takes as integers
  double build_ms = 0;

  std::mutex running{};  // guards what follows: one run at a time
  std::unique_ptr<Executor> executor{};
  std::vector<const std::byte*> in{};
  std::vector<std::byte*> out{};

  std::atomic<float> last_run_us{HUGE_VALF};  // on the timeline
  std::atomic<bool> destroyed{false};
};

/// The graph, or TypeError when empty or of another context, InvalidStateError when destroyed.
GraphState& usable(const MLGraph& graph, const ContextState& context, std::string_view method);

}  // namespace webnn
