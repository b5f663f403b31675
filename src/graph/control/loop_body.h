// What each iteration of a loop computes. Private.
#pragma once

#include <memory>

#include "webnn/ops/sections.h"

namespace webnn::inline v0_1 {

struct GraphData;

namespace control {

/// A graph with open dimensions and without constants. Its inputs are the number of the iteration,
/// an int64 scalar that begins at 0, the states, and what all iterations read. Its outputs are the
/// states of the next iteration, the elements of the sequences that the loop makes, with a first
/// dimension of 1, and a condition, if it has one, which is 0 to end the loop.
class LoopBody {
 public:
  LoopBody() = default;  ///< of no loop
  LoopBody(std::shared_ptr<const GraphData> graph, std::uint32_t states, bool has_condition)
      : graph_(std::move(graph)), states_(states), has_condition_(has_condition) {}

  explicit operator bool() const { return graph_ != nullptr; }
  const GraphData& graph() const { return *graph_; }
  std::uint32_t states() const { return states_; }
  std::uint32_t sequences() const;
  bool has_condition() const { return has_condition_; }
  /// The names of its operators: `[matmul, add, tanh]`.
  std::string text() const;

 private:
  std::shared_ptr<const GraphData> graph_{};
  std::uint32_t states_ = 0;
  bool has_condition_ = false;
};

bool operator==(const LoopBody& a, const LoopBody& b);

}  // namespace control

template <> inline constexpr bool ops::is_value<control::LoopBody> = true;

}  // namespace webnn::inline v0_1
