// webnn.If and webnn.Loop: operators that hold subgraphs, of which data decides what runs.
// Importers make them, and what reads files that have them; programs do not name them. The runtime
// compiles the subgraphs with the graph that holds them (src/runtime/control.h). Private.
#pragma once

#include "src/graph/control/loop_body.h"
#include "src/operators/operators.h"

namespace webnn::inline v0_1::operators {

/// Iterations of a loop on data; the run of one that asks for more fails, for no file may hang.
inline constexpr std::int64_t max_loop_iterations = std::int64_t{1} << 20;

/// What an operator does. Its subgraphs have known sizes, and constants only as inputs. Their first
/// input is the number of the iteration, an int64 scalar.
struct ControlForm {
  enum class Kind : std::uint8_t {
    /// The operands are a condition, a uint8 scalar, and the other inputs of both subgraphs. The
    /// results are those of the first one where the condition is not 0, else of the second one.
    choice,
    /// The operands are the number of iterations, an int64 scalar, a condition, a uint8 scalar, the
    /// states before the first iteration, and what all iterations read: the inputs of the subgraph.
    /// Its outputs are the states behind the iteration, which have the same shapes, and a
    /// condition, if it has one. The results are the states behind the last iteration.
    loop
  };
  Kind kind = Kind::choice;
  std::vector<control::LoopBody> subgraphs{};
  std::int64_t max_iterations = max_loop_iterations;

  /// How many operands come before those that the inputs of a subgraph are, from the second on.
  std::size_t first_operand() const { return kind == Kind::loop ? 2 : 1; }
  std::uint32_t states() const { return subgraphs.front().states(); }
};

inline constexpr std::string_view choice_name = "webnn.If", loop_name = "webnn.Loop";
/// Its attributes: a text for each subgraph, which formats write and read, and the iterations.
inline constexpr std::string_view subgraphs_attribute = "subgraphs",
                                  iterations_attribute = "maxIterations";

/// The operator of one use. Its graph gives the attribute `subgraphs` the texts of the form's.
Definition control_operator(ControlForm form);
/// What it does; null for every other operator, whatever its name is.
const ControlForm* control_form(const CustomOperator& definition);
const ControlForm* control_form(const Node& node);

/// An operand that stands for an input while a subgraph is recorded: nothing is computed in advance
/// of what follows from it. No graph that is built has one.
const Definition& parameter();

}  // namespace webnn::inline v0_1::operators
