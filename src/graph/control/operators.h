// Operators that only graphs with open dimensions have, and their list: what they stand for follows
// from the sizes of a run (src/builder/sized_loop.cpp). Private.
#pragma once

#include "src/graph/control/loop_body.h"

namespace webnn::inline v0_1::control {

/// The body as often as the first input says, an int64 scalar, and as long as the second one and
/// then the condition of the body, uint8 scalars, are not 0. Behind them the inputs are the states
/// before the first iteration, and what all iterations read. The results are the states after the
/// last iteration, and the sequences, along axis 0.
struct loop {
  std::vector<MLOperand> inputs;
  LoopBody body{};
  MLOperatorOptions options{};

  static constexpr auto declaration = ops::declare(
      "loop", ops::operand<&loop::inputs>("inputs", ops::allow(types::any)),
      ops::attribute<&loop::body>("body"), ops::results("outputs", ops::type_of("inputs")));
};
Result<ops::Shapes> infer(const loop& op);
/// The numbers of inputs and of results are those of the body.
shape::Check check_numbers(const loop& op, std::size_t results);

/// A state, or the number of the iteration, while a body is recorded: the first iteration has the
/// input. Along the axes its size changes from iteration to iteration. No graph that is built has
/// one.
struct placeholder {
  MLOperand input;
  std::vector<std::uint32_t> axes{};
  MLOperatorOptions options{};

  static constexpr auto declaration = ops::declare(
      "placeholder", ops::operand<&placeholder::input>("input", ops::allow(types::any)),
      ops::attribute<&placeholder::axes>("axes"), ops::result("output", ops::type_of("input")));
};
Result<ops::Shapes> infer(const placeholder& op);

using Operators = ops::OpList<loop, placeholder>;

}  // namespace webnn::inline v0_1::control
